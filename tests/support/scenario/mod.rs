//! The scenarios: each is written once and runs on every backend.

mod aggregate;
#[cfg(feature = "http")]
mod http;
pub mod kinds;
mod model;
mod overwrite;
mod own_tables;
mod property;
mod retry;
pub mod roles;
mod schema_check;
pub mod single;
mod smoke;
pub mod soft_delete;
#[cfg(feature = "tracing")]
mod telling;
pub mod unit;
