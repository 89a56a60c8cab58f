//! Optimistic locking for Diesel.
//!
//! ```text
//! entity ──derive──▶ change ──▶ statement ──▶ execution ──▶ outcome, or conflict
//!  plain data         plain      a value       I/O           plain data
//! ```

mod columns;
mod entity;
mod version;

pub use columns::{Column, ColumnSet, Role};
pub use entity::{AsKey, Bind, BindPart, CloneEntity, EntityKey, Versioned, VersionedPart};
pub use version::VersionValue;

pub use diesel_versioned_derive::{Versioned, VersionedPart};

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
