//! PostgreSQL: a database per test on the server that `PG_DATABASE_URL` names.

use diesel::connection::SimpleConnection;
use diesel::{Connection, PgConnection, QueryResult, RunQueryDsl};

use crate::support::TestBackend;
use crate::support::db::{admin_url, database_name, new_database_name, with_database};

impl TestBackend for PgConnection {
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
    const REFUSE_PRODUCT_DELETES: Option<&'static str> = Some(
        "CREATE FUNCTION refuse_deletes() RETURNS trigger LANGUAGE plpgsql \
         AS 'BEGIN RETURN NULL; END'; \
         CREATE TRIGGER refuse_deletes BEFORE DELETE ON products \
         FOR EACH ROW EXECUTE FUNCTION refuse_deletes()",
    );
    const DEFER_FOREIGN_KEYS: Option<&'static str> = Some("SET CONSTRAINTS ALL DEFERRED");

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

    fn create_database() -> String {
        let admin = admin_url("PG_DATABASE_URL");
        let name = new_database_name();
        connect(&admin)
            .batch_execute(&format!("CREATE DATABASE {name}"))
            .unwrap_or_else(|error| panic!("CREATE DATABASE {name}: {error}"));
        with_database(&admin, &name)
    }

    fn configure(&mut self) -> QueryResult<()> {
        self.batch_execute("SET client_min_messages = warning")
    }

    fn schema() -> &'static str {
        include_str!("schema_postgres.sql")
    }

    fn drop_database(url: &str) {
        let name = database_name(url);
        let dropped = PgConnection::establish(&admin_url("PG_DATABASE_URL"))
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

fn connect(url: &str) -> PgConnection {
    PgConnection::establish(url).unwrap_or_else(|error| panic!("{url}: {error}"))
}
