//! Which failures are worth another attempt, and what is said when there is none.

use std::time::Duration;

use diesel::result::Error as DieselError;
use thiserror::Error;

use crate::conflict::ConflictKind;
use crate::database_error::is_transient;
use crate::entity::Versioned;
use crate::error::{CommitError, SaveError, TrackError};
use crate::unmergeable::Unmergeable;

/// An error that says whether the same work, read again and done again, may succeed.
///
/// Of the library's errors these may: a conflict with a row that was modified, a serialization
/// failure, a deadlock, a lock timeout, a busy database. A row that is gone, a violated constraint,
/// an unknown outcome and everything else end the work. So does the conflict of an
/// [`overwrite`](crate::OverwriteDsl::overwrite): nobody has looked at what would be lost.
///
/// An error type of your own answers `false` unless you say otherwise:
///
/// ```
/// use diesel_versioned::prelude::*;
///
/// enum TransferError {
///     NotEnough,
///     Commit(CommitError),
/// }
///
/// impl Retryable for TransferError {
///     fn is_retryable(&self) -> bool {
///         match self {
///             Self::NotEnough => false,
///             Self::Commit(error) => error.is_retryable(),
///         }
///     }
/// }
/// # assert!(!TransferError::NotEnough.is_retryable());
/// # assert!(!TransferError::Commit(diesel::result::Error::NotFound.into()).is_retryable());
/// ```
#[diagnostic::on_unimplemented(
    message = "it is not known whether work that fails with `{Self}` may be done again",
    label = "not `Retryable`",
    note = "write `impl diesel_versioned::Retryable for {Self} {{}}` if it never may, or answer \
            `is_retryable` by the library's error that is inside"
)]
pub trait Retryable {
    /// Whether the same work, read again and done again, may succeed.
    fn is_retryable(&self) -> bool {
        false
    }

    /// Whether the database itself may have rolled the transaction back by this error, as MySQL and
    /// MariaDB do by a deadlock. If it did not, work that fails and whose transaction is gone has
    /// ended it, and what it wrote may have stayed: it is not done again.
    fn ends_transaction(&self) -> bool {
        self.is_retryable()
    }
}

impl Retryable for DieselError {
    fn is_retryable(&self) -> bool {
        is_transient(self)
    }
}

impl<T: Versioned> Retryable for SaveError<T> {
    fn is_retryable(&self) -> bool {
        match self {
            Self::Conflict(conflict) => conflict.kind() == ConflictKind::Modified,
            error => error.is_transient(),
        }
    }

    fn ends_transaction(&self) -> bool {
        self.is_transient()
    }
}

impl Retryable for CommitError {
    fn is_retryable(&self) -> bool {
        match self {
            Self::Conflicts(conflicts) => conflicts
                .iter()
                .all(|conflict| conflict.kind() == ConflictKind::Modified),
            error => error.is_transient(),
        }
    }

    fn ends_transaction(&self) -> bool {
        self.is_transient()
    }
}

impl Retryable for TrackError {}

impl Retryable for Unmergeable {}

/// Why work that may be done again has not succeeded. Nothing of it is written, unless the outcome
/// is unknown.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RetryError<E> {
    /// Each attempt failed for a reason that passes, and there is no attempt or no time left.
    #[error("gave up after {attempts} attempts in {elapsed:?}; try again later, or allow more")]
    Exhausted {
        /// The error of the last attempt.
        source: E,
        /// How many attempts there were.
        attempts: u32,
        /// The time since the first one began.
        elapsed: Duration,
    },

    /// An attempt failed for a reason that another attempt does not mend.
    #[error("attempt {attempts} failed for a reason that another attempt does not mend")]
    Stopped {
        /// The error of the last attempt.
        source: E,
        /// How many attempts there were.
        attempts: u32,
        /// The time since the first one began.
        elapsed: Duration,
    },

    /// The connection was lost while COMMIT was under way: the work is either all there or not
    /// there at all. Or the work has ended its transaction, by a statement that commits by itself
    /// for example, or on MySQL and MariaDB by an error that it did not hand on. Read the rows
    /// again before you decide; never repeat the work blindly.
    #[error(
        "the connection was lost during COMMIT, or something else ended the transaction, so the \
         work of attempt {attempts} may be written; read its rows again before you repeat it"
    )]
    OutcomeUnknown {
        /// What the client library reported.
        source: DieselError,
        /// How many attempts there were.
        attempts: u32,
        /// The time since the first one began.
        elapsed: Duration,
    },

    /// The connection is in a transaction already: each attempt would read the same snapshot, and
    /// what came before in that transaction would not be done again.
    #[error("work cannot be done again inside a transaction; begin the retry outside of it")]
    InTransaction,

    /// The policy allows nothing.
    #[error("the retry policy {problem}")]
    Policy {
        /// What is wrong with it.
        problem: &'static str,
    },
}

impl<E> RetryError<E> {
    /// A stable name for programs: `retry.exhausted`, `retry.stopped`, `outcome.unknown`,
    /// `retry.in_transaction`, `retry.policy`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Exhausted { .. } => "retry.exhausted",
            Self::Stopped { .. } => "retry.stopped",
            Self::OutcomeUnknown { .. } => "outcome.unknown",
            Self::InTransaction => "retry.in_transaction",
            Self::Policy { .. } => "retry.policy",
        }
    }

    /// How many attempts there were.
    pub const fn attempts(&self) -> u32 {
        match self {
            Self::Exhausted { attempts, .. }
            | Self::Stopped { attempts, .. }
            | Self::OutcomeUnknown { attempts, .. } => *attempts,
            Self::InTransaction | Self::Policy { .. } => 0,
        }
    }

    /// The error of the last attempt, where it is the work's own.
    pub const fn last(&self) -> Option<&E> {
        match self {
            Self::Exhausted { source, .. } | Self::Stopped { source, .. } => Some(source),
            Self::OutcomeUnknown { .. } | Self::InTransaction | Self::Policy { .. } => None,
        }
    }

    /// The error of the last attempt, where it is the work's own.
    pub fn into_last(self) -> Option<E> {
        match self {
            Self::Exhausted { source, .. } | Self::Stopped { source, .. } => Some(source),
            Self::OutcomeUnknown { .. } | Self::InTransaction | Self::Policy { .. } => None,
        }
    }
}
