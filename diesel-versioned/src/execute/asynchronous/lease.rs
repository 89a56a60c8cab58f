//! Leases on an asynchronous connection: taken, kept, given back, and written under.

use std::future::Future;
use std::time::Duration;

use diesel::QueryResult;
use diesel_async::AsyncConnection;

use super::session::{self, Begun, affected, answers, own_rows};
use super::under::{Unit, write_under};
use crate::entity::Versioned;
use crate::error::CommitError;
use crate::execute::transaction::Depth;
use crate::isolation::Terms;
use crate::lease::{
    Asked, Lease, LeaseError, LeaseHolder, LostLease, Place, Stands, check_ttl, forgettable, held,
    next_token,
};
use crate::statement::{Ask, Entity, KnownCatalog, OwnTables, TableName, lease};

/// What a [`Lease`] can do on an asynchronous connection of the type `Conn`: the same as
/// [`LeaseDsl`](crate::lease::LeaseDsl) on a blocking one, with futures that are `Send`. A future that
/// writes and is dropped before it is ready leaves the connection marked as broken, as that of
/// [`commit`](crate::UnitOfWork::commit) does, and the lease as it was, unless it was the COMMIT that was
/// waited for.
///
/// ```
/// # use std::time::Duration;
/// # use diesel::prelude::*;
/// # use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
/// # use diesel_async::{AsyncConnection, AsyncMigrationHarness, SimpleAsyncConnection};
/// # use diesel_migrations::MigrationHarness;
/// use diesel_versioned::async_prelude::*;
/// # diesel::table! { documents (id) { id -> Integer, version -> Integer } }
/// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// # #[diesel(table_name = documents)]
/// # struct Document { id: i32, #[version] version: i32 }
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// # let conn = SyncConnectionWrapper::<SqliteConnection>::establish(":memory:").await?;
/// # let mut harness = AsyncMigrationHarness::new(conn);
/// # harness.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
/// # let mut conn = harness.into_inner();
/// # conn.batch_execute("CREATE TABLE documents (id INTEGER PRIMARY KEY, version INTEGER NOT NULL);
/// #     INSERT INTO documents VALUES (7, 1)").await?;
///
/// let quarter = Duration::from_secs(900);
/// let mut document = Document::find(&mut conn, 7).await?;
/// let mut lease = Lease::acquire(&mut conn, &document, "maria", quarter).await?;
/// lease.renew(&mut conn, quarter).await?;
/// lease.save(&mut conn, &mut document).await?;
///
/// let mut uow = UnitOfWork::new();
/// uow.under(&lease);
/// let document = uow.attach(document)?;
/// uow.touch(document);
/// uow.commit(&mut conn).await?;
/// assert_eq!(uow[document].version, 3);
///
/// assert!(Lease::holder_of(&mut conn, &uow[document]).await?.is_some());
/// assert_eq!(lease.release(&mut conn).await?, None);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "leases cannot be kept through `{Conn}`",
    label = "no asynchronous connection of a database that `diesel_versioned_leases` can be in",
    note = "on a blocking connection use `diesel_versioned::prelude`"
)]
pub trait AsyncLeaseDsl<Conn>: Sized {
    /// Takes the lease of an entity's row, unless someone else holds it; see [`LeaseDsl::acquire`](crate::lease::LeaseDsl::acquire).
    ///
    /// # Errors
    ///
    /// As there.
    fn acquire<T: Versioned>(
        conn: &mut Conn,
        entity: &T,
        holder: impl Into<String>,
        ttl: Duration,
    ) -> impl Future<Output = Result<Self, LeaseError>> + Send
    where
        Conn: AsyncLeases<T> + 'static;

    /// Takes the lease of an entity's row, whoever holds it, and says who did; see [`LeaseDsl::steal`](crate::lease::LeaseDsl::steal).
    ///
    /// # Errors
    ///
    /// As there.
    fn steal<T: Versioned>(
        conn: &mut Conn,
        entity: &T,
        holder: impl Into<String>,
        ttl: Duration,
    ) -> impl Future<Output = Result<(Self, Option<LeaseHolder>), LeaseError>> + Send
    where
        Conn: AsyncLeases<T> + 'static;

    /// The lease that was acquired before, from its holder and its number; see [`LeaseDsl::resume`](crate::lease::LeaseDsl::resume).
    ///
    /// # Errors
    ///
    /// As there.
    fn resume<T: Versioned>(
        conn: &mut Conn,
        entity: &T,
        holder: impl Into<String>,
        token: i64,
    ) -> impl Future<Output = Result<Self, LeaseError>> + Send
    where
        Conn: AsyncLeases<T> + 'static;

    /// Who holds the lease of an entity's row at the moment; see [`LeaseDsl::holder_of`](crate::lease::LeaseDsl::holder_of).
    ///
    /// # Errors
    ///
    /// As there.
    fn holder_of<T: Versioned>(
        conn: &mut Conn,
        entity: &T,
    ) -> impl Future<Output = Result<Option<LeaseHolder>, LeaseError>> + Send
    where
        Conn: AsyncLeases<T> + 'static;

    /// Lets the lease last so long from now; see [`LeaseDsl::renew`](crate::lease::LeaseDsl::renew).
    ///
    /// # Errors
    ///
    /// As there.
    fn renew(
        &mut self,
        conn: &mut Conn,
        ttl: Duration,
    ) -> impl Future<Output = Result<(), LeaseError>> + Send;

    /// Gives the lease back; see [`LeaseDsl::release`](crate::lease::LeaseDsl::release).
    ///
    /// # Errors
    ///
    /// As there.
    fn release(
        &self,
        conn: &mut Conn,
    ) -> impl Future<Output = Result<Option<LostLease>, LeaseError>> + Send;

    /// Saves the entity under the lease of its row; see [`LeaseDsl::save`](crate::lease::LeaseDsl::save).
    ///
    /// # Errors
    ///
    /// As there.
    fn save<T: Versioned>(
        &self,
        conn: &mut Conn,
        entity: &mut T,
    ) -> impl Future<Output = Result<(), CommitError>> + Send
    where
        Conn: AsyncLeases<T> + 'static;

    /// Writes under the lease of its row what was changed; see
    /// [`LeaseDsl::save_changes`](crate::lease::LeaseDsl::save_changes).
    ///
    /// # Errors
    ///
    /// As there.
    fn save_changes<T: Versioned>(
        &self,
        conn: &mut Conn,
        entity: &mut T,
        base: &T,
    ) -> impl Future<Output = Result<(), CommitError>> + Send
    where
        Conn: AsyncLeases<T> + 'static;

    /// Deletes the row under its lease; see [`LeaseDsl::delete`](crate::lease::LeaseDsl::delete).
    ///
    /// # Errors
    ///
    /// As there.
    fn delete<T: Versioned>(
        &self,
        conn: &mut Conn,
        entity: &mut T,
    ) -> impl Future<Output = Result<(), CommitError>> + Send
    where
        Conn: AsyncLeases<T> + 'static;

    /// Touches the row under its lease; see [`LeaseDsl::touch`](crate::lease::LeaseDsl::touch).
    ///
    /// # Errors
    ///
    /// As there.
    fn touch<T: Versioned>(
        &self,
        conn: &mut Conn,
        entity: &mut T,
    ) -> impl Future<Output = Result<(), CommitError>> + Send
    where
        Conn: AsyncLeases<T> + 'static;

    /// Removes what the table knows of leases that have been over for long; see [`LeaseDsl::forget_leases`](crate::lease::LeaseDsl::forget_leases).
    ///
    /// # Errors
    ///
    /// As there.
    fn forget_leases(
        conn: &mut Conn,
        over_for: Duration,
    ) -> impl Future<Output = QueryResult<usize>> + Send;
}

/// An asynchronous connection on which rows of `T` can be leased: what [`AsyncLeaseDsl`] asks for.
pub trait AsyncLeases<T: Versioned>: Sized {
    #[doc(hidden)]
    fn execute_table_name(&mut self) -> impl Future<Output = QueryResult<String>> + Send;

    #[doc(hidden)]
    fn execute_save_under(
        &mut self,
        lease: &Lease,
        entity: &mut T,
    ) -> impl Future<Output = Result<(), CommitError>> + Send
    where
        Self: 'static;

    #[doc(hidden)]
    fn execute_save_changes_under(
        &mut self,
        lease: &Lease,
        entity: &mut T,
        base: &T,
    ) -> impl Future<Output = Result<(), CommitError>> + Send
    where
        Self: 'static;

    #[doc(hidden)]
    fn execute_delete_under(
        &mut self,
        lease: &Lease,
        entity: &mut T,
    ) -> impl Future<Output = Result<(), CommitError>> + Send
    where
        Self: 'static;

    #[doc(hidden)]
    fn execute_touch_under(
        &mut self,
        lease: &Lease,
        entity: &mut T,
    ) -> impl Future<Output = Result<(), CommitError>> + Send
    where
        Self: 'static;
}

#[diagnostic::do_not_recommend]
impl<T, C> AsyncLeases<T> for C
where
    C: AsyncConnection,
    C::Backend: OwnTables,
    T: Entity<C::Backend>,
{
    async fn execute_table_name(&mut self) -> QueryResult<String> {
        let ask = Ask::name::<T, C::Backend>(&KnownCatalog::default());
        let mut conn = Begun::statement(self)?;
        let answer = answers(&mut *conn, ask).await;
        conn.ended();
        TableName::of_answer(answer?)
    }

    async fn execute_save_under(&mut self, lease: &Lease, entity: &mut T) -> Result<(), CommitError>
    where
        C: 'static,
    {
        write_under(self, lease, entity, |uow, entity| uow.save(entity)).await
    }

    async fn execute_save_changes_under(
        &mut self,
        lease: &Lease,
        entity: &mut T,
        base: &T,
    ) -> Result<(), CommitError>
    where
        C: 'static,
    {
        let join = |uow: &mut Unit<C>, entity| uow.attach_changed(base.clone(), entity);
        write_under(self, lease, entity, join).await
    }

    async fn execute_delete_under(
        &mut self,
        lease: &Lease,
        entity: &mut T,
    ) -> Result<(), CommitError>
    where
        C: 'static,
    {
        let join = |uow: &mut Unit<C>, entity| {
            let handle = uow.attach(entity)?;
            uow.delete(handle);
            Ok(handle)
        };
        write_under(self, lease, entity, join).await
    }

    async fn execute_touch_under(
        &mut self,
        lease: &Lease,
        entity: &mut T,
    ) -> Result<(), CommitError>
    where
        C: 'static,
    {
        let join = |uow: &mut Unit<C>, entity| {
            let handle = uow.attach(entity)?;
            uow.touch(handle);
            Ok(handle)
        };
        write_under(self, lease, entity, join).await
    }
}

#[diagnostic::do_not_recommend]
impl<C> AsyncLeaseDsl<C> for Lease
where
    C: AsyncConnection,
    C::Backend: OwnTables,
{
    fn acquire<T: Versioned>(
        conn: &mut C,
        entity: &T,
        holder: impl Into<String>,
        ttl: Duration,
    ) -> impl Future<Output = Result<Self, LeaseError>> + Send
    where
        C: AsyncLeases<T> + 'static,
    {
        let holder = holder.into();
        async move {
            let place = Place::of(conn.execute_table_name().await?, entity)?;
            let asked = Asked::new::<T>(place, holder, ttl)?;
            take(conn, asked, false).await.map(|(lease, _)| lease)
        }
    }

    fn steal<T: Versioned>(
        conn: &mut C,
        entity: &T,
        holder: impl Into<String>,
        ttl: Duration,
    ) -> impl Future<Output = Result<(Self, Option<LeaseHolder>), LeaseError>> + Send
    where
        C: AsyncLeases<T> + 'static,
    {
        let holder = holder.into();
        async move {
            let place = Place::of(conn.execute_table_name().await?, entity)?;
            let asked = Asked::new::<T>(place, holder, ttl)?;
            take(conn, asked, true).await
        }
    }

    fn resume<T: Versioned>(
        conn: &mut C,
        entity: &T,
        holder: impl Into<String>,
        token: i64,
    ) -> impl Future<Output = Result<Self, LeaseError>> + Send
    where
        C: AsyncLeases<T> + 'static,
    {
        let holder = holder.into();
        async move {
            let place = Place::of(conn.execute_table_name().await?, entity)?;
            let asked = Asked::new::<T>(place, holder, Self::MAX_TTL)?;
            let stands = look(conn, &asked.place).await?;
            asked.resumed(stands, token)
        }
    }

    async fn holder_of<T: Versioned>(
        conn: &mut C,
        entity: &T,
    ) -> Result<Option<LeaseHolder>, LeaseError>
    where
        C: AsyncLeases<T> + 'static,
    {
        let place = Place::of(conn.execute_table_name().await?, entity)?;
        Ok(held(look(conn, &place).await?.as_ref()))
    }

    async fn renew(&mut self, conn: &mut C, ttl: Duration) -> Result<(), LeaseError> {
        let ttl = check_ttl(ttl)?;
        let outer = session::depth(conn)?;
        let mut conn = Begun::new(conn);
        let done = renew(&mut conn, self, ttl).await;
        let stands = end(conn, outer, done).await?;
        self.renewed(&stands);
        Ok(())
    }

    async fn release(&self, conn: &mut C) -> Result<Option<LostLease>, LeaseError> {
        let outer = session::depth(conn)?;
        let mut conn = Begun::new(conn);
        let done = release(&mut conn, self).await;
        end(conn, outer, done).await
    }

    async fn save<T: Versioned>(&self, conn: &mut C, entity: &mut T) -> Result<(), CommitError>
    where
        C: AsyncLeases<T> + 'static,
    {
        conn.execute_save_under(self, entity).await
    }

    async fn save_changes<T: Versioned>(
        &self,
        conn: &mut C,
        entity: &mut T,
        base: &T,
    ) -> Result<(), CommitError>
    where
        C: AsyncLeases<T> + 'static,
    {
        conn.execute_save_changes_under(self, entity, base).await
    }

    async fn delete<T: Versioned>(&self, conn: &mut C, entity: &mut T) -> Result<(), CommitError>
    where
        C: AsyncLeases<T> + 'static,
    {
        conn.execute_delete_under(self, entity).await
    }

    async fn touch<T: Versioned>(&self, conn: &mut C, entity: &mut T) -> Result<(), CommitError>
    where
        C: AsyncLeases<T> + 'static,
    {
        conn.execute_touch_under(self, entity).await
    }

    async fn forget_leases(conn: &mut C, over_for: Duration) -> QueryResult<usize> {
        let mut conn = Begun::statement(conn)?;
        let forgotten = affected(&mut *conn, lease::forget(forgettable(over_for))).await;
        conn.ended();
        forgotten
    }
}

/// Takes a lease, and says who held it.
async fn take<C>(
    conn: &mut C,
    asked: Asked,
    steal: bool,
) -> Result<(Lease, Option<LeaseHolder>), LeaseError>
where
    C: AsyncConnection,
    C::Backend: OwnTables,
{
    let outer = session::depth(conn)?;
    let mut conn = Begun::new(conn);
    let done = take_in(&mut conn, asked, steal).await;
    end(conn, outer, done).await
}

/// Begins a transaction or savepoint, and takes the lease in it.
async fn take_in<C>(
    conn: &mut C,
    asked: Asked,
    steal: bool,
) -> Result<(Lease, Option<LeaseHolder>), LeaseError>
where
    C: AsyncConnection,
    C::Backend: OwnTables,
{
    session::begin(conn, Terms::default()).await?;
    affected(conn, lease::ensure(&asked.place)).await?;
    let stands = asked.kept(lock(conn, &asked.place).await?)?;
    let previous = asked.may_take(&stands, steal)?;
    let token = next_token(&stands);
    let taking = lease::take(&asked.place, &asked.holder, token, asked.ttl);
    affected(conn, taking).await?;
    let stands = asked.kept(look(conn, &asked.place).await?)?;
    Ok((asked.taken(&stands, token)?, previous))
}

/// Begins a transaction or savepoint, and renews the lease in it.
async fn renew<C>(conn: &mut C, lease: &Lease, ttl: Duration) -> Result<Stands, LeaseError>
where
    C: AsyncConnection,
    C::Backend: OwnTables,
{
    session::begin(conn, Terms::default()).await?;
    lease.must_hold(lock(conn, &lease.place).await?)?;
    affected(conn, lease::renew(&lease.place, ttl)).await?;
    lease.must_hold(look(conn, &lease.place).await?)
}

/// Begins a transaction or savepoint, and gives the lease back in it.
async fn release<C>(conn: &mut C, lease: &Lease) -> Result<Option<LostLease>, LeaseError>
where
    C: AsyncConnection,
    C::Backend: OwnTables,
{
    session::begin(conn, Terms::default()).await?;
    let stands = lock(conn, &lease.place).await?;
    let lost = lease.lost(stands.as_ref());
    if lost.is_none() {
        affected(conn, lease::release(&lease.place)).await?;
    }
    Ok(lost)
}

/// Commits what was done, or releases its savepoint; rolls back what was not.
async fn end<C, R>(
    mut conn: Begun<'_, C>,
    outer: Depth,
    done: Result<R, LeaseError>,
) -> Result<R, LeaseError>
where
    C: AsyncConnection,
{
    let done = session::end(&mut *conn, outer, done).await;
    conn.ended();
    done
}

async fn lock<C>(conn: &mut C, place: &Place) -> QueryResult<Option<Stands>>
where
    C: AsyncConnection,
    C::Backend: OwnTables,
{
    Ok(own_rows(conn, lease::lock(place)).await?.into_iter().next())
}

async fn look<C>(conn: &mut C, place: &Place) -> QueryResult<Option<Stands>>
where
    C: AsyncConnection,
    C::Backend: OwnTables,
{
    let mut conn = Begun::statement(conn)?;
    let found = own_rows(&mut *conn, lease::look(place)).await;
    conn.ended();
    Ok(found?.into_iter().next())
}
