//! Why an entity was not taken into a unit.

/// Why an entity was not taken into a unit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrackError {
    /// The unit has an entity of this type and key already.
    #[error(
        "`{table}` {key} is tracked by this unit already; \
         change it through the handle that it has, or discard that first"
    )]
    AlreadyTracked {
        /// The table.
        table: &'static str,
        /// The primary key.
        key: String,
    },

    /// The unit holds as many entities of this type as it can number.
    #[error("a unit holds at most 4,294,967,295 entities of `{table}`; commit some of them first")]
    Full {
        /// The table.
        table: &'static str,
    },

    /// The handle is of another unit, or its entity is no longer part of this one.
    #[error(
        "the handle of a `{table}` does not belong to this unit; \
         take one that this unit gave out and that was not discarded"
    )]
    UnknownHandle {
        /// The table.
        table: &'static str,
    },
}

impl TrackError {
    /// A stable name for programs, one of those that [`CommitError`](crate::CommitError) lists.
    pub fn code(&self) -> &'static str {
        match self {
            Self::AlreadyTracked { .. } => "unit.already_tracked",
            Self::Full { .. } => "unit.full",
            Self::UnknownHandle { .. } => "unit.unknown_handle",
        }
    }
}
