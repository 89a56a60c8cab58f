//! The same sweep on PostgreSQL and MySQL or MariaDB, where they are built in and an URL to a server is in
//! the environment. Each test works in a database of its own, which it drops.
#![cfg(any(feature = "postgres", feature = "mysql"))]
#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

mod support;

use diesel::prelude::*;
use support::{Folder, SMALL, SOLD_OUT};

/// A database of our own on a server.
struct Own<C: Connection> {
    server: C,
    name: String,
    url: String,
}

impl<C: Connection> Own<C> {
    /// Nothing where the environment has no server.
    fn create(variable: &str) -> Option<Self> {
        let Ok(server_url) = std::env::var(variable) else {
            eprintln!("skipped: {variable} is not set");
            return None;
        };
        let name = format!("contention_{}", std::process::id());
        let mut server = C::establish(&server_url).unwrap();
        server
            .batch_execute(&format!("DROP DATABASE IF EXISTS {name}"))
            .unwrap();
        server
            .batch_execute(&format!("CREATE DATABASE {name}"))
            .unwrap();
        let url = with_database(&server_url, &name);
        Some(Self { server, name, url })
    }
}

impl<C: Connection> Drop for Own<C> {
    fn drop(&mut self) {
        drop(
            self.server
                .batch_execute(&format!("DROP DATABASE {}", self.name)),
        );
    }
}

/// The same URL with another database.
fn with_database(url: &str, name: &str) -> String {
    let (url, options) = match url.split_once('?') {
        Some((url, options)) => (url, format!("?{options}")),
        None => (url, String::new()),
    };
    let authority = url.find("://").map_or(0, |at| at + 3);
    let end = url[authority..]
        .find('/')
        .map_or(url.len(), |at| authority + at);
    format!("{}/{name}{options}", &url[..end])
}

#[track_caller]
fn nothing_is_lost(url: &str, version: &str) {
    let folder = Folder::new();
    let at = ["--database-url", url];
    // Twice: the tables are made anew, and the second run finds those of the first.
    for _ in 0..2 {
        let ended = folder.run(&[&at[..], &SMALL].concat());
        assert_eq!((ended.status, ended.stderr.as_str()), (0, ""), "{ended:?}");
        let expected = format!("no update was lost: {} operations, ", 5 * 10 * 4 * 2);
        assert!(ended.stdout.contains(&expected), "{ended:?}");
    }
    let csv = folder.read("contention.csv");
    assert!(csv.contains(version), "{csv}");
    let sold_out = folder.run(&[&at[..], &SOLD_OUT].concat());
    let expected = format!("no update was lost: {} operations, ", 5 * 2 * 3 * 3);
    assert!(sold_out.stdout.contains(&expected), "{sold_out:?}");
}

#[cfg(feature = "postgres")]
#[test]
fn postgres() {
    if let Some(own) = Own::<PgConnection>::create("PG_DATABASE_URL") {
        nothing_is_lost(&own.url, "# PostgreSQL ");
    }
}

#[cfg(feature = "mysql")]
#[test]
fn mysql() {
    if let Some(own) = Own::<MysqlConnection>::create("MYSQL_DATABASE_URL") {
        // MySQL tells its number alone.
        nothing_is_lost(&own.url, "\n# ");
    }
}

#[cfg(feature = "postgres")]
#[test]
fn a_postgres_that_cannot_be_reached() {
    let url = "postgres://me:secret@localhost:1/shop";
    let ended = Folder::new().run(&["--database-url", url]);
    let expected = "contention: postgres://localhost:1/shop: cannot be reached: ";
    assert!(ended.stderr.starts_with(expected), "{ended:?}");
    assert!(!ended.stderr.contains("secret"), "{ended:?}");
    assert_eq!((ended.status, ended.stderr.lines().count()), (2, 1));
}
