//! Every scenario on PostgreSQL.
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
#[path = "support/flavor_blocking.rs"]
mod flavor;
#[path = "support/kinds_postgres.rs"]
mod kinds;
#[path = "support/scenario_blocking/mod.rs"]
mod scenario_blocking;
#[path = "support/mod.rs"]
mod support;
#[path = "support/xmin.rs"]
mod xmin;

/// The connection that the scenarios of this binary use.
type Conn = diesel::PgConnection;
/// Its backend, for signatures that name one.
#[allow(dead_code, reason = "for scenarios that need it")]
type Backend = <Conn as diesel::Connection>::Backend;
