//! Execution on blocking connections: Diesel's own.

mod commit;
mod dsl;
#[cfg(feature = "replay")]
mod keys;
mod mark;
mod overwrite;
mod replay;
mod retry;
mod schema;
mod session;
mod set;
mod single;
mod unit;

pub use dsl::VersionedDsl;
pub use overwrite::{Audit, OverwriteDsl, Overwrites};
pub use replay::BlockingStore;
pub use retry::retry;
pub use set::BlockingSet;
pub use single::Executes;
