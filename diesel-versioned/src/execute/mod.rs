//! Everything that names a connection. It performs what others decided and decides nothing.

mod blocking;

pub use blocking::{BlockingSet, Executes, VersionedDsl};
