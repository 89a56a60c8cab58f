//! PostgreSQL: a database per test on the server that `PG_DATABASE_URL` names.

use diesel::connection::SimpleConnection;
use diesel::{Connection, QueryResult, RunQueryDsl};
use diesel_migrations::EmbeddedMigrations;
use diesel_versioned::migrations;

use crate::Conn;
use crate::support::TestBackend;
use crate::support::capabilities::{Isolation, LostInSnapshot, Write};
use crate::support::db::{admin_url, database_name, new_database_name, with_database};

impl TestBackend for Conn {
    const NAME: &'static str = "PostgreSQL";
    const CONCURRENT_WRITERS: bool = true;
    const NULL_SAFE_EQUALS: &'static str = "IS NOT DISTINCT FROM";
    const BEGIN_SNAPSHOT: Option<&'static str> = Some("BEGIN ISOLATION LEVEL REPEATABLE READ");
    const BEGIN_SERIALIZABLE: Option<&'static str> = Some("BEGIN ISOLATION LEVEL SERIALIZABLE");
    const REFUSE_PRODUCT_UPDATES: Option<&'static str> = Some(
        "CREATE FUNCTION refuse_updates() RETURNS trigger LANGUAGE plpgsql \
         AS 'BEGIN RETURN NULL; END'; \
         CREATE TRIGGER refuse_updates BEFORE UPDATE ON products \
         FOR EACH ROW EXECUTE FUNCTION refuse_updates()",
    );
    const REFUSE_ONE_PRODUCT_UPDATE: Option<&'static str> = Some(
        "CREATE SEQUENCE updates; \
         CREATE FUNCTION refuse_one() RETURNS trigger LANGUAGE plpgsql \
         AS 'BEGIN IF nextval(''updates'') = 1 THEN RETURN NULL; END IF; RETURN NEW; END'; \
         CREATE TRIGGER refuse_one BEFORE UPDATE ON products \
         FOR EACH ROW EXECUTE FUNCTION refuse_one()",
    );
    const REFUSE_PRODUCT_DELETES: Option<&'static str> = Some(
        "CREATE FUNCTION refuse_deletes() RETURNS trigger LANGUAGE plpgsql \
         AS 'BEGIN RETURN NULL; END'; \
         CREATE TRIGGER refuse_deletes BEFORE DELETE ON products \
         FOR EACH ROW EXECUTE FUNCTION refuse_deletes()",
    );
    const REFUSE_PRODUCT_INSERTS: Option<&'static str> = Some(
        "CREATE FUNCTION refuse_inserts() RETURNS trigger LANGUAGE plpgsql \
         AS 'BEGIN RETURN NULL; END'; \
         CREATE TRIGGER refuse_inserts BEFORE INSERT ON products \
         FOR EACH ROW EXECUTE FUNCTION refuse_inserts()",
    );
    const DROP_PRODUCT_UPDATES_BY_A_VIEW: Option<&'static str> = Some(
        "ALTER TABLE products RENAME TO stored_products; \
         CREATE VIEW products AS SELECT * FROM stored_products; \
         CREATE FUNCTION drop_updates() RETURNS trigger LANGUAGE plpgsql \
         AS 'BEGIN RETURN NULL; END'; \
         CREATE TRIGGER drop_updates INSTEAD OF UPDATE ON products \
         FOR EACH ROW EXECUTE FUNCTION drop_updates()",
    );
    // A role that every server has; a superuser would not be held back.
    const MAY_ONLY_SEE_PRODUCTS: Option<&'static str> = Some(
        "ALTER TABLE products ENABLE ROW LEVEL SECURITY; \
         CREATE POLICY see ON products FOR SELECT USING (true); \
         CREATE POLICY change ON products FOR UPDATE USING (false); \
         GRANT SELECT, UPDATE ON products TO pg_monitor; \
         SET ROLE pg_monitor",
    );
    const FAIL_PRODUCT_UPDATES: &'static str = "CREATE FUNCTION fail_updates() RETURNS trigger LANGUAGE plpgsql \
         AS 'BEGIN RAISE EXCEPTION ''not today''; END'; \
         CREATE TRIGGER fail_updates BEFORE UPDATE ON products \
         FOR EACH ROW EXECUTE FUNCTION fail_updates()";
    const MOVE_CUSTOMERS_AFTER_PRODUCT_UPDATES: &'static str = "CREATE FUNCTION move_customers() RETURNS trigger LANGUAGE plpgsql \
         AS 'BEGIN UPDATE customers SET city = ''Paris''; RETURN NULL; END'; \
         CREATE TRIGGER move_customers AFTER UPDATE ON products \
         FOR EACH ROW EXECUTE FUNCTION move_customers()";
    // 40001.
    const LOST_IN_SNAPSHOT: LostInSnapshot = LostInSnapshot::Transient;
    const WAIT_SHORTLY: &'static str = "SET lock_timeout = '100ms'";
    const SETTINGS: Option<&'static str> = Some("SET client_min_messages = warning");
    const IDENTIFIER_QUOTE: char = '"';
    const NUMBERED_BINDS: bool = true;
    const LOCK_CURRENT: &'static str = "";
    const LONE_INSERT_RETURNS: bool = true;
    const CREATE_SECOND_SCHEMA: &'static str = "CREATE SCHEMA second_schema";
    const DROP_SECOND_SCHEMA: Option<&'static str> = None;
    const DEFINE_CASE_BLIND_TEXT: &'static str = "CREATE COLLATION case_blind \
         (provider = icu, locale = 'und-u-ks-level2', deterministic = false);";
    const CASE_BLIND_TEXT: &'static str = "VARCHAR(32) COLLATE case_blind";
    const EXACT_TEXT: &'static str = "VARCHAR(32)";
    const OWN_TABLES: EmbeddedMigrations = migrations::POSTGRES;
    const FAR_TIME_ZONE: Option<&'static str> = Some("SET TIME ZONE 'Pacific/Chatham'");
    const RIGHT_WARES: &'static [&'static str] = &[
        "CREATE TABLE wares (id INTEGER UNIQUE, stock INTEGER, version INTEGER NOT NULL DEFAULT 1)",
        "CREATE TABLE wares (id INTEGER, stock INTEGER, version INTEGER NOT NULL DEFAULT 1); \
         CREATE UNIQUE INDEX ON wares (id) INCLUDE (stock)",
        "CREATE TABLE wares (id INTEGER PRIMARY KEY, stock INTEGER, \
         version INTEGER GENERATED BY DEFAULT AS IDENTITY) PARTITION BY RANGE (id)",
        "CREATE DOMAIN revision AS INTEGER DEFAULT 1 NOT NULL; \
         CREATE TABLE wares (id INTEGER PRIMARY KEY, stock INTEGER, version revision)",
        "CREATE DOMAIN number AS INTEGER DEFAULT 1 NOT NULL; \
         CREATE DOMAIN revision AS number CHECK (VALUE > 0); \
         CREATE TABLE wares (id INTEGER PRIMARY KEY, stock INTEGER, version revision)",
        "CREATE TABLE wares (id INTEGER PRIMARY KEY, version INTEGER NOT NULL DEFAULT 1, \
         stock INTEGER GENERATED ALWAYS AS (id + 1) STORED)",
    ];
    const WARES_WITHOUT_KEY: &'static [&'static str] = &[
        "CREATE UNIQUE INDEX ON wares (id) WHERE stock > 0",
        "CREATE UNIQUE INDEX ON wares ((id % 10))",
        "ALTER TABLE wares ADD UNIQUE (id) DEFERRABLE INITIALLY IMMEDIATE",
        "ALTER TABLE wares ADD PRIMARY KEY (id); CREATE TABLE more_wares () INHERITS (wares)",
    ];
    const RIGHT_STOCK_LEVELS: &'static [&'static str] =
        &["CREATE UNIQUE INDEX ON stock_levels (sku DESC, warehouse) INCLUDE (quantity)"];
    const RIGHT_COLLATIONS: &'static [(&'static str, &'static str)] = &[
        (Self::CASE_BLIND_TEXT, "case_blind"),
        ("TEXT", "case_blind"),
        ("TEXT", "\"C\""),
        ("TEXT COLLATE \"POSIX\"", "\"C\""),
    ];
    const WRONG_COLLATIONS: &'static [(&'static str, &'static str)] = &[
        (Self::CASE_BLIND_TEXT, "\"C\""),
        (Self::CASE_BLIND_TEXT, "\"default\""),
    ];
    const INTEGERS_ARE_EXACT: bool = true;
    const TIMES_AND_TOKENS: Option<[&'static str; 4]> =
        Some(["TIMESTAMP(0)", "TIMESTAMPTZ", "UUID", "BYTEA"]);
    const COLUMNS_FOLD_CASE: bool = false;
    const READ_ONLY: &'static str = "SET default_transaction_read_only = ON";
    const COUNTS_DIFFER: bool = false;
    const DDL_COMMITS: bool = false;
    const DEFER_FOREIGN_KEYS: Option<&'static str> = Some("SET CONSTRAINTS ALL DEFERRED");

    fn strict_snapshots(&mut self) -> Option<&'static str> {
        None
    }

    fn capitalize_inserted(table: &str, column: &str) -> String {
        format!(
            "CREATE FUNCTION capitals() RETURNS trigger LANGUAGE plpgsql AS $$ \
             BEGIN NEW.{column} := upper(NEW.{column}); RETURN NEW; END $$; \
             CREATE TRIGGER capitals BEFORE INSERT ON {table} \
             FOR EACH ROW EXECUTE FUNCTION capitals()"
        )
    }

    fn refuse_rows(write: Write, table: &str, rows: &str) -> Option<String> {
        let verb = write.verb();
        let row = if write == Write::Delete { "OLD" } else { "NEW" };
        Some(format!(
            "CREATE FUNCTION refuse_rows() RETURNS trigger LANGUAGE plpgsql AS $$ \
             BEGIN IF {rows} THEN RETURN NULL; END IF; RETURN {row}; END $$; \
             CREATE TRIGGER refuse_rows BEFORE {verb} ON {table} \
             FOR EACH ROW EXECUTE FUNCTION refuse_rows()"
        ))
    }

    fn isolate(level: Isolation) -> Option<&'static str> {
        Some(match level {
            Isolation::RepeatableRead => "SET default_transaction_isolation = 'repeatable read'",
            Isolation::Serializable => "SET default_transaction_isolation = 'serializable'",
        })
    }

    fn kill_statement(&mut self) -> Option<String> {
        let id = diesel::select(diesel::dsl::sql::<diesel::sql_types::Integer>(
            "pg_backend_pid()",
        ))
        .get_result::<i32>(self)
        .expect("the server tells the session's number");
        Some(format!("SELECT pg_terminate_backend({id})"))
    }

    fn returns_inserted_rows(&mut self) -> QueryResult<bool> {
        Ok(true)
    }

    fn json_field(column: &str, field: &str) -> String {
        format!("{column} ->> '{field}'")
    }

    fn millis_of(column: &str) -> String {
        format!("CAST(EXTRACT(EPOCH FROM {column}) * 1000 AS BIGINT)")
    }

    fn any_database() -> String {
        admin_url("PG_DATABASE_URL")
    }

    fn create_database() -> String {
        let admin = Self::any_database();
        let name = new_database_name();
        connect(&admin)
            .batch_execute(&format!("CREATE DATABASE {name}"))
            .unwrap_or_else(|error| panic!("CREATE DATABASE {name}: {error}"));
        with_database(&admin, &name)
    }

    fn schema() -> &'static str {
        include_str!("schema_postgres.sql")
    }

    fn roles_schema() -> &'static str {
        include_str!("roles_postgres.sql")
    }

    fn drop_database(url: &str) {
        let name = database_name(url);
        let dropped = Self::establish(&Self::any_database())
            .map_err(|error| error.to_string())
            .and_then(|mut conn| {
                conn.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)"))
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
