//! One set of a unit under an idempotency key: its rows as they are asked for and recorded, and as
//! they are found again.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::mem;

use super::committed::Operation;
use super::rows::{Row, Rows};
use super::set::Set;
use super::slot::State;
use super::work::Work;
use crate::entity::Versioned;
use crate::outcome::Wanted;
use crate::replay::{RecordedChange, digest};
use crate::soft_delete::mark_columns;
use crate::version::VersionValue;

impl<T: Versioned> Set<T> {
    /// Says what is to be written, field by field.
    pub(super) fn describe(&self, say: &mut dyn FnMut(&str)) {
        let work = &self.work;
        let purges = |slot| self.slots.get(slot).is_some_and(|slot| slot.purge);
        let deletes = work.deletes.iter().map(|&slot| {
            let what = if purges(slot) { "purge" } else { "delete" };
            (slot, what, None)
        });
        let checks = work.checks.iter().map(|&slot| (slot, "check", None));
        let updates = work.updates.iter();
        let updates = updates.map(|planned| {
            let mark = planned.columns.and(mark_columns::<T>());
            let what = if !mark.is_empty() {
                "restore"
            } else if planned.next.is_guarded() {
                "update"
            } else {
                "unguarded"
            };
            (planned.slot, what, Some(planned.columns.without(mark)))
        });
        for (slot, what, columns) in deletes.chain(checks).chain(updates) {
            let Some(entity) = self.value(slot) else {
                continue;
            };
            say(T::TABLE);
            say(what);
            say(&format!("{:?}", entity.key()));
            if what != "unguarded" {
                say(&entity.version().to_text());
            }
            for column in columns.iter().flat_map(|columns| columns.iter()) {
                say(T::column(column).name);
                say(&format!("{:?}", entity.column_value(column)));
            }
        }
        for insert in &work.inserts {
            say(T::TABLE);
            say("insert");
            self.describe_insert(insert.slot, say);
        }
    }

    /// Says what is to be inserted, as far as it is known before the unit runs: nothing of a row that
    /// is made from another one.
    fn describe_insert(&self, slot: u32, say: &mut dyn FnMut(&str)) {
        let Some(entity) = self.slots.get(slot).and_then(|slot| slot.mine.as_ref()) else {
            return;
        };
        // The initial version is written, and no mark of deletion, whatever the fields hold.
        let columns = T::INSERTABLE.without(mark_columns::<T>());
        for column in columns.without(T::VERSION_COLUMNS).iter() {
            say(T::column(column).name);
            say(&format!("{:?}", entity.column_value(column)));
        }
    }

    /// By what an inserted row is known again: what was to be inserted. There is nothing of one that is
    /// made from another row.
    fn made_of(&self, slot: u32) -> Option<String> {
        self.slots.get(slot)?.mine.as_ref()?;
        Some(digest(|say| self.describe_insert(slot, say)))
    }

    /// What was written, in the order in which it is told.
    pub(super) fn wrote(&self) -> Vec<RecordedChange> {
        let rows = Rows::of(self).rows;
        // Inserts are the last of them.
        let others = rows.len().saturating_sub(self.work.inserts.len());
        let inserts = self.work.inserts.iter();
        let made_of = inserts.map(|insert| self.made_of(insert.slot));
        rows.iter()
            .zip(std::iter::repeat_n(None, others).chain(made_of))
            .map(|(row, made_of)| RecordedChange {
                table: T::TABLE.to_owned(),
                operation: row.operation,
                key: format!("{:?}", row.key),
                old_version: row.old_version.as_ref().map(VersionValue::to_text),
                new_version: row.new_version.as_ref().map(VersionValue::to_text),
                made_of,
            })
            .collect()
    }

    /// Takes those of some recorded rows that are this unit's own, and plans to read the inserted ones
    /// again.
    pub(super) fn recall(&mut self, changes: &mut Vec<RecordedChange>) {
        let known: HashMap<String, T::Key> = self
            .slots
            .iter()
            .filter_map(|(_, slot)| slot.mine.as_ref())
            .map(|entity| (format!("{:?}", entity.key()), entity.key()))
            .collect();
        let mut inserts: HashMap<String, Vec<u32>> = HashMap::new();
        for insert in self.work.inserts.iter().rev() {
            if let Some(made_of) = self.made_of(insert.slot) {
                inserts.entry(made_of).or_default().push(insert.slot);
            }
        }
        let work = &mut self.work;
        changes.retain(|change| {
            if change.table != T::TABLE {
                return true;
            }
            let is_insert = change.operation == Operation::Insert;
            let key = known.get(&change.key).cloned();
            let key = match (&key, is_insert && T::key_is_generated()) {
                (Some(_), false) => key,
                (_, true) => T::key_from_text(&change.key),
                (None, false) => None,
            };
            let slot = change
                .made_of
                .as_ref()
                .and_then(|made_of| inserts.get_mut(made_of));
            let Some(row) = key.and_then(|key| typed::<T>(change, key)) else {
                return true;
            };
            // Rows that are inserted alike are any of them.
            let slot = slot.filter(|_| is_insert).and_then(Vec::pop);
            if is_insert && slot.is_none() {
                return true;
            }
            if let Some(slot) = slot {
                work.found_again.insert(slot, row.key.clone());
                work.locked_too.push(row.key.clone());
            }
            work.recalled.push(row);
            false
        });
    }

    /// Takes recorded rows of this type that are no entity's of this unit, as far as their texts can be
    /// read.
    pub(super) fn recall_others(&mut self, changes: &mut Vec<RecordedChange>) {
        changes.retain(|change| {
            let key = T::key_from_text(&change.key).filter(|_| change.table == T::TABLE);
            match key.and_then(|key| typed::<T>(change, key)) {
                Some(row) => {
                    self.work.recalled.push(row);
                    false
                }
                None => true,
            }
        });
    }

    /// The recorded rows of this type.
    pub(super) fn recalled(&mut self) -> Rows<T> {
        Rows::recorded(mem::take(&mut self.work.recalled), Vec::new())
    }

    /// Takes the rows that this commit was to write as they stand in the database, and hands the
    /// recorded ones out.
    pub(super) fn refresh(&mut self, keep_old: bool) -> Rows<T> {
        let overwrites = mem::take(&mut self.overwrites);
        // A row may be both checked and written.
        let existing: BTreeSet<u32> = self.existing(false).collect();
        let Work {
            deletes,
            inserts,
            mut current,
            recalled,
            mut found_again,
            ..
        } = mem::take(&mut self.work);
        let deletes: HashSet<u32> = deletes.into_iter().collect();
        let inserts = inserts.into_iter().map(|insert| insert.slot);
        let mut old = Vec::new();
        for index in existing.into_iter().chain(inserts) {
            let Some(slot) = self.slots.get_mut(index) else {
                continue;
            };
            if keep_old {
                old.push((index, slot.clone()));
            }
            let was = slot.mine.as_ref().map(T::key);
            let key = match slot.state {
                State::New => found_again.remove(&index),
                _ => was.clone().filter(|_| !deletes.contains(&index)),
            };
            // One that was deleted when it was read, and is not restored, may be so still.
            let may_be_deleted = slot.wanted() == Wanted::StillDeleted;
            let found = key.and_then(|key| Some((current.remove(&key)?, key)));
            match found.filter(|(row, _)| may_be_deleted || !row.is_deleted()) {
                Some((row, key)) => {
                    slot.mine = Some(row);
                    slot.clean();
                    self.by_key.insert(key, index);
                }
                None => {
                    slot.state = State::Gone;
                    slot.base = None;
                    slot.mine = None;
                    if let Some(key) = was {
                        self.release(&key, index);
                    }
                }
            }
        }
        Rows::recorded(recalled, old).with_overwrites(overwrites)
    }
}

/// A recorded row by the types of the entity, as far as the texts can be read.
fn typed<T: Versioned>(change: &RecordedChange, key: T::Key) -> Option<Row<T>> {
    let version = |text: &Option<String>| match text {
        Some(text) => T::Version::from_text(text).map(Some),
        None => Some(None),
    };
    Some(Row {
        key,
        operation: change.operation,
        old_version: version(&change.old_version)?,
        new_version: version(&change.new_version)?,
    })
}
