//! Handles: what a unit gives out for each of its entities.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// Which unit a handle belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct UnitId(u64);

impl UnitId {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Stands for one entity of a [`UnitOfWork`](crate::UnitOfWork): `uow[handle]` is the entity.
///
/// It is `Copy`, belongs to the unit that gave it out and stays valid until the entity is
/// discarded or its deletion is committed. Indexing with a handle of another unit panics, as
/// indexing a slice does; [`get`](crate::UnitOfWork::get) returns `None`.
pub struct Handle<T> {
    pub(crate) unit: UnitId,
    pub(crate) slot: u32,
    entity: PhantomData<fn() -> T>,
}

impl<T> Handle<T> {
    pub(crate) fn new(unit: UnitId, slot: u32) -> Self {
        Self {
            unit,
            slot,
            entity: PhantomData,
        }
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.unit, self.slot) == (other.unit, other.slot)
    }
}

impl<T> Eq for Handle<T> {}

impl<T> Hash for Handle<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.unit, self.slot).hash(state);
    }
}

impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({}:{})", self.unit.0, self.slot)
    }
}
