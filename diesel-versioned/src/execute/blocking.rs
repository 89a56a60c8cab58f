//! Execution on blocking connections: Diesel's own.

mod commit;
mod dsl;
mod session;
mod set;
mod single;

pub use dsl::VersionedDsl;
pub use set::BlockingSet;
pub use single::Executes;
