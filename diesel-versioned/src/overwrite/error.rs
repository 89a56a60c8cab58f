//! Why a row was not overwritten.

use std::fmt;

use diesel::result::{DatabaseErrorKind, Error as DieselError};

use super::actor::{ActorError, ReasonError};
use crate::conflict::Conflict;
use crate::database_error::{code as database_code, is_transient};
use crate::entity::Versioned;
use crate::error::{CommitError, EntityRef, NO_VERSION, NOT_UNIQUE, VERSION_EXHAUSTED};
use crate::retry::Retryable;
use crate::version::NoVersion;

/// Why a row was not overwritten. Nothing was written, neither the row nor the record; only after
/// [`OutcomeUnknown`](OverwriteError::OutcomeUnknown) the database may hold both.
///
/// # Codes
///
/// What [`code`](OverwriteError::code) returns: those of [`CommitError`], as far as they can happen
/// here, and
///
/// | code | what happened |
/// | --- | --- |
/// | `overwrite.actor` | the actor is no [`Actor`](crate::Actor) |
/// | `overwrite.reason` | the reason is empty, too long or has control characters in it |
/// | `overwrite.outdated` | the unit has gone on since the conflict |
/// | `overwrite.expect_unchanged` | the unit was to commit only if nobody changed the row |
/// | `overwrite.audit` | the record could not be written |
///
/// `conflict.modified`, `conflict.deleted` and `conflict.refused` come with a
/// [`Conflict`](OverwriteError::Conflict) that is news, or from
/// [`Impossible`](OverwriteError::Impossible): then the conflict that was to be overwritten is one of
/// that kind already. `is_conflict` tells them apart.
///
/// ```
/// use diesel_versioned::prelude::*;
/// # use diesel_versioned::OverwriteError;
/// # fn answer<T: Versioned>(error: &OverwriteError<T>) -> &'static str {
/// match error {
///     // Someone has written the row since the person looked at it: show what stands there now.
///     OverwriteError::Conflict(conflict) if conflict.current().is_some() => "look again",
///     error if error.is_transient() => "try again",
///     _ => "that cannot be overwritten",
/// }
/// # }
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum OverwriteError<T: Versioned> {
    /// Someone has written the row again since the conflict was reported, or it is gone now, or the
    /// database held the write back. It is a conflict as any other: with what stands there now, for
    /// the person to look at. What they have seen before is its base.
    #[error(transparent)]
    Conflict(Box<Conflict<T>>),

    /// The actor is no [`Actor`](crate::Actor). It is here so that a function which makes one and
    /// overwrites has one error type.
    #[error(transparent)]
    Actor(#[from] ActorError),

    /// The reason is none.
    #[error(transparent)]
    Reason(#[from] ReasonError),

    /// There is nothing to overwrite, or it is not for this call to do. Nothing was sent.
    #[error("`{table}` {key} cannot be overwritten: {why}")]
    Impossible {
        /// The table.
        table: &'static str,
        /// The primary key.
        key: String,
        /// Why not, and what to do.
        why: NotOverwritable,
    },

    /// The version is the greatest of its type and cannot move on. Nothing was sent.
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

    /// There is no next version, because what it is made of is not to be had. Nothing was sent.
    #[error("no version for {entity} can be made, so it is not written; its source says why")]
    NoVersion {
        /// Which row.
        entity: EntityRef,
        /// Why there is none.
        source: NoVersion,
    },

    /// More than one row has the key and the version: the key columns are not unique in the table.
    #[error(
        "{rows} rows of `{table}` have the key that was to be overwritten; \
         add a primary key or a unique index on the key columns"
    )]
    NotUnique {
        /// The table.
        table: &'static str,
        /// How many rows the guard matched.
        rows: usize,
    },

    /// The record could not be written, so the row was not either. With the library's own record the
    /// most likely reason is that its table is not there: run the migrations of
    /// `diesel_versioned::migrations` (the feature `migrations`), or copy them.
    #[error(
        "that `{table}` was overwritten cannot be recorded, so it was not; its source says why{}",
        hint(source)
    )]
    Audit {
        /// The table whose row was to be overwritten.
        table: &'static str,
        /// What the audit returned.
        source: DieselError,
    },

    /// The connection was lost while COMMIT was under way, or the audit has ended the transaction:
    /// the row and the record are either both there or neither is. Read the row again before you
    /// decide.
    #[error(
        "the connection was lost during COMMIT, or something else ended the transaction, so the row \
         may be overwritten; read it again before you repeat that"
    )]
    OutcomeUnknown {
        /// What the client library reported.
        source: DieselError,
    },

    /// Whatever else the database reported: a constraint, a lost connection, a lock timeout.
    #[error(
        "the database reported an error on `{}`; its source says which",
        T::TABLE
    )]
    Database(#[source] DieselError),
}

/// Why there is nothing to overwrite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NotOverwritable {
    /// The row is gone.
    Deleted,
    /// The database held the write back, and nobody else has written the row.
    Refused,
    /// The conflict is not one of the unit, or the entity is no longer part of it.
    UnknownHandle,
    /// The unit has gone on since the conflict.
    Outdated,
    /// The unit was to commit only if nobody changed the row.
    ExpectUnchanged,
}

impl NotOverwritable {
    const fn code(self) -> &'static str {
        match self {
            Self::Deleted => "conflict.deleted",
            Self::Refused => "conflict.refused",
            Self::UnknownHandle => "unit.unknown_handle",
            Self::Outdated => "overwrite.outdated",
            Self::ExpectUnchanged => "overwrite.expect_unchanged",
        }
    }

    /// About this row.
    pub(crate) fn of<T: Versioned>(self, key: &T::Key) -> OverwriteError<T> {
        OverwriteError::Impossible {
            table: T::TABLE,
            key: format!("{key:?}"),
            why: self,
        }
    }
}

impl fmt::Display for NotOverwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deleted => {
                "someone else deleted it; insert it again if it is to be there, or restore it if it \
                 is only marked as deleted, or drop the change"
            }
            Self::Refused => {
                "nobody else changed it; look for a trigger, a rule or row-level security that \
                 holds the write back"
            }
            Self::UnknownHandle => {
                "the conflict is not one of this unit, or the entity is no longer part of it; \
                 overwrite what this unit's last commit reported"
            }
            Self::Outdated => {
                "the unit has gone on since this conflict; commit it and look at the conflict that \
                 this reports, if any"
            }
            Self::ExpectUnchanged => {
                "the unit was to commit only if nobody changed it; read it again and decide anew \
                 what was decided by it"
            }
        })
    }
}

/// An unknown error is all that Diesel tells of a table that is not there.
fn hint(source: &DieselError) -> &'static str {
    match source {
        DieselError::DatabaseError(DatabaseErrorKind::Unknown, _) if !is_transient(source) => {
            "; if the table `diesel_versioned_overwrites` is missing, run the migrations of \
             `diesel_versioned::migrations`"
        }
        _ => "",
    }
}

impl<T: Versioned> OverwriteError<T> {
    /// What became of the unit that was to overwrite one row; `in_audit` if the audit has returned
    /// the error.
    pub(crate) fn of_unit(error: CommitError, in_audit: bool) -> Self {
        match error {
            CommitError::Conflicts(conflicts) => {
                let conflict = conflicts.of::<T>().next().cloned();
                match conflict {
                    // The unit was one of ours.
                    Some(conflict) => Self::Conflict(Box::new(Conflict {
                        place: None,
                        ..conflict
                    })),
                    None => Self::Database(DieselError::QueryBuilderError(Box::new(conflicts))),
                }
            }
            CommitError::VersionExhausted {
                table,
                key,
                version,
            } => Self::VersionExhausted {
                table,
                key,
                version,
            },
            CommitError::NoVersion { entity, source } => Self::NoVersion { entity, source },
            CommitError::NotUnique { table, rows, .. } => Self::NotUnique { table, rows },
            CommitError::OutcomeUnknown { source } => Self::OutcomeUnknown { source },
            CommitError::Database { source, .. } if in_audit => Self::Audit {
                table: T::TABLE,
                source,
            },
            CommitError::Database { source, .. } => Self::Database(source),
            other => Self::Database(DieselError::QueryBuilderError(Box::new(other))),
        }
    }

    /// A stable name for programs, one of those that [`OverwriteError`] lists.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Conflict(conflict) => conflict.kind().code(),
            Self::Actor(error) => error.code(),
            Self::Reason(error) => error.code(),
            Self::Impossible { why, .. } => why.code(),
            Self::VersionExhausted { .. } => VERSION_EXHAUSTED,
            Self::NoVersion { .. } => NO_VERSION,
            Self::NotUnique { .. } => NOT_UNIQUE,
            // What the audit ran into is no answer to whoever overwrites, unless it passes.
            Self::Audit { source, .. } => match database_code(source) {
                code if is_transient(source) || code == "connection.closed" => code,
                _ => "overwrite.audit",
            },
            Self::OutcomeUnknown { .. } => "outcome.unknown",
            Self::Database(error) => database_code(error),
        }
    }

    /// Whether someone else's write is the reason: one that the person has not seen.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict(_))
    }

    /// Whether the same call may well succeed when it is made again: a serialization failure, a
    /// deadlock, a lock timeout, a busy database. It is guarded by what the person has seen, so
    /// making it again overwrites nothing else.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Audit { source, .. } | Self::Database(source) => is_transient(source),
            _ => false,
        }
    }

    /// The conflict, if it is one.
    pub fn conflict(&self) -> Option<&Conflict<T>> {
        match self {
            Self::Conflict(conflict) => Some(conflict),
            _ => None,
        }
    }
}

impl<T: Versioned> fmt::Debug for OverwriteError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict(conflict) => conflict.fmt(f),
            Self::Audit { source, .. } => f.debug_tuple("Audit").field(source).finish(),
            Self::OutcomeUnknown { source } => {
                f.debug_tuple("OutcomeUnknown").field(source).finish()
            }
            Self::Database(error) => f.debug_tuple("Database").field(error).finish(),
            other => f
                .debug_struct("OverwriteError")
                .field("code", &other.code())
                .field("message", &other.to_string())
                .finish(),
        }
    }
}

impl<T: Versioned> From<DieselError> for OverwriteError<T> {
    fn from(error: DieselError) -> Self {
        Self::Database(error)
    }
}

/// A conflict is never retried: someone has written what nobody has looked at, and to overwrite that
/// again and again would be the last write that wins. Only what the database turned away for reasons
/// that pass may be done again.
impl<T: Versioned> Retryable for OverwriteError<T> {
    fn is_retryable(&self) -> bool {
        self.is_transient()
    }
}
