//! A unit under leases, on an asynchronous connection.

use diesel::QueryResult;
use diesel_async::AsyncConnection;
use futures_util::future::BoxFuture;

use super::set::AsyncSet;
use crate::backend::Dialect;
use crate::lease::{Lease, Stands};
use crate::unit_of_work::{Answer, UnitOfWork};

/// How a lease is locked, on an asynchronous connection of the type `C`.
#[allow(private_interfaces, reason = "only this crate can call these")]
pub trait AsyncFence<C>: Send + Sync {
    #[doc(hidden)]
    fn lock<'c>(
        &self,
        conn: &'c mut C,
        lease: &Lease,
    ) -> BoxFuture<'c, QueryResult<Option<Stands>>>;
}

impl<C> UnitOfWork<C, dyn AsyncSet<C>>
where
    C: AsyncConnection + 'static,
    C::Backend: Dialect,
{
    /// Locks a lease of the unit and looks whether it holds.
    pub(super) async fn perform_lease(&mut self, conn: &mut C, index: usize) -> Answer {
        let Some((lease, guard)) = self.leases.get(index) else {
            return Ok(0);
        };
        let stands = guard.lock(conn, lease).await?;
        self.judge_lease(index, stands)
    }
}
