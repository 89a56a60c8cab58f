//! What an entity can do on an asynchronous connection; the doing is in `single.rs`.

use std::future::Future;

use diesel::QueryResult;
use diesel::query_builder::AsChangeset;

use super::apply::AsyncApply;
use super::single::AsyncExecutes;
use crate::entity::{IntoKey, Versioned};
use crate::error::{CommitError, SaveError};
use crate::relative::RelativeDsl;
use crate::retry::{Attempt, RetryError, RetryPolicy};
use crate::schema_check::SchemaReport;
use crate::soft_delete::SoftDelete;
use crate::statement::Always;
use crate::version::SteppingVersion;

/// What a versioned entity can do on an asynchronous connection of the type `Conn`: the same as
/// [`VersionedDsl`](crate::VersionedDsl) on a blocking one, under the same names.
///
/// [`async_prelude`](crate::async_prelude) exports it as `VersionedDsl`. Implemented for every entity
/// that derives [`Versioned`](derive@crate::Versioned), `Queryable` and `Selectable`, on every
/// connection of diesel-async whose backend is a [`Dialect`](crate::Dialect), pooled ones among them.
/// Generic code says `where Product: VersionedDsl<C>`. All futures are `Send`.
///
/// A future that is dropped before it is ready leaves the entity as it was; whether its one
/// statement has reached the database is then unknown, as with any statement of diesel-async.
/// [`save`](Self::save) the entity again and a conflict tells. On MySQL and MariaDB the connection
/// is marked as broken then, for it would give the answer to whoever asks next: take another one.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
/// use diesel_async::{AsyncConnection, SimpleAsyncConnection};
/// use diesel_versioned::async_prelude::*;
///
/// diesel::table! {
///     products (id) { id -> Integer, name -> Text, version -> Integer }
/// }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// #[diesel(table_name = products)]
/// struct Product { id: i32, name: String, #[version] version: i32 }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut conn = SyncConnectionWrapper::<SqliteConnection>::establish(":memory:").await?;
/// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
/// #     version INTEGER NOT NULL)").await?;
/// let mut mine = Product { id: 42, name: "Chai".into(), version: 0 };
/// mine.insert(&mut conn).await?;
/// assert_eq!(mine.version, 1);
///
/// let mut theirs = Product::find(&mut conn, 42).await?;
/// theirs.name = "Chai tea".into();
/// theirs.save(&mut conn).await?;
///
/// mine.name = "Masala chai".into();
/// match mine.save(&mut conn).await {
///     Err(SaveError::Conflict(conflict)) => {
///         assert_eq!(conflict.kind(), ConflictKind::Modified);
///         assert_eq!((*conflict.expected(), conflict.actual()), (1, Some(&2)));
///         assert_eq!(conflict.current().map(|row| row.name.as_str()), Some("Chai tea"));
///     }
///     other => panic!("their work would be lost: {other:?}"),
/// }
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written to and read from a database through `{Conn}`",
    label = "no entity of this asynchronous connection's database",
    note = "derive `Queryable, Selectable, Versioned` on `{Self}`",
    note = "enable the feature of diesel-versioned that is called like the database: `sqlite`, \
            `postgres` or `mysql`",
    note = "on a blocking connection use `diesel_versioned::prelude`",
    note = "if all is done, a field's type does not fit its column on this database: \
            `#[diesel(check_for_backend(…))]` shows which"
)]
pub trait AsyncVersionedDsl<Conn: Send>: Versioned {
    /// Reads the row with a key; see [`VersionedDsl::find`](crate::VersionedDsl::find).
    ///
    /// # Errors
    ///
    /// `NotFound` if there is no such row, or it is marked as deleted, so that Diesel's `optional()`
    /// works; otherwise what the database reports.
    fn find(
        conn: &mut Conn,
        key: impl IntoKey<Self::Key>,
    ) -> impl Future<Output = QueryResult<Self>> + Send;

    /// Reads the row with a key if it is marked as deleted; see
    /// [`VersionedDsl::find_deleted`](crate::VersionedDsl::find_deleted).
    ///
    /// # Errors
    ///
    /// `NotFound` if there is no such row or it is not deleted, otherwise what the database reports.
    fn find_deleted(
        conn: &mut Conn,
        key: impl IntoKey<Self::Key>,
    ) -> impl Future<Output = QueryResult<Self>> + Send
    where
        Self: SoftDelete;

    /// Inserts the row with the initial version; see
    /// [`VersionedDsl::insert`](crate::VersionedDsl::insert).
    ///
    /// # Errors
    ///
    /// As there. The entity is unchanged then.
    fn insert(
        &mut self,
        conn: &mut Conn,
    ) -> impl Future<Output = Result<(), SaveError<Self>>> + Send;

    /// Inserts the row, or saves it under its guard if its key is taken; see
    /// [`VersionedDsl::insert_or_save`](crate::VersionedDsl::insert_or_save).
    ///
    /// # Errors
    ///
    /// As there. The entity is unchanged then.
    fn insert_or_save(
        &mut self,
        conn: &mut Conn,
    ) -> impl Future<Output = Result<(), SaveError<Self>>> + Send;

    /// Writes every writable column if the row is still at this copy's version; see
    /// [`VersionedDsl::save`](crate::VersionedDsl::save).
    ///
    /// # Errors
    ///
    /// As there. The entity is unchanged then.
    fn save(&mut self, conn: &mut Conn)
    -> impl Future<Output = Result<(), SaveError<Self>>> + Send;

    /// Deletes the row if it is still at this copy's version; see
    /// [`VersionedDsl::delete`](crate::VersionedDsl::delete).
    ///
    /// # Errors
    ///
    /// As there.
    fn delete(
        &mut self,
        conn: &mut Conn,
    ) -> impl Future<Output = Result<(), SaveError<Self>>> + Send;

    /// Brings a row back that is marked as deleted; see
    /// [`VersionedDsl::restore`](crate::VersionedDsl::restore).
    ///
    /// # Errors
    ///
    /// As there. The entity is unchanged then.
    fn restore(
        &mut self,
        conn: &mut Conn,
    ) -> impl Future<Output = Result<(), SaveError<Self>>> + Send
    where
        Self: SoftDelete;

    /// Deletes the row for good; see [`VersionedDsl::purge`](crate::VersionedDsl::purge).
    ///
    /// # Errors
    ///
    /// As there.
    fn purge(
        &mut self,
        conn: &mut Conn,
    ) -> impl Future<Output = Result<(), SaveError<Self>>> + Send
    where
        Self: SoftDelete;

    /// Moves the version on and writes nothing else; see
    /// [`VersionedDsl::touch`](crate::VersionedDsl::touch).
    ///
    /// # Errors
    ///
    /// As there. The entity is unchanged then.
    fn touch(
        &mut self,
        conn: &mut Conn,
    ) -> impl Future<Output = Result<(), SaveError<Self>>> + Send;

    /// Writes the unguarded columns of this copy; see
    /// [`VersionedDsl::save_unguarded`](crate::VersionedDsl::save_unguarded).
    ///
    /// # Errors
    ///
    /// As there.
    fn save_unguarded(
        &mut self,
        conn: &mut Conn,
    ) -> impl Future<Output = Result<(), SaveError<Self>>> + Send;

    /// Writes the columns in which this copy differs from `base`; see
    /// [`VersionedDsl::save_changes`](crate::VersionedDsl::save_changes).
    ///
    /// # Errors
    ///
    /// As there. The entity is unchanged then.
    fn save_changes(
        &mut self,
        conn: &mut Conn,
        base: &Self,
    ) -> impl Future<Output = Result<(), SaveError<Self>>> + Send;

    /// Reads the row again; see [`VersionedDsl::reload`](crate::VersionedDsl::reload).
    ///
    /// # Errors
    ///
    /// `NotFound` if the row is gone or marked as deleted, otherwise what the database reports. The
    /// entity is unchanged then.
    fn reload(&mut self, conn: &mut Conn) -> impl Future<Output = QueryResult<()>> + Send;

    /// Reads the row, changes it and writes it, again and again if need be; see
    /// [`VersionedDsl::update_with`](crate::VersionedDsl::update_with).
    ///
    /// # Errors
    ///
    /// As there.
    ///
    /// # Panics
    ///
    /// If the closure panics: the transaction is rolled back and the panic goes on. Outside of tokio.
    fn update_with<A: Attempt<Error: Send>>(
        conn: &mut Conn,
        key: impl IntoKey<Self::Key>,
        policy: &RetryPolicy,
        change: impl FnMut(&mut Self) -> A + Send,
    ) -> impl Future<Output = Result<Self, RetryError<A::Error>>> + Send
    where
        Self: Sized,
        Conn: 'static;

    /// Updates the row with a key by the expressions of Diesel, whatever its version is; see
    /// [`VersionedDsl::apply`](crate::VersionedDsl::apply).
    ///
    /// ```
    /// # use diesel::prelude::*;
    /// # use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
    /// # use diesel_async::{AsyncConnection, SimpleAsyncConnection};
    /// # use diesel_versioned::async_prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SyncConnectionWrapper::<SqliteConnection>::establish(":memory:").await?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (42, 5, 1)").await?;
    /// use self::products::dsl::stock;
    ///
    /// Product::apply(&mut conn, 42, stock.eq(stock - 3))
    ///     .filter(stock.ge(3))
    ///     .execute()
    ///     .await?;
    /// let product = Product::find(&mut conn, 42).await?;
    /// assert_eq!((product.stock, product.version), (2, 2));
    /// # Ok(())
    /// # }
    /// ```
    fn apply<S>(
        conn: &mut Conn,
        key: impl IntoKey<Self::Key>,
        set: S,
    ) -> AsyncApply<'_, Conn, Self, S::Changeset, Always>
    where
        Self: Sized,
        Self::Version: SteppingVersion,
        S: AsChangeset<Target = Self::Table>,
    {
        AsyncApply::new(conn, Self::relative(key, set))
    }

    /// Saves each of the entities in one transaction, all or none; see
    /// [`VersionedDsl::save_all`](crate::VersionedDsl::save_all).
    ///
    /// # Errors
    ///
    /// As there. No entity is changed then.
    fn save_all(
        conn: &mut Conn,
        entities: &mut [Self],
    ) -> impl Future<Output = Result<(), CommitError>> + Send
    where
        Self: Sized,
        Conn: 'static;

    /// Compares the entity with the live table and returns all that is wrong, as data; see
    /// [`VersionedDsl::check_schema`](crate::VersionedDsl::check_schema).
    ///
    /// # Errors
    ///
    /// As there.
    fn check_schema(conn: &mut Conn) -> impl Future<Output = QueryResult<SchemaReport>> + Send;
}

// The bounds are on the connection for the same reason as on a blocking one.
#[diagnostic::do_not_recommend]
impl<T: Versioned, C: AsyncExecutes<T> + Send> AsyncVersionedDsl<C> for T {
    fn find(
        conn: &mut C,
        key: impl IntoKey<Self::Key>,
    ) -> impl Future<Output = QueryResult<Self>> + Send {
        conn.execute_find(key.into_key())
    }

    fn find_deleted(
        conn: &mut C,
        key: impl IntoKey<Self::Key>,
    ) -> impl Future<Output = QueryResult<Self>> + Send
    where
        Self: SoftDelete,
    {
        conn.execute_find_deleted(key.into_key())
    }

    fn insert(&mut self, conn: &mut C) -> impl Future<Output = Result<(), SaveError<Self>>> + Send {
        conn.execute_insert(self)
    }

    fn insert_or_save(
        &mut self,
        conn: &mut C,
    ) -> impl Future<Output = Result<(), SaveError<Self>>> + Send {
        conn.execute_insert_or_save(self)
    }

    fn save(&mut self, conn: &mut C) -> impl Future<Output = Result<(), SaveError<Self>>> + Send {
        conn.execute_save(self)
    }

    fn delete(&mut self, conn: &mut C) -> impl Future<Output = Result<(), SaveError<Self>>> + Send {
        conn.execute_delete(self)
    }

    fn restore(&mut self, conn: &mut C) -> impl Future<Output = Result<(), SaveError<Self>>> + Send
    where
        Self: SoftDelete,
    {
        conn.execute_restore(self)
    }

    fn purge(&mut self, conn: &mut C) -> impl Future<Output = Result<(), SaveError<Self>>> + Send
    where
        Self: SoftDelete,
    {
        conn.execute_purge(self)
    }

    fn touch(&mut self, conn: &mut C) -> impl Future<Output = Result<(), SaveError<Self>>> + Send {
        conn.execute_touch(self)
    }

    fn save_unguarded(
        &mut self,
        conn: &mut C,
    ) -> impl Future<Output = Result<(), SaveError<Self>>> + Send {
        conn.execute_save_unguarded(self)
    }

    fn save_changes(
        &mut self,
        conn: &mut C,
        base: &Self,
    ) -> impl Future<Output = Result<(), SaveError<Self>>> + Send {
        conn.execute_save_changes(self, base)
    }

    async fn reload(&mut self, conn: &mut C) -> QueryResult<()> {
        *self = conn.execute_find(self.key()).await?;
        Ok(())
    }

    fn update_with<A: Attempt<Error: Send>>(
        conn: &mut C,
        key: impl IntoKey<Self::Key>,
        policy: &RetryPolicy,
        change: impl FnMut(&mut Self) -> A + Send,
    ) -> impl Future<Output = Result<Self, RetryError<A::Error>>> + Send
    where
        C: 'static,
    {
        conn.execute_update_with(key.into_key(), policy, change)
    }

    fn save_all(
        conn: &mut C,
        entities: &mut [Self],
    ) -> impl Future<Output = Result<(), CommitError>> + Send
    where
        C: 'static,
    {
        conn.execute_save_all(entities)
    }

    fn check_schema(conn: &mut C) -> impl Future<Output = QueryResult<SchemaReport>> + Send {
        conn.execute_check_schema()
    }
}
