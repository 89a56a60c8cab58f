//! The guard: which columns a write compares, and which of them no longer hold.

use crate::columns::ColumnSet;
use crate::entity::Versioned;

/// What a guard compares besides the key: `#[versioned(check = …)]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Check {
    /// The version, or those of the groups that the write is about.
    Version,
    /// There is none: the columns that are written, as they were loaded; a deletion, all of them.
    Changed,
    /// There is none: all columns, as they were loaded.
    All,
}

/// Columns that have a version of their own: `#[version(group = …)]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct VersionGroup {
    /// What the group is called.
    pub name: &'static str,
    /// The position of its version.
    pub version: usize,
    /// The columns that are in it.
    pub columns: ColumnSet,
}

impl VersionGroup {
    /// A group of this name. The derive calls it.
    pub const fn new(name: &'static str, version: usize, columns: ColumnSet) -> Self {
        Self {
            name,
            version,
            columns,
        }
    }
}

/// The columns that a write of some columns compares; of none, as a touch writes them, all that there
/// can be.
pub(crate) fn of_update<T: Versioned>(columns: ColumnSet) -> ColumnSet {
    match T::CHECK {
        Check::Version if T::GROUPS.is_empty() || columns.is_empty() => T::VERSION_COLUMNS,
        Check::Version => T::GROUPS
            .iter()
            .filter(|group| !group.columns.and(columns).is_empty())
            .fold(ColumnSet::EMPTY, |moving, group| moving.with(group.version)),
        Check::Changed => T::CHECKED.and(columns),
        Check::All => T::CHECKED,
    }
}

/// The columns that a deletion compares, and whoever expects a row to be unchanged.
pub(crate) const fn of_row<T: Versioned>() -> ColumnSet {
    T::VERSION_COLUMNS.or(T::CHECKED)
}

/// Those columns of a guard in which a row no longer is as it was: `expected` is its version then, and
/// `base` the row.
pub(crate) fn moved<T: Versioned>(
    guard: ColumnSet,
    expected: &T::Version,
    base: Option<&T>,
    row: &T,
) -> ColumnSet {
    let versions = T::versions_differ(expected, &row.version());
    let content = match base {
        Some(base) if !T::CHECKED.is_empty() => row.changed(base),
        _ => ColumnSet::EMPTY,
    };
    versions.or(content).and(guard)
}

/// The names of the groups whose versions are among some columns.
pub(crate) fn groups<T: Versioned>(columns: ColumnSet) -> Vec<&'static str> {
    T::GROUPS
        .iter()
        .filter(|group| columns.contains(group.version))
        .map(|group| group.name)
        .collect()
}
