//! MySQL and MariaDB.

use super::{BatchUpdateSyntax, Dialect, Returning, Syntax, TupleSyntax};

impl Dialect for diesel::mysql::Mysql {
    const MAX_BINDS: usize = 65_535;
    const LOCKS_ROWS: bool = true;
    // MariaDB from 10.5 on can, MySQL cannot. A proxy may put `5.5.5-` before the real number.
    const RETURNING: Returning = Returning::Ask(
        "SELECT 1 FROM DUAL WHERE VERSION() LIKE '%MariaDB%' \
         AND VERSION() NOT REGEXP '^(5[.]5[.]5-)?(5[.]|10[.][0-4][.])'",
    );

    fn syntax(&self) -> Syntax {
        Syntax {
            batch_update: BatchUpdateSyntax::Case,
            tuples: TupleSyntax::In,
            // Under REPEATABLE READ a plain read shows the snapshot, in which the lost write has
            // not happened. `FOR SHARE` is MySQL 8 only; both know this form.
            lock_current: " LOCK IN SHARE MODE",
            lock_write: " FOR UPDATE",
        }
    }
}
