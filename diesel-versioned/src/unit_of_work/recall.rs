//! One set of a unit under an idempotency key: its rows as they are asked for and recorded, and as
//! they are found again.

use std::collections::HashMap;
use std::mem;

use super::committed::Operation;
use super::rows::{Row, Rows};
use super::set::Set;
use super::slot::State;
use super::work::Work;
use crate::entity::Versioned;
use crate::replay::RecordedChange;
use crate::version::VersionValue;

impl<T: Versioned> Set<T> {
    /// Says what is to be written, field by field.
    pub(super) fn describe(&self, say: &mut dyn FnMut(&str)) {
        let work = &self.work;
        let deletes = work.deletes.iter().map(|&slot| (slot, "delete", None));
        let checks = work.checks.iter().map(|&slot| (slot, "check", None));
        let updates = work.updates.iter();
        let updates = updates.map(|planned| {
            let what = if planned.next.is_guarded() {
                "update"
            } else {
                "unguarded"
            };
            (planned.slot, what, Some(planned.columns))
        });
        let inserts = work.inserts.iter();
        let inserts = inserts.map(|insert| (insert.slot, "insert", Some(T::INSERTABLE)));
        for (slot, what, columns) in deletes.chain(checks).chain(updates).chain(inserts) {
            let Some(entity) = self.value(slot) else {
                continue;
            };
            say(T::TABLE);
            say(what);
            if what != "insert" {
                say(&format!("{:?}", entity.key()));
            }
            if !matches!(what, "insert" | "unguarded") {
                say(&entity.version().to_text());
            }
            for column in columns.iter().flat_map(|columns| columns.iter()) {
                // An insert writes the initial version, whatever the field holds.
                if column != T::VERSION_COLUMN {
                    say(T::column(column).name);
                    say(&format!("{:?}", entity.column_value(column)));
                }
            }
        }
    }

    /// What was written, in the order in which it is told.
    pub(super) fn wrote(&self) -> Vec<RecordedChange> {
        Rows::of(self)
            .rows
            .iter()
            .map(|row| RecordedChange {
                table: T::TABLE.to_owned(),
                operation: row.operation,
                key: format!("{:?}", row.key),
                old_version: row.old_version.as_ref().map(VersionValue::to_text),
                new_version: row.new_version.as_ref().map(VersionValue::to_text),
            })
            .collect()
    }

    /// Takes those of some recorded rows that are of this type, and plans to read them again.
    pub(super) fn recall(&mut self, changes: &mut Vec<RecordedChange>) {
        let known: HashMap<String, T::Key> = self
            .slots
            .iter()
            .filter_map(|(slot, _)| self.value(slot))
            .map(|entity| (format!("{:?}", entity.key()), entity.key()))
            .collect();
        let mut recalled = Vec::new();
        changes.retain(|change| match row(change, &known) {
            Some(row) if change.table == T::TABLE => {
                recalled.push(row);
                false
            }
            _ => true,
        });
        self.work.recalled = recalled;
        let inserted: Vec<T::Key> = self.inserted_slots().into_values().flatten().collect();
        self.work.locked_too.extend(inserted);
    }

    /// The recorded rows of this type.
    pub(super) fn recalled(&mut self) -> Rows<T> {
        Rows::recorded(mem::take(&mut self.work.recalled))
    }

    /// Takes the rows that this commit was to write as they stand in the database, and hands the
    /// recorded ones out.
    pub(super) fn refresh(&mut self) -> Rows<T> {
        self.overwrites.clear();
        let inserted = self.inserted_slots();
        let planned = self.planned_slots();
        let Work {
            deletes,
            mut current,
            recalled,
            ..
        } = mem::take(&mut self.work);
        for index in planned {
            let Some(slot) = self.slots.get_mut(index) else {
                continue;
            };
            let was = slot.mine.as_ref().map(T::key);
            let key = match inserted.get(&index) {
                Some(key) => key.clone(),
                None => was.clone(),
            };
            let row = key.as_ref().and_then(|key| current.remove(key));
            match row {
                Some(row) if !deletes.contains(&index) => {
                    slot.mine = Some(row);
                    slot.clean();
                    if let Some(key) = key {
                        self.by_key.insert(key, index);
                    }
                }
                _ => {
                    slot.state = State::Gone;
                    slot.base = None;
                    slot.mine = None;
                    if let Some(key) = was {
                        self.release(&key, index);
                    }
                }
            }
        }
        Rows::recorded(recalled)
    }

    fn planned_slots(&self) -> Vec<u32> {
        let inserts = self.work.inserts.iter().map(|insert| insert.slot);
        self.existing(false).chain(inserts).collect()
    }

    /// The keys that the rows to be inserted were inserted by; those that the database made are
    /// known if as many rows were inserted as are to be.
    fn inserted_slots(&self) -> HashMap<u32, Option<T::Key>> {
        let slots = self.work.inserts.iter().map(|insert| insert.slot);
        if !T::key_is_generated() {
            return slots
                .map(|slot| (slot, self.value(slot).map(T::key)))
                .collect();
        }
        let inserted = |row: &&Row<T>| row.operation == Operation::Insert;
        let recalled = self.work.recalled.iter().filter(inserted);
        let complete = recalled.clone().count() == self.work.inserts.len();
        let mut keys = recalled.map(|row| row.key.clone());
        slots
            .map(|slot| (slot, keys.next().filter(|_| complete)))
            .collect()
    }
}

/// A recorded row by the types of the entity, as far as the texts can be read.
fn row<T: Versioned>(change: &RecordedChange, known: &HashMap<String, T::Key>) -> Option<Row<T>> {
    let key = known.get(&change.key).cloned();
    let version = |text: &Option<String>| match text {
        Some(text) => T::Version::from_text(text).map(Some),
        None => Some(None),
    };
    Some(Row {
        key: key.or_else(|| T::key_from_text(&change.key))?,
        operation: change.operation,
        old_version: version(&change.old_version)?,
        new_version: version(&change.new_version)?,
    })
}
