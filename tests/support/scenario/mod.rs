//! The scenarios: each is written once and runs on every backend.

pub mod kinds;
mod model;
mod own_tables;
mod property;
mod retry;
pub mod roles;
pub mod single;
mod smoke;
#[cfg(feature = "tracing")]
mod telling;
mod unit;
