//! What stands in for `telling` without the feature `tracing`: nothing is told.

use std::time::Duration;

use crate::conflicts::AnyConflict;
use crate::error::CommitError;
use crate::overwrite::Overwrite;
use crate::unit_of_work::Committed;

pub(crate) fn conflict(_: &dyn AnyConflict) {}

pub(crate) fn overwrite(_: &Overwrite) {}

pub(crate) fn batch(_: &str, _: &str, _: usize, _: usize) {}

pub(crate) fn retry(_: u32, _: Duration, _: Duration) {}

pub(crate) struct Commit;

impl Commit {
    pub(crate) fn begin() -> Self {
        Self
    }

    pub(crate) fn during<R>(&self, work: impl FnOnce() -> R) -> R {
        work()
    }

    #[cfg(feature = "async")]
    pub(crate) fn while_waiting<F>(&self, work: F) -> F {
        work
    }

    pub(crate) fn committed(&self, _: &Committed) {}

    pub(crate) fn failed(&self, _: &CommitError) {}
}
