//! Execution on asynchronous connections: those of diesel-async.

mod commit;
mod dsl;
mod pipeline;
mod session;
mod set;
mod single;

pub use commit::AlsoFn;
pub use dsl::AsyncVersionedDsl;
pub use pipeline::Wire;
pub use set::AsyncSet;
pub use single::AsyncExecutes;
