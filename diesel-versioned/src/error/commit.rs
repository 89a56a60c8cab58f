//! Why a unit was not committed, and the stable names of all errors.

use diesel::result::Error as DieselError;

use super::{
    EntityRef, IsolationError, LockError, NO_VERSION, NOT_UNIQUE, TrackError, VERSION_EXHAUSTED,
};
use crate::conflicts::Conflicts;
use crate::database_error::{code as database_code, is_transient};
use crate::lease::LeaseError;
use crate::replay::KeyError;
use crate::unmergeable::Unmergeable;
use crate::version::NoVersion;

/// Why a unit was not committed. Nothing was written, and every entity of the unit is as it was
/// before the call; only after [`OutcomeUnknown`](CommitError::OutcomeUnknown) the database may
/// hold the unit's work.
///
/// # Codes
///
/// What [`code`](CommitError::code) returns, and [`SaveError::code`](crate::SaveError::code) and [`TrackError::code`] as far
/// as it can happen there. A code keeps its meaning; new ones may come.
///
/// | code | what happened |
/// | --- | --- |
/// | `conflict.modified` | the row is at another version, or holds something else than was loaded |
/// | `conflict.deleted` | the row is gone, or marked as deleted |
/// | `conflict.refused` | the row is as it was expected, and the database held the write back |
/// | `version.exhausted` | the version is the greatest of its type |
/// | `version.unavailable` | no version could be made, for want of randomness for example; or the entity has none and it is not known what was loaded; or the database did not move it |
/// | `key.not_unique` | more rows were matched than meant |
/// | `unit.already_tracked` | the unit has an entity of this type and key already |
/// | `unit.full` | the unit cannot number more entities of this type |
/// | `unit.unknown_handle` | the handle is of another unit, or its entity is no longer part of it |
/// | `unit.invalid` | the unit contradicts itself |
/// | `replay.key` | a text cannot be an idempotency key |
/// | `replay.other_payload` | something else was written under the idempotency key before |
/// | `lease.…` | a lease does not hold, or was not acquired: the codes of [`LeaseError`] |
/// | `apply.condition`, `apply.gone`, `apply.refused` | a relative update of the unit did not write its row: [`apply_error`](CommitError::apply_error) |
/// | `merge.…` | a rule did not resolve a conflict: the codes of [`Unmergeable`] |
/// | `outcome.unknown` | the connection was lost during COMMIT, or a closure has ended the transaction |
/// | `row.not_found` | Diesel's `NotFound`: from a closure of the unit, or an inserted row that cannot be read back |
/// | `constraint.unique` | a unique index or a primary key was violated |
/// | `constraint.foreign_key` | a foreign key was violated |
/// | `constraint.not_null` | a `NOT NULL` was violated |
/// | `constraint.check` | a `CHECK` was violated |
/// | `connection.closed` | the connection is lost, or a transaction was left open on it: get another |
/// | `transaction.read_only` | the transaction is read-only |
/// | `lock.timeout` | a lock was not had in time; on SQLite also a transaction that has read and can no longer write. As the next three [`is_transient`](CommitError::is_transient): do it again |
/// | `lock.refused` | a lock was not had at once: `NOWAIT`, or a row that was to be skipped and is the only one |
/// | `lock.deadlock` | the database has ended a deadlock by giving this transaction up |
/// | `database.transient` | a serialization failure, or what else passes |
/// | `lock.no_transaction` | a row is to be locked outside of a transaction |
/// | `lock.unsupported` | the database has no such lock |
/// | `isolation.in_transaction` | the isolation of a transaction that has begun is to be changed |
/// | `isolation.unsupported` | it is not known how the database is told about isolation |
/// | `unit.read_only` | a read-only unit has something to write |
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
        /// The version that has no successor, with its group where there are groups.
        version: String,
    },

    /// There is no version to write. What it is made of is not to be had: randomness, or whatever a
    /// version of your own needs. Or the next one would be the same as the one before. Or the entity
    /// [has none](derive@crate::Versioned#no-version), and it is not known what was loaded
    /// ([`NoVersion::NoColumn`]).
    /// Nothing was sent; only where the database makes the version and did not move it
    /// ([`NoVersion::NotMoved`]) it was written and taken back.
    #[error("no version for {entity} can be made, so it is not written; its source says why")]
    NoVersion {
        /// Which row.
        entity: EntityRef,
        /// Why there is none.
        source: NoVersion,
    },

    /// A statement matched more rows than it was meant for: the key columns are not unique. It is not
    /// noticed where as many other rows of the same statement are stale or gone, so nothing guards a
    /// table without a unique key; [`check_schema`](crate::VersionedDsl::check_schema) reports it.
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

    /// The unit contradicts itself: the same row twice, a key that was changed; or it lacks the row that
    /// a child [touches](derive@crate::Versioned#a-parent-that-moves-with-its-children). Nothing was sent,
    /// or, of a row that is made when the unit runs, nothing stays written.
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

    /// A lease that the unit is `under` (the feature `lease`) does not hold any more: it has expired, or
    /// someone else has taken it; nothing is written. Or one was not acquired, in a function that does
    /// both. It has the code of the [`LeaseError`].
    #[error(transparent)]
    Lease(Box<LeaseError>),

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

    /// A row was not locked. [`commit`](crate::UnitOfWork::commit) does not return it;
    /// [`lock`](crate::UnitOfWork::lock) does.
    #[error(transparent)]
    Lock(#[from] LockError),

    /// The transaction cannot be as it is wanted, or a unit that is read-only has something to write.
    /// Nothing was sent.
    #[error(transparent)]
    Isolation(#[from] IsolationError),

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
            Self::Lease(error) => error.code(),
            Self::OutcomeUnknown { .. } => "outcome.unknown",
            Self::Lock(error) => error.code(),
            Self::Isolation(error) => error.code(),
            Self::Database { source, .. } => database_code(source),
        }
    }

    /// Whether someone else's write is the reason.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflicts(_))
    }

    /// Whether the same work, read again and done again, may well succeed: a serialization
    /// failure, a deadlock, a lock that was not had in time or at once, a busy database. Never for
    /// [`OutcomeUnknown`](CommitError::OutcomeUnknown).
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Lease(error) => error.is_transient(),
            Self::Lock(error) => error.is_transient(),
            Self::Database { source, .. } => is_transient(source),
            _ => false,
        }
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

impl From<LeaseError> for CommitError {
    fn from(error: LeaseError) -> Self {
        Self::Lease(Box::new(error))
    }
}

impl From<Conflicts> for CommitError {
    fn from(conflicts: Conflicts) -> Self {
        Self::Conflicts(conflicts)
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
