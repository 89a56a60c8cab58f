//! A database of a test's own, and what a test does to it beside the service.

use std::path::PathBuf;

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
use diesel_async::{AsyncConnection, RunQueryDsl, SimpleAsyncConnection};
use tempfile::TempDir;

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    value: i64,
}

/// A database of a test's own.
pub(crate) trait Database: Sync {
    type Connection: SimpleAsyncConnection;

    fn url(&self) -> String;

    async fn connect(&self) -> Self::Connection;

    /// One number.
    async fn number(&self, expression: &str) -> i64;

    /// Begins a transaction in which nobody else can write this product, until it is rolled back.
    async fn hold(&self, product: i64) -> Self::Connection;
}

/// A file in a folder of its own.
pub(crate) struct Sqlite(TempDir);

impl Sqlite {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.0.path().join("stock.sqlite")
    }
}

impl Database for Sqlite {
    type Connection = SyncConnectionWrapper<SqliteConnection>;

    fn url(&self) -> String {
        self.path().to_str().unwrap().to_owned()
    }

    async fn connect(&self) -> Self::Connection {
        let mut conn = Self::Connection::establish(&self.url()).await.unwrap();
        conn.batch_execute("PRAGMA busy_timeout = 5000")
            .await
            .unwrap();
        conn
    }

    async fn number(&self, expression: &str) -> i64 {
        let query = diesel::sql_query(format!("SELECT {expression} AS value"));
        let number: Number = query.get_result(&mut self.connect().await).await.unwrap();
        number.value
    }

    async fn hold(&self, _: i64) -> Self::Connection {
        let mut conn = self.connect().await;
        conn.batch_execute("BEGIN IMMEDIATE").await.unwrap();
        conn
    }
}

/// A database on the server of the environment, dropped at the end.
#[cfg(feature = "postgres")]
pub(crate) struct Postgres {
    server_url: String,
    name: String,
}

#[cfg(feature = "postgres")]
impl Postgres {
    /// Nothing where the environment has no server.
    pub(crate) async fn create(name: &str) -> Option<Self> {
        let Ok(server_url) = std::env::var("PG_DATABASE_URL") else {
            eprintln!("skipped: PG_DATABASE_URL is not set");
            return None;
        };
        let name = format!("async_service_{name}_{}", std::process::id());
        let own = Self { server_url, name };
        own.drop_database().await;
        let create = format!("CREATE DATABASE {}", own.name);
        own.server().await.batch_execute(&create).await.unwrap();
        Some(own)
    }

    pub(crate) async fn drop_database(&self) {
        let drop = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        self.server().await.batch_execute(&drop).await.unwrap();
    }

    async fn server(&self) -> diesel_async::AsyncPgConnection {
        diesel_async::AsyncPgConnection::establish(&self.server_url)
            .await
            .unwrap()
    }
}

#[cfg(feature = "postgres")]
impl Database for Postgres {
    type Connection = diesel_async::AsyncPgConnection;

    /// The same URL with another database.
    fn url(&self) -> String {
        let (url, options) = match self.server_url.split_once('?') {
            Some((url, options)) => (url, format!("?{options}")),
            None => (&*self.server_url, String::new()),
        };
        let authority = url.find("://").map_or(0, |at| at + 3);
        let end = url[authority..]
            .find('/')
            .map_or(url.len(), |at| authority + at);
        format!("{}/{}{options}", &url[..end], self.name)
    }

    async fn connect(&self) -> Self::Connection {
        Self::Connection::establish(&self.url()).await.unwrap()
    }

    async fn number(&self, expression: &str) -> i64 {
        let query = diesel::sql_query(format!("SELECT CAST({expression} AS bigint) AS value"));
        let number: Number = query.get_result(&mut self.connect().await).await.unwrap();
        number.value
    }

    async fn hold(&self, product: i64) -> Self::Connection {
        let mut conn = self.connect().await;
        let lock = format!("BEGIN; SELECT 1 FROM products WHERE id = {product} FOR UPDATE");
        conn.batch_execute(&lock).await.unwrap();
        conn
    }
}
