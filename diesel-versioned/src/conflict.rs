//! The conflict: a guard that did not hold, with what was expected and what stands there.

use std::fmt;
use std::sync::Arc;

use crate::changes::Changes;
use crate::columns::ColumnSet;
use crate::entity::Versioned;
use crate::guard::{self, Check};
use crate::outcome::Wanted;
use crate::unit_of_work::{Handle, UnitId};

/// Why the guard did not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConflictKind {
    /// Someone else wrote the row: it stands at another version or, [without
    /// one](derive@crate::Versioned#no-version), does not hold what was loaded.
    Modified,
    /// The row is gone, or [marked as deleted](derive@crate::Versioned#soft-deletion); then
    /// [`current`](Conflict::current) is how it was deleted.
    Deleted,
    /// The row is as it was expected, and still the database did not write it: a
    /// trigger, a rule or row-level security held it back. Or what is compared is not stored
    /// [as Diesel writes it](derive@crate::Versioned#no-version).
    Refused,
}

impl ConflictKind {
    /// A stable name for programs: `conflict.modified`, `conflict.deleted`, `conflict.refused`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Modified => "conflict.modified",
            Self::Deleted => "conflict.deleted",
            Self::Refused => "conflict.refused",
        }
    }
}

impl fmt::Display for ConflictKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Refused => "refused",
        })
    }
}

/// One row that was not written because its guard did not hold, or because the database held it back.
///
/// It holds the three states that a decision needs: [`base`](Conflict::base), as the row was
/// loaded; [`mine`](Conflict::mine), as I changed it; [`current`](Conflict::current), as the
/// database has it now.
#[derive(Clone)]
pub struct Conflict<T: Versioned> {
    pub(crate) kind: ConflictKind,
    pub(crate) key: T::Key,
    pub(crate) expected: T::Version,
    pub(crate) base: Option<T>,
    pub(crate) mine: T,
    pub(crate) current: Option<T>,
    pub(crate) actual: Option<T::Version>,
    /// The columns of the guard that are no longer as they were.
    pub(crate) moved: ColumnSet,
    pub(crate) source: Option<Arc<diesel::result::Error>>,
    /// What the write that was lost wanted.
    pub(crate) lost: Wanted,
    /// Which slot of which unit, so that it can be discarded there.
    pub(crate) place: Option<(UnitId, u32)>,
}

impl<T: Versioned> Conflict<T> {
    /// Why the guard did not hold.
    pub fn kind(&self) -> ConflictKind {
        self.kind
    }

    /// The table of the row.
    pub fn table(&self) -> &'static str {
        T::TABLE
    }

    /// The primary key of the row.
    pub fn key(&self) -> &T::Key {
        &self.key
    }

    /// The version that the write was guarded by.
    pub fn expected(&self) -> &T::Version {
        &self.expected
    }

    /// The version that stands in the database, `None` if the row is gone.
    pub fn actual(&self) -> Option<&T::Version> {
        self.actual.as_ref()
    }

    /// The [groups](derive@crate::Versioned#groups) of columns that the conflict is about: those that
    /// this write touched and someone else has written. None where the columns are in no groups, and
    /// where the row is gone or was [refused](ConflictKind::Refused).
    pub fn groups(&self) -> Vec<&'static str> {
        guard::groups::<T>(self.moved)
    }

    /// The entity as it was loaded; `None` where that is not known (a lone
    /// [`save`](crate::VersionedDsl::save), an entity that came from a form).
    pub fn base(&self) -> Option<&T> {
        self.base.as_ref()
    }

    /// The entity as I wanted to write it.
    pub fn mine(&self) -> &T {
        &self.mine
    }

    /// The entity as the database has it now, `None` if the row is gone. One that is
    /// [marked as deleted](derive@crate::Versioned#soft-deletion) is still there.
    pub fn current(&self) -> Option<&T> {
        self.current.as_ref()
    }

    /// The entity in its unit; `None` if the conflict is not one of a unit.
    pub fn handle(&self) -> Option<Handle<T>> {
        self.place.map(|(unit, slot)| Handle::new(unit, slot))
    }

    /// Which columns I changed, which they changed, which both, and from what to what.
    ///
    /// Without a [`base`](Conflict::base) it cannot be told who changed a column; the columns
    /// that differ are then all [`unattributed`](Changes::unattributed).
    pub fn changes(&self) -> Changes {
        Changes::new(self.base.as_ref(), &self.mine, self.current.as_ref())
    }

    /// Takes the three states out: base, mine, current.
    pub fn into_parts(self) -> (Option<T>, T, Option<T>) {
        (self.base, self.mine, self.current)
    }
}

impl<T: Versioned> fmt::Display for Conflict<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (table, key) = (T::TABLE, &self.key);
        match self.kind {
            ConflictKind::Deleted if self.current.is_some() => write!(
                f,
                "`{table}` {key:?} is marked as deleted{}; restore it or drop the change",
                self.versions(false)
            ),
            ConflictKind::Deleted => write!(
                f,
                "`{table}` {key:?} was deleted by someone else{}; insert it again or drop the change",
                self.versions(false)
            ),
            ConflictKind::Refused => write!(
                f,
                "the database did not write `{table}` {key:?} although it stands {}; look for a \
                 trigger, a rule or row-level security that holds it back, or for a value that is \
                 not stored as Diesel writes it",
                match T::CHECK {
                    Check::Version => format!("at the expected version {:?}", self.expected),
                    Check::Changed | Check::All => "as it was loaded".to_owned(),
                }
            ),
            ConflictKind::Modified => write!(
                f,
                "`{table}` {key:?} was changed by someone else{}; reload it and apply the change \
                 again",
                self.versions(true)
            ),
        }
    }
}

impl<T: Versioned> Conflict<T> {
    /// What was expected and, if that is of interest, what was found, for a message.
    fn versions(&self, found: bool) -> String {
        let expected = &self.expected;
        if T::CHECK == Check::Version {
            let found = match &self.actual {
                Some(actual) if found => format!(", found {actual:?}"),
                _ => String::new(),
            };
            let groups = match &*self.groups() {
                [] => String::new(),
                groups => format!(" in {}", listed(groups)),
            };
            return format!("{groups} (expected version {expected:?}{found})");
        }
        let columns: Vec<_> = self
            .moved
            .iter()
            .map(|index| T::column(index).name)
            .collect();
        match &*columns {
            [] => String::new(),
            columns => format!(" in {} since it was loaded", listed(columns)),
        }
    }
}

/// Names in a message.
fn listed(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

impl<T: Versioned> fmt::Debug for Conflict<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conflict")
            .field("kind", &self.kind)
            .field("table", &T::TABLE)
            .field("key", &self.key)
            .field("expected", &self.expected)
            .field("actual", &self.actual())
            .field("groups", &self.groups())
            .finish_non_exhaustive()
    }
}

impl<T: Versioned> std::error::Error for Conflict<T> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source
            .as_deref()
            .map(|source| source as &(dyn std::error::Error + 'static))
    }
}
