//! What the benchmarks share: an entity, the databases, the rivals and how they are timed.

pub mod handwritten;
pub mod kinds;
pub mod product;
pub mod raw;
pub mod rounds;
pub mod server;
pub mod stage;
