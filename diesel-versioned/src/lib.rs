//! Optimistic locking for Diesel.
//!
//! ```text
//! entity ──derive──▶ change ──▶ statement ──▶ execution ──▶ outcome, or conflict
//!  plain data         plain      a value       I/O           plain data
//! ```

mod backend;
mod changes;
mod columns;
mod conflict;
mod conflicts;
mod entity;
mod error;
mod execute;
mod outcome;
pub mod prelude;
mod statement;
mod unit_of_work;
mod version;

pub use backend::{BatchUpdateSyntax, BeginToWrite, Dialect, Returning, Syntax, TupleSyntax};
pub use changes::{ChangedBy, Changes, ColumnChange};
pub use columns::{Column, ColumnSet, Role};
pub use conflict::{Conflict, ConflictKind};
pub use conflicts::{AnyConflict, Conflicts};
pub use entity::{IntoKey, Bind, BindPart, CloneEntity, EntityKey, Versioned, VersionedPart};
pub use error::{CommitError, EntityRef, SaveError, TrackError};
pub use execute::{BlockingSet, VersionedDsl};
pub use statement::Entity;
pub use unit_of_work::{
    Committed, CommittedChange, Discard, Handle, Holds, Operation, Set, SetCore, UndoError,
    UnitOfWork,
};
pub use version::VersionValue;

pub use diesel_versioned_derive::{Versioned, VersionedPart};

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
