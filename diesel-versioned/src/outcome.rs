//! The one decision: how many rows were matched in, applied or a conflict out. No connection.

mod change;
mod pair;
mod single;
mod upsert;
mod version;
mod written;

pub(crate) use change::{Change, alone, alone_without_key, remarked};
pub(crate) use pair::{Asked, Paired, in_order, last_inserted, pair, pair_inserted};
pub(crate) use single::{Lost, conflict, inserted, not_unique};
pub(crate) use upsert::{key_is_known, may_be_taken, not_upserted, upserted};
pub(crate) use version::{
    initial_version, initial_version_of, last_version, next_version, no_version_column,
};
pub(crate) use written::{
    may_be_taken_back, moved, not_read_back, overwritten, read_back, take_committed, take_marked,
    take_written,
};

use crate::columns::ColumnSet;
use crate::conflict::ConflictKind;
use crate::entity::Versioned;
use crate::guard;

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

/// Why a row was not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) kind: ConflictKind,
    /// The columns of the guard that are no longer as they were.
    pub(crate) moved: ColumnSet,
}

/// What stands in the database says why the row was not written, whose guard compares some columns:
/// `expected` is the version that it was to have, and `base` what it was when it was loaded. A write
/// without a guard is lost only where there is no row, or one that is marked as deleted.
pub(crate) fn classify<T: Versioned>(
    expected: &T::Version,
    base: Option<&T>,
    current: Option<&T>,
    guard: ColumnSet,
    wanted: Wanted,
) -> Verdict {
    let moved = current.map(|current| guard::moved(guard, expected, base, current));
    let is_gone = |current: &T| !wanted.of_deleted() && current.is_deleted();
    let kind = match (current, moved) {
        (Some(current), _) if is_gone(current) => ConflictKind::Deleted,
        (_, None) => ConflictKind::Deleted,
        (_, Some(moved)) if moved.is_empty() => ConflictKind::Refused,
        (_, Some(_)) => ConflictKind::Modified,
    };
    Verdict {
        kind,
        // Of a row that is gone it says nothing.
        moved: moved
            .filter(|_| kind == ConflictKind::Modified)
            .unwrap_or_default(),
    }
}

/// What a write wanted of a row that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// To write it, or its version alone, under its guard.
    Update,
    /// To write its bookkeeping.
    Unguarded,
    /// To delete it, or to mark it as deleted.
    Delete,
    /// To take its mark from it.
    Restore,
    /// To delete it for good, marked or not.
    Purge,
    /// To find it as it was read: marked as deleted.
    StillDeleted,
}

impl Wanted {
    /// Whether a row may be marked as deleted.
    fn of_deleted(self) -> bool {
        matches!(self, Self::Restore | Self::Purge | Self::StillDeleted)
    }

    /// Whether the row is to go, or to be marked as gone.
    pub(crate) fn deletes(self) -> bool {
        matches!(self, Self::Delete | Self::Purge)
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
