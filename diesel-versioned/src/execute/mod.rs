//! Everything that names a connection. It performs what others decided and decides nothing.

#[cfg(feature = "async")]
mod asynchronous;
mod blocking;
mod transaction;

#[cfg(feature = "async")]
pub use asynchronous::{
    AlsoFn, AsyncAudit, AsyncExecutes, AsyncLockDsl, AsyncLocks, AsyncOverwriteDsl,
    AsyncOverwrites, AsyncSet, AsyncStore, AsyncVersionedDsl, RunFn, Wire, async_retry,
};
pub use blocking::{
    Audit, BlockingSet, BlockingStore, Executes, LockDsl, Locks, OverwriteDsl, Overwrites,
    VersionedDsl, retry,
};
