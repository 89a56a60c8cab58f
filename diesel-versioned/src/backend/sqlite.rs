//! SQLite.

mod catalog;

use super::{BatchUpdateSyntax, BeginToWrite, Dialect, LaterSyntax, Syntax, TupleSyntax};

impl Dialect for diesel::sqlite::Sqlite {
    const UPDATE_ROWS: usize = 256;

    // A deferred transaction that reads first fails with BUSY_SNAPSHOT when it writes later, and
    // no busy_timeout helps.
    const BEGIN_TO_WRITE: Option<BeginToWrite> = Some(BeginToWrite {
        take: "ROLLBACK; BEGIN IMMEDIATE",
        restore: "BEGIN",
    });

    fn syntax(&self) -> Syntax {
        Syntax {
            batch_update: BatchUpdateSyntax::Values,
            tuples: TupleSyntax::InValues,
            last_inserted: "last_insert_rowid()",
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
