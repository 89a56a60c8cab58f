//! Execution on blocking connections: Diesel's own.

mod commit;
mod dsl;
mod overwrite;
mod retry;
mod session;
mod set;
mod single;

pub use dsl::VersionedDsl;
pub use overwrite::{Audit, OverwriteDsl, Overwrites};
pub use retry::retry;
pub use set::BlockingSet;
pub use single::Executes;
