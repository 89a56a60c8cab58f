//! Who changed which column.

use crate::columns::ColumnSet;
use crate::entity::Versioned;

/// Who changed a column since the base was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangedBy {
    /// Only I changed it.
    Me,
    /// Only someone else changed it.
    Them,
    /// Both changed it.
    Both,
    /// It differs, and without a base it cannot be told who changed it.
    Unknown,
}

/// One column of [`Changes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ColumnChange {
    /// The name of the column.
    pub column: &'static str,
    /// Who changed it.
    pub by: ChangedBy,
}

/// The columns that differ in a conflict, in the order of the entity's fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    columns: Vec<ColumnChange>,
}

impl Changes {
    pub(crate) fn new<T: Versioned>(
        mine: ColumnSet,
        theirs: ColumnSet,
        unattributed: ColumnSet,
    ) -> Self {
        let columns = (0..T::COLUMN_COUNT)
            .filter_map(|index| {
                let by = match (
                    mine.contains(index),
                    theirs.contains(index),
                    unattributed.contains(index),
                ) {
                    (true, true, _) => ChangedBy::Both,
                    (true, false, _) => ChangedBy::Me,
                    (false, true, _) => ChangedBy::Them,
                    (false, false, true) => ChangedBy::Unknown,
                    (false, false, false) => return None,
                };
                Some(ColumnChange {
                    column: T::column(index).name,
                    by,
                })
            })
            .collect();
        Self { columns }
    }

    fn by(&self, wanted: &'static [ChangedBy]) -> impl Iterator<Item = &'static str> + '_ {
        self.columns
            .iter()
            .filter(move |change| wanted.contains(&change.by))
            .map(|change| change.column)
    }

    /// The columns that I changed, those that both changed among them.
    pub fn mine(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.by(&[ChangedBy::Me, ChangedBy::Both])
    }

    /// The columns that someone else changed, those that both changed among them.
    pub fn theirs(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.by(&[ChangedBy::Them, ChangedBy::Both])
    }

    /// The columns that both changed.
    pub fn both(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.by(&[ChangedBy::Both])
    }

    /// The columns that differ between mine and current where no base is known.
    pub fn unattributed(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.by(&[ChangedBy::Unknown])
    }

    /// Every column that differs, with who changed it.
    pub fn iter(&self) -> impl Iterator<Item = ColumnChange> + '_ {
        self.columns.iter().copied()
    }

    /// How many columns differ.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether no column differs.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }
}

impl IntoIterator for Changes {
    type Item = ColumnChange;
    type IntoIter = std::vec::IntoIter<ColumnChange>;

    fn into_iter(self) -> Self::IntoIter {
        self.columns.into_iter()
    }
}
