//! The unit of work: many entities, one transaction, all or none.

mod committed;
mod core;
mod handle;
mod order;
mod plan;
mod protocol;
mod set;
mod slot;
mod work;

pub use committed::{Committed, CommittedChange, CommittedRow, Operation, UndoError};
pub use core::SetCore;
pub use handle::Handle;
pub use set::Set;

pub(crate) use handle::UnitId;
pub(crate) use order::Operation as WriteOperation;
pub(crate) use protocol::{Action, Answer, Protocol};
pub(crate) use work::{Group, InsertMode};

use std::any::{Any, TypeId};
use std::fmt;
use std::ops::{Index, IndexMut};

use diesel::QueryResult;

use self::set::Tracked;
use self::slot::State;
use crate::conflicts::Conflicts;
use crate::entity::{IntoKey, Versioned};
use crate::error::{CommitError, TrackError};
use crate::execute::BlockingSet;

/// What runs in the unit's transaction, after its own writes.
pub(crate) type Also<C> = Box<dyn FnMut(&mut C) -> QueryResult<()> + Send>;

/// What runs once the unit is durable.
pub(crate) type Hook = Box<dyn FnOnce(&Committed) + Send>;

/// A row that is made from another one when the unit runs.
pub(crate) struct Link {
    parent_set: usize,
    parent_slot: u32,
    child_set: usize,
    child_slot: u32,
    /// How many rows of this unit must be there before; known once the commit is planned.
    level: u32,
    make: Make,
}

/// Makes a row, as `Any`, from another one.
type Make = Box<dyn FnMut(&dyn Any) -> Option<Box<dyn Any>> + Send>;

/// Many entities, one transaction, all or none.
///
/// Entities join with [`find`](UnitOfWork::find), [`attach`](UnitOfWork::attach),
/// [`insert`](UnitOfWork::insert) or [`save`](UnitOfWork::save), are changed through the
/// [`Handle`] that each of these returns, and are written by [`commit`](UnitOfWork::commit): what
/// was changed and nothing else, set-based, in an order that foreign keys allow, every row under
/// the guard of its version. If a single row is not at the version that it was read at, nothing is
/// written, every conflict is reported, and the unit is as it was.
///
/// ```
/// # use diesel::prelude::*;
/// # use diesel_versioned::prelude::*;
/// # diesel::table! {
/// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
/// # }
/// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// # #[diesel(table_name = products)]
/// # struct Product { id: i32, stock: i32, #[version] version: i32 }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use diesel::connection::SimpleConnection;
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
/// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)")?;
/// let mut uow = UnitOfWork::new();
/// let from: Handle<Product> = uow.find(&mut conn, 1)?;
/// let to: Handle<Product> = uow.find(&mut conn, 2)?;
/// uow[from].stock -= 3;
/// uow[to].stock += 3;
/// let done = uow.commit(&mut conn)?;
///
/// assert_eq!(done.len(), 2);
/// assert_eq!((uow[to].stock, uow[to].version), (3, 2));
/// # Ok(())
/// # }
/// ```
///
/// `C` is the connection, inferred from use. `V` says how sets are executed; the preludes fix it.
pub struct UnitOfWork<C, V: ?Sized = dyn BlockingSet<C>> {
    pub(crate) id: UnitId,
    pub(crate) sets: Vec<(TypeId, Box<V>)>,
    pub(crate) links: Vec<Link>,
    pub(crate) also: Vec<Also<C>>,
    pub(crate) hooks: Vec<Hook>,
    pub(crate) sequence: u64,
}

/// A kind of set that can hold the rows of `T`.
#[diagnostic::on_unimplemented(
    message = "`{T}` cannot join this unit of work",
    label = "not an entity of this unit's database",
    note = "derive `Queryable, Selectable, Versioned` on `{T}` and enable the feature of \
            diesel-versioned that is called like the database"
)]
pub trait Holds<T: Versioned>: SetCore {
    #[doc(hidden)]
    fn boxed(set: Set<T>) -> Box<Self>;
}

impl<C, V: SetCore + ?Sized> UnitOfWork<C, V> {
    pub(crate) fn empty() -> Self {
        Self {
            id: UnitId::new(),
            sets: Vec::new(),
            links: Vec::new(),
            also: Vec::new(),
            hooks: Vec::new(),
            sequence: 0,
        }
    }

    /// Takes in an entity that was read: what is changed from here on is written.
    ///
    /// # Errors
    ///
    /// [`TrackError::AlreadyTracked`] if the unit has an entity of this type and key.
    pub fn attach<T: Versioned>(&mut self, entity: T) -> Result<Handle<T>, TrackError>
    where
        V: Holds<T>,
    {
        self.add(entity, State::Loaded)
    }

    /// Takes in entities that were read, all of them or none.
    ///
    /// # Errors
    ///
    /// [`TrackError::AlreadyTracked`] if the unit has an entity of this type and one of the keys,
    /// or if two of them have the same key. None is taken in then.
    pub fn attach_all<T: Versioned>(
        &mut self,
        entities: impl IntoIterator<Item = T>,
    ) -> Result<Vec<Handle<T>>, TrackError>
    where
        V: Holds<T>,
    {
        let id = self.id;
        let slots = self.set_mut_or_new()?.add_all(entities, State::Loaded)?;
        Ok(slots
            .into_iter()
            .map(|slot| Handle::new(id, slot))
            .collect())
    }

    /// Takes in a row that does not exist yet; it is inserted with the initial version, whatever
    /// its version field holds. Columns that the database makes are read back.
    ///
    /// # Errors
    ///
    /// [`TrackError::AlreadyTracked`] if the unit has an entity of this type and key that it does
    /// not delete.
    pub fn insert<T: Versioned>(&mut self, entity: T) -> Result<Handle<T>, TrackError>
    where
        V: Holds<T>,
    {
        self.add(entity, State::New)
    }

    /// Takes in a row that is made from another one of this unit when the unit runs: it may use
    /// the key that the database makes for a `parent` which is inserted in the same unit.
    ///
    /// The entity is there ([`get`](UnitOfWork::get)) after the commit. A unit that failed makes
    /// it again when it is committed again.
    ///
    /// # Errors
    ///
    /// [`TrackError::UnknownHandle`] if `parent` is not of this unit or no longer part of it.
    pub fn insert_with<P: Versioned, T: Versioned>(
        &mut self,
        parent: Handle<P>,
        mut make: impl FnMut(&P) -> T + Send + 'static,
    ) -> Result<Handle<T>, TrackError>
    where
        V: Holds<T>,
    {
        let unknown = TrackError::UnknownHandle { table: P::TABLE };
        if parent.unit != self.id {
            return Err(unknown);
        }
        let parent_set = self.position::<P>().ok_or(unknown.clone())?;
        let there = self
            .set_at::<P>(parent_set)
            .and_then(|set| set.slots.get(parent.slot))
            .is_some_and(|slot| slot.state != State::Gone);
        if !there {
            return Err(unknown);
        }
        let child_slot = self.set_mut_or_new::<T>()?.add_pending()?;
        let child_set = self.position::<T>().unwrap_or_default();
        self.links.push(Link {
            parent_set,
            parent_slot: parent.slot,
            child_set,
            child_slot,
            level: 0,
            make: Box::new(move |parent| {
                let row: Box<dyn Any> = Box::new(make(parent.downcast_ref()?));
                Some(row)
            }),
        });
        Ok(Handle::new(self.id, child_slot))
    }

    /// Takes in an entity that was edited elsewhere, a form for example: the whole row is
    /// written, guarded by the version that the entity carries.
    ///
    /// # Errors
    ///
    /// [`TrackError::AlreadyTracked`] if the unit has an entity of this type and key.
    pub fn save<T: Versioned>(&mut self, entity: T) -> Result<Handle<T>, TrackError>
    where
        V: Holds<T>,
    {
        self.add(entity, State::Whole)
    }

    /// Marks an entity for deletion, guarded by its version. One that this unit would have
    /// inserted is forgotten instead; deleting twice is deleting once.
    ///
    /// # Panics
    ///
    /// If the handle is of another unit.
    #[track_caller]
    pub fn delete<T: Versioned>(&mut self, handle: Handle<T>) {
        let set = self.owned_set(handle);
        let pending = self.sets[set].1.core_ref().is_pending(handle.slot);
        self.sets[set].1.core().delete(handle.slot);
        if pending {
            self.forget_children(set, handle.slot);
        }
    }

    /// Lets the version of an entity move on even if nothing else changes; by one, whether
    /// something changes or not.
    ///
    /// # Panics
    ///
    /// If the handle is of another unit or its entity is no longer part of this one.
    #[track_caller]
    pub fn touch<T: Versioned>(&mut self, handle: Handle<T>) {
        self.owned_slot(handle).touch = true;
    }

    /// Demands that an entity which was only read is still at its version when the unit commits.
    ///
    /// # Panics
    ///
    /// If the handle is of another unit or its entity is no longer part of this one.
    #[track_caller]
    pub fn expect_unchanged<T: Versioned>(&mut self, handle: Handle<T>) {
        self.owned_slot(handle).check = true;
    }

    /// Takes an entity out of the unit, or, given [`Conflicts`], everything that conflicted. Rows
    /// that were to be made from it ([`insert_with`](UnitOfWork::insert_with)) go with it. Nothing
    /// is written for them; the rest of the unit can be committed.
    ///
    /// # Panics
    ///
    /// If a handle is of another unit.
    #[track_caller]
    pub fn discard<D: Discard>(&mut self, what: D) {
        what.discard_from(self);
    }

    /// Gives the unit rows that belong to it, a journal or an outbox: runs in the unit's
    /// transaction after its own writes. It runs again with the next attempt if the commit fails,
    /// and is gone after success.
    pub fn also(&mut self, run: impl FnMut(&mut C) -> QueryResult<()> + Send + 'static) {
        self.also.push(Box::new(run));
    }

    /// Runs slow work once, when the unit is durable. Inside a caller's transaction it is handed
    /// back in [`Committed`] instead, to be run when that is committed.
    pub fn after_commit(&mut self, run: impl FnOnce(&Committed) + Send + 'static) {
        self.hooks.push(Box::new(run));
    }

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
            Tracked::As(slot) => Some(Handle::new(self.id, slot)),
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
            Tracked::Deleted => Err(Deleted),
        }
    }

    /// Takes in copies of entities that are saved as whole rows.
    pub(crate) fn save_slice<T: Versioned>(
        &mut self,
        entities: &[T],
    ) -> Result<Vec<Handle<T>>, CommitError>
    where
        V: Holds<T>,
    {
        entities
            .iter()
            .map(|entity| {
                self.save(entity.clone()).map_err(|_| CommitError::Invalid {
                    table: T::TABLE,
                    key: format!("{:?}", entity.key()),
                    problem: "the slice holds this row twice; save each row once",
                })
            })
            .collect()
    }

    /// The course of the next commit.
    pub(crate) fn start(
        &mut self,
        locks_rows: bool,
        nested: bool,
    ) -> Result<Protocol, CommitError> {
        let steps = plan::plan(&mut self.sets, &mut self.links, locks_rows)?;
        Ok(Protocol::new(self.id, steps, self.also.len(), nested))
    }

    /// Makes the rows of one level that refer to others of this unit.
    pub(crate) fn resolve(&mut self, set: usize, level: u32) {
        for link in &mut self.links {
            if (link.child_set, link.level) != (set, level) {
                continue;
            }
            let parent = self.sets[link.parent_set]
                .1
                .core_ref()
                .value(link.parent_slot);
            if let Some(row) = parent.and_then(|parent| (link.make)(parent)) {
                self.sets[set].1.core().stage(link.child_slot, row);
            }
        }
    }

    /// Everything is written: brings memory to what is in the database.
    pub(crate) fn succeed(&mut self, nested: bool) -> Committed
    where
        C: 'static,
    {
        self.sequence += 1;
        let rows = self
            .sets
            .iter_mut()
            .map(|(_, set)| set.core().apply(nested))
            .collect();
        let also = std::mem::take(&mut self.also);
        let links = std::mem::take(&mut self.links);
        Committed {
            unit: self.id,
            sequence: self.sequence,
            rows,
            hooks: std::mem::take(&mut self.hooks),
            nested: nested.then(|| committed::Nested {
                also: Box::new(also),
                links,
            }),
        }
    }

    /// Nothing is written: forgets what was planned.
    pub(crate) fn fail(&mut self) {
        for (_, set) in &mut self.sets {
            set.core().abandon();
        }
    }

    fn add<T: Versioned>(&mut self, entity: T, state: State) -> Result<Handle<T>, TrackError>
    where
        V: Holds<T>,
    {
        let id = self.id;
        let slot = self.set_mut_or_new()?.add(entity, state)?;
        Ok(Handle::new(id, slot))
    }

    fn position<T: Versioned>(&self) -> Option<usize> {
        let wanted = TypeId::of::<T>();
        self.sets.iter().position(|(entity, _)| *entity == wanted)
    }

    fn set_at<T: Versioned>(&self, position: usize) -> Option<&Set<T>> {
        let set: &dyn Any = self.sets.get(position)?.1.core_ref();
        set.downcast_ref()
    }

    fn set<T: Versioned>(&self) -> Option<&Set<T>> {
        self.set_at(self.position::<T>()?)
    }

    fn set_mut<T: Versioned>(&mut self) -> Option<&mut Set<T>> {
        let position = self.position::<T>()?;
        let set: &mut dyn Any = self.sets.get_mut(position)?.1.core();
        set.downcast_mut()
    }

    fn set_mut_or_new<T: Versioned>(&mut self) -> Result<&mut Set<T>, TrackError>
    where
        V: Holds<T>,
    {
        let position = match self.position::<T>() {
            Some(position) => position,
            None => {
                self.sets.push((TypeId::of::<T>(), V::boxed(Set::new())));
                self.sets.len() - 1
            }
        };
        let set: &mut dyn Any = self.sets[position].1.core();
        set.downcast_mut()
            .ok_or(TrackError::UnknownHandle { table: T::TABLE })
    }

    #[track_caller]
    fn owned_set<T: Versioned>(&self, handle: Handle<T>) -> usize {
        match self.position::<T>() {
            Some(position) if handle.unit == self.id => position,
            _ => foreign::<T>(),
        }
    }

    #[track_caller]
    fn owned_slot<T: Versioned>(&mut self, handle: Handle<T>) -> &mut slot::Slot<T> {
        let owned = handle.unit == self.id;
        match self
            .set_mut::<T>()
            .and_then(|set| set.slots.get_mut(handle.slot))
        {
            Some(slot) if owned && slot.state != State::Gone => slot,
            _ => foreign::<T>(),
        }
    }

    fn forget(&mut self, set: usize, slot: u32) {
        self.sets[set].1.core().forget(slot);
        self.forget_children(set, slot);
    }

    /// Rows that were to be made from one that is forgotten are forgotten too.
    fn forget_children(&mut self, set: usize, slot: u32) {
        let children: Vec<(usize, u32)> = self
            .links
            .iter()
            .filter(|link| (link.parent_set, link.parent_slot) == (set, slot))
            .map(|link| (link.child_set, link.child_slot))
            .collect();
        self.links.retain(|link| {
            (link.parent_set, link.parent_slot) != (set, slot)
                && (link.child_set, link.child_slot) != (set, slot)
        });
        for (set, slot) in children {
            self.forget(set, slot);
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
fn foreign<T: Versioned>() -> ! {
    panic!(
        "the handle of a `{}` does not belong to this unit of work, or its entity is no longer \
         part of it",
        T::TABLE
    )
}

impl<T: Versioned, C, V: SetCore + ?Sized> Index<Handle<T>> for UnitOfWork<C, V> {
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

impl<T: Versioned, C, V: SetCore + ?Sized> IndexMut<Handle<T>> for UnitOfWork<C, V> {
    #[track_caller]
    fn index_mut(&mut self, handle: Handle<T>) -> &mut T {
        match self.get_mut(handle) {
            Some(entity) => entity,
            None => foreign::<T>(),
        }
    }
}

/// What [`UnitOfWork::discard`] takes: a [`Handle`], or [`Conflicts`].
pub trait Discard {
    #[doc(hidden)]
    #[track_caller]
    fn discard_from<C, V: SetCore + ?Sized>(self, uow: &mut UnitOfWork<C, V>);
}

impl<T: Versioned> Discard for Handle<T> {
    fn discard_from<C, V: SetCore + ?Sized>(self, uow: &mut UnitOfWork<C, V>) {
        let set = uow.owned_set(self);
        uow.forget(set, self.slot);
    }
}

impl Discard for &Conflicts {
    fn discard_from<C, V: SetCore + ?Sized>(self, uow: &mut UnitOfWork<C, V>) {
        for conflict in self.iter() {
            let Some((entity, unit, slot)) = conflict.place() else {
                continue;
            };
            let set = uow.sets.iter().position(|(other, _)| *other == entity);
            if let (true, Some(set)) = (unit == uow.id, set) {
                uow.forget(set, slot);
            }
        }
    }
}

impl<C, V: SetCore + ?Sized> fmt::Debug for UnitOfWork<C, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for (_, set) in &self.sets {
            map.entry(&set.core_ref().kinship().table, &set.core_ref().len());
        }
        map.finish()
    }
}
