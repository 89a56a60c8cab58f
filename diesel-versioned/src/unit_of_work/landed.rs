//! Inserted rows as the database has them: which of them is whose.

use std::collections::{HashMap, HashSet};

use super::set::Set;
use super::work::Group;
use crate::columns::ColumnSet;
use crate::entity::Versioned;
use crate::outcome::Asked;
use crate::soft_delete::mark_columns;

/// Whether the inserted rows of a set can be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Apart {
    /// Nothing speaks against it.
    #[default]
    Yes,
    /// Some were not.
    No,
    /// They are, for each gets a statement of its own.
    Alone,
}

impl<T: Versioned> Set<T> {
    /// The entity as an insert writes it.
    pub(super) fn sent(&self, slot: u32) -> Option<&T> {
        let staged = self.work.staged.get(&slot);
        staged.or_else(|| self.slots.get(slot)?.get())
    }

    /// The keys that a group of inserts writes.
    pub(crate) fn inserted_keys(&self, group: &Group) -> Vec<T::Key> {
        let sent = self.slots_of(group).filter_map(|slot| self.sent(slot));
        sent.map(T::key).collect()
    }

    /// Takes the rows of a group of inserts as the database has them, in the order in which they came
    /// back.
    ///
    /// A key that the insert wrote finds its row. Rows whose keys the database made are told apart by
    /// what was sent for them, for no database promises in which order it hands rows back.
    pub(crate) fn land(&mut self, group: &Group, rows: Vec<Asked<T>>) {
        let slots: Vec<u32> = self.slots_of(group).collect();
        if !T::key_is_generated() {
            let keys = self.inserted_keys(group);
            let slots: HashMap<T::Key, u32> = keys.into_iter().zip(slots).collect();
            for (key, row) in rows {
                if let Some(&slot) = slots.get(&key) {
                    self.work.landed.insert(slot, row);
                }
            }
        } else if rows.len() != slots.len() {
            // Some were not inserted, or cannot be read.
        } else if self.work.apart == Apart::Alone || self.is_told_apart(&slots, &rows) {
            let rows = rows.into_iter().map(|(_, row)| row);
            self.work.landed.extend(slots.into_iter().zip(rows));
        } else {
            self.work.apart = Apart::No;
        }
    }

    /// Takes the rows of a group that were inserted by a statement each, in the order of these.
    pub(crate) fn land_each(&mut self, group: &Group, rows: Vec<T>) {
        let slots: Vec<u32> = self.slots_of(group).collect();
        if rows.len() == slots.len() {
            self.work.landed.extend(slots.into_iter().zip(rows));
        }
    }

    /// Whether inserted rows could not be told apart; from now on each gets a statement of its own.
    pub(super) fn inserts_alone(&mut self) -> bool {
        let confused = self.work.apart == Apart::No;
        if confused {
            self.work.apart = Apart::Alone;
        }
        confused
    }

    /// Whether each row is that of the entity beside it, by what was sent. What the database made
    /// otherwise of some, times that it rounds for example, tells nothing; the rest must do.
    fn is_told_apart(&self, slots: &[u32], rows: &[Asked<T>]) -> bool {
        if slots.len() < 2 {
            return true;
        }
        let columns = T::INSERTABLE.without(T::VERSION_COLUMNS);
        let columns = columns.without(mark_columns::<T>());
        let compared = T::UPDATABLE.or(T::UNGUARDED).and(columns);
        let pairs = || {
            let sent = slots.iter().filter_map(|&slot| self.sent(slot));
            sent.zip(rows.iter().map(|(_, row)| row))
        };
        let other = pairs().fold(ColumnSet::EMPTY, |other, (sent, row)| {
            let shown = columns.without(compared).iter();
            let differs = shown.filter(|&column| text(sent, column) != text(row, column));
            differs.fold(
                other.or(row.changed(sent).and(compared)),
                |other, column| other.or(ColumnSet::EMPTY.with(column)),
            )
        });
        if other.is_empty() {
            return true;
        }
        let same = columns.without(other);
        let mut seen = HashSet::with_capacity(rows.len());
        pairs().all(|(_, row)| {
            let texts: Vec<String> = same.iter().map(|column| text(row, column)).collect();
            seen.insert(texts)
        })
    }
}

/// The value of a column, as it is shown.
fn text<T: Versioned>(row: &T, column: usize) -> String {
    format!("{:?}", row.column_value(column))
}
