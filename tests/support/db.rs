//! A database of its own for each test.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use diesel::connection::SimpleConnection;
use diesel::{Connection, QueryResult};
use diesel_migrations::MigrationHarness;

use crate::Conn;
use crate::support::TestBackend;

/// A fresh database with the tables of `schema.rs`, removed when it is dropped.
///
/// Make it before the connections: locals are dropped in reverse order.
pub struct TestDb {
    url: String,
}

impl TestDb {
    /// A database with empty tables.
    pub fn new() -> Self {
        let db = Self::empty();
        db.connect()
            .batch_execute(Conn::schema())
            .expect("the schema is valid");
        db
    }

    /// The same, with the library's own tables.
    pub fn with_own_tables() -> Self {
        let db = Self::new();
        db.make_own_tables();
        db
    }

    /// Makes the library's own tables.
    pub fn make_own_tables(&self) {
        self.connect()
            .run_pending_migrations(Conn::OWN_TABLES)
            .expect("the migrations run");
    }

    /// A database without tables.
    pub fn empty() -> Self {
        Self {
            url: Conn::create_database(),
        }
    }

    /// A further connection; as many as a test likes.
    pub fn connect(&self) -> Conn {
        let mut conn = Conn::establish(&self.url)
            .unwrap_or_else(|error| panic!("{}: {}: {error}", Conn::NAME, self.url));
        configure(&mut conn).expect("the connection takes its settings");
        conn
    }

    /// What [`Connection::establish`] takes.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Runs SQL on a connection of its own: a writer from outside.
    pub fn execute(&self, sql: &str) {
        self.connect()
            .batch_execute(sql)
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
}

/// Gives a connection the settings of all.
pub fn configure(conn: &mut Conn) -> QueryResult<()> {
    Conn::SETTINGS.map_or(Ok(()), |settings| conn.batch_execute(settings))
}

impl Drop for TestDb {
    fn drop(&mut self) {
        Conn::drop_database(&self.url);
    }
}

/// The server's URL, from the environment.
pub fn admin_url(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| panic!("{variable} is not set; run ./scripts/test"))
}

/// A name that no other test of this server has, in this process or another.
pub fn new_database_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let nanos = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos() % 1_000_000_000_000);
    format!(
        "dv_{}_{nanos:x}_{}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    )
}

/// The URL with another database in it: `scheme://authority/DATABASE?query`.
pub fn with_database(url: &str, name: &str) -> String {
    let (before, _, query) = split(url);
    format!("{before}/{name}{query}")
}

/// The database that the URL names.
pub fn database_name(url: &str) -> &str {
    split(url).1
}

fn split(url: &str) -> (&str, &str, &str) {
    let (rest, query) = url.split_at(url.find('?').unwrap_or(url.len()));
    let authority = rest.find("://").map_or(0, |at| at + 3);
    let path = rest[authority..]
        .find('/')
        .map_or(rest.len(), |at| authority + at);
    (&rest[..path], rest[path..].trim_start_matches('/'), query)
}
