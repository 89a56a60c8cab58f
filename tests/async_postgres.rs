//! Every scenario on PostgreSQL, on asynchronous connections.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]
#![allow(
    unreachable_pub,
    reason = "the modules in support/ are shared by several test binaries"
)]

#[path = "support/arrays.rs"]
mod arrays;
#[path = "support/backend_postgres.rs"]
mod backend;
#[path = "support/columns_postgres.rs"]
mod columns;
#[path = "support/flavor_async/mod.rs"]
mod flavor;
#[path = "support/kinds_postgres.rs"]
mod kinds;
#[path = "support/scenario_async/round_trips.rs"]
mod round_trips;
#[path = "support/scenario_async/mod.rs"]
mod scenario_async;
#[path = "support/mod.rs"]
mod support;
#[path = "support/xmin.rs"]
mod xmin;

/// The connection that the library is given.
type Inner = diesel_async::AsyncPgConnection;
/// The same as a blocking one, which the scenarios of this binary use.
type Conn = flavor::Blocking;
/// Its backend, for signatures that name one.
#[allow(dead_code, reason = "for scenarios that need it")]
type Backend = <Conn as diesel::Connection>::Backend;

/// Whether a unit sends its statements without waiting for each other.
const SENT_AT_ONCE: bool = true;

/// Diesel's own connection.
type Plain = diesel::PgConnection;

/// A connection of Diesel's own to the same database.
fn plain(db: &support::TestDb) -> Plain {
    diesel::Connection::establish(db.url()).expect("the server answers")
}
