//! What a program that saves entities needs, for blocking connections.
//!
//! ```
//! use diesel::prelude::*;
//! use diesel_versioned::prelude::*;
//! ```

pub use crate::execute::{VersionedDsl, retry};
pub use crate::{
    ChangedBy, Changes, CommitError, Committed, Conflict, ConflictKind, Conflicts, Handle, Merge,
    Operation, RetryError, RetryPolicy, Retryable, SaveError, TrackError, Unmergeable,
    VersionValue, Versioned, VersionedPart,
};

#[cfg(feature = "http")]
pub use crate::http::HttpDsl;

/// The unit of work on a blocking connection of the type `C`.
pub type UnitOfWork<C> = crate::UnitOfWork<C>;
