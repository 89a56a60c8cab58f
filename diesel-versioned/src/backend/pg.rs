//! PostgreSQL.

mod catalog;
mod declared;

pub(super) use declared::declared;

use super::{
    BatchUpdateSyntax, Dialect, IsolationSyntax, LaterSyntax, LockSyntax, RowLocks, Syntax,
    TupleSyntax,
};
use crate::lock::{Lock, Wait};

impl Dialect for diesel::pg::Pg {
    const MAX_BINDS: usize = 65_535;
    const UPDATE_ROWS: usize = 1_024;
    const OTHER_ROWS: usize = 1_024;
    // What BEFORE triggers make; those that run AFTER cannot change the row itself.
    const RETURNING_SHOWS_ALL: bool = true;
    const ROW_LOCKS: RowLocks = RowLocks::DeletesAsFound;

    const ISOLATION: IsolationSyntax = IsolationSyntax::SetInside;
    const LOCKS: LockSyntax = LockSyntax::Clauses(|lock, wait| {
        Some(match (lock, wait) {
            // Not FOR UPDATE: rows of other tables may go on referring to these.
            (Lock::Update, Wait::Block) => " FOR NO KEY UPDATE",
            (Lock::Update, Wait::NoWait) => " FOR NO KEY UPDATE NOWAIT",
            (Lock::Update, Wait::SkipLocked) => " FOR NO KEY UPDATE SKIP LOCKED",
            (Lock::Share, Wait::Block) => " FOR SHARE",
            (Lock::Share, Wait::NoWait) => " FOR SHARE NOWAIT",
            (Lock::Share, Wait::SkipLocked) => " FOR SHARE SKIP LOCKED",
        })
    });

    fn syntax(&self) -> Syntax {
        Syntax {
            batch_update: BatchUpdateSyntax::LockedValues,
            tuples: TupleSyntax::In,
            // Not FOR UPDATE: rows of other tables may go on referring to these.
            lock_write: " FOR NO KEY UPDATE",
            last_inserted: "LASTVAL()",
            null_safe: ["", " IS NOT DISTINCT FROM ", ""],
            // Not by the rules of a nondeterministic collation or of citext.
            // By way of a row, for a text alone would lose the blanks that pad a `CHAR(n)`.
            exact_text: ("CAST(ROW(", ") AS TEXT) COLLATE \"C\""),
            unix_millis: Some(
                "CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)",
            ),
            json_type: Some("JSONB"),
            catalog: Some(&catalog::CATALOG),
            later: LaterSyntax::Interval,
            ..Syntax::PORTABLE
        }
    }
}
