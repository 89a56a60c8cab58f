//! A unit under a lease, and one entity in such a unit, on an asynchronous connection.

use diesel::QueryResult;
use diesel_async::AsyncConnection;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::fence::AsyncFence;
use super::session::own_rows;
use super::set::AsyncSet;
use crate::entity::Versioned;
use crate::error::{CommitError, TrackError};
use crate::lease::{Lease, Stands};
use crate::outcome;
use crate::statement::{OwnTables, lease};
use crate::unit_of_work::{Handle, UnitOfWork};

/// A unit on an asynchronous connection.
pub(super) type Unit<C> = UnitOfWork<C, dyn AsyncSet<C>>;

/// The library's own table.
struct OwnTable;

#[allow(private_interfaces, reason = "see the trait")]
impl<C> AsyncFence<C> for OwnTable
where
    C: AsyncConnection + 'static,
    C::Backend: OwnTables,
{
    fn lock<'c>(
        &self,
        conn: &'c mut C,
        lease: &Lease,
    ) -> BoxFuture<'c, QueryResult<Option<Stands>>> {
        let found = own_rows(conn, lease::lock(&lease.place));
        async move { Ok(found.await?.into_iter().next()) }.boxed()
    }
}

impl<C> UnitOfWork<C, dyn AsyncSet<C>>
where
    C: AsyncConnection + 'static,
    C::Backend: OwnTables,
{
    /// Lets the unit be committed only while a lease holds, this commit and any later one. The lease is
    /// checked and locked before the unit's first write, and stays locked until COMMIT: nobody can take it
    /// in between. See [`lease`](crate::lease).
    ///
    /// The unit may write other rows than the leased one: the lines of the order that is leased, for
    /// example. It may be under several leases, and needs all of them; a newer lease takes the place of
    /// another one of the same row.
    ///
    /// A commit fails with [`CommitError::Lease`] if the lease is over; nothing is written then. One that
    /// has nothing to write does not look at it. What an earlier commit has written under the unit's
    /// idempotency key is told whether or not the lease still holds.
    pub fn under(&mut self, lease: &Lease) {
        self.fence_by(lease, Box::new(OwnTable));
    }
}

/// Writes one entity in a unit under its lease.
pub(super) async fn write_under<T, C>(
    conn: &mut C,
    lease: &Lease,
    entity: &mut T,
    join: impl FnOnce(&mut Unit<C>, T) -> Result<Handle<T>, TrackError> + Send,
) -> Result<(), CommitError>
where
    T: Versioned,
    C: AsyncConnection + 'static,
    C::Backend: OwnTables,
{
    lease.must_be_of(entity)?;
    let mut uow = Unit::<C>::new();
    uow.under(lease);
    let handle = join(&mut uow, entity.clone())?;
    let done = uow.commit(conn).await?;
    if let Some(written) = uow.get(handle).or_else(|| done.marked(handle)) {
        outcome::take_committed(entity, written);
    }
    Ok(())
}
