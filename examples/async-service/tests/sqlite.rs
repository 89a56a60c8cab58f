//! The service on SQLite: the real binary, a real client.
#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

mod support;

use support::database::Sqlite;
use support::scenarios;

macro_rules! scenarios {
    ($($(#[$attribute:meta])* $name:ident)*) => {$(
        $(#[$attribute])*
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            scenarios::$name(&Sqlite::new()).await;
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
