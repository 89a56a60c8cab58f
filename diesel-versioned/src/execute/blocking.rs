//! Execution on blocking connections: Diesel's own.

mod commit;
mod session;
mod set;
mod single;

pub use set::BlockingSet;
pub use single::VersionedDsl;
