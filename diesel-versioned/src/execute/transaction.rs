//! What is said to any connection about its transactions, and how their depths are compared.

use std::num::NonZeroU32;

use diesel::QueryResult;
use diesel::result::Error;

/// How deep in transactions a connection is; `None` is not at all, and less than any other.
pub(super) type Depth = Option<NonZeroU32>;

/// Marks a transaction, which was begun at some depth, by a savepoint. The depth is in its name: on
/// MySQL and MariaDB a savepoint of the same name would take the place of that of a transaction around
/// it.
pub(super) fn mark(outer: Depth) -> String {
    format!("SAVEPOINT {}", name_of_mark(outer))
}

/// Removes the mark of a transaction; fails if it is gone.
pub(super) fn unmark(outer: Depth) -> String {
    format!("RELEASE SAVEPOINT {}", name_of_mark(outer))
}

fn name_of_mark(outer: Depth) -> String {
    let depth = outer.map_or(0, NonZeroU32::get);
    format!("diesel_versioned_{depth}")
}

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
