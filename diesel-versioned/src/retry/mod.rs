//! Doing the same work again when it was turned away for a reason that passes: how often, after how
//! long, and what ends it.
//!
//! | entrance | each attempt |
//! | --- | --- |
//! | [`retry`](crate::retry()) | runs a closure in a new transaction |
//! | [`VersionedDsl::update_with`](crate::VersionedDsl::update_with) | reads one row, changes it, writes it |
//! | [`UnitOfWork::run`](crate::UnitOfWork::run) | fills a new unit and commits it |
//!
//! Each attempt reads anew: what was computed from old values is never written under a new version.
//! That is why none of them takes an entity. `async_prelude` has the same under the same names.

mod attempt;
mod course;
mod error;
mod policy;

pub use attempt::Attempt;
pub use error::{RetryError, Retryable};
pub use policy::RetryPolicy;

pub(crate) use course::{Course, Failed};
