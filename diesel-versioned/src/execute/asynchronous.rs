//! Execution on asynchronous connections: those of diesel-async.

mod ahead;
mod closure;
mod commit;
mod dsl;
#[cfg(feature = "replay")]
mod keys;
mod mark;
mod overwrite;
mod pipeline;
mod replay;
mod retry;
mod schema;
mod session;
mod set;
mod single;
mod unit;

pub use closure::{AlsoFn, RunFn};
pub use dsl::AsyncVersionedDsl;
pub use overwrite::{AsyncAudit, AsyncOverwriteDsl, AsyncOverwrites};
pub use pipeline::Wire;
pub use replay::AsyncStore;
pub use retry::retry as async_retry;
pub use set::AsyncSet;
pub use single::AsyncExecutes;
