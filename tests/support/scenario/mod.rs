//! The scenarios: each is written once and runs on every backend.

#[cfg(feature = "http")]
mod http;
pub mod kinds;
mod model;
mod overwrite;
mod own_tables;
mod property;
mod relative;
mod retry;
pub mod roles;
mod schema_check;
pub mod single;
mod smoke;
#[cfg(feature = "tracing")]
mod telling;
pub mod unit;
