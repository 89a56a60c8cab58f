//! Which database: a URL to a pool of connections whose tables are up to date.

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use diesel::{ConnectionError, SqliteConnection};
use diesel_async::pooled_connection::deadpool::{Object, Pool};
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig};
use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
use diesel_async::{
    AsyncConnection, AsyncConnectionCore, AsyncMigrationHarness, SimpleAsyncConnection,
};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use diesel_versioned::AsyncExecutes;
use diesel_versioned::async_prelude::*;
use tokio::time::timeout;

use crate::catalogue::Product;
use crate::transfer::MovesStock;

const SQLITE: EmbeddedMigrations = embed_migrations!("migrations/sqlite");
#[cfg(feature = "postgres")]
const POSTGRES: EmbeddedMigrations = embed_migrations!("migrations/postgres");

/// A connection to SQLite, at work on the threads for blocking tasks.
pub(crate) type Sqlite = SyncConnectionWrapper<SqliteConnection>;

/// A connection of a pool.
pub(crate) type Pooled<C> = Object<C>;

/// How many connections a pool has.
const CONNECTIONS: usize = 8;

/// How long a connection is waited for: one that is free, or a new one.
const PATIENCE: Duration = Duration::from_secs(5);

/// The pools of one database, as the handlers see them: the handlers are written once.
pub(crate) trait Store: Clone + Send + Sync + 'static {
    /// What the handlers do with a connection.
    type Connection: AsyncConnection + AsyncExecutes<Product> + MovesStock;

    /// A pool whose connections begin with some SQL.
    ///
    /// # Errors
    ///
    /// If the pool cannot be made; the database is not asked yet.
    fn new(url: &str, setup: String) -> Result<Self, NoConnection>;

    /// A connection, for one request.
    ///
    /// # Errors
    ///
    /// If the database cannot be reached, or all connections stay in use.
    fn connection(&self) -> impl Future<Output = Result<Self::Connection, NoConnection>> + Send;
}

/// Why a request has got no connection.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct NoConnection(String);

macro_rules! store {
    ($connection:ty) => {
        impl Store for Pool<$connection> {
            type Connection = Pooled<$connection>;

            fn new(url: &str, setup: String) -> Result<Self, NoConnection> {
                let mut config = ManagerConfig::<$connection>::default();
                config.custom_setup = Box::new(move |url| {
                    let (url, setup) = (url.to_owned(), setup.clone());
                    Box::pin(async move {
                        let mut conn = <$connection>::establish(&url).await?;
                        conn.batch_execute(&setup)
                            .await
                            .map_err(ConnectionError::CouldntSetupConfiguration)?;
                        Ok(conn)
                    })
                });
                let manager = AsyncDieselConnectionManager::new_with_config(url, config);
                let pool = Pool::builder(manager).max_size(CONNECTIONS).build();
                pool.map_err(|error| NoConnection(one_line(&error)))
            }

            async fn connection(&self) -> Result<Self::Connection, NoConnection> {
                no_later(self.get()).await
            }
        }
    };
}

store!(Sqlite);
#[cfg(feature = "postgres")]
store!(diesel_async::AsyncPgConnection);

async fn no_later<C, E: fmt::Display>(
    connection: impl Future<Output = Result<C, E>>,
) -> Result<C, NoConnection> {
    match timeout(PATIENCE, connection).await {
        Ok(Ok(connection)) => Ok(connection),
        Ok(Err(error)) => Err(NoConnection(one_line(&error))),
        Err(_) => Err(NoConnection(format!(
            "no connection within {} s",
            PATIENCE.as_secs()
        ))),
    }
}

/// A database that was opened.
pub(crate) enum Database {
    Sqlite(Pool<Sqlite>),
    #[cfg(feature = "postgres")]
    Postgres(Pool<diesel_async::AsyncPgConnection>),
}

/// A database that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseError {
    #[error("{url}: {scheme}:// is no database; give an SQLite file or postgres://…")]
    UnknownScheme { url: String, scheme: String },
    #[error("{url}: this build has no postgres; build it with --features postgres")]
    #[cfg_attr(feature = "postgres", allow(dead_code, reason = "it has one"))]
    NotBuiltIn { url: String },
    #[error(
        "an SQLite database in memory has one connection, a service needs several; give a file"
    )]
    InMemory,
    #[error("{url}: cannot be reached: {source}")]
    Unreachable { url: String, source: NoConnection },
    #[error("{url}: the tables cannot be created or updated: {problem}")]
    Migration { url: String, problem: String },
    #[error("{url}: the tables are not those of this service: {problem}")]
    Schema { url: String, problem: String },
}

impl Database {
    /// Connects, creates or updates the tables, and checks that they fit the entity. Statements wait
    /// for locks as long as `lock_timeout` says, in milliseconds.
    ///
    /// # Errors
    ///
    /// If the URL names no database of this build, or it cannot be reached or changed, or someone
    /// else has changed the table so that writes would fail or be lost.
    pub(crate) async fn open(url: &str, lock_timeout: NonZeroU32) -> Result<Self, DatabaseError> {
        match url.split_once("://") {
            None | Some(("sqlite", _)) => sqlite(url, lock_timeout).await,
            Some(("postgres" | "postgresql", _)) => postgres(url, lock_timeout).await,
            Some((scheme, _)) => Err(DatabaseError::UnknownScheme {
                url: shown(url),
                scheme: scheme.to_owned(),
            }),
        }
    }
}

async fn sqlite(url: &str, lock_timeout: NonZeroU32) -> Result<Database, DatabaseError> {
    let path = url.strip_prefix("sqlite://").unwrap_or(url);
    if path.is_empty() || path.contains(":memory:") || path.contains("mode=memory") {
        return Err(DatabaseError::InMemory);
    }
    // With WAL nobody who reads waits for one who writes; two who write wait for each other.
    let setup = format!(
        "PRAGMA busy_timeout = {lock_timeout}; PRAGMA journal_mode = WAL; \
         PRAGMA synchronous = NORMAL"
    );
    open(path, setup, SQLITE).await.map(Database::Sqlite)
}

#[cfg(feature = "postgres")]
async fn postgres(url: &str, lock_timeout: NonZeroU32) -> Result<Database, DatabaseError> {
    let setup = format!("SET lock_timeout = {lock_timeout}");
    open(url, setup, POSTGRES).await.map(Database::Postgres)
}

#[cfg(not(feature = "postgres"))]
async fn postgres(url: &str, _: NonZeroU32) -> Result<Database, DatabaseError> {
    Err(DatabaseError::NotBuiltIn { url: shown(url) })
}

/// A pool of connections to a database whose tables are up to date.
async fn open<S: Store>(
    url: &str,
    setup: String,
    migrations: EmbeddedMigrations,
) -> Result<S, DatabaseError>
where
    AsyncMigrationHarness<S::Connection>:
        MigrationHarness<<S::Connection as AsyncConnectionCore>::Backend>,
{
    let unreachable = |source| DatabaseError::Unreachable {
        url: shown(url),
        source,
    };
    let pool = S::new(url, setup).map_err(unreachable)?;
    let conn = pool.connection().await.map_err(unreachable)?;
    let mut migrating = AsyncMigrationHarness::new(conn);
    if let Err(problem) = migrating.run_pending_migrations(migrations) {
        return Err(DatabaseError::Migration {
            url: shown(url),
            problem: one_line(&problem),
        });
    }
    let wrong = |problem| DatabaseError::Schema {
        url: shown(url),
        problem,
    };
    let found = Product::check_schema(&mut migrating.into_inner()).await;
    let found = found.map_err(|error| wrong(one_line(&error)))?;
    // Somebody who runs the service may want to know of the rest; nothing is lost by it.
    let warnings = found
        .into_result()
        .map_err(|error| wrong(one_line(&error)))?;
    for warning in &warnings {
        eprintln!("async-service: warning: {warning}");
    }
    Ok(pool)
}

fn one_line(error: &impl fmt::Display) -> String {
    error.to_string().trim_end().replace('\n', "; ")
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
            ("async-service.sqlite", "async-service.sqlite"),
            (
                "postgres://me:s3c@ret@host:5/db?sslmode=off",
                "postgres://host:5/db",
            ),
            ("postgres://host/db?password=secret", "postgres://host/db"),
        ] {
            assert_eq!(shown(url), expected);
        }
    }
}
