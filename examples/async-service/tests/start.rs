//! What keeps the service from starting: one line, and an exit status.
#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

mod support;

use diesel_async::SimpleAsyncConnection;
use support::database::{Database, Sqlite};
use support::{Service, run};

async fn refused(args: &[&str]) -> String {
    let ended = run(args).await;
    assert_eq!(
        (ended.status, ended.stderr.lines().count()),
        (Some(1), 1),
        "{ended:?}"
    );
    ended.stderr
}

#[tokio::test]
async fn a_port_in_use() {
    let database = Sqlite::new();
    let first = Service::start(&database).await;
    let args = [
        "--listen",
        &first.address,
        "--database-url",
        &database.url(),
    ];
    let expected = format!("async-service: {}: cannot listen there: ", first.address);
    let said = refused(&args).await;
    assert!(said.starts_with(&expected), "{said}");
}

#[tokio::test]
async fn an_address_that_is_none() {
    let database = Sqlite::new();
    let said = refused(&["--listen", "3000", "--database-url", &database.url()]).await;
    assert!(
        said.starts_with("async-service: 3000: cannot listen there: "),
        "{said}"
    );
}

#[tokio::test]
async fn a_database_that_cannot_be_opened() {
    let database = Sqlite::new();
    let url = format!("{}/nowhere/stock.sqlite", database.url());
    let said = refused(&["--database-url", &url]).await;
    let expected = format!("async-service: {url}: cannot be reached: ");
    assert!(said.starts_with(&expected), "{said}");

    std::fs::write(
        database.path(),
        "a letter, long enough not to be taken for an empty file",
    )
    .unwrap();
    let said = refused(&["--database-url", &database.url()]).await;
    assert!(said.contains("not a database"), "{said}");
}

#[tokio::test]
async fn a_database_that_is_none() {
    let said = refused(&["--database-url", "http://me:secret@host/db"]).await;
    assert!(
        said.starts_with("async-service: http://host/db: http:// is no database; "),
        "{said}"
    );
    let said = refused(&["--database-url", ":memory:"]).await;
    assert!(said.ends_with("give a file\n"), "{said}");
    #[cfg(not(feature = "postgres"))]
    {
        let said = refused(&["--database-url", "postgres://host/db"]).await;
        assert!(
            said.ends_with("build it with --features postgres\n"),
            "{said}"
        );
    }
}

#[tokio::test]
async fn a_table_that_someone_has_changed() {
    let database = Sqlite::new();
    drop(Service::start(&database).await);
    let change = "ALTER TABLE products RENAME COLUMN version TO revision";
    database
        .connect()
        .await
        .batch_execute(change)
        .await
        .unwrap();
    let url = database.url();
    assert_eq!(
        refused(&["--database-url", &url]).await,
        format!(
            "async-service: {url}: the tables are not those of this service: \
             `products`.`version`: there is no such column, or this user may not see it; run the \
             migrations, or take it out of the entity\n"
        )
    );
}

#[cfg(unix)]
#[tokio::test]
async fn a_second_signal_does_not_wait() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let mut service = Service::start(&Sqlite::new()).await;
    let mut stream = tokio::net::TcpStream::connect(&service.address)
        .await
        .unwrap();
    let head = "POST /products HTTP/1.1\r\nhost: test\r\nexpect: 100-continue\r\n\
                content-type: application/json\r\ncontent-length: 9\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.read_u8().await.unwrap();
    service.signal("INT");
    assert!(service.says().await.is_some());
    service.signal("INT");
    let ended = service.ended().await;
    assert_eq!(ended.status, Some(1));
    assert!(
        ended.stderr.contains("requests were still under way"),
        "{ended:?}"
    );
}
