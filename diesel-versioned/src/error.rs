//! The errors of single writes and of units: what they share.

mod commit;
mod isolation;
mod lock;
mod save;
mod track;

pub use commit::CommitError;
pub use isolation::IsolationError;
pub use lock::LockError;
pub use save::SaveError;
pub use track::TrackError;

use std::fmt;

/// Which entity an error is about.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntityRef {
    /// The table.
    pub table: &'static str,
    /// The primary key; `None` where the error is about several rows, or about a row whose key
    /// the database makes.
    pub key: Option<String>,
}

impl fmt::Display for EntityRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.key {
            Some(key) => write!(f, "`{}` {key}", self.table),
            None => write!(f, "`{}`", self.table),
        }
    }
}

pub(crate) const VERSION_EXHAUSTED: &str = "version.exhausted";
pub(crate) const NO_VERSION: &str = "version.unavailable";
pub(crate) const NOT_UNIQUE: &str = "key.not_unique";
