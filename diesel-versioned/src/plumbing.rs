//! The traits between an entity, a unit and a connection: named by signatures, by the compiler's
//! messages and by generic code, implemented by the derives and by this library.
//!
//! Most are at the root of the crate too. What generic code says of a unit is
//! `dyn BlockingSet<C>: Holds<T>`, on an asynchronous connection `dyn AsyncSet<C>: Holds<T>`:
//!
//! ```
//! use diesel::connection::LoadConnection;
//! use diesel_versioned::plumbing::{BlockingSet, Holds};
//! use diesel_versioned::prelude::*;
//! use diesel_versioned::{Dialect, IntoKey};
//!
//! /// Moves the version of a row on, whatever its type and its database.
//! fn touch<T, C>(conn: &mut C, key: impl IntoKey<T::Key>) -> Result<Committed, CommitError>
//! where
//!     C: LoadConnection + 'static,
//!     C::Backend: Dialect,
//!     T: VersionedDsl<C>,
//!     dyn BlockingSet<C>: Holds<T>,
//! {
//!     let mut uow = UnitOfWork::new();
//!     let handle: Handle<T> = uow.find(conn, key)?;
//!     uow.touch(handle);
//!     uow.commit(conn)
//! }
//! # use diesel::connection::SimpleConnection;
//! # use diesel::prelude::*;
//! # diesel::table! { products (id) { id -> Integer, version -> Integer } }
//! # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
//! # #[diesel(table_name = products)]
//! # struct Product { id: i32, #[version] version: i32 }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut conn = SqliteConnection::establish(":memory:")?;
//! # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, version INTEGER NOT NULL);
//! #     INSERT INTO products VALUES (42, 1)")?;
//!
//! assert_eq!(touch::<Product, _>(&mut conn, 42)?.len(), 1);
//! # Ok(())
//! # }
//! ```

pub use crate::entity::{Bind, BindPart, CloneEntity, EntityKey};
#[cfg(feature = "async")]
pub use crate::execute::AsyncFence;
#[cfg(all(feature = "lease", feature = "async"))]
pub use crate::execute::AsyncLeases;
#[cfg(feature = "lease")]
pub use crate::execute::Leases;
#[cfg(feature = "async")]
pub use crate::execute::{
    AlsoFn, AsyncExecutes, AsyncLocks, AsyncOverwrites, AsyncSet, AsyncStore, RunFn, Wire,
};
pub use crate::execute::{BlockingFence, BlockingSet, BlockingStore, Executes, Locks, Overwrites};
pub use crate::relative::Asks;
pub use crate::statement::{Always, Both, Condition, Entity, OwnTables, Readable};
pub use crate::unit_of_work::{Discard, Holds, Set, SetCore, SetKind};
