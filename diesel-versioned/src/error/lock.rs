//! Why a row was not locked.

use diesel::result::Error as DieselError;
use thiserror::Error;

use super::EntityRef;

/// Why a row was not locked, where it is not what the database reported by itself: that is
/// [`SaveError::Database`](crate::SaveError::Database) or
/// [`CommitError::Database`](crate::CommitError::Database), with the code `lock.timeout`,
/// `lock.deadlock` or `database.transient` if it passes.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LockError {
    /// There is no transaction, so the lock would be gone before the call returns. Nothing was sent.
    #[error(
        "a row of `{table}` cannot be locked outside of a transaction, for a lock ends with it; lock \
         it in `conn.transaction(…)`, in `retry` or in `UnitOfWork::run`"
    )]
    NoTransaction {
        /// The table.
        table: &'static str,
    },

    /// The database has no such lock. Nothing was sent.
    #[error("a row of `{table}` cannot be locked like this on this database: {problem}")]
    Unsupported {
        /// The table.
        table: &'static str,
        /// What it lacks, and what to do.
        problem: &'static str,
    },

    /// There is no such row.
    #[error("{entity} cannot be locked: there is no such row")]
    NotFound {
        /// Which row.
        entity: EntityRef,
    },

    /// Someone else has locked it, and it was not to be waited for
    /// ([`Wait::NoWait`](crate::Wait::NoWait), or the only row with
    /// [`Wait::SkipLocked`](crate::Wait::SkipLocked)).
    #[error("{entity} is locked by another transaction; try again, or lock it with `Wait::Block`")]
    Refused {
        /// Which row; without a key where several were to be locked.
        entity: EntityRef,
        /// What the database reported, if it did.
        source: Option<DieselError>,
    },

    /// The database is locked as a whole, and this transaction was not given the lock in time, or never
    /// can be: it has read, and someone else has written since.
    #[error(
        "{entity} is not locked: other writers did not end in time, or one has written since this \
         transaction has read, and it must be done again; begin it as a writer \
         (`conn.immediate_transaction(…)`, `retry`, `UnitOfWork::run`) and set a `busy_timeout`"
    )]
    Busy {
        /// Which row; without a key where several were to be locked.
        entity: EntityRef,
        /// What the database reported.
        source: DieselError,
    },
}

impl LockError {
    /// A stable name for programs, one of those that [`CommitError`](crate::CommitError) lists.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoTransaction { .. } => "lock.no_transaction",
            Self::Unsupported { .. } => "lock.unsupported",
            Self::NotFound { .. } => "row.not_found",
            Self::Refused { .. } => "lock.refused",
            Self::Busy { .. } => "lock.timeout",
        }
    }

    /// Whether the same call, in a new transaction, may well succeed.
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::Busy { .. })
    }
}
