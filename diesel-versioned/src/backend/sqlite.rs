//! SQLite.

mod catalog;
mod declared;

pub(super) use declared::declared;

use super::{
    BatchUpdateSyntax, BeginToWrite, Dialect, IsolationSyntax, LaterSyntax, LockSyntax, Switch,
    Syntax, TupleSyntax, WholeDatabase,
};

impl Dialect for diesel::sqlite::Sqlite {
    const UPDATE_ROWS: usize = 256;

    // A deferred transaction that reads first fails with BUSY_SNAPSHOT when it writes later, and
    // no busy_timeout helps.
    const BEGIN_TO_WRITE: Option<BeginToWrite> = Some(BeginToWrite {
        take: "ROLLBACK; BEGIN IMMEDIATE",
        restore: "BEGIN",
    });

    const ISOLATION: IsolationSyntax = IsolationSyntax::Serializable(Switch {
        is_on: "SELECT 1 FROM pragma_query_only WHERE query_only",
        on: "PRAGMA query_only = ON",
        off: "PRAGMA query_only = OFF",
    });

    const LOCKS: LockSyntax = LockSyntax::WholeDatabase(WholeDatabase {
        waits: "PRAGMA busy_timeout",
        wait: "PRAGMA busy_timeout = ",
    });

    fn syntax(&self) -> Syntax {
        Syntax {
            batch_update: BatchUpdateSyntax::Values,
            tuples: TupleSyntax::InValues,
            last_inserted: "last_insert_rowid()",
            null_safe: ["", " IS ", ""],
            exact_text: ("", " COLLATE BINARY"),
            // `unixepoch('now', 'subsec')` is there from 3.42 on only.
            unix_millis: Some(
                "CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)",
            ),
            catalog: Some(&catalog::CATALOG),
            later: LaterSyntax::Text,
            ..Syntax::PORTABLE
        }
    }
}
