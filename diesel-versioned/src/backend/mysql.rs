//! MySQL and MariaDB.

mod catalog;
mod declared;

pub(super) use declared::declared;

use super::{
    BatchUpdateSyntax, Dialect, IsolationSyntax, LaterSyntax, LockSyntax, RowLocks, Syntax,
    TupleSyntax,
};
use crate::lock::{Lock, Wait};

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

    const ISOLATION: IsolationSyntax = IsolationSyntax::SetBefore;
    const LOCKS: LockSyntax = LockSyntax::Clauses(|lock, wait| {
        Some(match (lock, wait) {
            (Lock::Update, Wait::Block) => " FOR UPDATE",
            (Lock::Update, Wait::NoWait) => " FOR UPDATE NOWAIT",
            (Lock::Update, Wait::SkipLocked) => " FOR UPDATE SKIP LOCKED",
            (Lock::Share, Wait::Block) => " LOCK IN SHARE MODE",
            // `LOCK IN SHARE MODE NOWAIT` is MariaDB's alone and `FOR SHARE NOWAIT` that of MySQL 8.
            // Each runs what the other takes for a comment. A server that takes both for one says
            // that `SHARE` is no SQL, instead of reading without a lock.
            (Lock::Share, Wait::NoWait) => {
                " /*M! LOCK IN *//*!80001 FOR */ SHARE /*M! MODE */ NOWAIT"
            }
            (Lock::Share, Wait::SkipLocked) => {
                " /*M! LOCK IN *//*!80001 FOR */ SHARE /*M! MODE */ SKIP LOCKED"
            }
        })
    });

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
            null_safe: ["", " <=> ", ""],
            // A binary collation still takes `a` for `a ` with a blank. Both sides are converted, for
            // the column may have another character set than the connection.
            exact_text: ("CAST(CONVERT(", " USING utf8mb4) AS BINARY)"),
            // `UNIX_TIMESTAMP(…)` goes by the time zone of the session, which has an hour twice.
            unix_millis: Some(
                "CAST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) \
                 DIV 1000 AS SIGNED)",
            ),
            insert_or_skip: ("INSERT IGNORE INTO ", ""),
            insert_or_update: (" ON DUPLICATE KEY UPDATE ", ""),
            catalog: Some(&catalog::CATALOG),
            later: LaterSyntax::IntervalUnit,
            // An error in every sql_mode; a NULL becomes 0 in some.
            out_of_range: Some("18446744073709551615"),
            skips_taken_keys: false,
            ..Syntax::PORTABLE
        }
    }
}
