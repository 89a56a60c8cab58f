//! Which database: a URL to a connection whose tables are up to date.

use diesel::connection::SimpleConnection;
use diesel::{Connection, ConnectionError, SqliteConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use diesel_versioned::prelude::*;
use diesel_versioned::{Dialect, Syntax};

use crate::catalogue::Product;

const SQLITE: EmbeddedMigrations = embed_migrations!("migrations/sqlite");
#[cfg(feature = "postgres")]
const POSTGRES: EmbeddedMigrations = embed_migrations!("migrations/postgres");
#[cfg(feature = "mysql")]
const MYSQL: EmbeddedMigrations = embed_migrations!("migrations/mysql");

/// A connection to any of the databases that were built in.
#[derive(diesel::MultiConnection)]
pub(crate) enum Database {
    Sqlite(SqliteConnection),
    #[cfg(feature = "postgres")]
    Postgres(diesel::PgConnection),
    #[cfg(feature = "mysql")]
    Mysql(diesel::MysqlConnection),
}

/// Each database's own SQL: without this it would be SQL that all of them understand.
impl Dialect for MultiBackend {
    fn syntax(&self) -> Syntax {
        match self {
            Self::Sqlite(backend) => backend.syntax(),
            #[cfg(feature = "postgres")]
            Self::Postgres(backend) => backend.syntax(),
            #[cfg(feature = "mysql")]
            Self::Mysql(backend) => backend.syntax(),
        }
    }
}

/// A database that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseError {
    #[error("--database-url is empty; give an SQLite file, postgres://… or mysql://…")]
    EmptyUrl,
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
    #[error("{url}: the tables cannot be created or updated")]
    Migration {
        url: String,
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("{url}: the tables are not those of this program")]
    Schema { url: String, source: SchemaError },
    #[error("an SQLite database in memory has no second connection; give a file")]
    NoSecondConnection,
    #[error("the database reported an error")]
    Query(#[from] diesel::result::Error),
}

impl Database {
    /// Connects, creates or updates the tables, and checks that they fit the entity.
    ///
    /// # Errors
    ///
    /// If the URL names no database of this build, or it cannot be reached or changed, or someone
    /// else has changed the table so that writes would fail or be lost.
    pub(crate) fn open(url: &str) -> Result<Self, DatabaseError> {
        let mut database = Self::connect(url)?;
        match &mut database {
            Self::Sqlite(conn) => conn.run_pending_migrations(SQLITE),
            #[cfg(feature = "postgres")]
            Self::Postgres(conn) => conn.run_pending_migrations(POSTGRES),
            #[cfg(feature = "mysql")]
            Self::Mysql(conn) => conn.run_pending_migrations(MYSQL),
        }
        .map_err(|source| DatabaseError::Migration {
            url: shown(url),
            source,
        })?;
        // What is only a warning is nothing that this job could do something about.
        Product::check_schema(&mut database)?
            .into_result()
            .map_err(|source| DatabaseError::Schema {
                url: shown(url),
                source,
            })?;
        Ok(database)
    }

    /// A second connection to a database that was opened.
    ///
    /// # Errors
    ///
    /// If it cannot be reached, or is in the memory of the first connection.
    pub(crate) fn connect_again(url: &str) -> Result<Self, DatabaseError> {
        if url.contains(":memory:") {
            return Err(DatabaseError::NoSecondConnection);
        }
        Self::connect(url)
    }

    fn connect(url: &str) -> Result<Self, DatabaseError> {
        match url.split_once("://") {
            None | Some(("sqlite", _)) => sqlite(url),
            Some(("postgres" | "postgresql", _)) => postgres(url),
            Some(("mysql", _)) => mysql(url),
            Some((scheme, _)) => Err(DatabaseError::UnknownScheme {
                url: shown(url),
                scheme: scheme.to_owned(),
            }),
        }
    }
}

fn sqlite(url: &str) -> Result<Database, DatabaseError> {
    let unreachable = |source| DatabaseError::Unreachable {
        url: shown(url),
        source,
    };
    let path = url.strip_prefix("sqlite://").unwrap_or(url);
    // SQLite would take it for a database that is gone when the job ends.
    if path.trim().is_empty() {
        return Err(DatabaseError::EmptyUrl);
    }
    let mut conn = SqliteConnection::establish(path).map_err(unreachable)?;
    // Another writer is waited for, for a while.
    conn.batch_execute("PRAGMA busy_timeout = 5000")?;
    Ok(Database::Sqlite(conn))
}

#[cfg(feature = "postgres")]
fn postgres(url: &str) -> Result<Database, DatabaseError> {
    diesel::PgConnection::establish(url)
        .map(Database::Postgres)
        .map_err(|source| DatabaseError::Unreachable {
            url: shown(url),
            source,
        })
}

#[cfg(not(feature = "postgres"))]
fn postgres(url: &str) -> Result<Database, DatabaseError> {
    Err(DatabaseError::NotBuiltIn {
        url: shown(url),
        feature: "postgres",
    })
}

#[cfg(feature = "mysql")]
fn mysql(url: &str) -> Result<Database, DatabaseError> {
    diesel::MysqlConnection::establish(url)
        .map(Database::Mysql)
        .map_err(|source| DatabaseError::Unreachable {
            url: shown(url),
            source,
        })
}

#[cfg(not(feature = "mysql"))]
fn mysql(url: &str) -> Result<Database, DatabaseError> {
    Err(DatabaseError::NotBuiltIn {
        url: shown(url),
        feature: "mysql",
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_shown() {
        for (url, expected) in [
            ("price-import.sqlite", "price-import.sqlite"),
            (
                "postgres://me:s3c@ret@host:5/db?sslmode=off",
                "postgres://host:5/db",
            ),
            ("mysql://host/db", "mysql://host/db"),
            ("postgres://host/db?password=secret", "postgres://host/db"),
        ] {
            assert_eq!(shown(url), expected);
        }
    }

    #[test]
    fn the_scheme_chooses_the_database() {
        let refused = |url| Database::connect(url).err().map(|error| error.to_string());
        assert_eq!(refused(":memory:"), None);
        assert_eq!(refused("sqlite://:memory:"), None);
        let unknown = refused("http://host/db").unwrap_or_default();
        assert!(
            unknown.starts_with("http://host/db: http:// is no database;"),
            "{unknown}"
        );
    }
}
