//! Execution on asynchronous connections: those of diesel-async.

mod closure;
mod commit;
mod dsl;
mod overwrite;
mod pipeline;
mod retry;
mod session;
mod set;
mod single;

pub use closure::{AlsoFn, RunFn};
pub use dsl::AsyncVersionedDsl;
pub use overwrite::{AsyncAudit, AsyncOverwriteDsl, AsyncOverwrites};
pub use pipeline::Wire;
pub use retry::retry as async_retry;
pub use set::AsyncSet;
pub use single::AsyncExecutes;
