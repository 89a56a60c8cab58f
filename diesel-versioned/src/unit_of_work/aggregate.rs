//! Children that move the version of their parents on: `#[versioned(touches(…))]`.
//!
//! Before a commit is planned, every row that it writes names its parents, as it was loaded and as it
//! is now. Each of them must be in the unit, so that its version is known, and is written with it:
//! once, whatever else is written of it.

use std::any::{Any, TypeId};
use std::collections::HashSet;

use diesel::QueryResult;
use diesel::result::Error;

use super::set::Set;
use super::slot::{Need, State};
use super::{Link, SetCore, SetKind, UnitOfWork};
use crate::entity::{ParentKey, Versioned};
use crate::error::CommitError;

/// What has become of a parent's key.
pub(super) enum Parent {
    /// No entity of the unit has it.
    Unknown,
    /// It comes or goes with the unit: nobody has read what it will be, or its deletion is guarded.
    Settled,
    /// It is there, in this slot.
    There(u32),
}

/// Lets the parents of everything that is written be written too.
pub(super) fn touch_parents<S: SetCore + ?Sized>(
    sets: &mut [(TypeId, Box<S>)],
    links: &[Link],
) -> Result<(), CommitError> {
    for (_, set) in &mut *sets {
        set.core().forget_touches();
    }
    let touching = |index: &usize| sets[*index].1.core_ref().touches();
    let mut rest: Vec<(usize, u32)> = (0..sets.len())
        .filter(touching)
        .flat_map(|set| {
            let written = sets[set].1.core_ref().moved_slots().into_iter();
            written.map(move |slot| (set, slot))
        })
        .collect();
    while let Some((set, slot)) = rest.pop() {
        let mut parents = HashSet::new();
        for key in sets[set].1.core_ref().parents_of(slot)? {
            match parent(sets, &key) {
                (_, Parent::Unknown) => return Err(unknown(&key)),
                (_, Parent::Settled) => {}
                (parent, Parent::There(slot)) => {
                    parents.insert((parent, slot));
                }
            }
        }
        // What a row that is made from another one will say is not known yet; most say that one.
        for link in links
            .iter()
            .filter(|link| (link.child_set, link.child_slot) == (set, slot))
        {
            let (parent, slot) = (link.parent_set, link.parent_slot);
            let is_parent = sets[set]
                .1
                .core_ref()
                .touched_types()
                .contains(&sets[parent].0);
            if is_parent && sets[parent].1.core_ref().is_there(slot) {
                parents.insert((parent, slot));
            }
        }
        // A parent that is written because of this has parents itself.
        for (set, slot) in parents {
            if sets[set].1.core().touch_for_child(slot) && sets[set].1.core_ref().touches() {
                rest.push((set, slot));
            }
        }
    }
    Ok(())
}

/// Where the parent with a key is.
fn parent<S: SetCore + ?Sized>(sets: &[(TypeId, Box<S>)], key: &ParentKey) -> (usize, Parent) {
    let position = sets.iter().position(|(entity, _)| *entity == key.entity);
    match position {
        Some(set) => (set, sets[set].1.core_ref().parent(&*key.key)),
        None => (0, Parent::Unknown),
    }
}

fn unknown(key: &ParentKey) -> CommitError {
    CommitError::Invalid {
        table: key.table,
        key: key.text.clone(),
        problem: "a row that touches it is written, and the unit does not have it, so its version \
                  cannot be guarded; take it in before the commit, with `find` or `attach`",
    }
}

impl<C, V: SetCore + SetKind + ?Sized> UnitOfWork<C, V> {
    /// Whether the parents of a row that was made when the unit runs are written with it.
    pub(super) fn check_made(&self, link: &Link) -> QueryResult<()> {
        let core = self.sets[link.child_set].1.core_ref();
        if !core.touches() {
            return Ok(());
        }
        let invalid = |error: CommitError| Error::QueryBuilderError(Box::new(error));
        for key in core.parents_of(link.child_slot).map_err(invalid)? {
            let made_from = self.sets[link.parent_set].1.core_ref();
            let is_of = self.sets[link.parent_set].0 == key.entity;
            let known = is_of && made_from.has_key(link.parent_slot, &*key.key)
                || match parent(&self.sets, &key) {
                    (_, Parent::Unknown) => false,
                    (_, Parent::Settled) => true,
                    (set, Parent::There(slot)) => self.sets[set].1.core_ref().is_moved(slot),
                };
            if !known {
                return Err(invalid(unknown_of_made(&key)));
            }
        }
        Ok(())
    }
}

fn unknown_of_made(key: &ParentKey) -> CommitError {
    CommitError::Invalid {
        table: key.table,
        key: key.text.clone(),
        problem: "a row that is made when the unit runs touches it, and is made from another one; \
                  make it from this one, or let the unit `touch` this one",
    }
}

impl<T: Versioned> Set<T> {
    pub(super) fn forget_touches(&mut self) {
        if !self.touched.is_empty() {
            for slot in std::mem::take(&mut self.touched) {
                if let Some(slot) = self.slots.get_mut(slot) {
                    slot.touched = false;
                }
            }
        }
    }

    /// The rows that are written otherwise than as bookkeeping.
    pub(super) fn moved_slots(&self) -> Vec<u32> {
        let slots = self.slots.iter();
        slots
            .filter(|(_, slot)| moves(slot.need()))
            .map(|(index, _)| index)
            .collect()
    }

    pub(super) fn is_moved(&self, slot: u32) -> bool {
        self.slots.get(slot).is_some_and(|slot| moves(slot.need()))
    }

    /// The parents that a row has, and had when it was loaded.
    pub(super) fn parents_of(&self, index: u32) -> Result<Vec<ParentKey>, CommitError> {
        let Some(slot) = self.slots.get(index) else {
            return Ok(Vec::new());
        };
        let mine = self.work.staged.get(&index).or(slot.mine.as_ref());
        let parents = |row: Option<&T>| row.map(T::touches).unwrap_or_default();
        match slot.state {
            State::Gone => Ok(Vec::new()),
            State::New => Ok(parents(mine)),
            State::Whole | State::Deleted if !slot.read => Err(CommitError::Invalid {
                table: T::TABLE,
                key: mine.map_or_else(String::new, |mine| format!("{:?}", mine.key())),
                problem: "it touches its parent, and which one it had when it was loaded is not \
                          known; take the loaded entity in, with `find` or `attach`, and change that",
            }),
            // Nothing that was changed in it is written.
            State::Deleted => Ok(parents(slot.loaded())),
            State::Loaded | State::Whole => {
                let mut all = parents(mine);
                all.extend(parents(slot.loaded()));
                Ok(all)
            }
        }
    }

    /// What has become of the row with a key of this type.
    pub(super) fn parent(&self, key: &dyn Any) -> Parent {
        let slot = key
            .downcast_ref::<T::Key>()
            .and_then(|key| self.by_key.get(key));
        match slot.and_then(|&index| Some((index, self.slots.get(index)?.state))) {
            Some((index, State::Loaded | State::Whole)) => Parent::There(index),
            Some((_, State::New | State::Deleted)) => Parent::Settled,
            Some((_, State::Gone)) | None => Parent::Unknown,
        }
    }

    /// Whether the row in a slot, as it is known by now, has this key.
    pub(super) fn has_key(&self, slot: u32, key: &dyn Any) -> bool {
        let key = key.downcast_ref::<T::Key>();
        key.is_some_and(|key| self.value(slot).is_some_and(|row| row.key() == *key))
    }

    pub(super) fn is_there(&self, slot: u32) -> bool {
        let state = self.slots.get(slot).map(|slot| slot.state);
        matches!(state, Some(State::Loaded | State::Whole))
    }

    /// Lets the version of a row move on; whether it would have stayed otherwise.
    pub(super) fn touch_for_child(&mut self, index: u32) -> bool {
        let Some(slot) = self.slots.get_mut(index) else {
            return false;
        };
        let stayed = !moves(slot.need());
        if !std::mem::replace(&mut slot.touched, true) {
            self.touched.push(index);
        }
        stayed
    }
}

fn moves(need: Need) -> bool {
    matches!(need, Need::Update(_) | Need::Delete | Need::Insert)
}
