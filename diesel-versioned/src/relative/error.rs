//! Why a relative update has not written its row.

use std::error::Error;
use std::fmt;

use diesel::result::Error as DieselError;

use crate::database_error::{code as database_code, is_transient};
use crate::entity::Versioned;
use crate::error::{CommitError, EntityRef, NO_VERSION, NOT_UNIQUE, VERSION_EXHAUSTED};
use crate::retry::Retryable;
use crate::version::NoVersion;

/// Why [`apply`](crate::VersionedDsl::apply) has not written its row.
///
/// ```
/// # use diesel_versioned::prelude::*;
/// # fn answer<T: Versioned>(error: &ApplyError<T>) -> &'static str {
/// match error {
///     ApplyError::ConditionFailed { .. } => "there is not enough of it",
///     ApplyError::Gone { .. } => "it is gone",
///     error if error.is_transient() => "try again",
///     _ => "that cannot be done",
/// }
/// # }
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ApplyError<T: Versioned> {
    /// There is no row with the key, or it is [marked as deleted](derive@crate::Versioned#soft-deletion).
    #[error("there is no row {key} in `{table}`; it was deleted, or never there")]
    Gone {
        /// The table.
        table: &'static str,
        /// The primary key.
        key: String,
    },

    /// The row is there and was not written: it does not meet the condition. A trigger, a rule or
    /// row-level security that holds a write back looks the same.
    #[error(
        "the row {:?} of `{}` does not meet the condition, so it is as it was",
        current.key(),
        T::TABLE
    )]
    ConditionFailed {
        /// The row as it was read right after; someone may have written it in between.
        current: Box<T>,
    },

    /// The row is there, nothing was asked of it, and still the database did not write it: a trigger, a
    /// rule or row-level security held it back.
    #[error(
        "the database did not write the row {:?} of `{}`; look for a trigger, a rule or row-level \
         security that holds it back",
        current.key(),
        T::TABLE
    )]
    Refused {
        /// The row as it was read right after.
        current: Box<T>,
    },

    /// The version is the greatest of its type and cannot move on. Nothing was written.
    #[error(
        "the version {version} of `{table}` {key} is the greatest of its type; \
         widen the version column and the field"
    )]
    VersionExhausted {
        /// The table.
        table: &'static str,
        /// The primary key.
        key: String,
        /// The version that has no successor, with its group where there are groups.
        version: String,
    },

    /// There is no version to write, because what it is made of is not to be had: randomness, or
    /// whatever a version of your own needs. Nothing was sent.
    #[error("no version for {entity} can be made, so it is not written; its source says why")]
    NoVersion {
        /// Which row.
        entity: EntityRef,
        /// Why there is none.
        source: NoVersion,
    },

    /// More than one row has the key: the key columns are not unique in the table. Inside a
    /// transaction, roll it back; outside of one those rows **have been written**.
    #[error(
        "{rows} rows of `{table}` have the key {key}; \
         add a primary key or a unique index on the key columns"
    )]
    NotUnique {
        /// The table.
        table: &'static str,
        /// The primary key.
        key: String,
        /// How many rows were written.
        rows: usize,
    },

    /// Whatever else the database reported: a constraint, a lost connection, a lock timeout. Or, before
    /// anything was sent, that the key, the version or the mark of deletion is among what is set, that
    /// nothing is, or that the entity [touches a
    /// parent](derive@crate::Versioned#a-parent-that-moves-with-its-children), whose version would have to
    /// move with it.
    #[error(
        "the database reported an error on `{}`; its source says which",
        T::TABLE
    )]
    Database(#[source] DieselError),
}

impl<T: Versioned> ApplyError<T> {
    /// A stable name for programs: `apply.gone`, `apply.condition`, `apply.refused`, or one of those
    /// that [`SaveError`](crate::SaveError) has for the same.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Gone { .. } => "apply.gone",
            Self::ConditionFailed { .. } => "apply.condition",
            Self::Refused { .. } => "apply.refused",
            Self::VersionExhausted { .. } => VERSION_EXHAUSTED,
            Self::NoVersion { .. } => NO_VERSION,
            Self::NotUnique { .. } => NOT_UNIQUE,
            Self::Database(error) => database_code(error),
        }
    }

    /// Whether the same work, done again, may well succeed: a serialization failure, a deadlock, a lock
    /// timeout, a busy database.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Database(error) if is_transient(error))
    }

    /// The row as it stands there, where it was not written for what it is.
    pub fn current(&self) -> Option<&T> {
        match self {
            Self::ConditionFailed { current } | Self::Refused { current } => Some(current),
            _ => None,
        }
    }
}

/// Without the row's values: only its key is shown.
impl<T: Versioned> fmt::Debug for ApplyError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Database(error) => f.debug_tuple("Database").field(error).finish(),
            Self::NoVersion { entity, source } => f
                .debug_struct("NoVersion")
                .field("entity", entity)
                .field("source", source)
                .finish(),
            other => write!(f, "{}: {other}", other.code()),
        }
    }
}

impl<T: Versioned> From<DieselError> for ApplyError<T> {
    fn from(error: DieselError) -> Self {
        Self::Database(error)
    }
}

/// In closures that return Diesel's error, a transaction's or those of
/// [`UnitOfWork::also`](crate::UnitOfWork::also).
impl<T: Versioned> From<ApplyError<T>> for DieselError {
    fn from(error: ApplyError<T>) -> Self {
        match error {
            ApplyError::Database(error) => error,
            other => Self::QueryBuilderError(Box::new(NotApplied {
                code: other.code(),
                error: Box::new(other),
            })),
        }
    }
}

/// An [`ApplyError`] of any entity on its way through Diesel's error.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub(crate) struct NotApplied {
    pub(crate) code: &'static str,
    error: Box<dyn Error + Send + Sync>,
}

impl CommitError {
    /// Why a relative update of the unit has not written its row, if it is that: of the type `T`.
    /// See [`UnitOfWork::apply`](crate::UnitOfWork::apply).
    ///
    /// ```
    /// # use diesel_versioned::prelude::*;
    /// # fn sold_out<T: Versioned>(error: &CommitError) -> bool {
    /// matches!(error.apply_error::<T>(), Some(ApplyError::ConditionFailed { .. }))
    /// # }
    /// ```
    pub fn apply_error<T: Versioned>(&self) -> Option<&ApplyError<T>> {
        match self {
            Self::Database {
                source: DieselError::QueryBuilderError(source),
                ..
            } => {
                let applied: &NotApplied = source.downcast_ref()?;
                applied.error.downcast_ref()
            }
            _ => None,
        }
    }
}

impl<T: Versioned> Retryable for ApplyError<T> {
    fn is_retryable(&self) -> bool {
        self.is_transient()
    }
}
