//! Execution on asynchronous connections: those of diesel-async.

mod ahead;
mod apply;
mod closure;
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
mod pipeline;
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

pub use apply::AsyncApply;
pub use closure::{AlsoFn, RunFn};
pub use dsl::AsyncVersionedDsl;
pub use fence::AsyncFence;
#[cfg(feature = "lease")]
pub use lease::{AsyncLeaseDsl, AsyncLeases};
pub use lock::{AsyncLockDsl, AsyncLocks};
pub use overwrite::{AsyncAudit, AsyncOverwriteDsl, AsyncOverwrites};
pub use pipeline::Wire;
pub use replay::AsyncStore;
pub use retry::retry as async_retry;
pub use set::AsyncSet;
pub use single::AsyncExecutes;
