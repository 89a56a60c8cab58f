//! The versions that the rows of one update expect and get.

use super::row::{Next, Row};
use crate::columns::ColumnSet;
use crate::entity::Versioned;

/// How the versions of several rows are written: the fewer there are, the fewer values are bound.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Versions {
    /// All rows stand at one version and get one: `SET version = ? WHERE version = ?`.
    One,
    /// The next version follows from the expected one: `CASE version WHEN ? THEN ? … END`. These
    /// rows stand for the pairs; their number is a power of two, so that texts stay few.
    Few(Vec<usize>),
    /// Each row stands at its own version and all get one, as timestamps and tokens do:
    /// `SET version = ?`.
    OneNext,
    /// Each row has its own.
    Each,
    /// What is expected is compared row by row, and nothing is written: the database makes the next
    /// versions, or there are none.
    NotWritten,
    /// They are neither compared nor written.
    Unguarded,
}

impl Versions {
    /// How many pairs a row's is looked for among.
    const MOST: usize = 8;

    /// Rows that are written together often stand at few versions. Two that stand at the same
    /// need not get the same next one. Only these version columns are of interest.
    pub(super) fn of<T: Versioned>(rows: &[Row<'_, T>], columns: ColumnSet) -> Self {
        // The rows of one update are all of one kind.
        match rows.first().map(Row::next) {
            Some(Next::Unguarded) => return Self::Unguarded,
            Some(Next::ByDatabase | Next::Nothing) => return Self::NotWritten,
            Some(Next::Is(_)) | None => {}
        }
        let same = |one: &T::Version, other: &T::Version| {
            T::versions_differ(one, other).and(columns).is_empty()
        };
        let same_next = |one: &Row<'_, T>, other: &Row<'_, T>| match (one.next(), other.next()) {
            (Next::Is(one), Next::Is(other)) => same(one, other),
            (one, other) => one == other,
        };
        let same_expected =
            |one: &Row<'_, T>, other: &Row<'_, T>| same(one.expected(), other.expected());
        let one_next = rows.windows(2).all(|pair| same_next(&pair[0], &pair[1]));
        if one_next && !rows.is_empty() {
            let one = rows
                .windows(2)
                .all(|pair| same_expected(&pair[0], &pair[1]));
            return if one { Self::One } else { Self::OneNext };
        }
        // A pair stands for one column.
        if columns.len() > 1 {
            return Self::Each;
        }
        let mut pairs: Vec<usize> = Vec::with_capacity(Self::MOST);
        for (position, row) in rows.iter().enumerate() {
            let known = pairs
                .iter()
                .filter_map(|&pair| rows.get(pair))
                .find(|known| same_expected(known, row));
            match known {
                Some(known) if same_next(known, row) => {}
                None if pairs.len() < Self::MOST => pairs.push(position),
                _ => return Self::Each,
            }
        }
        if let Some(&last) = pairs.last() {
            pairs.resize(pairs.len().next_power_of_two(), last);
        }
        Self::Few(pairs)
    }
}
