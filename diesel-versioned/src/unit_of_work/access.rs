//! Looking at the entities of a unit, by handle and by key.

use std::ops::{Index, IndexMut};

use diesel::QueryResult;
use diesel::result::Error;

use super::set::Tracked;
use super::{Handle, Holds, SetCore, SetKind, UnitOfWork};
use crate::entity::{IntoKey, Versioned};

impl<C, V: SetCore + SetKind + ?Sized> UnitOfWork<C, V> {
    /// The entity, or `None` if the handle is not of this unit, the entity is no longer part of
    /// it, or it is made when the unit runs.
    pub fn get<T: Versioned>(&self, handle: Handle<T>) -> Option<&T> {
        if handle.unit != self.id {
            return None;
        }
        self.set::<T>()?.slots.get(handle.slot)?.get()
    }

    /// The entity, to be changed; see [`get`](UnitOfWork::get).
    pub fn get_mut<T: Versioned>(&mut self, handle: Handle<T>) -> Option<&mut T> {
        if handle.unit != self.id {
            return None;
        }
        self.set_mut::<T>()?.slots.get_mut(handle.slot)?.get_mut()
    }

    /// The entity as it was loaded; `None` for one that was not, and as for
    /// [`get`](UnitOfWork::get).
    pub fn base<T: Versioned>(&self, handle: Handle<T>) -> Option<&T> {
        if handle.unit != self.id {
            return None;
        }
        let slot = self.set::<T>()?.slots.get(handle.slot)?;
        slot.get()?;
        slot.loaded()
    }

    /// Whether a commit would write the entity.
    pub fn is_dirty<T: Versioned>(&self, handle: Handle<T>) -> bool {
        handle.unit == self.id && self.set::<T>().is_some_and(|set| set.is_dirty(handle.slot))
    }

    /// The handle of the entity with this key, if the unit has it and does not delete it.
    pub fn handle<T: Versioned>(&self, key: impl IntoKey<T::Key>) -> Option<Handle<T>> {
        match self.set::<T>()?.find(&key.into_key()) {
            Tracked::As(slot) | Tracked::Marked(slot) => Some(Handle::new(self.id, slot)),
            Tracked::No | Tracked::Deleted => None,
        }
    }

    /// How many entities the unit holds.
    pub fn len(&self) -> usize {
        self.sets.iter().map(|(_, set)| set.core_ref().len()).sum()
    }

    /// Whether the unit holds no entity.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is known of a key before a read: an entity, that it is deleted, or nothing.
    pub(crate) fn known<T: Versioned>(&self, key: &T::Key) -> Result<Option<Handle<T>>, Deleted> {
        match self.set::<T>().map_or(Tracked::No, |set| set.find(key)) {
            Tracked::As(slot) => Ok(Some(Handle::new(self.id, slot))),
            Tracked::No => Ok(None),
            Tracked::Deleted | Tracked::Marked(_) => Err(Deleted),
        }
    }

    /// The same, for a read of rows that are marked as deleted.
    fn known_deleted<T: Versioned>(&self, key: &T::Key) -> Result<Option<Handle<T>>, Deleted> {
        match self.set::<T>().map_or(Tracked::No, |set| set.find(key)) {
            Tracked::Marked(slot) => Ok(Some(Handle::new(self.id, slot))),
            Tracked::No => Ok(None),
            Tracked::As(_) | Tracked::Deleted => Err(Deleted),
        }
    }
}

impl<C, V: SetCore + SetKind + ?Sized> UnitOfWork<C, V> {
    /// The entity that need not be read to be found, one that is marked as deleted or not.
    pub(crate) fn to_be_found<T: Versioned>(
        &self,
        key: &T::Key,
        deleted: bool,
    ) -> QueryResult<Option<Handle<T>>> {
        let known = if deleted {
            self.known_deleted(key)
        } else {
            self.known(key)
        };
        known.map_err(|_otherwise| Error::NotFound)
    }

    /// Takes in a row that was read. A database that does not tell `a` from `A` may find one that is
    /// known by another spelling of its key.
    pub(crate) fn found<T: Versioned>(&mut self, entity: T) -> QueryResult<Handle<T>>
    where
        V: Holds<T>,
    {
        match self.to_be_found(&entity.key(), entity.is_deleted()) {
            Ok(Some(handle)) => Ok(handle),
            _ => self
                .attach(entity)
                .map_err(|error| Error::QueryBuilderError(Box::new(error))),
        }
    }
}

/// The key is of a row that the unit deletes.
pub(crate) struct Deleted;

#[track_caller]
#[allow(
    clippy::panic,
    reason = "an index with a foreign handle, as with a slice"
)]
pub(super) fn foreign<T: Versioned>() -> ! {
    panic!(
        "the handle of a `{}` does not belong to this unit of work, or its entity is no longer \
         part of it",
        T::TABLE
    )
}

impl<T: Versioned, C, V: SetCore + SetKind + ?Sized> Index<Handle<T>> for UnitOfWork<C, V> {
    type Output = T;

    /// The entity.
    ///
    /// # Panics
    ///
    /// If [`get`](UnitOfWork::get) would return `None`.
    #[track_caller]
    fn index(&self, handle: Handle<T>) -> &T {
        match self.get(handle) {
            Some(entity) => entity,
            None => foreign::<T>(),
        }
    }
}

impl<T: Versioned, C, V: SetCore + SetKind + ?Sized> IndexMut<Handle<T>> for UnitOfWork<C, V> {
    /// The entity, to be changed.
    ///
    /// # Panics
    ///
    /// If [`get_mut`](UnitOfWork::get_mut) would return `None`.
    #[track_caller]
    fn index_mut(&mut self, handle: Handle<T>) -> &mut T {
        match self.get_mut(handle) {
            Some(entity) => entity,
            None => foreign::<T>(),
        }
    }
}
