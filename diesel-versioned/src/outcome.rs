//! The one decision: how many rows were matched in, applied or a conflict out. No connection.

use crate::conflict::{Conflict, ConflictKind};
use crate::entity::Versioned;
use crate::error::SaveError;
use crate::version::VersionValue;

/// What a row count says of a statement that was meant for some rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matched {
    /// Each row was written, once.
    All,
    /// At least one row was not.
    Fewer,
    /// A key stands for more than one row.
    More,
}

/// Compares the rows that were matched with those that were meant.
pub(crate) fn matched(rows: usize, meant: usize) -> Matched {
    match rows.cmp(&meant) {
        std::cmp::Ordering::Equal => Matched::All,
        std::cmp::Ordering::Less => Matched::Fewer,
        std::cmp::Ordering::Greater => Matched::More,
    }
}

/// What stands in the database says why the guard did not hold.
pub(crate) fn classify<T: Versioned>(expected: &T::Version, current: Option<&T>) -> ConflictKind {
    match current {
        None => ConflictKind::Deleted,
        Some(current) if current.version() == expected => ConflictKind::Refused,
        Some(_) => ConflictKind::Modified,
    }
}

/// The conflict of a single write, once it is known what stands there.
pub(crate) fn conflict<T: Versioned>(entity: &T, current: Option<T>) -> Conflict<T> {
    Conflict {
        kind: classify(entity.version(), current.as_ref()),
        key: entity.key(),
        expected: entity.version().clone(),
        base: None,
        mine: entity.clone(),
        current,
        source: None,
        place: None,
    }
}

/// The version that a write gives to an entity.
pub(crate) fn next_version<T: Versioned>(entity: &T) -> Result<T::Version, SaveError<T>> {
    let version = entity.version();
    version.next().ok_or_else(|| SaveError::VersionExhausted {
        table: T::TABLE,
        key: format!("{:?}", entity.key()),
        version: format!("{version:?}"),
    })
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
pub(crate) fn inserted<T: Versioned>(entity: &T, rows: usize) -> Result<(), SaveError<T>> {
    match matched(rows, 1) {
        Matched::All => Ok(()),
        Matched::More => Err(not_unique(entity, rows)),
        Matched::Fewer => Err(Conflict {
            kind: ConflictKind::Refused,
            expected: T::initial_version(),
            ..conflict(entity, None)
        }
        .into()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Matched, matched};

    #[test]
    fn only_the_exact_count_is_success() {
        assert_eq!(matched(1, 1), Matched::All);
        assert_eq!(matched(0, 1), Matched::Fewer);
        assert_eq!(matched(2, 1), Matched::More);
        assert_eq!(matched(0, 0), Matched::All);
    }
}
