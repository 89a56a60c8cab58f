//! The same job on PostgreSQL and MySQL or MariaDB, where they are built in and an URL to a server
//! is in the environment. Each test works in a database of its own, which it drops.
#![cfg(any(feature = "postgres", feature = "mysql"))]
#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

mod support;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::BigInt;
use support::{Folder, ended, header};

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    value: i64,
}

/// A database of our own on a server.
struct Own<C: Connection> {
    server: C,
    name: String,
    url: String,
}

impl<C: Connection> Own<C> {
    /// Nothing where the environment has no server.
    fn create(variable: &str, name: &str) -> Option<Self> {
        let Ok(server_url) = std::env::var(variable) else {
            eprintln!("skipped: {variable} is not set");
            return None;
        };
        let name = format!("price_import_{name}_{}", std::process::id());
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

    fn connect(&self) -> C {
        C::establish(&self.url).unwrap()
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

#[test]
fn the_database_of_an_url_is_replaced() {
    assert_eq!(
        with_database("postgres://me@host:5/a", "b"),
        "postgres://me@host:5/b"
    );
    assert_eq!(
        with_database("mysql://host?x=/y", "b"),
        "mysql://host/b?x=/y"
    );
}

/// The sample, its second run, conflicts, a foreign file, several processes at once.
fn the_job_runs(url: &str, mut number: impl FnMut(&str) -> i64) {
    let folder = Folder::new();
    let at = ["--database-url", url];
    let run = |args: &[&str]| folder.run(&[&at[..], args].concat());
    let import = |content: &str, args: &[&str]| folder.import(content, &[&at[..], args].concat());

    let first = run(&[]);
    assert_eq!(
        (first.status, first.count("updated")),
        (0, Some(900)),
        "{first:?}"
    );
    assert_eq!(
        number("(SELECT count(*) FROM products WHERE version = 2)"),
        900
    );
    let second = run(&[]);
    assert_eq!(
        (second.status, second.count("updated")),
        (0, Some(0)),
        "{second:?}"
    );

    let conflicts = run(&["--again", "--simulate-conflicts", "3"]);
    assert_eq!(conflicts.status, 1, "{conflicts:?}");
    assert_eq!(conflicts.count("in conflict, not applied"), Some(3));
    assert_eq!(
        conflicts.stderr.lines().next(),
        Some(
            "row 335: sku RIC-022 not applied: someone else changed it (expected version 1, \
             found 2); price 4.09 wanted, 4.10 stands there"
        )
    );
    let stopped = run(&[
        "--again",
        "--simulate-conflicts",
        "3",
        "--on-conflict",
        "stop",
    ]);
    assert_eq!(stopped.status, 1, "{stopped:?}");
    assert_eq!(stopped.stderr.lines().count(), 1, "{stopped:?}");
    assert_eq!(run(&[]).status, 0, "the rest of that");

    let sku = import("sku,price,quantity\nrIC-022,1,0\n", &[]);
    assert_eq!(sku.status, 2, "an SKU is itself only: {sku:?}");
    let columns = [
        "--columns",
        "sku=Code,name=Name,price=Price",
        "--create-missing",
    ];
    let created = import("Code,Name,Price\nÄ-1,Soße 🥫,1.99\n", &columns);
    assert_eq!(
        (created.status, created.count("created")),
        (0, Some(1)),
        "{created:?}"
    );
    assert_eq!(
        number("(SELECT max(id) FROM products WHERE name = 'Soße 🥫')"),
        1001
    );
    let gone = import(&(header() + "1001,1,-1\n"), &[]);
    assert!(gone.stderr.contains("would make it negative"), "{gone:?}");

    let stock = number("(SELECT CAST(sum(stock) AS SIGNED) FROM products)");
    let rows = (1..=200)
        .map(|id| format!("{id},1.00,1\n"))
        .collect::<String>();
    folder.write("parallel.csv", header() + &rows);
    let args = [&at[..], &["--file", "parallel.csv", "--unit", "7"]].concat();
    let runs: Vec<_> = (0..4).map(|_| folder.spawn(&args)).collect();
    for run in runs.into_iter().map(ended) {
        assert!(run.status < 2, "{run:?}");
    }
    assert_eq!(folder.run(&args).status, 0);
    let after = number("(SELECT CAST(sum(stock) AS SIGNED) FROM products)");
    assert_eq!(after - stock, 200, "each row once");
}

#[cfg(feature = "postgres")]
#[test]
fn postgres() {
    let Some(own) = Own::<PgConnection>::create("PG_DATABASE_URL", "job") else {
        return;
    };
    let mut conn = own.connect();
    the_job_runs(&own.url, |expression| {
        let expression = expression.replace("SIGNED", "bigint");
        sql_query(format!("SELECT {expression} AS value"))
            .get_result::<Number>(&mut conn)
            .unwrap()
            .value
    });
    drop(conn);
}

#[cfg(feature = "mysql")]
#[test]
fn mysql() {
    let Some(own) = Own::<MysqlConnection>::create("MYSQL_DATABASE_URL", "job") else {
        return;
    };
    let mut conn = own.connect();
    the_job_runs(&own.url, |expression| {
        sql_query(format!("SELECT {expression} AS value"))
            .get_result::<Number>(&mut conn)
            .unwrap()
            .value
    });
    drop(conn);
}

#[cfg(feature = "postgres")]
#[test]
fn a_postgres_that_cannot_be_reached() {
    let url = "postgres://me:secret@localhost:1/shop";
    let ended = Folder::new().run(&["--database-url", url]);
    let expected = "price-import: postgres://localhost:1/shop: cannot be reached: ";
    assert!(ended.stderr.starts_with(expected), "{ended:?}");
    assert!(!ended.stderr.contains("secret"), "{ended:?}");
    assert_eq!((ended.status, ended.stderr.lines().count()), (2, 1));
}

#[cfg(feature = "mysql")]
#[test]
fn a_mysql_that_cannot_be_reached() {
    let url = "mysql://me:secret@127.0.0.1:1/shop";
    let ended = Folder::new().run(&["--database-url", url]);
    let expected = "price-import: mysql://127.0.0.1:1/shop: cannot be reached: ";
    assert!(ended.stderr.starts_with(expected), "{ended:?}");
    assert!(!ended.stderr.contains("secret"), "{ended:?}");
    assert_eq!((ended.status, ended.stderr.lines().count()), (2, 1));
}
