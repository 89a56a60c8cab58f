//! What a program that saves entities needs, for the connections of diesel-async: the same names as
//! in [`prelude`](crate::prelude).
//!
//! ```
//! use diesel::prelude::*;
//! use diesel_versioned::async_prelude::*;
//! ```
//!
//! Code that is generic over the connection and the entity says what it needs of them, and its
//! futures are `Send`:
//!
//! ```
//! use diesel_async::AsyncConnection;
//! use diesel_versioned::async_prelude::*;
//! use diesel_versioned::plumbing::{AsyncSet, Holds};
//! use diesel_versioned::{Dialect, IntoKey};
//!
//! /// Moves the version of a row on, whatever its type and its database.
//! fn touch<T, C>(
//!     conn: &mut C,
//!     key: impl IntoKey<T::Key> + Send,
//! ) -> impl Future<Output = Result<Committed, CommitError>> + Send
//! where
//!     C: AsyncConnection + 'static,
//!     C::Backend: Dialect,
//!     T: VersionedDsl<C>,
//!     dyn AsyncSet<C>: Holds<T>,
//! {
//!     async move {
//!         let mut uow = UnitOfWork::new();
//!         let handle: Handle<T> = uow.find(conn, key).await?;
//!         uow.touch(handle);
//!         uow.commit(conn).await
//!     }
//! }
//! # use diesel::prelude::*;
//! # use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
//! # use diesel_async::SimpleAsyncConnection;
//! # diesel::table! { products (id) { id -> Integer, version -> Integer } }
//! # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
//! # #[diesel(table_name = products)]
//! # struct Product { id: i32, #[version] version: i32 }
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut conn = SyncConnectionWrapper::<SqliteConnection>::establish(":memory:").await?;
//! # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, version INTEGER NOT NULL);
//! #     INSERT INTO products VALUES (42, 1)").await?;
//!
//! assert_eq!(touch::<Product, _>(&mut conn, 42).await?.len(), 1);
//! # Ok(())
//! # }
//! ```
//!
//! On SQLite, `SyncConnectionWrapper` needs tokio's multi-threaded runtime: it waits for a statement
//! whose future is dropped.

pub use crate::prelude::*;

// These take the place of their namesakes.
pub use crate::execute::{
    AsyncAudit as Audit, AsyncLockDsl as LockDsl, AsyncOverwriteDsl as OverwriteDsl,
    AsyncVersionedDsl as VersionedDsl, async_retry as retry,
};

#[cfg(feature = "lease")]
pub use crate::execute::AsyncLeaseDsl as LeaseDsl;

/// The unit of work on an asynchronous connection of the type `C`.
pub type UnitOfWork<C> = crate::UnitOfWork<C, dyn crate::AsyncSet<C>>;
