//! What a set has to write, and what is known of it while a commit runs. Entities are not touched.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use diesel::result::Error;

use super::handle::UnitId;
use super::order::Operation;
use super::set::Set;
use super::slot::{Need, Slot, State};
use crate::backend::Dialect;
use crate::columns::ColumnSet;
use crate::conflict::{Conflict, ConflictKind};
use crate::conflicts::AnyConflict;
use crate::entity::Versioned;
use crate::error::CommitError;
use crate::outcome::classify;
use crate::statement::{Delete, Entity, Insert, Row, UpdateMany, chunks, padded_chunks};
use crate::version::VersionValue;

/// Rows of one set that one kind of statement writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    /// Which kind of write.
    pub(crate) operation: Operation,
    /// The columns that an update writes.
    pub(super) columns: ColumnSet,
    /// Which of the planned rows of that kind.
    pub(super) rows: Range<usize>,
}

impl Group {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Each row as a group of its own.
    pub(super) fn singles(&self) -> impl Iterator<Item = Self> + use<> {
        let (operation, columns) = (self.operation, self.columns);
        self.rows.clone().map(move |row| Self {
            operation,
            columns,
            rows: row..row + 1,
        })
    }
}

/// A row that is written under its guard.
pub(super) struct Planned<V> {
    pub(super) slot: u32,
    pub(super) columns: ColumnSet,
    pub(super) next: V,
}

/// What a set has to write, and what is known of it while a commit runs.
pub(super) struct Work<T: Versioned> {
    pub(super) updates: Vec<Planned<T::Version>>,
    pub(super) deletes: Vec<u32>,
    pub(super) inserts: Vec<(u32, u32)>,
    pub(super) checks: Vec<u32>,
    /// Keys of other types' rows in the same table.
    pub(super) locked_too: Vec<T::Key>,
    /// Rows that were made from other rows of this unit.
    pub(super) staged: HashMap<u32, T>,
    /// Inserted rows as the database has them.
    pub(super) landed: HashMap<u32, T>,
    /// Rows as they stand in the database, after a lost write.
    current: HashMap<T::Key, T>,
    /// Rows that the database did not write when they were tried alone.
    refused: HashSet<u32>,
}

impl<T: Versioned> Default for Work<T> {
    fn default() -> Self {
        Self {
            updates: Vec::new(),
            deletes: Vec::new(),
            inserts: Vec::new(),
            checks: Vec::new(),
            locked_too: Vec::new(),
            staged: HashMap::new(),
            landed: HashMap::new(),
            current: HashMap::new(),
            refused: HashSet::new(),
        }
    }
}

/// How the rows of an insert come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InsertMode {
    /// Not at all: the insert writes every column.
    Plain,
    /// By `RETURNING`.
    Returning,
    /// By a read of the keys, which the insert wrote.
    ReadByKey,
    /// One row at a time, by the key that the connection made last.
    OneByOne,
}

impl InsertMode {
    /// The way for an entity type on a backend.
    pub(crate) fn of<T: Entity<DB>, DB: Dialect>() -> Self {
        match (T::READS_BACK_INSERT, DB::RETURNING, T::key_is_generated()) {
            (false, _, _) => Self::Plain,
            (true, true, _) => Self::Returning,
            (true, false, false) => Self::ReadByKey,
            (true, false, true) => Self::OneByOne,
        }
    }
}

impl<T: Versioned> Set<T> {
    /// Looks at every slot and plans what has to be written; `levels` says which inserts need
    /// others first.
    pub(super) fn prepare(&mut self, levels: &HashMap<u32, u32>) -> Result<(), CommitError> {
        let mut work = Work::default();
        for (index, slot) in self.slots.iter() {
            let need = slot.need();
            if need != Need::Nothing {
                self.check_key(index, slot)?;
            }
            match need {
                Need::Nothing => {}
                Need::Check => work.checks.push(index),
                Need::Delete => work.deletes.push(index),
                Need::Insert => {
                    let level = levels.get(&index).copied().unwrap_or(0);
                    work.inserts.push((level, index));
                }
                Need::Update(columns) => {
                    let Some(mine) = &slot.mine else { continue };
                    let next =
                        mine.version()
                            .next()
                            .ok_or_else(|| CommitError::VersionExhausted {
                                table: T::TABLE,
                                key: format!("{:?}", mine.key()),
                                version: format!("{:?}", mine.version()),
                            })?;
                    work.updates.push(Planned {
                        slot: index,
                        columns,
                        next,
                    });
                }
            }
        }
        work.updates
            .sort_by_cached_key(|planned| (planned.columns, self.key_of(planned.slot)));
        work.deletes.sort_by_cached_key(|&slot| self.key_of(slot));
        work.checks.sort_by_cached_key(|&slot| self.key_of(slot));
        work.inserts.sort_by_key(|&(level, _)| level);
        self.work = work;
        Ok(())
    }

    /// An entity must still be the row that it was when it joined the unit.
    fn check_key(&self, index: u32, slot: &Slot<T>) -> Result<(), CommitError> {
        let Some(mine) = &slot.mine else {
            return Ok(());
        };
        let same = match (&slot.base, slot.state) {
            (Some(base), _) => base.key() == mine.key(),
            (None, State::New) if T::key_is_generated() => true,
            (None, State::New | State::Whole) => self.by_key.get(&mine.key()) == Some(&index),
            (None, _) => true,
        };
        if same {
            Ok(())
        } else {
            Err(CommitError::Invalid {
                table: T::TABLE,
                key: format!("{:?}", mine.key()),
                problem: "the key was changed after the entity joined the unit; \
                          delete the old row and insert the new one",
            })
        }
    }

    fn key_of(&self, slot: u32) -> Option<T::Key> {
        Some(self.slots.get(slot)?.mine.as_ref()?.key())
    }

    /// The planned rows, by kind.
    pub(super) fn groups(&self) -> Vec<Group> {
        let mut groups = Vec::new();
        let mut cut = |operation, columns, rows: Range<usize>| {
            if !rows.is_empty() {
                groups.push(Group {
                    operation,
                    columns,
                    rows,
                });
            }
        };
        cut(
            Operation::Delete,
            ColumnSet::EMPTY,
            0..self.work.deletes.len(),
        );
        let mut start = 0;
        for run in self.work.updates.chunk_by(|a, b| a.columns == b.columns) {
            cut(Operation::Update, run[0].columns, start..start + run.len());
            start += run.len();
        }
        let mut start = 0;
        for run in self.work.inserts.chunk_by(|a, b| a.0 == b.0) {
            let operation = Operation::Insert { level: run[0].0 };
            cut(operation, ColumnSet::EMPTY, start..start + run.len());
            start += run.len();
        }
        groups
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
            Operation::Insert { .. } => self.work.inserts.get(row).map(|&(_, slot)| slot),
        }
    }

    fn slots_of(&self, group: &Group) -> impl Iterator<Item = u32> {
        group
            .rows
            .clone()
            .filter_map(|row| self.slot_of(group, row))
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

    /// The statements of a group of updates.
    pub(crate) fn update_statements<'a, DB: Dialect>(
        &'a self,
        group: &Group,
    ) -> impl Iterator<Item = UpdateMany<'a, T, DB>>
    where
        T: Entity<DB>,
    {
        let columns = group.columns;
        let planned = self
            .work
            .updates
            .get(group.rows.clone())
            .unwrap_or_default();
        let binds = UpdateMany::<T, DB>::binds_per_row(columns);
        padded_chunks(planned, DB::UPDATE_ROWS, binds, DB::MAX_BINDS).map(move |(chunk, size)| {
            let rows = chunk.iter().filter_map(|planned| {
                let mine = self.slots.get(planned.slot)?.mine.as_ref()?;
                Some(Row::new(mine, planned.next.clone()))
            });
            UpdateMany::new(rows.collect(), size, columns)
        })
    }

    /// The statements of a group of deletes.
    pub(crate) fn delete_statements<'a, DB: Dialect>(
        &'a self,
        group: &Group,
    ) -> impl Iterator<Item = Delete<'a, T, DB>>
    where
        T: Entity<DB>,
    {
        let slots = self
            .work
            .deletes
            .get(group.rows.clone())
            .unwrap_or_default();
        chunks(slots, DB::OTHER_ROWS, T::KEY_COUNT + 1, DB::MAX_BINDS).map(|chunk| {
            Delete::new(
                chunk
                    .iter()
                    .filter_map(|&slot| self.slots.get(slot)?.mine.as_ref()),
            )
        })
    }

    /// The rows of a group of inserts, in chunks of one statement each.
    pub(crate) fn insert_chunks<DB: Dialect>(&self, group: &Group) -> impl Iterator<Item = Vec<&T>>
    where
        T: Entity<DB>,
    {
        let inserts = self
            .work
            .inserts
            .get(group.rows.clone())
            .unwrap_or_default();
        let binds = Insert::<T, DB>::BINDS_PER_ROW;
        chunks(inserts, DB::OTHER_ROWS, binds, DB::MAX_BINDS).map(|chunk| {
            chunk
                .iter()
                .filter_map(|&(_, slot)| self.value(slot))
                .collect()
        })
    }

    /// Takes the rows of a group of inserts as the database has them.
    ///
    /// A key that the insert wrote finds its row; one that the database made is taken in the order
    /// of the rows of the statement, which is the order that each of the servers makes them in.
    pub(crate) fn land(&mut self, group: &Group, rows: Vec<T>) -> usize {
        let count = rows.len();
        let slots: Vec<u32> = self.slots_of(group).collect();
        if count != slots.len() {
            return count;
        }
        if T::key_is_generated() {
            self.work.landed.extend(slots.into_iter().zip(rows));
        } else {
            let slots: HashMap<T::Key, u32> = slots
                .into_iter()
                .filter_map(|slot| Some((self.value(slot)?.key(), slot)))
                .collect();
            for row in rows {
                if let Some(&slot) = slots.get(&row.key()) {
                    self.work.landed.insert(slot, row);
                }
            }
        }
        count
    }

    /// The keys of the rows that must be at their versions, ascending: those that are only
    /// checked, or all.
    pub(crate) fn guarded_keys(&self, only_checks: bool) -> Vec<T::Key> {
        let mut keys: Vec<T::Key> = self
            .guarded(only_checks)
            .filter_map(|slot| self.key_of(slot))
            .collect();
        keys.sort();
        keys
    }

    /// The keys of the rows to lock before the first write, ascending.
    pub(crate) fn keys_to_lock(&self, only_checks: bool) -> Vec<T::Key> {
        let mut keys = self.guarded_keys(only_checks);
        if !self.work.locked_too.is_empty() {
            keys.extend_from_slice(&self.work.locked_too);
            keys.sort();
            keys.dedup();
        }
        keys
    }

    fn guarded(&self, only_checks: bool) -> impl Iterator<Item = u32> {
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
    pub(crate) fn unmoved(&self, rows: &[T]) -> usize {
        rows.iter()
            .filter(|row| match self.find_check(&row.key()) {
                Some(mine) => mine.version() == row.version(),
                None => false,
            })
            .count()
    }

    fn find_check(&self, key: &T::Key) -> Option<&T> {
        let slot = *self.by_key.get(key)?;
        let slot = self.slots.get(slot)?;
        if slot.need() == Need::Check {
            slot.mine.as_ref()
        } else {
            None
        }
    }

    /// Takes the rows as they stand in the database after a lost write. Once rows were tried again,
    /// only those that were not written are still as others see them.
    pub(crate) fn see_current(&mut self, rows: Vec<T>) {
        let mut rows: HashMap<T::Key, T> = rows.into_iter().map(|row| (row.key(), row)).collect();
        if self.work.refused.is_empty() {
            self.work.current = rows;
            return;
        }
        for slot in &self.work.refused {
            let mine = self.slots.get(*slot).and_then(|slot| slot.mine.as_ref());
            let Some(key) = mine.map(T::key) else {
                continue;
            };
            match rows.remove(&key) {
                Some(row) => self.work.current.insert(key, row),
                None => self.work.current.remove(&key),
            };
        }
    }

    /// Notes that the database did not write a single row.
    pub(super) fn note_refused(&mut self, single: &Group) {
        let slots: Vec<u32> = self.slots_of(single).collect();
        self.work.refused.extend(slots);
    }

    /// How many rows of a group are at another version, or gone.
    pub(super) fn stale_in(&self, group: &Group) -> usize {
        match group.operation {
            Operation::Insert { .. } => 0,
            _ => self
                .slots_of(group)
                .filter(|&slot| self.verdict(slot) != Some(ConflictKind::Refused))
                .count(),
        }
    }

    fn verdict(&self, slot: u32) -> Option<ConflictKind> {
        let mine = self.slots.get(slot)?.mine.as_ref()?;
        let current = self.work.current.get(&mine.key());
        Some(classify::<T>(mine.version(), current))
    }

    /// The conflicts, by key: whatever is stale or gone, and what the database held back.
    pub(super) fn conflicts(
        &self,
        unit: UnitId,
        cause: Option<&Arc<Error>>,
    ) -> Vec<Box<dyn AnyConflict>> {
        let mut slots: Vec<u32> = self.guarded(false).collect();
        slots.sort_by_cached_key(|&slot| self.key_of(slot));
        let guarded = slots.into_iter().filter_map(|slot| {
            let kind = self.verdict(slot)?;
            let held_back = self.work.refused.contains(&slot);
            (kind != ConflictKind::Refused || held_back).then_some((slot, kind))
        });
        let inserts = self.work.inserts.iter().filter_map(|&(_, slot)| {
            let held_back = self.work.refused.contains(&slot);
            held_back.then_some((slot, ConflictKind::Refused))
        });
        guarded
            .chain(inserts)
            .filter_map(|(index, kind)| {
                let mine = self.value(index)?;
                let slot = self.slots.get(index)?;
                let is_new = slot.state == State::New;
                let conflict = Conflict {
                    kind,
                    key: mine.key(),
                    expected: if is_new {
                        T::initial_version()
                    } else {
                        mine.version().clone()
                    },
                    base: slot.loaded().cloned(),
                    mine: mine.clone(),
                    current: if is_new {
                        None
                    } else {
                        self.work.current.get(&mine.key()).cloned()
                    },
                    source: cause.cloned(),
                    place: Some((unit, index)),
                };
                Some(Box::new(conflict) as Box<dyn AnyConflict>)
            })
            .collect()
    }
}
