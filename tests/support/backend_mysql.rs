//! MariaDB and MySQL: a database per test on the server that `MYSQL_DATABASE_URL` names.

use diesel::connection::SimpleConnection;
use diesel::{Connection, QueryResult, RunQueryDsl};
use diesel_migrations::EmbeddedMigrations;
use diesel_versioned::migrations;

use crate::Conn;
use crate::support::TestBackend;
use crate::support::capabilities::{Isolation, LostInSnapshot, Write};
use crate::support::db::{admin_url, database_name, new_database_name, with_database};

impl TestBackend for Conn {
    const NAME: &'static str = "MySQL";
    const CONCURRENT_WRITERS: bool = true;
    const SERIALIZABLE_READS_LOCK: bool = true;
    const NULL_SAFE_EQUALS: &'static str = "<=>";
    // The snapshot is taken at once, not by the first read.
    const BEGIN_SNAPSHOT: Option<&'static str> = Some(
        "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; \
         START TRANSACTION WITH CONSISTENT SNAPSHOT",
    );
    const BEGIN_SERIALIZABLE: Option<&'static str> =
        Some("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; START TRANSACTION");
    // A trigger can only fail here, and a failure is an error, not zero rows.
    const REFUSE_PRODUCT_UPDATES: Option<&'static str> = None;
    const REFUSE_PRODUCT_DELETES: Option<&'static str> = None;
    const REFUSE_PRODUCT_INSERTS: Option<&'static str> = None;
    // There is no INSTEAD OF, and a row that a view's WHERE hides is hidden from a read as well.
    const DROP_PRODUCT_UPDATES_BY_A_VIEW: Option<&'static str> = None;
    // There are no policies.
    const MAY_ONLY_SEE_PRODUCTS: Option<&'static str> = None;
    const FAIL_PRODUCT_UPDATES: &'static str = "CREATE TRIGGER fail_updates BEFORE UPDATE ON \
         products FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not today'";
    const MOVE_CUSTOMERS_AFTER_PRODUCT_UPDATES: &'static str = "CREATE TRIGGER move_customers AFTER UPDATE ON products \
         FOR EACH ROW UPDATE customers SET city = 'Paris'";
    const LOST_IN_SNAPSHOT: LostInSnapshot = LostInSnapshot::Conflict;
    const LENIENT: Option<&'static str> = Some("SET SESSION sql_mode = ''");
    const WAIT_SHORTLY: &'static str = "SET innodb_lock_wait_timeout = 1";
    const SETTINGS: Option<&'static str> = None;
    const LANGUAGES: &'static [&'static str] = &[
        "SET lc_messages = 'de_DE'",
        "SET lc_messages = 'fr_FR'",
        "SET lc_messages = 'ja_JP'",
        "SET lc_messages = 'ru_RU'",
    ];
    const IDENTIFIER_QUOTE: char = '`';
    const NUMBERED_BINDS: bool = false;
    const LOCK_CURRENT: &'static str = " LOCK IN SHARE MODE";
    // For one row it costs as many statements to ask as to read by LAST_INSERT_ID().
    const LONE_INSERT_RETURNS: bool = false;
    // A schema is a database here, and its name, which stands in the code, is the server's.
    const CREATE_SECOND_SCHEMA: &'static str = "DROP DATABASE IF EXISTS second_schema; CREATE DATABASE second_schema CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
    const DROP_SECOND_SCHEMA: Option<&'static str> = Some("DROP DATABASE second_schema");
    const DEFINE_CASE_BLIND_TEXT: &'static str = "";
    const CASE_BLIND_TEXT: &'static str =
        "VARCHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci";
    const EXACT_TEXT: &'static str = "VARCHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
    const OWN_TABLES: EmbeddedMigrations = migrations::MYSQL;
    const FAR_TIME_ZONE: Option<&'static str> = Some("SET time_zone = '-11:00'");
    const RIGHT_WARES: &'static [&'static str] = &[
        "CREATE TABLE wares (id INTEGER UNIQUE, stock INTEGER, version BIGINT NOT NULL DEFAULT 1)",
        "CREATE TABLE wares (id INTEGER PRIMARY KEY, stock INTEGER, \
         version INTEGER UNSIGNED NOT NULL DEFAULT 1) ENGINE = MEMORY",
        "CREATE TABLE wares (id INTEGER PRIMARY KEY, version INTEGER NOT NULL DEFAULT (1 + 1), \
         stock INTEGER GENERATED ALWAYS AS (id + 1) VIRTUAL)",
    ];
    const WARES_WITHOUT_KEY: &'static [&'static str] = &[];
    // No two rows may have the same first characters, so none have the same.
    const RIGHT_STOCK_LEVELS: &'static [&'static str] =
        &["CREATE UNIQUE INDEX made_up ON stock_levels (sku(8), warehouse)"];
    // An index compares as its column does.
    const RIGHT_COLLATIONS: &'static [(&'static str, &'static str)] = &[];
    const WRONG_COLLATIONS: &'static [(&'static str, &'static str)] = &[];
    const INTEGERS_ARE_EXACT: bool = false;
    const TIMES_AND_TOKENS: Option<[&'static str; 4]> =
        Some(["DATETIME", "TIMESTAMP(6)", "BINARY(16)", "VARBINARY(16)"]);
    const COLUMNS_FOLD_CASE: bool = true;
    const READ_ONLY: &'static str = "SET SESSION TRANSACTION READ ONLY";
    const COUNTS_DIFFER: bool = true;
    const DDL_COMMITS: bool = true;
    // `ON UPDATE CURRENT_TIMESTAMP` does nothing where no other column gets another value.
    const TOUCH_MOVES_STAMPS: bool = false;
    const DEFER_FOREIGN_KEYS: Option<&'static str> = None;

    // MariaDB from 10.6.18, 10.11.8, 11.4.2 on: error 1020.
    fn strict_snapshots(&mut self) -> Option<&'static str> {
        let known = self.batch_execute("DO @@innodb_snapshot_isolation").is_ok();
        known.then_some("SET innodb_snapshot_isolation = ON")
    }

    fn capitalize_inserted(table: &str, column: &str) -> String {
        format!(
            "CREATE TRIGGER capitals BEFORE INSERT ON {table} \
             FOR EACH ROW SET NEW.{column} = UPPER(NEW.{column})"
        )
    }

    fn refuse_rows(_: Write, _: &str, _: &str) -> Option<String> {
        None
    }

    fn isolate(level: Isolation) -> Option<&'static str> {
        Some(match level {
            Isolation::RepeatableRead => "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
            Isolation::Serializable => "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE",
        })
    }

    fn kill_statement(&mut self) -> Option<String> {
        let id = diesel::select(diesel::dsl::sql::<diesel::sql_types::BigInt>(
            "CAST(CONNECTION_ID() AS SIGNED)",
        ))
        .get_result::<i64>(self)
        .expect("the server tells the session's number");
        Some(format!("KILL {id}"))
    }

    fn returns_inserted_rows(&mut self) -> QueryResult<bool> {
        let version = diesel::select(diesel::dsl::sql::<diesel::sql_types::Text>("VERSION()"))
            .get_result::<String>(self)?;
        Ok(version.contains("MariaDB"))
    }

    fn json_field(column: &str, field: &str) -> String {
        // A JSON null is the text `null` to JSON_UNQUOTE.
        format!("NULLIF(JSON_UNQUOTE(JSON_EXTRACT({column}, '$.{field}')), 'null')")
    }

    fn millis_of(column: &str) -> String {
        format!(
            "CAST(TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', {column}) DIV 1000 AS SIGNED)"
        )
    }

    fn any_database() -> String {
        // The clients do not agree on the option's name.
        admin_url("MYSQL_DATABASE_URL").replace("unix_socket=", crate::SOCKET)
    }

    fn create_database() -> String {
        let admin = Self::any_database();
        let name = new_database_name();
        // Text compares byte by byte, as it does on the other backends.
        connect(&admin)
            .batch_execute(&format!(
                "CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
            ))
            .unwrap_or_else(|error| panic!("CREATE DATABASE {name}: {error}"));
        with_database(&admin, &name)
    }

    fn schema() -> &'static str {
        include_str!("schema_mysql.sql")
    }

    fn roles_schema() -> &'static str {
        include_str!("roles_mysql.sql")
    }

    fn drop_database(url: &str) {
        let name = database_name(url);
        let dropped = Self::establish(&Self::any_database())
            .map_err(|error| error.to_string())
            .and_then(|mut conn| {
                // A session that a test has left in a transaction would block it for a day.
                conn.batch_execute(&format!("SET lock_wait_timeout = 5; DROP DATABASE {name}"))
                    .map_err(|error| error.to_string())
            });
        if let Err(error) = dropped {
            eprintln!("DROP DATABASE {name}: {error}");
        }
    }
}

fn connect(url: &str) -> Conn {
    Conn::establish(url).unwrap_or_else(|error| panic!("{url}: {error}"))
}
