//! Insert, or save what is there: what came of each attempt.

use diesel::QueryResult;
use diesel::result::{DatabaseErrorKind, Error};

use super::single::refused;
use super::version::Unversioned;
use crate::database_error::is_transient;
use crate::entity::Versioned;
use crate::error::SaveError;
use crate::statement::Next;

/// An upsert looks for the row by its key, so the program must know it.
pub(crate) fn key_is_known<T: Versioned>() -> QueryResult<()> {
    if T::key_is_generated() {
        let problem = format!(
            "the database makes the key of `{}`, so it cannot be told whether the row is there; use \
             `insert` for a new one and `save` for one that was read",
            T::TABLE
        );
        return Err(Error::QueryBuilderError(problem.into()));
    }
    Ok(())
}

/// How often an upsert is tried at most, because the row went away between the insert and the save.
const UPSERTS: u32 = 3;

/// What came of the save of an upsert, after an insert that found the key taken, or failed by an error
/// that may mean this. `None` if the row was gone again, so that it may be
/// tried once more.
pub(crate) fn upserted<T: Versioned>(
    entity: &T,
    saved: Result<(), SaveError<T>>,
    taken: Option<Error>,
    attempt: u32,
) -> Option<Result<(), SaveError<T>>> {
    let is_gone = match &saved {
        Err(SaveError::Conflict(conflict)) => conflict.current().is_none(),
        _ => false,
    };
    match taken {
        // Another constraint of the row, not its key; PostgreSQL has given the transaction up by it.
        Some(error)
            if is_gone
                || matches!(&saved, Err(SaveError::Database(error)) if !is_transient(error)) =>
        {
            Some(Err(error.into()))
        }
        _ if !is_gone => Some(saved),
        _ if attempt < UPSERTS => None,
        // There is no row, and none is inserted: something holds it back.
        _ => Some(Err(refused(entity, Next::ByDatabase).into())),
    }
}

/// What came of an upsert whose row has no version to be saved at, after an insert that found the key
/// taken, or failed by an error that may mean this: then `there` is what stands there.
pub(crate) fn not_upserted<T: Versioned>(
    why: Unversioned,
    taken: Option<(Error, QueryResult<Vec<T>>)>,
) -> SaveError<T> {
    match taken {
        Some((_, Err(error))) if is_transient(&error) => error.into(),
        // Another constraint of the row, not its key.
        Some((error, there)) if !matches!(&there, Ok(rows) if !rows.is_empty()) => error.into(),
        _ => why.into(),
    }
}

/// Whether it may be by this error that a database says that a key is taken, where it cannot skip one.
pub(crate) fn may_be_taken(error: &Error) -> bool {
    matches!(
        error,
        Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _)
    )
}
