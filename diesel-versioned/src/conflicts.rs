//! All conflicts of one unit, of several entity types.

use std::any::{Any, TypeId};
use std::fmt;

use crate::conflict::{Conflict, ConflictKind};
use crate::entity::Versioned;
use crate::guard::Check;
use crate::unit_of_work::UnitId;

/// Every conflict of a unit: in the order of the entity types as they joined the unit, by key
/// within each.
///
/// ```
/// # use diesel_versioned::prelude::*;
/// # fn report<T: Versioned>(conflicts: &Conflicts) {
/// for conflict in conflicts.iter() {
///     eprintln!("{} {}: {}", conflict.table(), conflict.key(), conflict.kind());
/// }
/// for conflict in conflicts.of::<T>() {
///     let (_mine, _current) = (conflict.mine(), conflict.current());
/// }
/// # }
/// ```
pub struct Conflicts {
    pub(crate) all: Vec<Box<dyn AnyConflict>>,
}

impl Conflicts {
    /// How many rows are in conflict; at least one.
    #[allow(clippy::len_without_is_empty, reason = "there is always at least one")]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The conflicts of every type.
    pub fn iter(&self) -> impl Iterator<Item = &dyn AnyConflict> {
        self.all.iter().map(|conflict| &**conflict)
    }

    /// The conflicts of one entity type.
    pub fn of<T: Versioned>(&self) -> impl Iterator<Item = &Conflict<T>> {
        self.all
            .iter()
            .filter_map(|conflict| conflict.as_any().downcast_ref())
    }

    /// The stable name of the first conflict's kind.
    pub fn code(&self) -> &'static str {
        self.all
            .first()
            .map_or(ConflictKind::Modified.code(), |first| first.kind().code())
    }
}

impl<'a> IntoIterator for &'a Conflicts {
    type Item = &'a dyn AnyConflict;
    type IntoIter = Box<dyn Iterator<Item = &'a dyn AnyConflict> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

impl fmt::Display for Conflicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.all.as_slice() {
            [] => f.write_str("no conflict"),
            [only] => fmt::Display::fmt(only, f),
            [first, rest @ ..] => write!(f, "{first} (and {} more conflicts)", rest.len()),
        }
    }
}

impl fmt::Debug for Conflicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all.iter()).finish()
    }
}

impl std::error::Error for Conflicts {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.all.first().and_then(|first| first.source())
    }
}

/// A [`Conflict`] whose entity type is not known: what can be said of any of them.
pub trait AnyConflict: std::error::Error + Send + Sync {
    /// Why the guard did not hold.
    fn kind(&self) -> ConflictKind;

    /// The table of the row.
    fn table(&self) -> &'static str;

    /// The primary key, as text.
    fn key(&self) -> String;

    /// The version that the write was guarded by, as text.
    fn expected(&self) -> String;

    /// The version that stands in the database, as text; `None` if the row is gone or has none.
    fn actual(&self) -> Option<String>;

    /// The entity tag of the row as it stands in the database; `None` if the row is gone or [marked as
    /// deleted](derive@crate::Versioned#soft-deletion), if an insert was refused, so that there is none,
    /// and if rows of this type have [no tag](Versioned::HAS_TAG).
    #[cfg(feature = "http")]
    fn etag(&self) -> Option<crate::http::ETag>;

    /// The entity tag of a [group](derive@crate::Versioned#groups) of columns as it stands in the
    /// database; `None` if the row is gone or there is no such group.
    #[cfg(feature = "http")]
    fn etag_of(&self, group: &str) -> Option<crate::http::ETag>;

    /// See [`Conflict::groups`].
    fn groups(&self) -> Vec<&'static str>;

    /// Which columns I changed, which they changed, which both, and from what to what.
    fn changes(&self) -> crate::Changes;

    /// Whether I and they changed different columns; see [`Conflict::is_disjoint`].
    fn is_disjoint(&self) -> bool;

    #[doc(hidden)]
    #[allow(private_interfaces, reason = "only this crate can use it")]
    fn place(&self) -> Option<(TypeId, UnitId, u32)>;

    /// The conflict itself, for `downcast_ref::<Conflict<T>>()`.
    fn as_any(&self) -> &dyn Any;
}

impl<T: Versioned> AnyConflict for Conflict<T> {
    fn kind(&self) -> ConflictKind {
        self.kind
    }

    fn table(&self) -> &'static str {
        T::TABLE
    }

    fn key(&self) -> String {
        format!("{:?}", self.key)
    }

    fn expected(&self) -> String {
        format!("{:?}", self.expected)
    }

    fn actual(&self) -> Option<String> {
        let actual = Self::actual(self).filter(|_| T::CHECK == Check::Version);
        actual.map(|version| format!("{version:?}"))
    }

    #[cfg(feature = "http")]
    fn etag(&self) -> Option<crate::http::ETag> {
        let stands = T::HAS_TAG && self.kind != ConflictKind::Deleted;
        let current = self.current().filter(|_| stands);
        current.map(crate::http::ETag::of_row)
    }

    #[cfg(feature = "http")]
    fn etag_of(&self, group: &str) -> Option<crate::http::ETag> {
        let stands = self.kind != ConflictKind::Deleted;
        let current = self.current().filter(|_| stands)?;
        crate::http::HttpDsl::etag_of(current, group)
    }

    fn groups(&self) -> Vec<&'static str> {
        Self::groups(self)
    }

    fn changes(&self) -> crate::Changes {
        Self::changes(self)
    }

    fn is_disjoint(&self) -> bool {
        Self::is_disjoint(self)
    }

    #[allow(private_interfaces, reason = "see the trait")]
    fn place(&self) -> Option<(TypeId, UnitId, u32)> {
        self.place
            .map(|(unit, slot)| (TypeId::of::<T>(), unit, slot))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
