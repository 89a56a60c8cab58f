//! A unit under leases, on a blocking connection.

use diesel::QueryResult;
use diesel::connection::LoadConnection;

use super::set::BlockingSet;
use crate::backend::Dialect;
use crate::lease::{Lease, Stands};
use crate::unit_of_work::{Answer, UnitOfWork};

/// How a lease is locked, on a blocking connection of the type `C`.
#[allow(private_interfaces, reason = "only this crate can call these")]
pub trait BlockingFence<C>: Send {
    #[doc(hidden)]
    fn lock(&self, conn: &mut C, lease: &Lease) -> QueryResult<Option<Stands>>;
}

impl<C> UnitOfWork<C, dyn BlockingSet<C>>
where
    C: LoadConnection + 'static,
    C::Backend: Dialect,
{
    /// Locks a lease of the unit and looks whether it holds.
    pub(super) fn perform_lease(&mut self, conn: &mut C, index: usize) -> Answer {
        let Some((lease, guard)) = self.leases.get(index) else {
            return Ok(0);
        };
        let stands = guard.lock(conn, lease)?;
        self.judge_lease(index, stands)
    }
}
