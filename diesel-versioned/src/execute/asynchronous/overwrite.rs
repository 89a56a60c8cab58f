//! Overwriting on purpose on an asynchronous connection.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};

use diesel::QueryResult;
use diesel_async::AsyncConnection;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::closure::RunFn;
use super::session::affected;
use super::set::AsyncSet;
use crate::backend::Dialect;
use crate::conflict::Conflict;
use crate::entity::Versioned;
use crate::execute::transaction::kept;
use crate::outcome;
use crate::overwrite::{Actor, Overwrite, OverwriteError};
use crate::statement::{Entity, OwnTables};
use crate::unit_of_work::{Handle, UnitOfWork};

/// What records that a row is overwritten, in the transaction that does it; see
/// [`Audit`](crate::Audit). [`async_prelude`](crate::async_prelude) exports it by that name.
///
/// An asynchronous closure is one if the types of its arguments are written out, and it is `Clone`:
/// it is cloned before it runs.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
/// use diesel_async::RunQueryDsl;
/// use diesel_versioned::async_prelude::*;
/// # diesel::table! { journal (id) { id -> Integer, text -> Text } }
///
/// type Connection = SyncConnectionWrapper<SqliteConnection>;
///
/// struct Journal;
///
/// impl Audit<Connection> for Journal {
///     async fn record(&mut self, conn: &mut Connection, what: &Overwrite) -> QueryResult<()> {
///         let text = format!("{} overwrote {} {}", what.actor(), what.table(), what.key());
///         diesel::insert_into(journal::table).values(journal::text.eq(text)).execute(conn).await?;
///         Ok(())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not record overwrites on a `{Conn}`",
    label = "no `Audit`",
    note = "implement `Audit<{Conn}>`, or give a closure whose arguments are written with their \
            types: `async |conn: &mut {Conn}, what: &Overwrite| …`"
)]
pub trait AsyncAudit<Conn>: Send {
    /// Records it.
    ///
    /// # Errors
    ///
    /// Whatever the database reports; then nothing is overwritten.
    fn record(
        &mut self,
        conn: &mut Conn,
        overwrite: &Overwrite,
    ) -> impl Future<Output = QueryResult<()>> + Send;
}

#[diagnostic::do_not_recommend]
impl<C, F> AsyncAudit<C> for F
where
    C: Send,
    for<'r, 's> F: AsyncFnOnce(&'r mut C, &'s Overwrite) -> QueryResult<()>
        + RunFn<&'r mut C, &'s Overwrite, QueryResult<()>, Running: Send>
        + Clone
        + Send,
{
    async fn record(&mut self, conn: &mut C, overwrite: &Overwrite) -> QueryResult<()> {
        let run = self.clone();
        run(conn, overwrite).await
    }
}

impl<C> AsyncAudit<C> for crate::OverwriteTable
where
    C: AsyncConnection,
    C::Backend: OwnTables,
{
    async fn record(&mut self, conn: &mut C, overwrite: &Overwrite) -> QueryResult<()> {
        kept(affected(conn, overwrite.record()).await?)
    }
}

/// An [`AsyncAudit`] of whatever type.
pub trait AnyAudit<C>: Send {
    fn record_any<'r>(
        &'r mut self,
        conn: &'r mut C,
        overwrite: &'r Overwrite,
    ) -> BoxFuture<'r, QueryResult<()>>;
}

impl<C: Send, A: AsyncAudit<C>> AnyAudit<C> for A {
    fn record_any<'r>(
        &'r mut self,
        conn: &'r mut C,
        overwrite: &'r Overwrite,
    ) -> BoxFuture<'r, QueryResult<()>> {
        self.record(conn, overwrite).boxed()
    }
}

/// What a [`Conflict`] can do on an asynchronous connection of the type `Conn`: the same as
/// [`OverwriteDsl`](crate::OverwriteDsl) on a blocking one, under the same names.
/// [`async_prelude`](crate::async_prelude) exports it by that name. All futures are `Send`.
///
/// A future that is dropped before it is ready leaves the row as it was, unless it was the COMMIT
/// that was waited for; the connection is marked as broken then, as when a
/// [commit](crate::UnitOfWork::commit) is dropped.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
/// use diesel_async::{AsyncConnection, AsyncMigrationHarness, SimpleAsyncConnection};
/// use diesel_migrations::MigrationHarness;
/// use diesel_versioned::async_prelude::*;
///
/// # diesel::table! {
/// #     products (id) { id -> Integer, price_cents -> BigInt, version -> Integer }
/// # }
/// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// # #[diesel(table_name = products)]
/// # struct Product { id: i32, price_cents: i64, #[version] version: i32 }
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// let conn = SyncConnectionWrapper::<SqliteConnection>::establish(":memory:").await?;
/// let mut harness = AsyncMigrationHarness::new(conn);
/// harness.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
/// let mut conn = harness.into_inner();
/// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY,
/// #     price_cents BIGINT NOT NULL, version INTEGER NOT NULL);
/// #     INSERT INTO products VALUES (42, 250, 1)").await?;
///
/// let mut mine = Product::find(&mut conn, 42).await?;
/// let mut theirs = mine.clone(); // someone else
/// theirs.price_cents = 270;
/// theirs.save(&mut conn).await?;
///
/// mine.price_cents = 299;
/// if let Err(SaveError::Conflict(conflict)) = mine.save(&mut conn).await {
///     // … Anna has been shown both prices, and decides:
///     let anna = Actor::new("anna")?;
///     let mine = conflict.overwrite(&mut conn, anna, "price list of May").await?;
///     assert_eq!((mine.price_cents, mine.version), (299, 3));
/// }
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "the row of this conflict cannot be overwritten through `{Conn}`",
    label = "no asynchronous connection of the entity's database",
    note = "on a blocking connection use `diesel_versioned::prelude`"
)]
pub trait AsyncOverwriteDsl<Conn: Send> {
    /// The entity.
    type Entity: Versioned;

    /// Overwrites what stands there with mine, on purpose, and records it; see
    /// [`OverwriteDsl::overwrite`](crate::OverwriteDsl::overwrite).
    ///
    /// # Errors
    ///
    /// As there.
    fn overwrite(
        &self,
        conn: &mut Conn,
        actor: Actor,
        reason: impl Into<String>,
    ) -> impl Future<Output = Result<Self::Entity, OverwriteError<Self::Entity>>> + Send
    where
        Conn: 'static;

    /// The same with a record of your own; see
    /// [`OverwriteDsl::overwrite_with`](crate::OverwriteDsl::overwrite_with).
    ///
    /// # Errors
    ///
    /// As there.
    fn overwrite_with<A: AsyncAudit<Conn>>(
        &self,
        conn: &mut Conn,
        audit: &mut A,
        actor: Actor,
        reason: impl Into<String>,
    ) -> impl Future<Output = Result<Self::Entity, OverwriteError<Self::Entity>>> + Send
    where
        Conn: 'static;
}

/// An asynchronous connection that can overwrite the rows of `T`: what [`AsyncOverwriteDsl`] asks
/// for.
pub trait AsyncOverwrites<T: Versioned>: Sized {
    #[doc(hidden)]
    fn execute_overwrite(
        &mut self,
        conflict: &Conflict<T>,
        actor: Actor,
        reason: String,
    ) -> impl Future<Output = Result<T, OverwriteError<T>>> + Send
    where
        Self: 'static;

    #[doc(hidden)]
    fn execute_overwrite_with<A: AsyncAudit<Self>>(
        &mut self,
        conflict: &Conflict<T>,
        audit: &mut A,
        actor: Actor,
        reason: String,
    ) -> impl Future<Output = Result<T, OverwriteError<T>>> + Send
    where
        Self: 'static;
}

#[diagnostic::do_not_recommend]
impl<T, C> AsyncOverwrites<T> for C
where
    C: AsyncConnection,
    C::Backend: OwnTables,
    T: Entity<C::Backend>,
{
    async fn execute_overwrite(
        &mut self,
        conflict: &Conflict<T>,
        actor: Actor,
        reason: String,
    ) -> Result<T, OverwriteError<T>>
    where
        C: 'static,
    {
        self.execute_overwrite_with(conflict, &mut crate::OverwriteTable, actor, reason)
            .await
    }

    async fn execute_overwrite_with<A: AsyncAudit<C>>(
        &mut self,
        conflict: &Conflict<T>,
        audit: &mut A,
        actor: Actor,
        reason: String,
    ) -> Result<T, OverwriteError<T>>
    where
        C: 'static,
    {
        let mut uow = UnitOfWork::<C, dyn AsyncSet<C>>::new();
        let handle = uow.overwrite_one(conflict, actor, reason)?;
        let failed = AtomicBool::new(false);
        let mut audit = Noted {
            audit,
            failed: &failed,
        };
        match uow.commit_lent(self, &mut audit).await {
            Ok(done) => Ok(outcome::overwritten(
                conflict,
                uow.get(handle),
                done.marked(handle),
            )),
            Err(error) => {
                let failed = failed.load(Ordering::Relaxed);
                Err(OverwriteError::of_unit(error, failed))
            }
        }
    }
}

/// An audit, and whether it has failed.
struct Noted<'a, A> {
    audit: &'a mut A,
    failed: &'a AtomicBool,
}

impl<C: Send, A: AsyncAudit<C>> AsyncAudit<C> for Noted<'_, A> {
    async fn record(&mut self, conn: &mut C, overwrite: &Overwrite) -> QueryResult<()> {
        let recorded = self.audit.record(conn, overwrite).await;
        self.failed.store(recorded.is_err(), Ordering::Relaxed);
        recorded
    }
}

#[diagnostic::do_not_recommend]
impl<T: Versioned, C: AsyncOverwrites<T> + Send> AsyncOverwriteDsl<C> for Conflict<T> {
    type Entity = T;

    fn overwrite(
        &self,
        conn: &mut C,
        actor: Actor,
        reason: impl Into<String>,
    ) -> impl Future<Output = Result<T, OverwriteError<T>>> + Send
    where
        C: 'static,
    {
        conn.execute_overwrite(self, actor, reason.into())
    }

    fn overwrite_with<A: AsyncAudit<C>>(
        &self,
        conn: &mut C,
        audit: &mut A,
        actor: Actor,
        reason: impl Into<String>,
    ) -> impl Future<Output = Result<T, OverwriteError<T>>> + Send
    where
        C: 'static,
    {
        conn.execute_overwrite_with(self, audit, actor, reason.into())
    }
}

impl<C> UnitOfWork<C, dyn AsyncSet<C>>
where
    C: AsyncConnection + 'static,
    C::Backend: Dialect,
{
    /// Lets the next commit overwrite the row of a conflict on purpose, and record that in the table
    /// `diesel_versioned_overwrites`, both in the unit's transaction.
    ///
    /// The entity stands on what was seen, the conflict's [`current`](Conflict::current), from now
    /// on: the next commit writes every column as the entity has it then, or deletes the row if the
    /// unit deletes it, guarded by the version that was seen. If someone has written the row since,
    /// that commit reports the next conflict, and nothing is written or recorded; overwrite again,
    /// or [`resolve`](UnitOfWork::resolve) or [`discard`](UnitOfWork::discard) the entity, and then
    /// nothing is recorded of this one.
    ///
    /// # Errors
    ///
    /// The unit is as it was then.
    ///
    /// - [`OverwriteError::Impossible`] if the row is gone, if nobody else has written it, if the
    ///   conflict is not one of this unit, if the unit has gone on since, or if it
    ///   [expects the row to be unchanged](UnitOfWork::expect_unchanged).
    /// - [`OverwriteError::Reason`] as for a single conflict.
    ///
    /// The commit returns [`CommitError::Database`](crate::CommitError::Database) if it cannot be
    /// recorded.
    pub fn overwrite<T: Versioned>(
        &mut self,
        conflict: &Conflict<T>,
        actor: Actor,
        reason: impl Into<String>,
    ) -> Result<Handle<T>, OverwriteError<T>>
    where
        C::Backend: OwnTables,
    {
        self.overwrite_with(conflict, crate::OverwriteTable, actor, reason)
    }

    /// The same with a record of your own, which this unit keeps; see [`AsyncAudit`].
    ///
    /// # Errors
    ///
    /// As [`overwrite`](UnitOfWork::overwrite).
    pub fn overwrite_with<T: Versioned>(
        &mut self,
        conflict: &Conflict<T>,
        audit: impl AsyncAudit<C> + 'static,
        actor: Actor,
        reason: impl Into<String>,
    ) -> Result<Handle<T>, OverwriteError<T>> {
        self.overwrite_tracked(conflict, Box::new(audit), actor, reason.into())
    }
}
