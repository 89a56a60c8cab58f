//! A single write that matched no row, or too many.

use super::{Matched, Wanted, classify, matched};
use crate::columns::ColumnSet;
use crate::conflict::{Conflict, ConflictKind};
use crate::entity::Versioned;
use crate::error::SaveError;
use crate::guard;
use crate::statement::Next;
use crate::telling;

/// A single write that matched no row.
pub(crate) struct Lost<'a, T: Versioned> {
    pub(crate) wanted: Wanted,
    /// What its guard compared.
    pub(crate) guard: ColumnSet,
    /// The row as it was loaded, where that is known.
    pub(crate) base: Option<&'a T>,
}

impl<T: Versioned> Lost<'_, T> {
    /// One that compared all that there is to compare.
    pub(crate) fn of(wanted: Wanted) -> Self {
        Self {
            wanted,
            guard: guard::of_row::<T>(),
            base: None,
        }
    }
}

/// The conflict of a single write, once it is known what stands there.
pub(crate) fn conflict<T: Versioned>(
    entity: &T,
    lost: Lost<'_, T>,
    current: Option<T>,
) -> Conflict<T> {
    let Lost {
        wanted,
        guard,
        base,
    } = lost;
    let version = entity.version();
    let loaded = base.or(Some(entity));
    let verdict = classify(&version, loaded, current.as_ref(), guard, wanted);
    told(Conflict {
        base: base.cloned(),
        actual: current.as_ref().map(T::version),
        current,
        lost: wanted,
        moved: verdict.moved,
        ..of_single(entity, verdict.kind, version)
    })
}

/// The conflict of a single insert that the database held back.
pub(super) fn refused<T: Versioned>(entity: &T, initial: Next<T::Version>) -> Conflict<T> {
    let expected = initial.made().unwrap_or_else(|| entity.version());
    told(of_single(entity, ConflictKind::Refused, expected))
}

fn of_single<T: Versioned>(entity: &T, kind: ConflictKind, expected: T::Version) -> Conflict<T> {
    Conflict {
        kind,
        key: entity.key(),
        expected,
        base: None,
        mine: entity.clone(),
        current: None,
        actual: None,
        moved: ColumnSet::EMPTY,
        source: None,
        lost: Wanted::Update,
        place: None,
    }
}

fn told<T: Versioned>(conflict: Conflict<T>) -> Conflict<T> {
    telling::conflict(&conflict);
    conflict
}

/// The error of a guard that matched several rows.
pub(crate) fn not_unique<T: Versioned>(entity: &T, rows: usize) -> SaveError<T> {
    SaveError::NotUnique {
        table: T::TABLE,
        key: format!("{:?}", entity.key()),
        rows,
    }
}

/// What the row count of a single insert says.
pub(crate) fn inserted<T: Versioned>(
    entity: &T,
    initial: &Next<T::Version>,
    rows: usize,
) -> Result<(), SaveError<T>> {
    match matched(rows, 1) {
        Matched::All => Ok(()),
        Matched::More => Err(not_unique(entity, rows)),
        Matched::Fewer => Err(refused(entity, initial.clone()).into()),
    }
}
