//! The versions that rows get, and why there is none.

use crate::columns::ColumnSet;
use crate::entity::Versioned;
use crate::error::{CommitError, EntityRef, SaveError};
use crate::guard::Check;
use crate::statement::Next;
use crate::version::{Moment, NoVersion};

/// A row for which there is no version.
pub(crate) struct Unversioned {
    row: EntityRef,
    /// The one that it stands at.
    version: Option<String>,
    why: NoVersion,
}

/// The version that a write at a moment gives to an entity: another one than it had, in each of the
/// columns that its guard compares.
pub(crate) fn next_version<T: Versioned>(
    entity: &T,
    guard: ColumnSet,
    moment: &Moment,
) -> Result<Next<T::Version>, Unversioned> {
    if T::VERSION_BY_DATABASE {
        return Ok(Next::ByDatabase);
    }
    if T::CHECK != Check::Version {
        return Ok(Next::Nothing);
    }
    let moves = |next: &T::Version| {
        let differ = T::versions_differ(next, &entity.version());
        guard.without(differ).is_empty()
    };
    let why = match entity.next_version(moment, guard) {
        Ok(next) if moves(&next) => return Ok(Next::Is(next)),
        // A guard that everybody passes would guard nothing.
        Ok(_) => NoVersion::Unmoved,
        Err(why) => why,
    };
    let ends = |column: &usize| {
        let next = entity.next_version(moment, ColumnSet::EMPTY.with(*column));
        matches!(next, Err(NoVersion::Exhausted))
    };
    let last = guard.and(T::VERSION_COLUMNS).iter().filter(ends);
    Err(Unversioned {
        version: Some(last_version(entity, last)),
        ..unversioned(entity, why)
    })
}

/// The version that has no successor, with its group where there are groups.
pub(crate) fn last_version<T: Versioned>(entity: &T, last: impl Iterator<Item = usize>) -> String {
    let texts: Vec<String> = last
        .filter_map(|column| T::GROUPS.iter().find(|group| group.version == column))
        .map(|group| {
            let version = entity.version_text(group.version);
            format!("{version} of the group `{}`", group.name)
        })
        .collect();
    if texts.is_empty() {
        return format!("{:?}", entity.version());
    }
    texts.join(" and ")
}

/// What a write is told that there is no version for.
pub(crate) fn no_version_column<T: Versioned>(entity: &T) -> Unversioned {
    unversioned(entity, NoVersion::NoColumn)
}

pub(super) fn unversioned<T: Versioned>(entity: &T, why: NoVersion) -> Unversioned {
    Unversioned {
        row: EntityRef {
            table: T::TABLE,
            key: Some(format!("{:?}", entity.key())),
        },
        version: Some(format!("{:?}", entity.version())),
        why,
    }
}

/// The version that an insert at a moment gives to a row; there is none yet of one that is made when
/// the unit runs.
pub(crate) fn initial_version<T: Versioned>(
    entity: Option<&T>,
    moment: &Moment,
) -> Result<Next<T::Version>, Unversioned> {
    if T::VERSION_BY_DATABASE {
        return Ok(Next::ByDatabase);
    }
    if T::CHECK != Check::Version {
        return Ok(Next::Nothing);
    }
    let initial = T::initial_version(moment).map(Next::Is);
    initial.map_err(|why| {
        let known = entity.filter(|_| !T::key_is_generated());
        Unversioned {
            row: EntityRef {
                table: T::TABLE,
                key: known.map(|entity| format!("{:?}", entity.key())),
            },
            version: None,
            why,
        }
    })
}

/// The same of a single insert.
pub(crate) fn initial_version_of<T: Versioned>(
    entity: &T,
) -> Result<Next<T::Version>, Unversioned> {
    initial_version(Some(entity), &Moment::new())
}

macro_rules! from_unversioned {
    ([$($generics:tt)*] for $error:ty) => {
        impl<$($generics)*> From<Unversioned> for $error {
            fn from(Unversioned { row, version, why }: Unversioned) -> Self {
                match (why, row.key, version) {
                    (NoVersion::Exhausted, Some(key), Some(version)) => Self::VersionExhausted {
                        table: row.table,
                        key,
                        version,
                    },
                    (source, key, _) => Self::NoVersion {
                        entity: EntityRef {
                            table: row.table,
                            key,
                        },
                        source,
                    },
                }
            }
        }
    };
}

from_unversioned!([T: Versioned] for SaveError<T>);
from_unversioned!([] for CommitError);
