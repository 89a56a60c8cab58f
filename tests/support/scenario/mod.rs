//! The scenarios: each is written once and runs on every backend.

mod single;
mod smoke;
