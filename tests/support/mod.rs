//! What the scenarios share. It is compiled into the test binaries of each backend, which
//! define `crate::Conn`, `crate::Backend` and `crate::flavor`; nothing here names a particular one.
#![allow(
    dead_code,
    reason = "a helper is not needed by every backend and every scenario"
)]

pub mod capabilities;
pub mod db;
pub mod entities;
pub mod queries;
pub mod race;
pub mod schema;

pub mod scenario;

pub use capabilities::TestBackend;
pub use db::TestDb;
pub use queries::Queries;
pub use race::race;
