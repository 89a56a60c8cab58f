//! What only Diesel's own connections have: its pools, and enums of several kinds of connections.
//! The asynchronous binaries leave it out: an r2d2 pool hands out blocking connections, and
//! `#[derive(MultiConnection)]` makes one.

mod multi;
mod pools;
