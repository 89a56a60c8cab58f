//! The rule of `#[versioned(merge(independent(…)))]`: which columns are taken from mine.

use crate::columns::ColumnSet;
use crate::entity::Versioned;
use crate::unmergeable::Unmergeable;

/// The columns to take from mine, the others being theirs. `independent` are the columns that were
/// declared so, each of `wholes` those of a part that is taken as one.
///
/// Columns that no guarded update writes do not count: the database makes them, or they are
/// bookkeeping.
///
/// # Errors
///
/// [`Unmergeable`] with the columns that both changed, and those that one side changed and that are
/// not declared independent of what the other did.
pub fn independent<T: Versioned>(
    base: &T,
    mine: &T,
    theirs: &T,
    independent: ColumnSet,
    wholes: &[ColumnSet],
) -> Result<ColumnSet, Unmergeable> {
    let same = T::UPDATABLE.without(mine.changed(theirs));
    let by_me = mine.changed(base).and(T::UPDATABLE).without(same);
    let by_them = theirs.changed(base).and(T::UPDATABLE).without(same);
    decide(by_me, by_them, independent, wholes).map_err(|clash| {
        let columns = clash.iter().map(|index| T::column(index).name);
        let reason = if clash.without(by_me.and(by_them)).is_empty() {
            "both changed them, to different values"
        } else {
            "one changed these, the other changed something that they may depend on"
        };
        Unmergeable::new(columns, reason)
    })
}

/// The columns to take from mine, or those that cannot be combined. What both changed to the same
/// value is in neither set.
fn decide(
    by_me: ColumnSet,
    by_them: ColumnSet,
    independent: ColumnSet,
    wholes: &[ColumnSet],
) -> Result<ColumnSet, ColumnSet> {
    // One side's state as a whole is as that side wanted it.
    if by_me.is_empty() || by_them.is_empty() {
        return Ok(by_me);
    }
    let either = by_me.or(by_them);
    let clash = wholes
        .iter()
        .filter(|whole| !whole.and(by_me).is_empty() && !whole.and(by_them).is_empty())
        .map(|whole| whole.and(either))
        .fold(by_me.and(by_them), ColumnSet::or)
        .or(either.without(independent));
    if clash.is_empty() {
        Ok(by_me)
    } else {
        Err(clash)
    }
}

#[cfg(test)]
mod tests {
    use super::decide;
    use crate::columns::ColumnSet;

    fn set(columns: &[usize]) -> ColumnSet {
        columns
            .iter()
            .fold(ColumnSet::EMPTY, |set, &column| set.with(column))
    }

    /// Columns 1, 2 and 5, 6 are independent; 5 and 6 are one part.
    fn decided(by_me: &[usize], by_them: &[usize]) -> Result<Vec<usize>, Vec<usize>> {
        let list = |set: ColumnSet| set.iter().collect();
        decide(
            set(by_me),
            set(by_them),
            set(&[1, 2, 5, 6]),
            &[set(&[5, 6])],
        )
        .map(list)
        .map_err(list)
    }

    #[test]
    fn what_one_side_alone_changed_is_taken_whole() {
        assert_eq!(decided(&[3, 4], &[]), Ok(vec![3, 4]));
        assert_eq!(decided(&[], &[3, 4]), Ok(vec![]));
        assert_eq!(decided(&[], &[]), Ok(vec![]));
    }

    #[test]
    fn independent_columns_are_combined() {
        assert_eq!(decided(&[1], &[2]), Ok(vec![1]));
        assert_eq!(decided(&[2, 5, 6], &[1]), Ok(vec![2, 5, 6]));
    }

    #[test]
    fn a_column_that_both_changed_is_named() {
        assert_eq!(decided(&[1, 2], &[2]), Err(vec![2]));
    }

    #[test]
    fn a_column_that_is_not_declared_may_depend_on_any_other() {
        assert_eq!(decided(&[1], &[3]), Err(vec![3]));
        assert_eq!(decided(&[3], &[1]), Err(vec![3]));
        assert_eq!(decided(&[3], &[4]), Err(vec![3, 4]));
        assert_eq!(decided(&[3, 1], &[3, 2]), Err(vec![3]));
    }

    #[test]
    fn a_part_that_both_changed_is_named_with_what_they_changed() {
        assert_eq!(decided(&[5], &[6]), Err(vec![5, 6]));
        assert_eq!(decided(&[5], &[1, 5]), Err(vec![5]));
        assert_eq!(decided(&[5], &[1]), Ok(vec![5]));
    }
}
