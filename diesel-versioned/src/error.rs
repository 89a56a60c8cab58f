//! The errors of single writes and of units, and what a program may decide by.

use std::fmt;

use diesel::result::Error as DieselError;

use crate::conflict::Conflict;
use crate::conflicts::Conflicts;
use crate::database_error::{code as database_code, is_transient};
use crate::entity::Versioned;
use crate::replay::KeyError;
use crate::unmergeable::Unmergeable;
use crate::version::NoVersion;

/// Why a single write is not known to have happened. The entity is as it was before the call.
///
/// After [`NotUnique`](SaveError::NotUnique) outside a transaction the rows are written, and after a lost
/// connection (`connection.closed`) the row may be: read it again. A repeated `save` is a conflict if the
/// first one was written; a repeated `insert` whose key the database makes inserts twice, unless it is a
/// unit with an idempotency key.
///
/// ```
/// # use diesel::prelude::*;
/// # use diesel_versioned::prelude::*;
/// # fn answer<T: Versioned>(error: &SaveError<T>) -> &'static str {
/// match error {
///     SaveError::Conflict(conflict) if conflict.kind() == ConflictKind::Deleted => "it is gone",
///     SaveError::Conflict(_) => "someone else was faster",
///     error if error.is_transient() => "try again",
///     _ => "that cannot be saved",
/// }
/// # }
/// ```
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum SaveError<T: Versioned> {
    /// The row was not at the expected version, or is gone, or the database held it back.
    #[error(transparent)]
    Conflict(Box<Conflict<T>>),

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
        /// The version that has no successor.
        version: String,
    },

    /// There is no version to write, because what it is made of is not to be had: randomness, or
    /// whatever a version of your own needs. Or the next one would be the same as the one before.
    /// Nothing was sent; only where the database makes the version and did not move it
    /// ([`NoVersion::NotMoved`]) it was written and taken back.
    #[error("no version for {entity} can be made, so it is not written; its source says why")]
    NoVersion {
        /// Which row.
        entity: EntityRef,
        /// Why there is none.
        source: NoVersion,
    },

    /// The guard matched more than one row: the key columns are not unique in the table. Inside a
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
        /// How many rows the guard matched.
        rows: usize,
    },

    /// Whatever else the database reported: a constraint, a lost connection, a lock timeout.
    #[error(
        "the database reported an error on `{}`; its source says which",
        T::TABLE
    )]
    Database(#[source] DieselError),
}

impl<T: Versioned> SaveError<T> {
    /// A stable name for programs, such as `conflict.modified` or `version.exhausted`: one of those
    /// that [`CommitError`] lists, without those of units.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Conflict(conflict) => conflict.kind().code(),
            Self::VersionExhausted { .. } => VERSION_EXHAUSTED,
            Self::NoVersion { .. } => NO_VERSION,
            Self::NotUnique { .. } => NOT_UNIQUE,
            Self::Database(error) => database_code(error),
        }
    }

    /// Whether someone else's write is the reason.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict(_))
    }

    /// Whether the same work, read again and done again, may well succeed: a serialization
    /// failure, a deadlock, a lock timeout, a busy database.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Database(error) if is_transient(error))
    }

    /// The conflict, if it is one.
    pub fn conflict(&self) -> Option<&Conflict<T>> {
        match self {
            Self::Conflict(conflict) => Some(conflict),
            _ => None,
        }
    }
}

impl<T: Versioned> fmt::Debug for SaveError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conflict(conflict) => conflict.fmt(f),
            Self::VersionExhausted {
                table,
                key,
                version,
            } => f
                .debug_struct("VersionExhausted")
                .field("table", table)
                .field("key", key)
                .field("version", version)
                .finish(),
            Self::NoVersion { entity, source } => f
                .debug_struct("NoVersion")
                .field("entity", entity)
                .field("source", source)
                .finish(),
            Self::NotUnique { table, key, rows } => f
                .debug_struct("NotUnique")
                .field("table", table)
                .field("key", key)
                .field("rows", rows)
                .finish(),
            Self::Database(error) => f.debug_tuple("Database").field(error).finish(),
        }
    }
}

impl<T: Versioned> From<DieselError> for SaveError<T> {
    fn from(error: DieselError) -> Self {
        Self::Database(error)
    }
}

impl<T: Versioned> From<Conflict<T>> for SaveError<T> {
    fn from(conflict: Conflict<T>) -> Self {
        Self::Conflict(Box::new(conflict))
    }
}

/// Why a unit was not committed. Nothing was written, and every entity of the unit is as it was
/// before the call; only after [`OutcomeUnknown`](CommitError::OutcomeUnknown) the database may
/// hold the unit's work.
///
/// # Codes
///
/// What [`code`](CommitError::code) returns, and [`SaveError::code`] and [`TrackError::code`] as far
/// as it can happen there. A code keeps its meaning; new ones may come.
///
/// | code | what happened |
/// | --- | --- |
/// | `conflict.modified` | the row is at another version |
/// | `conflict.deleted` | the row is gone |
/// | `conflict.refused` | the row is at the expected version, and the database held the write back |
/// | `version.exhausted` | the version is the greatest of its type |
/// | `version.unavailable` | no version could be made, for want of randomness for example, or the database did not move it |
/// | `key.not_unique` | more rows were matched than meant |
/// | `unit.already_tracked` | the unit has an entity of this type and key already |
/// | `unit.full` | the unit cannot number more entities of this type |
/// | `unit.unknown_handle` | the handle is of another unit, or its entity is no longer part of it |
/// | `unit.invalid` | the unit contradicts itself |
/// | `replay.key` | a text cannot be an idempotency key |
/// | `replay.other_payload` | something else was written under the idempotency key before |
/// | `merge.…` | a rule did not resolve a conflict: the codes of [`Unmergeable`] |
/// | `outcome.unknown` | the connection was lost during COMMIT, or a closure has ended the transaction |
/// | `row.not_found` | Diesel's `NotFound`: from a closure of the unit, or an inserted row that cannot be read back |
/// | `constraint.unique` | a unique index or a primary key was violated |
/// | `constraint.foreign_key` | a foreign key was violated |
/// | `constraint.not_null` | a `NOT NULL` was violated |
/// | `constraint.check` | a `CHECK` was violated |
/// | `connection.closed` | the connection is lost, or a transaction was left open on it: get another |
/// | `transaction.read_only` | the transaction is read-only |
/// | `database.transient` | [`is_transient`](CommitError::is_transient): do it again |
/// | `database` | whatever else the database reported |
///
/// ```
/// use diesel::result::Error;
/// use diesel_versioned::{CommitError, TrackError};
///
/// let error = CommitError::from(TrackError::Full { table: "products" });
/// assert_eq!(error.code(), "unit.full");
/// assert_eq!(CommitError::from(Error::NotFound).code(), "row.not_found");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommitError {
    /// At least one row was not at the expected version; all of them are listed.
    #[error(transparent)]
    Conflicts(Conflicts),

    /// A version is the greatest of its type and cannot move on. Nothing was sent.
    #[error(
        "the version {version} of `{table}` {key} is the greatest of its type; \
         widen the version column and the field"
    )]
    VersionExhausted {
        /// The table.
        table: &'static str,
        /// The primary key.
        key: String,
        /// The version that has no successor.
        version: String,
    },

    /// There is no version to write, because what it is made of is not to be had: randomness, or
    /// whatever a version of your own needs. Or the next one would be the same as the one before.
    /// Nothing was sent; only where the database makes the version and did not move it
    /// ([`NoVersion::NotMoved`]) it was written and taken back.
    #[error("no version for {entity} can be made, so it is not written; its source says why")]
    NoVersion {
        /// Which row.
        entity: EntityRef,
        /// Why there is none.
        source: NoVersion,
    },

    /// A statement matched more rows than it was meant for: the key columns are not unique.
    #[error(
        "{rows} rows of `{table}` were matched where {meant} were meant; \
         add a primary key or a unique index on the key columns"
    )]
    NotUnique {
        /// The table.
        table: &'static str,
        /// How many rows the statement was meant for.
        meant: usize,
        /// How many it matched.
        rows: usize,
    },

    /// An entity was not taken into the unit. [`commit`](crate::UnitOfWork::commit) does not return
    /// it; it is here so that a function which fills and commits a unit has one error type.
    #[error(transparent)]
    Track(#[from] TrackError),

    /// A conflict of the unit was not resolved by a rule. [`commit`](crate::UnitOfWork::commit) does
    /// not return it; it is here so that a function which commits and resolves has one error type. It
    /// has the code of the [`Unmergeable`], and is never retried: the next attempt would be decided by
    /// the same rule.
    #[error(transparent)]
    Unmergeable(#[from] Unmergeable),

    /// The unit contradicts itself: the same row twice, a key that was changed. Nothing was sent.
    #[error("`{table}` {key} cannot be written: {problem}")]
    Invalid {
        /// The table.
        table: &'static str,
        /// The primary key.
        key: String,
        /// What is wrong and what to do.
        problem: &'static str,
    },

    /// A text cannot be an idempotency key.
    #[error(transparent)]
    Key(#[from] KeyError),

    /// Something else was written under the unit's idempotency key before. Nothing is written.
    #[error(
        "something else was written under the idempotency key {key:?} before; \
         take a new key for a new request"
    )]
    OtherPayload {
        /// The idempotency key.
        key: String,
    },

    /// The connection was lost while COMMIT was under way: the work is either all there or not
    /// there at all. Or a closure given to `also` has ended the unit's transaction, by a statement
    /// that commits by itself for example. Read the rows again before you decide; only a unit with an
    /// idempotency key may be committed again as it is, on another connection.
    #[error(
        "the connection was lost during COMMIT, or something else ended the transaction, so the \
         unit may be written; read its rows again before you repeat it, or commit it again if it has an \
         idempotency key"
    )]
    OutcomeUnknown {
        /// What the client library reported.
        source: DieselError,
    },

    /// Whatever else the database reported: a constraint, a lost connection, a lock timeout.
    #[error("the database reported an error{}; its source says which{}", on(.entity.as_ref()), hint(.entity.as_ref()))]
    Database {
        /// What the database reported.
        source: DieselError,
        /// Which entity it was about, where that is known.
        entity: Option<EntityRef>,
    },
}

impl CommitError {
    /// A stable name for programs, one of those that [`CommitError`] lists; with several conflicts
    /// that of the first.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Conflicts(conflicts) => conflicts.code(),
            Self::VersionExhausted { .. } => VERSION_EXHAUSTED,
            Self::NoVersion { .. } => NO_VERSION,
            Self::NotUnique { .. } => NOT_UNIQUE,
            Self::Track(error) => error.code(),
            Self::Unmergeable(error) => error.code(),
            Self::Invalid { .. } => "unit.invalid",
            Self::Key(error) => error.code(),
            Self::OtherPayload { .. } => "replay.other_payload",
            Self::OutcomeUnknown { .. } => "outcome.unknown",
            Self::Database { source, .. } => database_code(source),
        }
    }

    /// Whether someone else's write is the reason.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflicts(_))
    }

    /// Whether the same work, read again and done again, may well succeed: a serialization
    /// failure, a deadlock, a lock timeout, a busy database. Never for
    /// [`OutcomeUnknown`](CommitError::OutcomeUnknown).
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Database { source, .. } if is_transient(source))
    }

    /// The conflicts, if it is some.
    pub fn conflicts(&self) -> Option<&Conflicts> {
        match self {
            Self::Conflicts(conflicts) => Some(conflicts),
            _ => None,
        }
    }
}

impl From<DieselError> for CommitError {
    fn from(source: DieselError) -> Self {
        Self::Database {
            source,
            entity: None,
        }
    }
}

impl From<Conflicts> for CommitError {
    fn from(conflicts: Conflicts) -> Self {
        Self::Conflicts(conflicts)
    }
}

/// Which entity an error is about.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntityRef {
    /// The table.
    pub table: &'static str,
    /// The primary key; `None` where the error is about several rows, or about a row whose key
    /// the database makes.
    pub key: Option<String>,
}

impl fmt::Display for EntityRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.key {
            Some(key) => write!(f, "`{}` {key}", self.table),
            None => write!(f, "`{}`", self.table),
        }
    }
}

fn on(entity: Option<&EntityRef>) -> String {
    entity.map_or_else(String::new, |entity| format!(" on {entity}"))
}

/// What to do where a table of the library's own may not be there.
fn hint(entity: Option<&EntityRef>) -> &'static str {
    match entity {
        Some(entity) if entity.table.starts_with("diesel_versioned_") => {
            "; if the table is missing, run the migrations of `diesel_versioned::migrations`"
        }
        _ => "",
    }
}

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
    /// A stable name for programs, one of those that [`CommitError`] lists.
    pub fn code(&self) -> &'static str {
        match self {
            Self::AlreadyTracked { .. } => "unit.already_tracked",
            Self::Full { .. } => "unit.full",
            Self::UnknownHandle { .. } => "unit.unknown_handle",
        }
    }
}

const VERSION_EXHAUSTED: &str = "version.exhausted";
const NO_VERSION: &str = "version.unavailable";
const NOT_UNIQUE: &str = "key.not_unique";
