//! Overwriting a tracked entity's row on purpose: it stands on what was seen, and is recorded.

use super::set::Set;
use super::slot::{Slot, State};
use super::{Handle, Holds, SetCore, SetKind, UnitOfWork};
use crate::conflict::{Conflict, ConflictKind};
use crate::entity::Versioned;
use crate::outcome::{self, Wanted};
use crate::overwrite::{Actor, NotOverwritable, Overwrite, OverwriteError, reason};

/// Who overwrites an entity's row, and why.
#[derive(Clone)]
pub(crate) struct Intent {
    actor: Actor,
    reason: String,
    /// Which of the unit's audits records it; `None` for the one that the commit is lent.
    audit: Option<usize>,
}

/// What is recorded in the transaction of a commit, with the number of the audit that does it.
pub(crate) type Recorded = (Option<usize>, Overwrite);

impl<C, V: SetCore + SetKind + ?Sized> UnitOfWork<C, V> {
    /// Lets the next commit overwrite the row of a conflict, and record it by an audit that this
    /// unit keeps.
    pub(crate) fn overwrite_tracked<T: Versioned>(
        &mut self,
        conflict: &Conflict<T>,
        audit: V::Audit,
        actor: Actor,
        reason: String,
    ) -> Result<Handle<T>, OverwriteError<T>> {
        let reason = self::reason(reason)?;
        let (unit, audits) = (self.id, self.audits.len());
        let handle = conflict.handle().filter(|handle| handle.unit == unit);
        let unknown = || NotOverwritable::UnknownHandle.of(&conflict.key);
        let handle = handle.ok_or_else(unknown)?;
        let set = self.set_mut::<T>().ok_or_else(unknown)?;
        let slot = set.slots.get_mut(handle.slot);
        let slot = slot.filter(|slot| slot.state != State::Gone);
        slot.ok_or_else(unknown)?.overwrite_tracked(conflict)?;
        let intent = Intent {
            actor,
            reason,
            audit: Some(audits),
        };
        set.overwrites.insert(handle.slot, intent);
        self.audits.push(audit);
        Ok(handle)
    }

    /// Looks at what is overwritten; once it is written, at what the database made of it.
    pub(crate) fn see_overwrites(&mut self) {
        let sets = self.sets.iter();
        self.recorded = sets
            .flat_map(|(_, set)| set.core_ref().overwrites())
            .collect();
    }

    /// Takes in the entity of a conflict, to overwrite its row.
    pub(crate) fn overwrite_one<T: Versioned>(
        &mut self,
        conflict: &Conflict<T>,
        actor: Actor,
        reason: String,
    ) -> Result<Handle<T>, OverwriteError<T>>
    where
        V: Holds<T>,
    {
        let reason = self::reason(reason)?;
        let current = overwritable(conflict)?;
        let id = self.id;
        let set = self.set_mut_or_new::<T>();
        let slot = set.and_then(|set| {
            let state = if conflict.lost.deletes() {
                State::Deleted
            } else {
                State::Whole
            };
            let slot = set.add(conflict.mine.clone(), state)?;
            if let Some(slot) = set.slots.get_mut(slot) {
                slot.stand_on(current);
                slot.purge = conflict.lost == Wanted::Purge;
                slot.restore = conflict.lost == Wanted::Restore;
            }
            let intent = Intent {
                actor,
                reason,
                audit: None,
            };
            set.overwrites.insert(slot, intent);
            Ok(slot)
        });
        match slot {
            Ok(slot) => Ok(Handle::new(id, slot)),
            Err(error) => Err(OverwriteError::of_unit(error.into(), false)),
        }
    }
}

/// What is to be overwritten: what the person has seen.
fn overwritable<T: Versioned>(conflict: &Conflict<T>) -> Result<&T, OverwriteError<T>> {
    let why = match (conflict.kind, &conflict.current) {
        (ConflictKind::Modified, Some(current)) => return Ok(current),
        (ConflictKind::Refused, _) => NotOverwritable::Refused,
        (ConflictKind::Deleted | ConflictKind::Modified, _) => NotOverwritable::Deleted,
    };
    Err(why.of(&conflict.key))
}

impl<T: Versioned> Slot<T> {
    fn overwrite_tracked(&mut self, conflict: &Conflict<T>) -> Result<(), OverwriteError<T>> {
        let current = overwritable(conflict)?;
        let same = |mine: &T| mine.key() == conflict.key && mine.version() == conflict.expected;
        let why = match self.state {
            State::New => NotOverwritable::Refused,
            _ if !self.mine.as_ref().is_some_and(same) => NotOverwritable::Outdated,
            _ if self.check => NotOverwritable::ExpectUnchanged,
            State::Deleted => {
                self.stand_on(current);
                return Ok(());
            }
            _ => {
                self.state = State::Whole;
                self.stand_on(current);
                return Ok(());
            }
        };
        Err(why.of(&conflict.key))
    }

    /// From now on the write is guarded by the version of what was seen.
    fn stand_on(&mut self, current: &T) {
        let mut current = current.clone();
        if let Some(mine) = &mut self.mine {
            // The same key may be spelled in another way there.
            current.copy_key(mine);
            mine.set_version(current.version());
        }
        self.base = Some(current);
        self.read = true;
    }
}

impl<T: Versioned> Set<T> {
    /// What the planned writes overwrite on purpose.
    pub(super) fn overwrites(&self) -> Vec<Recorded> {
        if self.overwrites.is_empty() {
            return Vec::new();
        }
        let deletes = self.work.deletes.iter().map(|&slot| (slot, None));
        let updates = self.work.updates.iter();
        let updates = updates.map(|planned| (planned.slot, Some(&planned.next)));
        deletes
            .chain(updates)
            .filter_map(|(index, next)| {
                let intent = self.overwrites.get(&index)?;
                let slot = self.slots.get(index)?;
                let (current, mine) = (slot.base.as_ref()?, slot.mine.as_ref()?);
                let (actor, reason) = (intent.actor.clone(), intent.reason.clone());
                let written = next.map(|next| {
                    let mut written = mine.clone();
                    let row = self.work.written.get(&index);
                    outcome::take_written(&mut written, next.clone(), row);
                    written
                });
                let overwrite = Overwrite::new(current, mine, written, actor, reason);
                Some((intent.audit, overwrite))
            })
            .collect()
    }
}
