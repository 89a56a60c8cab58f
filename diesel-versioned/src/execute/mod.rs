//! Everything that names a connection. It performs what others decided and decides nothing.

#[cfg(feature = "async")]
mod asynchronous;
mod blocking;
mod transaction;

#[cfg(feature = "async")]
pub use asynchronous::{
    AlsoFn, AsyncApply, AsyncAudit, AsyncExecutes, AsyncOverwriteDsl, AsyncOverwrites, AsyncSet,
    AsyncStore, AsyncVersionedDsl, RunFn, Wire, async_retry,
};
pub use blocking::{
    Apply, Audit, BlockingSet, BlockingStore, Executes, OverwriteDsl, Overwrites, VersionedDsl,
    retry,
};
