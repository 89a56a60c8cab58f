//! The scenarios: each is written once and runs on every backend.

mod aggregate;
pub mod guard;
#[cfg(feature = "http")]
mod http;
pub mod kinds;
mod lease;
mod lock;
mod model;
pub mod outcome;
mod overwrite;
mod own_tables;
mod property;
mod relative;
mod retry;
pub mod roles;
pub mod schema_check;
pub mod single;
mod smoke;
mod snapshot;
pub mod soft_delete;
#[cfg(feature = "tracing")]
mod telling;
pub mod unit;
