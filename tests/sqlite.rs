//! Every scenario on SQLite.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]
#![allow(
    unreachable_pub,
    reason = "the modules in support/ are shared by several test binaries"
)]

#[path = "support/backend_sqlite.rs"]
mod backend;
#[path = "support/columns_sqlite.rs"]
mod columns;
#[path = "support/flavor_blocking.rs"]
mod flavor;
#[path = "support/kinds_sqlite.rs"]
mod kinds;
#[path = "support/scenario_blocking/mod.rs"]
mod scenario_blocking;
#[path = "support/mod.rs"]
mod support;

/// The connection that the scenarios of this binary use.
type Conn = diesel::SqliteConnection;
/// Its backend, for signatures that name one.
#[allow(dead_code, reason = "for scenarios that need it")]
type Backend = <Conn as diesel::Connection>::Backend;
