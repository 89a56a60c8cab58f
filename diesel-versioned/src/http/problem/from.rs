//! The library's errors as problems.

use std::error::Error;
use std::time::SystemTime;

use ::http::StatusCode;
use diesel::result::Error as DieselError;
use serde_json::Value;

use super::{Problem, ProblemConflict};
use crate::conflict::Conflict;
use crate::conflicts::Conflicts;
use crate::entity::Versioned;
use crate::error::{CommitError, SaveError, TrackError};
use crate::http::{ETag, HeaderError, PreconditionError};
use crate::lease::LeaseError;
use crate::overwrite::{ActorError, OverwriteError, ReasonError};
use crate::relative::ApplyError;
use crate::replay::KeyError;
use crate::retry::RetryError;
use crate::unmergeable::Unmergeable;

/// Of a conflict 409 with the diff, or 410 if the row is gone.
impl<T: Versioned> From<SaveError<T>> for Problem {
    fn from(error: SaveError<T>) -> Self {
        let conflict = error.conflict().map(|lost| ProblemConflict::new(lost));
        let etag = conflict.as_ref().and_then(|lost| lost.etag.clone());
        Self::of_error(error.code(), error)
            .of_etag(etag)
            .of_conflicts(conflict.into_iter().collect())
    }
}

/// 409 if the row does not meet the condition, 410 if there is none.
impl<T: Versioned> From<ApplyError<T>> for Problem {
    fn from(error: ApplyError<T>) -> Self {
        let etag = error.current().filter(|_| T::HAS_TAG).map(ETag::of_row);
        Self::of_error(error.code(), error).of_etag(etag)
    }
}

/// As of a [`SaveError`]; for a conflict that was given its base.
impl<T: Versioned> From<Conflict<T>> for Problem {
    fn from(conflict: Conflict<T>) -> Self {
        Self::from(SaveError::from(conflict))
    }
}

/// Of conflicts 409 with the diffs, also if a row is gone: it need not be the one that the request
/// is about. Its code is the first conflict's.
impl From<CommitError> for Problem {
    fn from(error: CommitError) -> Self {
        let error = match error {
            CommitError::Lease(error) => return (*error).into(),
            error => error,
        };
        let conflicts: Vec<_> = error
            .conflicts()
            .into_iter()
            .flat_map(Conflicts::iter)
            .map(ProblemConflict::new)
            .collect();
        let mut problem = Self::of_error(error.code(), error);
        if !conflicts.is_empty() {
            problem.0.status = StatusCode::CONFLICT;
        }
        problem.of_conflicts(conflicts)
    }
}

/// As of a [`CommitError`].
impl From<Conflicts> for Problem {
    fn from(conflicts: Conflicts) -> Self {
        Self::from(CommitError::from(conflicts))
    }
}

/// 503 if it gave up, with the conflicts of the last attempt if there were some, and the problem of
/// the last attempt's error if that is what ended it.
impl<E: Error + Into<Problem> + Send + Sync + 'static> From<RetryError<E>> for Problem {
    fn from(error: RetryError<E>) -> Self {
        let code = error.code();
        match error {
            RetryError::Stopped { source, .. } => source.into(),
            RetryError::Exhausted { source, .. } => source.into().of_code(code),
            error => Self::of_error(code, error),
        }
    }
}

/// 409 with the columns, or 410 if the row is gone.
impl From<Unmergeable> for Problem {
    fn from(error: Unmergeable) -> Self {
        let columns: Value = error.columns().into();
        let problem = Self::of_error(error.code(), error);
        if columns == Value::Array(Vec::new()) {
            problem
        } else {
            problem.with_member("columns", columns)
        }
    }
}

/// As of a [`SaveError`]; 409 too if there is nothing to overwrite, 410 if the row is gone.
impl<T: Versioned> From<OverwriteError<T>> for Problem {
    fn from(error: OverwriteError<T>) -> Self {
        let conflict = error.conflict().map(|lost| ProblemConflict::new(lost));
        let etag = conflict.as_ref().and_then(|lost| lost.etag.clone());
        Self::of_error(error.code(), error)
            .of_etag(etag)
            .of_conflicts(conflict.into_iter().collect())
    }
}

impl From<ActorError> for Problem {
    fn from(error: ActorError) -> Self {
        Self::of_error(error.code(), error)
    }
}

impl From<ReasonError> for Problem {
    fn from(error: ReasonError) -> Self {
        Self::of_error(error.code(), error)
    }
}

/// 423 if someone else holds the lease, 409 if it is lost; with `holder`, `since` and `until`, in seconds
/// since 1970, of whoever holds it now.
impl From<LeaseError> for Problem {
    fn from(error: LeaseError) -> Self {
        let by = error.holder().cloned();
        let problem = Self::of_error(error.code(), error);
        let Some(by) = by else {
            return problem;
        };
        let seconds = |time: SystemTime| {
            let since = time.duration_since(SystemTime::UNIX_EPOCH);
            since.map_or(0, |since| since.as_secs())
        };
        problem
            .with_member("holder", by.name())
            .with_member("since", seconds(by.since()))
            .with_member("until", seconds(by.until()))
    }
}

impl From<KeyError> for Problem {
    fn from(error: KeyError) -> Self {
        Self::of_error(error.code(), error)
    }
}

impl From<TrackError> for Problem {
    fn from(error: TrackError) -> Self {
        Self::of_error(error.code(), error)
    }
}

/// 404 of `NotFound`; of the others what a [`CommitError`] would say.
impl From<DieselError> for Problem {
    fn from(error: DieselError) -> Self {
        Self::of_error(crate::database_error::code(&error), error)
    }
}

impl From<PreconditionError> for Problem {
    fn from(error: PreconditionError) -> Self {
        let etag = error.current().cloned();
        Self::of_error(error.code(), error).of_etag(etag)
    }
}

impl From<HeaderError> for Problem {
    fn from(error: HeaderError) -> Self {
        Self::from(PreconditionError::from(error))
    }
}
