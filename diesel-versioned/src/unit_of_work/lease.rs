//! A unit under leases: they are checked, and locked, before its first step.

use diesel::result::Error;

use super::protocol::{Action, Answer, Protocol, State, Then};
use super::{SetCore, SetKind, UnitOfWork};
use crate::error::{CommitError, EntityRef};
#[cfg(feature = "lease")]
use crate::lease::Lease;
use crate::lease::{LeaseError, Stands, TABLE};

impl<C, V: SetCore + SetKind + ?Sized> UnitOfWork<C, V> {
    /// Lets the unit be committed under a lease, in the order in which all units lock them. It takes the
    /// place of another one of the same row.
    #[cfg(feature = "lease")]
    pub(crate) fn fence_by(&mut self, lease: &Lease, guard: V::Fence) {
        let guarded = (lease.clone(), guard);
        let place = |(other, _): &(Lease, V::Fence)| other.place.cmp(&lease.place);
        match self.leases.binary_search_by(place) {
            Ok(index) => self.leases[index] = guarded,
            Err(index) => self.leases.insert(index, guarded),
        }
    }

    /// Compares a lease of the unit with what stands there, under a lock.
    pub(crate) fn judge_lease(&self, index: usize, stands: Option<Stands>) -> Answer {
        let Some((lease, _)) = self.leases.get(index) else {
            return Ok(0);
        };
        match lease.must_hold(stands) {
            Ok(_) => Ok(1),
            Err(lost) => Err(Error::QueryBuilderError(Box::new(lost))),
        }
    }
}

impl Protocol {
    /// Checks the next lease, or goes on to the first step.
    pub(super) fn check_lease(&mut self, index: usize) -> Action {
        if index < self.leases {
            self.state = State::Leased(index);
            Action::Lease(index)
        } else {
            self.step(0)
        }
    }

    pub(super) fn leased(&mut self, answer: Answer, index: usize) -> Action {
        match answer {
            Ok(_) => self.check_lease(index + 1),
            Err(error) => self.roll_back(Then::Finish(failed(error))),
        }
    }
}

/// A lease that does not hold, or what the database reports about the table of leases.
fn failed(error: Error) -> CommitError {
    match LeaseError::from(error) {
        LeaseError::Database(source) => CommitError::Database {
            source,
            entity: Some(EntityRef {
                table: TABLE,
                key: None,
            }),
        },
        lost => lost.into(),
    }
}
