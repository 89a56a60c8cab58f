//! What a program that saves entities needs, for blocking connections.
//!
//! ```
//! use diesel::prelude::*;
//! use diesel_versioned::prelude::*;
//! ```

pub use crate::execute::{Audit, LockDsl, OverwriteDsl, VersionedDsl, retry};
pub use crate::{
    Actor, ApplyError, ChangedBy, Changes, CommitError, Committed, Conflict, ConflictKind,
    Conflicts, Handle, Isolation, IsolationError, Lock, LockError, Merge, Operation, Overwrite,
    OverwriteError, RelativeDsl, RetryError, RetryPolicy, Retryable, SaveError, SchemaError,
    SchemaReport, SoftDelete, TrackError, Unmergeable, VersionValue, Versioned, VersionedPart,
    Wait,
};

#[cfg(feature = "hash")]
pub use crate::hash::ContentHashed;
#[cfg(feature = "http")]
pub use crate::http::HttpDsl;

#[cfg(feature = "lease")]
pub use crate::lease::{Lease, LeaseDsl, LeaseError, LeaseHolder, LostLease};

/// The unit of work on a blocking connection of the type `C`.
pub type UnitOfWork<C> = crate::UnitOfWork<C>;
