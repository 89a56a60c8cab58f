//! Every scenario on MariaDB and MySQL, on asynchronous connections.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]
#![allow(
    unreachable_pub,
    reason = "the modules in support/ are shared by several test binaries"
)]

#[path = "support/backend_mysql.rs"]
mod backend;
#[path = "support/columns_mysql.rs"]
mod columns;
#[path = "support/flavor_async/mod.rs"]
mod flavor;
#[path = "support/scenario_async/found_rows.rs"]
mod found_rows;
#[path = "support/kinds_mysql.rs"]
mod kinds;
#[path = "support/scenario_async/mod.rs"]
mod scenario_async;
#[path = "support/mod.rs"]
mod support;

/// The connection that the library is given.
type Inner = diesel_async::AsyncMysqlConnection;
/// The same as a blocking one, which the scenarios of this binary use.
type Conn = flavor::Blocking;
/// Its backend, for signatures that name one.
#[allow(dead_code, reason = "for scenarios that need it")]
type Backend = <Conn as diesel::Connection>::Backend;

/// How the client's URLs name the server's socket.
const SOCKET: &str = "socket=";

/// Whether a unit sends its statements without waiting for each other.
const SENT_AT_ONCE: bool = false;

/// Diesel's own connection.
type Plain = diesel::MysqlConnection;

/// A connection of Diesel's own to the same database.
fn plain(db: &support::TestDb) -> Plain {
    diesel::Connection::establish(&db.url().replace(SOCKET, "unix_socket="))
        .expect("the server answers")
}
