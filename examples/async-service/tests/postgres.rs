//! The same on PostgreSQL, where it is built in and an URL to a server is in the environment. Each
//! test works in a database of its own, which it drops.
#![cfg(feature = "postgres")]
#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

mod support;

use serde_json::json;
use support::database::{Database, Postgres};
use support::{Service, id, scenarios};

macro_rules! scenarios {
    ($($(#[$attribute:meta])* $name:ident)*) => {$(
        $(#[$attribute])*
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            let Some(own) = Postgres::create(stringify!($name)).await else {
                return;
            };
            scenarios::$name(&own).await;
            own.drop_database().await;
        }
    )*};
}

scenarios! {
    one_product
    a_lost_update
    conditions
    a_put_that_is_sent_again
    transfers_that_meet
    mistakes
    a_busy_database
    clients_that_go_away
    #[cfg(unix)]
    a_graceful_end
}

#[tokio::test]
async fn a_database_that_goes_away() {
    let Some(own) = Postgres::create("goes_away").await else {
        return;
    };
    let service = Service::start(&own).await;
    let path = service.product("Chai", 7).await;
    own.drop_database().await;
    for _ in 0..3 {
        let answer = service.get(&path).await;
        assert_eq!(
            (answer.status, answer.code()),
            (503, "connection.none"),
            "{answer:?}"
        );
        assert_eq!(answer.headers["retry-after"], "1");
    }
}

#[tokio::test]
async fn a_connection_that_is_lost() {
    let Some(own) = Postgres::create("lost").await else {
        return;
    };
    let service = Service::start(&own).await;
    let path = service.product("Chai", 7).await;
    let other = service.product("Chang", 0).await;
    let mut form = service.get(&path).await.body;
    form["stock"] = json!(6);
    let wanted = json!({ "from": id(&path), "to": id(&other), "quantity": 1 });
    let held = own.hold(id(&path)).await;
    // The server ends what waits for the lock.
    let ends = async || {
        let ended = "(SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock')";
        while own.number(ended).await == 0 {}
    };
    let (saved, ()) = tokio::join!(service.put(&path, &form), ends());
    let (transferred, ()) = tokio::join!(service.post("/transfers", &wanted), ends());
    for answer in [saved, transferred] {
        let says = (answer.status, answer.code());
        assert_eq!(says, (503, "connection.closed"), "{answer:?}");
    }
    drop(held);
    assert_eq!(service.put(&path, &form).await.status, 200);
    own.drop_database().await;
}

#[tokio::test]
async fn a_server_that_cannot_be_reached() {
    let url = "postgres://me:secret@localhost:1/shop";
    let ended = support::run(&["--database-url", url]).await;
    let expected = "async-service: postgres://localhost:1/shop: cannot be reached: ";
    assert!(ended.stderr.starts_with(expected), "{ended:?}");
    assert!(!ended.stderr.contains("secret"), "{ended:?}");
    assert_eq!((ended.status, ended.stderr.lines().count()), (Some(1), 1));
}
