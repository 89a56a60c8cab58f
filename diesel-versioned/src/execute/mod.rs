//! Everything that names a connection. It performs what others decided and decides nothing.

#[cfg(feature = "async")]
mod asynchronous;
mod blocking;
mod transaction;

#[cfg(feature = "async")]
pub use asynchronous::{
    AlsoFn, AsyncApply, AsyncAudit, AsyncExecutes, AsyncFence, AsyncLockDsl, AsyncLocks,
    AsyncOverwriteDsl, AsyncOverwrites, AsyncSet, AsyncStore, AsyncVersionedDsl, RunFn, Wire,
    async_retry,
};
#[cfg(all(feature = "lease", feature = "async"))]
pub use asynchronous::{AsyncLeaseDsl, AsyncLeases};
pub use blocking::{
    Apply, Audit, BlockingFence, BlockingSet, BlockingStore, Executes, LockDsl, Locks,
    OverwriteDsl, Overwrites, VersionedDsl, retry,
};
#[cfg(feature = "lease")]
pub use blocking::{LeaseDsl, Leases};
