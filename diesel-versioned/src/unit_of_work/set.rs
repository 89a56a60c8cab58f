//! The tracked rows of one entity type.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::overwrite::Intent;
use super::slot::{Need, Slot, Slots, State};
use super::work::Work;
use crate::entity::Versioned;
use crate::error::TrackError;

/// The tracked rows of one entity type, and what is known of them while a commit runs.
pub struct Set<T: Versioned> {
    pub(super) slots: Slots<T>,
    pub(super) by_key: HashMap<T::Key, u32>,
    /// How many keys of deleted rows were taken by new ones, ever.
    pub(super) keys_taken: usize,
    /// Whose rows are overwritten on purpose.
    pub(super) overwrites: HashMap<u32, Intent>,
    /// Which rows are written because a child is.
    pub(super) touched: Vec<u32>,
    pub(super) work: Work<T>,
}

impl<T: Versioned> Set<T> {
    pub(super) fn new() -> Self {
        Self {
            slots: Slots::new(),
            by_key: HashMap::new(),
            keys_taken: 0,
            overwrites: HashMap::new(),
            touched: Vec::new(),
            work: Work::default(),
        }
    }

    /// Takes an entity in.
    pub(super) fn add(&mut self, entity: T, state: State) -> Result<u32, TrackError> {
        let slot = self.next_slot()?;
        if !(state == State::New && T::key_is_generated()) {
            let key = entity.key();
            match self.by_key.entry(key) {
                Entry::Vacant(vacant) => {
                    vacant.insert(slot);
                }
                // A row that this unit deletes may come again under the same key, unless it stays
                // there with a mark of deletion.
                Entry::Occupied(mut occupied)
                    if state == State::New
                        && self.slots.get(*occupied.get()).is_some_and(Slot::goes) =>
                {
                    occupied.insert(slot);
                    self.keys_taken += 1;
                }
                Entry::Occupied(occupied) => {
                    return Err(TrackError::AlreadyTracked {
                        table: T::TABLE,
                        key: format!("{:?}", occupied.key()),
                    });
                }
            }
        }
        self.slots.push(Slot::new(Some(entity), state));
        Ok(slot)
    }

    /// Takes all of some entities in, or none.
    pub(super) fn add_all(
        &mut self,
        entities: impl IntoIterator<Item = T>,
        state: State,
    ) -> Result<Vec<u32>, TrackError> {
        let before = self.slots.len();
        let entities = entities.into_iter();
        self.by_key.reserve(entities.size_hint().0);
        let mut slots = Vec::with_capacity(entities.size_hint().0);
        for entity in entities {
            match self.add(entity, state) {
                Ok(slot) => slots.push(slot),
                Err(error) => {
                    let first = before as u64;
                    self.by_key.retain(|_, slot| u64::from(*slot) < first);
                    self.slots.truncate(before);
                    return Err(error);
                }
            }
        }
        Ok(slots)
    }

    /// Takes in a row that is made from another one when the unit runs.
    pub(super) fn add_pending(&mut self) -> Result<u32, TrackError> {
        let slot = self.next_slot()?;
        self.slots.push(Slot::new(None, State::New));
        Ok(slot)
    }

    fn next_slot(&self) -> Result<u32, TrackError> {
        u32::try_from(self.slots.len()).map_err(|_| TrackError::Full { table: T::TABLE })
    }

    /// The slot that stands for a key, unless it is deleted.
    pub(super) fn find(&self, key: &T::Key) -> Tracked {
        match self.by_key.get(key) {
            None => Tracked::No,
            Some(&slot) => match self.slots.get(slot).map(|slot| slot.state) {
                Some(State::Deleted) => Tracked::Deleted,
                _ if self.slots.get(slot).is_some_and(Slot::is_marked) => Tracked::Marked(slot),
                _ => Tracked::As(slot),
            },
        }
    }

    /// Marks a row for deletion. A row that is not there yet is forgotten instead.
    pub(super) fn delete(&mut self, slot: u32) {
        match self.slots.get(slot).map(|slot| slot.state) {
            Some(State::New) => self.forget(slot),
            Some(State::Loaded | State::Whole) => {
                if let Some(slot) = self.slots.get_mut(slot) {
                    slot.state = State::Deleted;
                    slot.restore = false;
                }
            }
            Some(State::Deleted | State::Gone) | None => {}
        }
    }

    /// Lets a row lose its mark of deletion; `false` if another one is inserted in its place. One
    /// that this unit was to delete, and that is not marked, is not deleted.
    pub(super) fn restore(&mut self, slot: u32) -> bool {
        if self.replacement(slot).is_some() {
            return false;
        }
        let Some(slot) = self.slots.get_mut(slot) else {
            return true;
        };
        match slot.state {
            State::Loaded | State::Whole => slot.restore = true,
            State::Deleted => {
                slot.state = if slot.read {
                    State::Loaded
                } else {
                    State::Whole
                };
                slot.purge = false;
                let copy = slot.base.as_ref().or(slot.mine.as_ref());
                slot.restore = copy.is_some_and(T::is_deleted);
            }
            State::New | State::Gone => {}
        }
        true
    }

    /// Takes an entity out of the unit.
    pub(super) fn forget(&mut self, slot: u32) {
        let Some(gone) = self.slots.get_mut(slot) else {
            return;
        };
        self.overwrites.remove(&slot);
        let was = std::mem::replace(&mut gone.state, State::Gone);
        // The key that it joined by, whatever has become of the field since.
        let loaded = gone.base.take();
        let mine = gone.mine.take();
        let Some(key) = loaded.or(mine).map(|entity| entity.key()) else {
            return;
        };
        self.release(&key, slot);
        if was == State::New && self.keys_taken > 0 {
            self.give_back_key(&key);
        }
    }

    /// A deleted row whose key was taken by an insert that is forgotten holds its key again.
    fn give_back_key(&mut self, key: &T::Key) {
        let deleted = self.slots.iter().find(|(_, slot)| {
            slot.state == State::Deleted
                && slot.mine.as_ref().is_some_and(|mine| mine.key() == *key)
        });
        if let Some((slot, _)) = deleted {
            self.by_key.entry(key.clone()).or_insert(slot);
        }
    }

    /// The row that is inserted in the place of a deleted one.
    pub(super) fn replacement(&self, slot: u32) -> Option<u32> {
        let deleted = self.slots.get(slot)?;
        let key = deleted.loaded().or(deleted.mine.as_ref())?.key();
        let &new = self.by_key.get(&key)?;
        (deleted.state == State::Deleted && new != slot).then_some(new)
    }

    /// Frees a key if it stands for this slot.
    pub(super) fn release(&mut self, key: &T::Key, slot: u32) {
        if self.by_key.get(key) == Some(&slot) {
            self.by_key.remove(key);
        }
    }

    pub(super) fn is_dirty(&self, slot: u32) -> bool {
        self.slots
            .get(slot)
            .is_some_and(|slot| !matches!(slot.need(), Need::Nothing | Need::Check))
    }
}

/// What a unit knows of a key.
pub(super) enum Tracked {
    No,
    As(u32),
    /// Its copy is marked as deleted, and not restored.
    Marked(u32),
    Deleted,
}
