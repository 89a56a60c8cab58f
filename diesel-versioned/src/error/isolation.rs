//! Why a transaction is not as it is wanted.

use thiserror::Error;

/// Why a transaction cannot be as it is wanted. Nothing was sent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IsolationError {
    /// The connection is in a transaction already, and that one stays as it was begun.
    #[error(
        "the isolation of a transaction that has begun cannot be changed; begin it as it is wanted \
         (`RetryPolicy::isolation` for `retry` and `run`), or call this outside of it"
    )]
    InTransaction,

    /// It is not known how this database is told.
    #[error(
        "it is not known how this database is told about isolation; say so by `Dialect::ISOLATION`"
    )]
    Unsupported,

    /// The unit is read-only, and has something to write, rows to hold for a check, or a lease to lock.
    #[error(
        "the unit is read-only and has something to write, to check or to lock{}; take another unit \
         for that, or leave `read_only` out",
        .table.map_or_else(String::new, |table| format!(" in `{table}`"))
    )]
    ReadOnly {
        /// The table of the first such row, where it is an entity's.
        table: Option<&'static str>,
    },
}

impl IsolationError {
    /// A stable name for programs, one of those that [`CommitError`](crate::CommitError) lists.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::InTransaction => "isolation.in_transaction",
            Self::Unsupported => "isolation.unsupported",
            Self::ReadOnly { .. } => "unit.read_only",
        }
    }
}
