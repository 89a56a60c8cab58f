//! Execution on blocking connections: Diesel's own.

mod apply;
mod commit;
mod dsl;
mod fence;
mod insert;
#[cfg(feature = "replay")]
mod keys;
#[cfg(feature = "lease")]
mod lease;
mod lock;
mod overwrite;
mod read;
mod replay;
mod retry;
mod schema;
mod session;
mod set;
mod single;
#[cfg(feature = "lease")]
mod under;
mod unit;
mod upsert;

pub use apply::Apply;
pub use dsl::VersionedDsl;
pub use fence::BlockingFence;
#[cfg(feature = "lease")]
pub use lease::{LeaseDsl, Leases};
pub use lock::{LockDsl, Locks};
pub use overwrite::{Audit, OverwriteDsl, Overwrites};
pub use replay::BlockingStore;
pub use retry::retry;
pub use set::BlockingSet;
pub use single::Executes;
