//! What can be asked of a set whose entity type is not known, without a connection.

use std::any::{Any, TypeId};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use diesel::result::Error;

use super::aggregate::Parent;
use super::handle::UnitId;
use super::order::{Kinship, Table};
use super::overwrite::Recorded;
use super::rows::{CommittedRows, Rows};
use super::set::Set;
use super::slot::State;
use super::work::{Group, Work};
use crate::conflicts::AnyConflict;
use crate::entity::{ParentKey, Versioned};
use crate::error::CommitError;
use crate::replay::RecordedChange;
use crate::version::Moment;

/// The tracked rows of one entity type, whichever it is. Implemented by [`Set`]; the parts that
/// reach a database are in `BlockingSet` and its asynchronous twin.
pub trait SetCore: Any + Send + sealed::Sealed {
    #[doc(hidden)]
    fn core(&mut self) -> &mut dyn Core;

    #[doc(hidden)]
    fn core_ref(&self) -> &dyn Core;
}

mod sealed {
    pub trait Sealed {}
    impl<T: super::Versioned> Sealed for super::Set<T> {}
}

impl<T: Versioned> SetCore for Set<T> {
    fn core(&mut self) -> &mut dyn Core {
        self
    }

    fn core_ref(&self) -> &dyn Core {
        self
    }
}

/// The deciding half of a set, object-safe.
#[doc(hidden)]
#[allow(private_interfaces, reason = "only this crate can name or call these")]
pub trait Core: Any + Send {
    fn kinship(&self) -> Kinship;
    fn len(&self) -> usize;
    fn joined(&self) -> u32;
    fn delete(&mut self, slot: u32);
    fn forget(&mut self, slot: u32);
    fn is_pending(&self, slot: u32) -> bool;
    fn touches(&self) -> bool;
    fn touched_types(&self) -> Vec<TypeId>;
    fn forget_touches(&mut self);
    fn touch_for_child(&mut self, slot: u32) -> bool;
    fn moved_slots(&self) -> Vec<u32>;
    fn is_moved(&self, slot: u32) -> bool;
    fn is_there(&self, slot: u32) -> bool;
    fn parents_of(&self, slot: u32) -> Result<Vec<ParentKey>, CommitError>;
    fn parent(&self, key: &dyn Any) -> Parent;
    fn has_key(&self, slot: u32, key: &dyn Any) -> bool;
    fn replacement(&self, slot: u32) -> Option<u32>;
    fn prepare(&mut self, levels: &HashMap<u32, u32>, moment: &Moment) -> Result<(), CommitError>;
    fn groups(&self) -> Vec<Group>;
    fn checks(&self) -> usize;
    fn has_existing(&self) -> bool;
    fn keys_to_lock(&self, only_checks: bool) -> Box<dyn Any>;
    fn lock_too(&mut self, keys: Box<dyn Any>);
    fn written_keys(&self) -> HashSet<String>;
    fn value(&self, slot: u32) -> Option<&dyn Any>;
    fn stage(&mut self, slot: u32, row: Box<dyn Any>);
    fn inserts_alone(&mut self) -> bool;
    fn only_key(&self, group: &Group) -> Option<String>;
    fn judge_read_back(&self, group: &Group) -> Result<(), CommitError>;
    fn stale_in(&self, group: &Group) -> usize;
    fn note_refused(&mut self, single: &Group);
    fn conflicts(&self, unit: UnitId, cause: Option<&Arc<Error>>) -> Vec<Box<dyn AnyConflict>>;
    fn overwrites(&self) -> Vec<Recorded>;
    fn apply(&mut self, keep_old: bool) -> Box<dyn CommittedRows>;
    fn abandon(&mut self);
    fn describe(&self, say: &mut dyn FnMut(&str));
    fn wrote(&self) -> Vec<RecordedChange>;
    fn recall(&mut self, changes: &mut Vec<RecordedChange>);
    fn recalled(&mut self) -> Box<dyn CommittedRows>;
    fn recall_others(&mut self, changes: &mut Vec<RecordedChange>);
    fn refresh(&mut self, keep_old: bool) -> Box<dyn CommittedRows>;
}

#[allow(private_interfaces, reason = "see the trait")]
impl<T: Versioned> Core for Set<T> {
    fn kinship(&self) -> Kinship {
        Kinship {
            entity: TypeId::of::<T>(),
            table: Table {
                name: T::TABLE,
                path: std::any::type_name::<T::Table>(),
            },
            parents: T::parents(),
        }
    }

    fn len(&self) -> usize {
        self.slots
            .iter()
            .filter(|(_, slot)| slot.state != State::Gone)
            .count()
    }

    fn joined(&self) -> u32 {
        u32::try_from(self.slots.len()).unwrap_or(u32::MAX)
    }

    fn delete(&mut self, slot: u32) {
        Self::delete(self, slot);
    }

    fn forget(&mut self, slot: u32) {
        Self::forget(self, slot);
    }

    fn is_pending(&self, slot: u32) -> bool {
        self.slots
            .get(slot)
            .is_some_and(|slot| slot.state == State::New)
    }

    fn touches(&self) -> bool {
        T::TOUCHES
    }

    fn touched_types(&self) -> Vec<TypeId> {
        T::touched_types()
    }

    fn forget_touches(&mut self) {
        Self::forget_touches(self);
    }

    fn touch_for_child(&mut self, slot: u32) -> bool {
        Self::touch_for_child(self, slot)
    }

    fn moved_slots(&self) -> Vec<u32> {
        Self::moved_slots(self)
    }

    fn is_moved(&self, slot: u32) -> bool {
        Self::is_moved(self, slot)
    }

    fn is_there(&self, slot: u32) -> bool {
        Self::is_there(self, slot)
    }

    fn parents_of(&self, slot: u32) -> Result<Vec<ParentKey>, CommitError> {
        Self::parents_of(self, slot)
    }

    fn parent(&self, key: &dyn Any) -> Parent {
        Self::parent(self, key)
    }

    fn has_key(&self, slot: u32, key: &dyn Any) -> bool {
        Self::has_key(self, slot, key)
    }

    fn replacement(&self, slot: u32) -> Option<u32> {
        Self::replacement(self, slot)
    }

    fn prepare(&mut self, levels: &HashMap<u32, u32>, moment: &Moment) -> Result<(), CommitError> {
        Self::prepare(self, levels, moment)
    }

    fn groups(&self) -> Vec<Group> {
        Self::groups(self)
    }

    fn checks(&self) -> usize {
        self.work.checks.len()
    }

    fn has_existing(&self) -> bool {
        self.existing(false).next().is_some()
    }

    fn keys_to_lock(&self, only_checks: bool) -> Box<dyn Any> {
        Box::new(Self::keys_to_lock(self, only_checks))
    }

    fn lock_too(&mut self, keys: Box<dyn Any>) {
        if let Ok(mut keys) = keys.downcast() {
            self.work.locked_too.append(&mut keys);
        }
    }

    fn written_keys(&self) -> HashSet<String> {
        Self::written_keys(self)
    }

    fn value(&self, slot: u32) -> Option<&dyn Any> {
        Self::value(self, slot).map(|value| value as &dyn Any)
    }

    fn stage(&mut self, slot: u32, row: Box<dyn Any>) {
        if let Ok(mut row) = row.downcast::<T>() {
            row.remove_mark();
            // What an earlier attempt has left refers to rows that are gone.
            self.work.landed.remove(&slot);
            self.work.staged.insert(slot, *row);
        }
    }

    fn inserts_alone(&mut self) -> bool {
        Self::inserts_alone(self)
    }

    fn only_key(&self, group: &Group) -> Option<String> {
        Self::only_key(self, group)
    }

    fn judge_read_back(&self, group: &Group) -> Result<(), CommitError> {
        Self::judge_read_back(self, group)
    }

    fn stale_in(&self, group: &Group) -> usize {
        Self::stale_in(self, group)
    }

    fn note_refused(&mut self, single: &Group) {
        Self::note_refused(self, single);
    }

    fn conflicts(&self, unit: UnitId, cause: Option<&Arc<Error>>) -> Vec<Box<dyn AnyConflict>> {
        Self::conflicts(self, unit, cause)
    }

    fn overwrites(&self) -> Vec<Recorded> {
        Self::overwrites(self)
    }

    fn apply(&mut self, keep_old: bool) -> Box<dyn CommittedRows> {
        Box::new(Rows::apply(self, keep_old))
    }

    fn abandon(&mut self) {
        self.work = Work::default();
        Self::forget_touches(self);
    }

    fn describe(&self, say: &mut dyn FnMut(&str)) {
        Self::describe(self, say);
    }

    fn wrote(&self) -> Vec<RecordedChange> {
        Self::wrote(self)
    }

    fn recall(&mut self, changes: &mut Vec<RecordedChange>) {
        Self::recall(self, changes);
    }

    fn recalled(&mut self) -> Box<dyn CommittedRows> {
        Box::new(Self::recalled(self))
    }

    fn recall_others(&mut self, changes: &mut Vec<RecordedChange>) {
        Self::recall_others(self, changes);
    }

    fn refresh(&mut self, keep_old: bool) -> Box<dyn CommittedRows> {
        Box::new(Self::refresh(self, keep_old))
    }
}
