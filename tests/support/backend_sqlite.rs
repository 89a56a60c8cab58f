//! SQLite: a file per test.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use diesel::QueryResult;
use diesel_migrations::EmbeddedMigrations;
use diesel_versioned::migrations;

use crate::Conn;
use crate::support::TestBackend;
use crate::support::capabilities::{Isolation, LostInSnapshot, Write};

impl TestBackend for Conn {
    const NAME: &'static str = "SQLite";
    const CONCURRENT_WRITERS: bool = false;
    const SKIPS_LOCKED: bool = false;
    const SHARES_LOCKS: bool = false;
    const LOCK_WAIT: Option<&'static str> = Some("SELECT timeout FROM pragma_busy_timeout");
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
    const REFUSE_PRODUCT_INSERTS: Option<&'static str> = Some(
        "CREATE TRIGGER refuse_inserts BEFORE INSERT ON products \
         BEGIN SELECT RAISE(IGNORE); END",
    );
    const DROP_PRODUCT_UPDATES_BY_A_VIEW: Option<&'static str> = Some(
        "ALTER TABLE products RENAME TO stored_products; \
         CREATE VIEW products AS SELECT * FROM stored_products; \
         CREATE TRIGGER drop_updates INSTEAD OF UPDATE ON products BEGIN SELECT 1; END",
    );
    // There are no roles and no policies.
    const MAY_ONLY_SEE_PRODUCTS: Option<&'static str> = None;
    const FAIL_PRODUCT_UPDATES: &'static str = "CREATE TRIGGER fail_updates BEFORE UPDATE ON \
         products BEGIN SELECT RAISE(ABORT, 'not today'); END";
    const MOVE_CUSTOMERS_AFTER_PRODUCT_UPDATES: &'static str = "CREATE TRIGGER move_customers AFTER UPDATE ON products \
         BEGIN UPDATE customers SET city = 'Paris'; END";
    // BUSY_SNAPSHOT.
    const LOST_IN_SNAPSHOT: LostInSnapshot = LostInSnapshot::Transient;
    const WAIT_SHORTLY: &'static str = "PRAGMA busy_timeout = 100";
    // The timeout first: switching to WAL takes a lock that another connection may hold.
    const SETTINGS: Option<&'static str> = Some(
        "PRAGMA busy_timeout = 30000;
         PRAGMA journal_mode = WAL;
         PRAGMA synchronous = OFF;
         PRAGMA foreign_keys = ON;",
    );
    const IDENTIFIER_QUOTE: char = '`';
    const NUMBERED_BINDS: bool = false;
    const LOCK_CURRENT: &'static str = "";
    const LONE_INSERT_RETURNS: bool = true;
    // A file needs no server.
    const PROPERTY_CASES: u32 = 2_000;
    const CREATE_SECOND_SCHEMA: &'static str = "ATTACH DATABASE ':memory:' AS second_schema";
    const DROP_SECOND_SCHEMA: Option<&'static str> = None;
    const DEFINE_CASE_BLIND_TEXT: &'static str = "";
    const CASE_BLIND_TEXT: &'static str = "VARCHAR(32) COLLATE NOCASE";
    const EXACT_TEXT: &'static str = "VARCHAR(32)";
    const OWN_TABLES: EmbeddedMigrations = migrations::SQLITE;
    const FAR_TIME_ZONE: Option<&'static str> = None;
    const RIGHT_WARES: &'static [&'static str] = &[
        "CREATE TABLE wares (id INTEGER PRIMARY KEY, stock INTEGER, version INT NOT NULL DEFAULT 1)",
        "CREATE TABLE wares (id BIGINT, stock, version SMALLINT NOT NULL DEFAULT 1, PRIMARY KEY (id)) \
         WITHOUT ROWID",
        "CREATE TABLE wares (id INT, stock INT, version INT NOT NULL DEFAULT 1, UNIQUE (id)) STRICT",
        "CREATE TABLE wares (id INT UNIQUE, version NOT NULL DEFAULT 1, \
         stock INT GENERATED ALWAYS AS (id + 1))",
    ];
    const WARES_WITHOUT_KEY: &'static [&'static str] = &[
        "CREATE UNIQUE INDEX made_up ON wares (id) WHERE stock > 0",
        "CREATE UNIQUE INDEX made_up ON wares (id % 10)",
        "CREATE UNIQUE INDEX made_up ON wares (id, abs(stock))",
    ];
    const RIGHT_STOCK_LEVELS: &'static [&'static str] =
        &["CREATE UNIQUE INDEX made_up ON stock_levels (sku COLLATE NOCASE, warehouse DESC)"];
    const RIGHT_COLLATIONS: &'static [(&'static str, &'static str)] = &[
        ("TEXT COLLATE NOCASE", "nocase"),
        ("TEXT COLLATE RTRIM", "RTRIM"),
        ("TEXT", "NOCASE"),
        ("NUMERIC", "RTRIM"),
        ("STRING COLLATE BINARY", "NOCASE"),
    ];
    const WRONG_COLLATIONS: &'static [(&'static str, &'static str)] = &[
        ("TEXT COLLATE NOCASE", "BINARY"),
        ("TEXT COLLATE \"nocase\"", "RTRIM"),
        ("VARCHAR(8) COLLATE rtrim", "BINARY"),
        ("TEXT COLLATE RTRIM", "NOCASE"),
        ("NUMERIC COLLATE NOCASE", "BINARY"),
    ];
    const INTEGERS_ARE_EXACT: bool = false;
    const TIMES_AND_TOKENS: Option<[&'static str; 4]> = None;
    const COLUMNS_FOLD_CASE: bool = true;
    const READ_ONLY: &'static str = "PRAGMA query_only = ON";
    const COUNTS_DIFFER: bool = false;
    const DDL_COMMITS: bool = false;
    const DEFER_FOREIGN_KEYS: Option<&'static str> = Some("PRAGMA defer_foreign_keys = ON");

    fn strict_snapshots(&mut self) -> Option<&'static str> {
        None
    }

    fn capitalize_inserted(table: &str, column: &str) -> String {
        format!(
            "CREATE TRIGGER capitals AFTER INSERT ON {table} BEGIN \
             UPDATE {table} SET {column} = upper({column}) WHERE rowid = NEW.rowid; END"
        )
    }

    fn refuse_rows(write: Write, table: &str, rows: &str) -> Option<String> {
        let verb = write.verb();
        Some(format!(
            "CREATE TRIGGER refuse_rows BEFORE {verb} ON {table} WHEN {rows} \
             BEGIN SELECT RAISE(IGNORE); END"
        ))
    }

    // There is one level.
    fn isolate(_: Isolation) -> Option<&'static str> {
        None
    }

    fn kill_statement(&mut self) -> Option<String> {
        None
    }

    fn returns_inserted_rows(&mut self) -> QueryResult<bool> {
        Ok(true)
    }

    fn json_field(column: &str, field: &str) -> String {
        format!("CAST(json_extract({column}, '$.{field}') AS TEXT)")
    }

    fn millis_of(column: &str) -> String {
        format!("CAST((julianday({column}) - 2440587.5) * 86400000 AS INTEGER)")
    }

    fn any_database() -> String {
        ":memory:".to_owned()
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

    fn schema() -> &'static str {
        include_str!("schema_sqlite.sql")
    }

    fn roles_schema() -> &'static str {
        include_str!("roles_sqlite.sql")
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
