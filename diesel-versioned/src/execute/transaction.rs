//! What is said to any connection about its transactions, and how their depths are compared.

use std::num::NonZeroU32;

use diesel::QueryResult;
use diesel::result::Error;

/// How deep in transactions a connection is; `None` is not at all, and less than any other.
pub(super) type Depth = Option<NonZeroU32>;

/// Marks the transaction by a savepoint of the same name on every database.
pub(super) const MARK: &str = "SAVEPOINT diesel_versioned";

/// Removes the mark; fails if it is gone.
pub(super) const UNMARK: &str = "RELEASE SAVEPOINT diesel_versioned";

/// Tells whether the server still answers.
pub(super) const PING: &str = "SELECT 1";

/// Fails if a closure that was lent the connection has ended the transaction around it.
pub(super) fn same_depth(before: Depth, now: Depth) -> QueryResult<()> {
    if now == before {
        Ok(())
    } else {
        let problem = "a closure given to `also`, `run`, `read` or `retry`, or an audit, left a \
                       transaction open or ended the one around it; let it use `conn.transaction(…)`";
        Err(Error::QueryBuilderError(problem.into()))
    }
}

/// An overwrite that nobody records must not be committed.
#[cold]
pub(super) fn no_audit() -> Error {
    Error::QueryBuilderError("nothing records this overwrite; give it an `Audit`".into())
}

/// Fails if the record of an overwrite was not kept.
pub(super) fn kept(rows: usize) -> QueryResult<()> {
    if rows == 1 {
        Ok(())
    } else {
        let problem = "the record of the overwrite was not kept; look for a trigger, a rule or \
                       row-level security on `diesel_versioned_overwrites`";
        Err(Error::QueryBuilderError(problem.into()))
    }
}
