//! PostgreSQL.

mod catalog;

use super::{BatchUpdateSyntax, Dialect, LaterSyntax, RowLocks, Syntax, TupleSyntax};

impl Dialect for diesel::pg::Pg {
    const MAX_BINDS: usize = 65_535;
    const UPDATE_ROWS: usize = 1_024;
    const OTHER_ROWS: usize = 1_024;
    // What BEFORE triggers make; those that run AFTER cannot change the row itself.
    const RETURNING_SHOWS_ALL: bool = true;
    const ROW_LOCKS: RowLocks = RowLocks::DeletesAsFound;

    fn syntax(&self) -> Syntax {
        Syntax {
            batch_update: BatchUpdateSyntax::LockedValues,
            tuples: TupleSyntax::In,
            // Not FOR UPDATE: rows of other tables may go on referring to these.
            lock_write: " FOR NO KEY UPDATE",
            last_inserted: "LASTVAL()",
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
