//! What a program that saves entities needs, for the connections of diesel-async: the same names as
//! in [`prelude`](crate::prelude).
//!
//! ```
//! use diesel::prelude::*;
//! use diesel_versioned::async_prelude::*;
//! ```

pub use crate::execute::AsyncVersionedDsl as VersionedDsl;
pub use crate::{
    ChangedBy, Changes, CommitError, Committed, Conflict, ConflictKind, Conflicts, Handle,
    Operation, SaveError, TrackError, VersionValue, Versioned, VersionedPart,
};

/// The unit of work on an asynchronous connection of the type `C`.
pub type UnitOfWork<C> = crate::UnitOfWork<C, dyn crate::AsyncSet<C>>;
