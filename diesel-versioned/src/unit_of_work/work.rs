//! What a set has to write, and what is known of it while a commit runs. Entities are not touched.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::landed::Apart;
use super::order::Operation;
use super::rows;
use super::set::Set;
use super::slot::{Need, Slot};
use crate::columns::ColumnSet;
use crate::entity::Versioned;
use crate::error::{CommitError, EntityRef};
use crate::outcome;
use crate::statement::Next;

/// Rows of one set that one kind of statement writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    /// Which kind of write.
    pub(crate) operation: Operation,
    /// The columns that an update writes.
    pub(super) columns: ColumnSet,
    /// The columns that its guard compares.
    pub(super) guard: ColumnSet,
    /// Which of the planned rows of that kind.
    pub(super) rows: Range<usize>,
}

impl Group {
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// What its statements are: rows are marked as deleted by an update.
    pub(crate) fn statement(&self) -> Operation {
        match self.operation {
            Operation::Delete if !self.columns.is_empty() => Operation::Update,
            operation => operation,
        }
    }

    /// Each row as a group of its own.
    pub(super) fn singles(&self) -> impl Iterator<Item = Self> + use<> {
        let Self {
            operation,
            columns,
            guard,
            ..
        } = *self;
        self.rows.clone().map(move |row| Self {
            operation,
            columns,
            guard,
            rows: row..row + 1,
        })
    }
}

/// A row that is updated.
pub(super) struct Planned<V> {
    pub(super) slot: u32,
    pub(super) columns: ColumnSet,
    pub(super) guard: ColumnSet,
    pub(super) next: Next<V>,
}

impl<V> Planned<V> {
    /// Rows of which this is the same are written together.
    pub(super) fn kind(&self) -> (bool, ColumnSet, ColumnSet) {
        (self.next.is_guarded(), self.columns, self.guard)
    }
}

/// A row that is inserted.
pub(super) struct PlannedInsert<V> {
    /// How many rows of the unit must be there before it.
    pub(super) level: u32,
    pub(super) slot: u32,
    pub(super) initial: Next<V>,
}

/// What a set has to write, and what is known of it while a commit runs.
pub(super) struct Work<T: Versioned> {
    pub(super) updates: Vec<Planned<T::Version>>,
    /// First those that are marked as deleted, then those that go.
    pub(super) deletes: Vec<u32>,
    /// How the first of the deletes are marked.
    pub(super) marks: Vec<Planned<T::Version>>,
    /// Rows as they get their mark of deletion, or lose it.
    pub(super) marked: HashMap<u32, T>,
    pub(super) inserts: Vec<PlannedInsert<T::Version>>,
    pub(super) checks: Vec<u32>,
    /// Keys of other types' rows in the same table.
    pub(super) locked_too: Vec<T::Key>,
    /// Rows that were made from other rows of this unit.
    pub(super) staged: HashMap<u32, T>,
    /// Inserted rows as the database has them.
    pub(super) landed: HashMap<u32, T>,
    /// Whether the inserted rows can be told apart.
    pub(super) apart: Apart,
    /// Updated rows as the database has them, where something is read back.
    pub(super) written: HashMap<u32, T>,
    /// Rows as they stand in the database, after a lost write.
    pub(super) current: HashMap<T::Key, T>,
    /// Rows that the database did not write when they were tried alone.
    pub(super) refused: HashSet<u32>,
    /// Rows that an earlier commit under the same idempotency key wrote.
    pub(super) recalled: Vec<rows::Row<T>>,
    /// The keys that it gave to rows which this one was to insert.
    pub(super) found_again: HashMap<u32, T::Key>,
}

impl<T: Versioned> Default for Work<T> {
    fn default() -> Self {
        Self {
            updates: Vec::new(),
            deletes: Vec::new(),
            marks: Vec::new(),
            marked: HashMap::new(),
            inserts: Vec::new(),
            apart: Apart::Yes,
            checks: Vec::new(),
            locked_too: Vec::new(),
            staged: HashMap::new(),
            landed: HashMap::new(),
            written: HashMap::new(),
            current: HashMap::new(),
            refused: HashSet::new(),
            recalled: Vec::new(),
            found_again: HashMap::new(),
        }
    }
}

impl<T: Versioned> Set<T> {
    pub(super) fn key_of(&self, slot: u32) -> Option<T::Key> {
        Some(self.slots.get(slot)?.mine.as_ref()?.key())
    }

    /// The keys of the existing rows that are written, as text.
    pub(super) fn written_keys(&self) -> HashSet<String> {
        let updates = self.work.updates.iter().map(|planned| planned.slot);
        updates
            .chain(self.work.deletes.iter().copied())
            .filter_map(|slot| Some(format!("{:?}", self.key_of(slot)?)))
            .collect()
    }

    /// The entity that an insert writes, or a child may look at.
    pub(super) fn value(&self, slot: u32) -> Option<&T> {
        self.work
            .landed
            .get(&slot)
            .or_else(|| self.work.staged.get(&slot))
            .or_else(|| self.slots.get(slot)?.get())
    }

    fn slot_of(&self, group: &Group, row: usize) -> Option<u32> {
        match group.operation {
            Operation::Delete => self.work.deletes.get(row).copied(),
            Operation::Update => self.work.updates.get(row).map(|planned| planned.slot),
            Operation::Insert { .. } => self.work.inserts.get(row).map(|insert| insert.slot),
        }
    }

    pub(super) fn slots_of(&self, group: &Group) -> impl Iterator<Item = u32> {
        group
            .rows
            .clone()
            .filter_map(|row| self.slot_of(group, row))
    }

    /// Whether what was read back after an update is as it must be.
    pub(super) fn judge_read_back(&self, group: &Group) -> Result<(), CommitError> {
        let is_insert = matches!(group.operation, Operation::Insert { .. });
        if is_insert && T::READS_BACK_INSERT {
            let mut slots = self.slots_of(group);
            let lost = slots.find(|slot| !self.work.landed.contains_key(slot));
            let lost = lost.map(|slot| Self::not_read_back(self.sent(slot)));
            return lost.map_or(Ok(()), Err);
        }
        if !T::READS_BACK_UPDATE {
            return Ok(());
        }
        for planned in self.planned(group) {
            let slot = planned.slot;
            let mine = self.slots.get(slot).and_then(|slot| slot.mine.as_ref());
            match (mine, self.work.written.get(&slot)) {
                (Some(mine), Some(row)) => outcome::moved(mine, row, planned.next.is_guarded())?,
                (mine, _) => return Err(Self::not_read_back(mine)),
            }
        }
        Ok(())
    }

    /// A row was written, and what the database made of it is not known.
    fn not_read_back(mine: Option<&T>) -> CommitError {
        CommitError::Database {
            source: outcome::not_read_back::<T>(),
            entity: Some(EntityRef {
                table: T::TABLE,
                key: mine.map(|mine| format!("{:?}", mine.key())),
            }),
        }
    }

    /// The rows of a group that updates or marks them.
    pub(super) fn planned(&self, group: &Group) -> &[Planned<T::Version>] {
        let planned = match (group.operation, group.statement()) {
            (Operation::Delete, Operation::Update) => &*self.work.marks,
            (_, Operation::Update) => &*self.work.updates,
            _ => &[],
        };
        planned.get(group.rows.clone()).unwrap_or_default()
    }

    /// The keys of the rows of a group.
    pub(crate) fn keys_of(&self, group: &Group) -> Vec<T::Key> {
        let slots = self.slots_of(group);
        slots.filter_map(|slot| self.key_of(slot)).collect()
    }

    /// Takes updated rows as the database has them, each by its key.
    pub(crate) fn take_read_back(&mut self, group: &Group, rows: Vec<(T::Key, T)>) {
        let slots: HashMap<T::Key, u32> = self
            .slots_of(group)
            .filter_map(|slot| Some((self.key_of(slot)?, slot)))
            .collect();
        for (key, row) in rows {
            if let Some(&slot) = slots.get(&key) {
                self.work.written.insert(slot, row);
            }
        }
    }

    /// The key, as text, where a group is about one row that has one.
    pub(super) fn only_key(&self, group: &Group) -> Option<String> {
        let mut slots = self.slots_of(group);
        let (Some(slot), None) = (slots.next(), slots.next()) else {
            return None;
        };
        let generated =
            matches!(group.operation, Operation::Insert { .. }) && T::key_is_generated();
        match self.value(slot) {
            Some(value) if !generated => Some(format!("{:?}", value.key())),
            _ => None,
        }
    }

    /// The keys of the rows to lock before the first write, ascending: of those that are checked,
    /// or of all that are there already.
    pub(crate) fn keys_to_lock(&self, only_checks: bool) -> Vec<T::Key> {
        let slots = self.existing(only_checks);
        let mut keys: Vec<T::Key> = slots.filter_map(|slot| self.key_of(slot)).collect();
        keys.extend_from_slice(&self.work.locked_too);
        keys.sort();
        // A row can be checked and written unguarded, or be known to another type.
        keys.dedup();
        keys
    }

    /// The rows that are there already: those that are checked, or all that are checked or written.
    /// One that is written unguarded may be checked too, and is then named twice.
    pub(super) fn existing(&self, only_checks: bool) -> impl Iterator<Item = u32> {
        let work = &self.work;
        let (deletes, updates) = if only_checks {
            (&[][..], &[][..])
        } else {
            (&work.deletes[..], &work.updates[..])
        };
        work.checks
            .iter()
            .chain(deletes)
            .copied()
            .chain(updates.iter().map(|planned| planned.slot))
    }

    /// Of rows that were read under a lock: how many of those that must not have moved have not.
    pub(crate) fn unmoved(&self, rows: &[(T::Key, T)]) -> usize {
        rows.iter()
            .filter(|(key, row)| match self.find_check(key) {
                Some(slot) => slot.is_still(row),
                None => false,
            })
            .count()
    }

    fn find_check(&self, key: &T::Key) -> Option<&Slot<T>> {
        let slot = *self.by_key.get(key)?;
        let slot = self.slots.get(slot)?;
        match slot.need() {
            Need::Check | Need::Unguarded { check: true, .. } => Some(slot),
            _ => None,
        }
    }
}
