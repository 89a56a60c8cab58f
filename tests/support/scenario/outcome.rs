//! What a write that must not succeed is meant to end in.

use std::fmt::Debug;

use diesel_versioned::{CommitError, Conflict, Conflicts, SaveError, Versioned};

/// The conflict that a write was meant to end in.
#[track_caller]
pub fn conflict<T: Versioned + Debug>(result: Result<(), SaveError<T>>) -> Box<Conflict<T>> {
    match result {
        Err(SaveError::Conflict(conflict)) => conflict,
        other => panic!("no conflict but {other:?}"),
    }
}

/// The conflicts that a commit was meant to end in.
#[track_caller]
pub fn conflicts<R: Debug>(result: Result<R, CommitError>) -> Conflicts {
    match result {
        Err(CommitError::Conflicts(conflicts)) => conflicts,
        other => panic!("no conflicts but {other:?}"),
    }
}
