//! What a program that saves entities needs, for blocking connections.
//!
//! ```
//! use diesel::prelude::*;
//! use diesel_versioned::prelude::*;
//! ```

pub use crate::execute::{Audit, OverwriteDsl, VersionedDsl, retry};
pub use crate::{
    Actor, ChangedBy, Changes, CommitError, Committed, Conflict, ConflictKind, Conflicts, Handle,
    Merge, Operation, Overwrite, OverwriteError, RetryError, RetryPolicy, Retryable, SaveError,
    SchemaError, SchemaReport, SoftDelete, TrackError, Unmergeable, VersionValue, Versioned,
    VersionedPart,
};

#[cfg(feature = "http")]
pub use crate::http::HttpDsl;

/// The unit of work on a blocking connection of the type `C`.
pub type UnitOfWork<C> = crate::UnitOfWork<C>;
