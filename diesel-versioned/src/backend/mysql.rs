//! MySQL and MariaDB.

use super::{BatchUpdateSyntax, Dialect, Syntax, TupleSyntax};

impl Dialect for diesel::mysql::Mysql {
    const MAX_BINDS: usize = 65_535;
    const LOCKS_ROWS: bool = true;
    // MariaDB has it from 10.5 on, but tells of its columns only when the statement runs
    // (https://jira.mariadb.org/browse/MDEV-27013), and Diesel asks before.
    const RETURNING: bool = false;

    fn syntax(&self) -> Syntax {
        Syntax {
            batch_update: BatchUpdateSyntax::Case,
            tuples: TupleSyntax::In,
            // Under REPEATABLE READ a plain read shows the snapshot, in which the lost write has
            // not happened. `FOR SHARE` is MySQL 8 only; both know this form.
            lock_current: " LOCK IN SHARE MODE",
            lock_write: " FOR UPDATE",
            last_inserted: "LAST_INSERT_ID()",
        }
    }
}
