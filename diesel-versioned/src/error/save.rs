//! Why a single write is not known to have happened.

use std::fmt;

use diesel::result::Error as DieselError;

use super::{EntityRef, LockError, NO_VERSION, NOT_UNIQUE, VERSION_EXHAUSTED};
use crate::conflict::Conflict;
use crate::database_error::{code as database_code, is_transient};
use crate::entity::Versioned;
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

    /// The version is the greatest of its type and cannot move on. Nothing was written. Nothing was sent
    /// either, except by [`insert_or_save`](crate::VersionedDsl::insert_or_save), whose insert found the
    /// key taken.
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
    /// Nothing was sent, but for the insert of
    /// [`insert_or_save`](crate::VersionedDsl::insert_or_save) that found the key taken; only where the
    /// database makes the version and did not move it ([`NoVersion::NotMoved`]) the row was written and
    /// taken back.
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

    /// The row was not locked. Only the locks of [`LockDsl`](crate::LockDsl) return it.
    #[error(transparent)]
    Lock(#[from] LockError),

    /// Whatever else the database reported: a constraint, a lost connection, a lock timeout.
    #[error(
        "the database reported an error on `{}`; its source says which",
        T::TABLE
    )]
    Database(#[source] DieselError),
}

impl<T: Versioned> SaveError<T> {
    /// A stable name for programs, such as `conflict.modified` or `version.exhausted`: one of those
    /// that [`CommitError`](crate::CommitError) lists, without those of units.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Conflict(conflict) => conflict.kind().code(),
            Self::VersionExhausted { .. } => VERSION_EXHAUSTED,
            Self::NoVersion { .. } => NO_VERSION,
            Self::NotUnique { .. } => NOT_UNIQUE,
            Self::Lock(error) => error.code(),
            Self::Database(error) => database_code(error),
        }
    }

    /// Whether someone else's write is the reason.
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict(_))
    }

    /// Whether the same work, read again and done again, may well succeed: a serialization
    /// failure, a deadlock, a lock that was not had in time or at once, a busy database.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Lock(error) => error.is_transient(),
            Self::Database(error) => is_transient(error),
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
            Self::Lock(error) => f.debug_tuple("Lock").field(error).finish(),
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
