//! What a commit does to the rows of one entity type in memory, and how that is taken back.

use std::any::Any;
use std::collections::HashMap;

use super::committed::{CommittedChange, Operation};
use super::core::Core;
use super::overwrite::Intent;
use super::set::Set;
use super::slot::{Slot, State};
use super::work::{Planned, Work};
use crate::entity::Versioned;
use crate::guard::Check;
use crate::outcome;
use crate::statement::Next;
use crate::version::VersionValue;

/// The rows of one entity type that a commit wrote.
pub(crate) trait CommittedRows: Any + Send + Sync {
    fn len(&self) -> usize;
    fn change(&self, index: usize) -> Option<CommittedChange>;
    fn undo(self: Box<Self>, set: &mut dyn Core);
}

/// One row that was written.
pub(super) struct Row<T: Versioned> {
    pub(super) key: T::Key,
    pub(super) operation: Operation,
    pub(super) old_version: Option<T::Version>,
    pub(super) new_version: Option<T::Version>,
}

/// The rows of one entity type that a commit wrote, and what they were before.
pub(super) struct Rows<T: Versioned> {
    pub(super) rows: Vec<Row<T>>,
    old: Vec<(u32, Slot<T>)>,
    overwrites: HashMap<u32, Intent>,
    /// The rows that were marked as deleted, as they stand there now.
    pub(super) marked: HashMap<u32, T>,
}

impl<T: Versioned> Rows<T> {
    /// The rows that a set has written: deletes, updates, inserts.
    pub(super) fn of(set: &Set<T>) -> Self {
        let work = &set.work;
        let deletes = work.deletes.iter().skip(work.marks.len());
        let deletes = deletes.filter_map(|&slot| {
            let slot = set.slots.get(slot)?;
            let mine = slot.mine.as_ref()?;
            Some(Row {
                key: mine.key(),
                operation: if slot.purge {
                    Operation::Purge
                } else {
                    Operation::Delete
                },
                old_version: version_of(mine),
                new_version: None,
            })
        });
        let marks = work.marks.iter().filter_map(|planned| {
            let mine = set.slots.get(planned.slot)?.mine.as_ref()?;
            Some(Row {
                key: mine.key(),
                operation: Operation::Delete,
                old_version: version_of(mine),
                new_version: set.new_version(planned),
            })
        });
        let updates = work.updates.iter().filter_map(|planned| {
            let slot = set.slots.get(planned.slot)?;
            let mine = slot.mine.as_ref()?;
            Some(Row {
                key: mine.key(),
                operation: if slot.restore {
                    Operation::Restore
                } else if planned.columns.is_empty() {
                    Operation::Touch
                } else {
                    Operation::Update
                },
                old_version: version_of(mine),
                new_version: set.new_version(planned),
            })
        });
        let inserts = work.inserts.iter().filter_map(|insert| {
            let landed = work.landed.get(&insert.slot);
            Some(Row {
                key: set.value(insert.slot)?.key(),
                operation: Operation::Insert,
                old_version: None,
                new_version: match landed {
                    Some(row) => version_of(row),
                    None => insert.initial.clone().made(),
                },
            })
        });
        let existing = marks.chain(deletes).chain(updates);
        Self::recorded(existing.chain(inserts).collect(), Vec::new())
    }

    /// These rows, and what slots were before.
    pub(super) fn recorded(rows: Vec<Row<T>>, old: Vec<(u32, Slot<T>)>) -> Self {
        Self {
            rows,
            old,
            overwrites: HashMap::new(),
            marked: HashMap::new(),
        }
    }

    /// The same, and what was overwritten on purpose.
    pub(super) fn with_overwrites(mut self, overwrites: HashMap<u32, Intent>) -> Self {
        self.overwrites = overwrites;
        self
    }

    /// Brings the slots of a set to what is now in the database.
    pub(super) fn apply(set: &mut Set<T>, keep_old: bool) -> Self {
        let Self { rows, mut old, .. } = Self::of(set);
        let Work {
            updates,
            deletes,
            inserts,
            checks,
            marks,
            marked: mut remarked,
            mut staged,
            mut landed,
            mut written,
            ..
        } = std::mem::take(&mut set.work);
        let marked = marks.into_iter().filter_map(|planned| {
            let mut row = remarked.remove(&planned.slot)?;
            let there = written.remove(&planned.slot);
            outcome::take_marked(&mut row, planned.next, there.as_ref());
            Some((planned.slot, row))
        });
        let marked = marked.collect();
        let mut keep = |index: u32, slot: &Slot<T>| {
            if keep_old {
                old.push((index, slot.clone()));
            }
        };
        for index in deletes {
            let Some(slot) = set.slots.get_mut(index) else {
                continue;
            };
            keep(index, slot);
            slot.state = State::Gone;
            slot.base = None;
            let Some(mine) = slot.mine.take() else {
                continue;
            };
            set.release(&mine.key(), index);
        }
        for planned in updates {
            let Some(slot) = set.slots.get_mut(planned.slot) else {
                continue;
            };
            keep(planned.slot, slot);
            slot.clean();
            if let Some(mine) = &mut slot.mine {
                let row = written.remove(&planned.slot);
                outcome::take_written(mine, planned.next, row.as_ref());
            }
        }
        for insert in inserts {
            let index = insert.slot;
            let Some(slot) = set.slots.get_mut(index) else {
                continue;
            };
            keep(index, slot);
            slot.clean();
            match (landed.remove(&index), staged.remove(&index)) {
                (Some(mut row), staged) => {
                    // The same key may be spelled in another way there.
                    if let (false, Some(sent)) = (
                        T::key_is_generated(),
                        staged.as_ref().or(slot.mine.as_ref()),
                    ) {
                        row.copy_key(sent);
                    }
                    slot.mine = Some(row);
                }
                (None, staged) => {
                    if let Some(staged) = staged {
                        slot.mine = Some(staged);
                    }
                    if let Some(mine) = &mut slot.mine {
                        outcome::take_written(mine, insert.initial, None);
                    }
                }
            }
            let Some(mine) = &slot.mine else { continue };
            set.by_key.insert(mine.key(), index);
        }
        for index in checks {
            let Some(slot) = set.slots.get_mut(index) else {
                continue;
            };
            keep(index, slot);
            slot.clean();
        }
        let overwrites = std::mem::take(&mut set.overwrites);
        Self {
            rows,
            old,
            overwrites,
            marked,
        }
    }
}

/// The version of a row, where it has one.
fn version_of<T: Versioned>(row: &T) -> Option<T::Version> {
    (T::CHECK == Check::Version).then(|| row.version())
}

impl<T: Versioned> Set<T> {
    /// The version that a row which was updated or marked is at now.
    fn new_version(&self, planned: &Planned<T::Version>) -> Option<T::Version> {
        match &planned.next {
            Next::Is(next) => Some(next.clone()),
            Next::Nothing | Next::Unguarded => {
                version_of(self.slots.get(planned.slot)?.mine.as_ref()?)
            }
            Next::ByDatabase => {
                let row = self.work.written.get(&planned.slot);
                row.and_then(version_of)
            }
        }
    }
}

impl<T: Versioned> CommittedRows for Rows<T> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn change(&self, index: usize) -> Option<CommittedChange> {
        let row = self.rows.get(index)?;
        Some(CommittedChange {
            table: T::TABLE,
            key: format!("{:?}", row.key),
            operation: row.operation,
            old_version: row.old_version.as_ref().map(VersionValue::to_text),
            new_version: row.new_version.as_ref().map(VersionValue::to_text),
        })
    }

    fn undo(self: Box<Self>, set: &mut dyn Core) {
        let set: &mut dyn Any = set;
        let Some(set) = set.downcast_mut::<Set<T>>() else {
            return;
        };
        set.overwrites.extend(self.overwrites);
        // Keys that the commit made known go first, so that a row which it deleted finds its own.
        for (index, _) in &self.old {
            let key = set
                .slots
                .get(*index)
                .and_then(|slot| slot.mine.as_ref())
                .map(T::key);
            if let Some(key) = key {
                set.release(&key, *index);
            }
        }
        // Backwards: where a row was deleted and another one inserted under its key, the key stands
        // for the inserted one. One that was taken again since stays with whoever took it.
        for (index, mut old) in self.old.into_iter().rev() {
            let pending = old.state == State::New && T::key_is_generated();
            if let (Some(mine), false) = (&old.mine, pending) {
                let holder = *set.by_key.entry(mine.key()).or_insert(index);
                // The row joined the unit again since: it is not brought back beside itself.
                if holder != index && old.state != State::Deleted {
                    old = Slot::new(None, State::Gone);
                }
            }
            // That is found out anew by each commit.
            old.touched = false;
            if let Some(slot) = set.slots.get_mut(index) {
                *slot = old;
            }
        }
    }
}
