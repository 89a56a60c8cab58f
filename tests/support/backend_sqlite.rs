//! SQLite: a file per test.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use diesel::connection::SimpleConnection;
use diesel::{QueryResult, SqliteConnection};

use crate::support::TestBackend;

impl TestBackend for SqliteConnection {
    const NAME: &'static str = "SQLite";
    const CONCURRENT_WRITERS: bool = false;
    const NULL_SAFE_EQUALS: &'static str = "IS";
    const BEGIN_SNAPSHOT: Option<&'static str> = Some("BEGIN DEFERRED");
    const BEGIN_SERIALIZABLE: Option<&'static str> = Some("BEGIN DEFERRED");
    const REFUSE_PRODUCT_UPDATES: Option<&'static str> = Some(
        "CREATE TRIGGER refuse_updates BEFORE UPDATE ON products \
         BEGIN SELECT RAISE(IGNORE); END",
    );
    const REFUSE_PRODUCT_DELETES: Option<&'static str> = Some(
        "CREATE TRIGGER refuse_deletes BEFORE DELETE ON products \
         BEGIN SELECT RAISE(IGNORE); END",
    );
    const DEFER_FOREIGN_KEYS: Option<&'static str> = Some("PRAGMA defer_foreign_keys = ON");

    fn kill_statement(&mut self) -> Option<String> {
        None
    }

    fn returns_inserted_rows(&mut self) -> QueryResult<bool> {
        Ok(true)
    }

    fn create_database() -> String {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "diesel-versioned-{}-{}.sqlite",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let file = std::env::temp_dir().join(name);
        // A process that was killed may have left a file and its number may come round again.
        remove(&file);
        file.to_str()
            .expect("the temporary folder's path is UTF-8")
            .to_owned()
    }

    fn configure(&mut self) -> QueryResult<()> {
        // The timeout first: switching to WAL takes a lock that another connection may hold.
        self.batch_execute(
            "PRAGMA busy_timeout = 30000;
             PRAGMA journal_mode = WAL;
             PRAGMA synchronous = OFF;
             PRAGMA foreign_keys = ON;",
        )
    }

    fn schema() -> &'static str {
        include_str!("schema_sqlite.sql")
    }

    fn drop_database(url: &str) {
        remove(&PathBuf::from(url));
    }
}

fn remove(file: &std::path::Path) {
    for suffix in ["", "-journal", "-wal", "-shm"] {
        let mut name = file.as_os_str().to_owned();
        name.push(suffix);
        // Not every one of them exists.
        fs::remove_file(name).ok();
    }
}
