//! Every scenario on MariaDB and MySQL.
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
#[path = "support/flavor_blocking.rs"]
mod flavor;
#[path = "support/kinds_mysql.rs"]
mod kinds;
#[path = "support/scenario_blocking/mod.rs"]
mod scenario_blocking;
#[path = "support/mod.rs"]
mod support;

/// The connection that the scenarios of this binary use.
type Conn = diesel::MysqlConnection;
/// Its backend, for signatures that name one.
#[allow(dead_code, reason = "for scenarios that need it")]
type Backend = <Conn as diesel::Connection>::Backend;

/// How the client's URLs name the server's socket.
const SOCKET: &str = "unix_socket=";
