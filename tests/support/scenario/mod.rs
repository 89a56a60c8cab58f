//! The scenarios: each is written once and runs on every backend.

#[cfg(feature = "http")]
mod http;
mod model;
mod property;
mod retry;
pub mod single;
mod smoke;
#[cfg(feature = "tracing")]
mod telling;
mod unit;
