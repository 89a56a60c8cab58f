//! The databases: a URL to connections, the tables in it, and what stands in them.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel_migrations::MigrationHarness;
use diesel_versioned::prelude::*;

use crate::product::{Product, TABLE, contention_products};
use crate::ways::Ways;

/// A database that was built in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Database {
    Sqlite,
    #[cfg(feature = "postgres")]
    Postgres,
    #[cfg(feature = "mysql")]
    Mysql,
}

/// A database that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseError {
    #[error("--database-url is empty; give an SQLite file, postgres://… or mysql://…")]
    EmptyUrl,
    #[error("an SQLite database in memory has no second connection; give a file")]
    InMemory,
    #[error("{url}: {scheme}:// is no database; give an SQLite file, postgres://… or mysql://…")]
    UnknownScheme { url: String, scheme: String },
    #[error("{url}: this build has no {feature}; build it with --features {feature}")]
    // Not constructed where every database is built in.
    #[cfg_attr(all(feature = "postgres", feature = "mysql"), allow(dead_code))]
    NotBuiltIn { url: String, feature: &'static str },
    #[error("{url}: cannot be reached")]
    Unreachable {
        url: String,
        source: ConnectionError,
    },
    #[error("{url}: the tables cannot be made")]
    Tables {
        url: String,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("{url}: the table is not that of this program")]
    Schema { url: String, source: SchemaError },
}

impl Database {
    /// Which one a URL means.
    pub(crate) fn of(url: &str) -> Result<Self, DatabaseError> {
        match url.split_once("://").map(|(scheme, _)| scheme) {
            None | Some("sqlite") => {
                let path = sqlite_path(url);
                if path.trim().is_empty() {
                    Err(DatabaseError::EmptyUrl)
                } else if path.contains(":memory:") {
                    Err(DatabaseError::InMemory)
                } else {
                    Ok(Self::Sqlite)
                }
            }
            #[cfg(feature = "postgres")]
            Some("postgres" | "postgresql") => Ok(Self::Postgres),
            #[cfg(feature = "mysql")]
            Some("mysql") => Ok(Self::Mysql),
            #[cfg(not(feature = "postgres"))]
            Some("postgres" | "postgresql") => Err(not_built_in(url, "postgres")),
            #[cfg(not(feature = "mysql"))]
            Some("mysql") => Err(not_built_in(url, "mysql")),
            Some(scheme) => Err(DatabaseError::UnknownScheme {
                url: shown(url),
                scheme: scheme.to_owned(),
            }),
        }
    }
}

#[cfg(not(all(feature = "postgres", feature = "mysql")))]
fn not_built_in(url: &str, feature: &'static str) -> DatabaseError {
    DatabaseError::NotBuiltIn {
        url: shown(url),
        feature,
    }
}

fn sqlite_path(url: &str) -> &str {
    url.strip_prefix("sqlite://").unwrap_or(url)
}

/// A connection to one of them.
pub(crate) trait Server: Connection + Ways + Send {
    /// Another connection.
    fn open(url: &str) -> ConnectionResult<Self>;

    /// Makes the tables: that of the library by its migrations.
    fn migrate(&mut self) -> diesel::migration::Result<()>;

    /// Compares the table of the products with their entity.
    fn check_schema(&mut self) -> QueryResult<SchemaReport>;

    /// Name and version, as people say it.
    fn version(&mut self) -> QueryResult<String>;

    /// All products, by their ids.
    fn products(&mut self) -> QueryResult<Vec<Product>>;

    /// Puts so many products there, with so much of each, and nothing else.
    fn fill(&mut self, rows: u32, stock: u32) -> QueryResult<()> {
        let values: Vec<_> = (1..=rows).map(|id| format!("({id}, {stock}, 1)")).collect();
        self.batch_execute(&format!(
            "DELETE FROM contention_products; INSERT INTO contention_products VALUES {}",
            values.join(", ")
        ))
    }
}

/// So many connections to a database whose tables are new.
pub(crate) fn connect<C: Server>(
    url: &str,
    connections: u32,
    rows: u32,
) -> Result<Vec<C>, DatabaseError> {
    let open = || {
        C::open(url).map_err(|source| DatabaseError::Unreachable {
            url: shown(url),
            source,
        })
    };
    let mut first = open()?;
    let found = make_tables(&mut first, rows).map_err(|source| DatabaseError::Tables {
        url: shown(url),
        source,
    })?;
    let warnings = found
        .into_result()
        .map_err(|source| DatabaseError::Schema {
            url: shown(url),
            source,
        })?;
    for warning in &warnings {
        eprintln!("contention: warning: {warning}");
    }
    let others = (1..connections).map(|_| open());
    std::iter::once(Ok(first)).chain(others).collect()
}

/// Makes them, and returns what is wrong with the one that the program makes by itself.
fn make_tables<C: Server>(conn: &mut C, rows: u32) -> diesel::migration::Result<SchemaReport> {
    conn.batch_execute(TABLE)?;
    conn.migrate()?;
    for id in 1..=rows {
        conn.end_lease(i64::from(id))?;
    }
    Ok(conn.check_schema()?)
}

#[derive(QueryableByName)]
struct Version {
    #[diesel(sql_type = Text)]
    version: String,
}

macro_rules! server {
    ($connection:ty, $open:expr, $migrations:expr, $version:literal) => {
        impl Server for $connection {
            fn open(url: &str) -> ConnectionResult<Self> {
                let open: fn(&str) -> ConnectionResult<Self> = $open;
                open(url)
            }

            fn migrate(&mut self) -> diesel::migration::Result<()> {
                self.run_pending_migrations($migrations).map(drop)
            }

            fn check_schema(&mut self) -> QueryResult<SchemaReport> {
                Product::check_schema(self)
            }

            fn version(&mut self) -> QueryResult<String> {
                diesel::sql_query($version)
                    .get_result(self)
                    .map(|row: Version| row.version)
            }

            fn products(&mut self) -> QueryResult<Vec<Product>> {
                contention_products::table
                    .select(Product::as_select())
                    .order(contention_products::id)
                    .load(self)
            }
        }
    };
}

server!(
    SqliteConnection,
    open_sqlite,
    diesel_versioned::migrations::SQLITE,
    "SELECT 'SQLite ' || sqlite_version() AS version"
);
#[cfg(feature = "postgres")]
server!(
    PgConnection,
    PgConnection::establish,
    diesel_versioned::migrations::POSTGRES,
    "SELECT 'PostgreSQL ' || current_setting('server_version') AS version"
);
#[cfg(feature = "mysql")]
server!(
    MysqlConnection,
    MysqlConnection::establish,
    diesel_versioned::migrations::MYSQL,
    "SELECT version() AS version"
);

/// The timeout first: switching to WAL takes a lock that another connection may hold.
fn open_sqlite(url: &str) -> ConnectionResult<SqliteConnection> {
    let mut conn = SqliteConnection::establish(sqlite_path(url))?;
    conn.batch_execute(
        "PRAGMA busy_timeout = 60000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
    )
    .map_err(ConnectionError::CouldntSetupConfiguration)?;
    Ok(conn)
}

/// A URL as messages show it: without user, password and options.
pub(crate) fn shown(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
    let rest = rest.rsplit_once('@').map_or(rest, |(_, rest)| rest);
    format!("{scheme}://{rest}")
}
