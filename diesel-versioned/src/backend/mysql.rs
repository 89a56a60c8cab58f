//! MySQL and MariaDB.

mod catalog;

use super::{BatchUpdateSyntax, Dialect, LaterSyntax, RowLocks, Syntax, TupleSyntax};

impl Dialect for diesel::mysql::Mysql {
    const MAX_BINDS: usize = 65_535;
    // Not locked before a delete: of three that wait for a row which goes, InnoDB picks a victim.
    const ROW_LOCKS: RowLocks = RowLocks::InKeyOrder;
    // MariaDB has it from 10.5 on, but tells of its columns only when the statement runs
    // (https://jira.mariadb.org/browse/MDEV-27013), and Diesel asks before.
    const RETURNING: bool = false;
    const FORGET_LAST_INSERTED: Option<&str> = Some("DO LAST_INSERT_ID(0)");

    // By mysql_async: whoever asks next gets the rows that nobody took.
    const LEAVES_ANSWERS: bool = true;

    fn syntax(&self) -> Syntax {
        Syntax {
            batch_update: BatchUpdateSyntax::Case,
            tuples: TupleSyntax::In,
            // Under REPEATABLE READ a plain read shows the snapshot, in which the lost write has
            // not happened. `FOR SHARE` is MySQL 8 only; both know this form.
            lock_current: " LOCK IN SHARE MODE",
            lock_write: " FOR UPDATE",
            // Where a statement is about a fifth of a table or more, InnoDB would rather go through
            // all of it, and lock every row that it sees. A limit below the number of rows that
            // the table has keeps it to the key. (It also makes statement-based replication warn;
            // the order is by the key, so the rows are the same everywhere.)
            ordered_writes: true,
            last_inserted: "LAST_INSERT_ID()",
            // A locking read may fail after its first row: a deadlock, a lock timeout. MariaDB's
            // client library waits forever if that prepared statement is then run again.
            prepare_locking_reads_anew: true,
            // `UNIX_TIMESTAMP(…)` goes by the time zone of the session, which has an hour twice.
            unix_millis: Some(
                "CAST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) \
                 DIV 1000 AS SIGNED)",
            ),
            insert_or_skip: ("INSERT IGNORE INTO ", ""),
            catalog: Some(&catalog::CATALOG),
            later: LaterSyntax::IntervalUnit,
            // An error in every sql_mode; a NULL becomes 0 in some.
            out_of_range: Some("18446744073709551615"),
            skips_taken_keys: false,
            ..Syntax::PORTABLE
        }
    }
}
