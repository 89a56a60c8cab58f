//! The unit of work: many entities, one transaction, all or none.

mod access;
mod batches;
mod committed;
mod core;
mod course;
mod diagnosis;
mod discard;
mod handle;
mod inquiry;
mod order;
mod plan;
mod protocol;
mod resolve;
mod set;
mod slot;
mod work;

pub use committed::{Committed, CommittedChange, CommittedRow, Operation, UndoError};
pub use core::SetCore;
pub use discard::Discard;
pub use handle::Handle;
pub use set::Set;

pub(crate) use batches::InsertMode;
pub(crate) use handle::UnitId;
pub(crate) use order::Operation as WriteOperation;
#[cfg(feature = "async")]
pub(crate) use plan::Step;
#[cfg(feature = "async")]
pub(crate) use protocol::Protocol;
pub(crate) use protocol::{Action, Answer};
pub(crate) use work::Group;

use std::any::{Any, TypeId};
use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use self::access::foreign;
use self::slot::State;
use crate::entity::Versioned;
use crate::error::TrackError;
use crate::execute::BlockingSet;

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
pub struct UnitOfWork<C, V: SetKind + ?Sized = dyn BlockingSet<C>> {
    pub(crate) id: UnitId,
    pub(crate) sets: Vec<(TypeId, Box<V>)>,
    pub(crate) links: Vec<Link>,
    pub(crate) also: Vec<V::Also>,
    pub(crate) hooks: Vec<Hook>,
    pub(crate) sequence: u64,
    connection: PhantomData<fn(&mut C)>,
}

/// How the sets of a unit are executed: `dyn BlockingSet<C>` or `dyn AsyncSet<C>`.
pub trait SetKind {
    /// What runs in the unit's transaction, after its own writes.
    #[doc(hidden)]
    type Also: Send;
}

/// A kind of set that can hold the rows of `T`.
#[diagnostic::on_unimplemented(
    message = "`{T}` cannot join this unit of work",
    label = "not an entity of this unit's database",
    note = "derive `Queryable, Selectable, Versioned` on `{T}` and enable the feature of \
            diesel-versioned that is called like the database"
)]
pub trait Holds<T: Versioned>: SetKind {
    #[doc(hidden)]
    fn boxed(set: Set<T>) -> Box<Self>;
}

impl<C, V: SetCore + SetKind + ?Sized> UnitOfWork<C, V> {
    pub(crate) fn empty() -> Self {
        Self {
            id: UnitId::new(),
            sets: Vec::new(),
            links: Vec::new(),
            also: Vec::new(),
            hooks: Vec::new(),
            sequence: 0,
            connection: PhantomData,
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
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)")?;
    /// let sold_out = products::table.filter(products::stock.eq(0));
    /// let found = sold_out.select(Product::as_select()).load(&mut conn)?;
    ///
    /// let mut uow = UnitOfWork::new();
    /// let handles = uow.attach_all(found)?;
    /// for &handle in &handles {
    ///     uow[handle].stock = 20;
    /// }
    /// assert_eq!(uow.commit(&mut conn)?.len(), 1);
    /// assert_eq!((uow[handles[0]].id, uow[handles[0]].version), (2, 2));
    /// # Ok(())
    /// # }
    /// ```
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
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     orders (id) { id -> Integer, customer -> Text, version -> Integer }
    /// # }
    /// # diesel::table! {
    /// #     lines (id) { id -> Integer, order_id -> Integer, quantity -> Integer, version -> Integer }
    /// # }
    /// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// #[diesel(table_name = orders)]
    /// struct Order {
    ///     #[diesel(skip_insertion)]
    ///     id: i32,
    ///     customer: String,
    ///     #[version]
    ///     version: i32,
    /// }
    ///
    /// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// #[diesel(table_name = lines, belongs_to(Order))]
    /// struct Line {
    ///     #[diesel(skip_insertion)]
    ///     id: i32,
    ///     order_id: i32,
    ///     quantity: i32,
    ///     #[version]
    ///     version: i32,
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("PRAGMA foreign_keys = ON;
    /// #     CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, customer TEXT NOT NULL,
    /// #         version INTEGER NOT NULL);
    /// #     CREATE TABLE lines (id INTEGER PRIMARY KEY AUTOINCREMENT,
    /// #         order_id INTEGER NOT NULL REFERENCES orders (id), quantity INTEGER NOT NULL,
    /// #         version INTEGER NOT NULL)")?;
    /// let mut uow = UnitOfWork::new();
    /// let order = uow.insert(Order { id: 0, customer: "Ada".into(), version: 0 })?;
    /// let line = uow.insert_with(order, |order: &Order| Line {
    ///     id: 0,
    ///     order_id: order.id, // the key that the database made
    ///     quantity: 3,
    ///     version: 0,
    /// })?;
    /// assert!(uow.get(line).is_none());
    /// uow.commit(&mut conn)?;
    ///
    /// assert!(uow[order].id > 0);
    /// assert_eq!(uow[line].order_id, uow[order].id);
    /// # Ok(())
    /// # }
    /// ```
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
            self.forget_children(HashSet::from([(set, handle.slot)]));
        }
    }

    /// Lets the version of an entity move on even if nothing else changes; by one, whether
    /// something changes or not.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)")?;
    /// let mut uow = UnitOfWork::new();
    /// let handle: Handle<Product> = uow.find(&mut conn, 1)?;
    /// uow.touch(handle);
    /// let done = uow.commit(&mut conn)?;
    /// assert_eq!(done.iter().next().map(|row| row.operation()), Some(Operation::Touch));
    /// assert_eq!((uow[handle].stock, uow[handle].version), (10, 2));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If the handle is of another unit or its entity is no longer part of this one.
    #[track_caller]
    pub fn touch<T: Versioned>(&mut self, handle: Handle<T>) {
        self.owned_slot(handle).touch = true;
    }

    /// Demands that an entity which was only read is still at its version when the unit commits.
    /// The row is locked for the rest of the transaction, so that nobody moves it in between; that
    /// takes the right to UPDATE it. An entity that is changed, touched or deleted as well is only
    /// that: those writes are guarded anyway.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)")?;
    /// // The stock of 2 is decided by that of 1, which is not changed.
    /// let mut uow = UnitOfWork::new();
    /// let read: Handle<Product> = uow.find(&mut conn, 1)?;
    /// let changed: Handle<Product> = uow.find(&mut conn, 2)?;
    /// uow[changed].stock = uow[read].stock * 2;
    /// uow.expect_unchanged(read);
    ///
    /// Product::find(&mut conn, 1)?.touch(&mut conn)?; // someone else
    /// let error = uow.commit(&mut conn).unwrap_err();
    /// assert!(error.is_conflict());
    /// assert_eq!(Product::find(&mut conn, 2)?.stock, 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If the handle is of another unit or its entity is no longer part of this one.
    #[track_caller]
    pub fn expect_unchanged<T: Versioned>(&mut self, handle: Handle<T>) {
        self.owned_slot(handle).check = true;
    }

    /// Takes an entity out of the unit, or, given [`Conflicts`](crate::Conflicts), everything that
    /// conflicted, with the inserts that were to take the place of rows whose deletion conflicted.
    /// Rows that were to be made from it ([`insert_with`](UnitOfWork::insert_with)) go with it.
    /// Nothing is written for them; the rest of the unit can be committed. The handle is dead
    /// afterwards: to apply a change again, [`find`](UnitOfWork::find) the row anew.
    ///
    /// ```
    /// # use diesel_versioned::prelude::*;
    /// # fn again<T: Versioned>(
    /// #     uow: &mut UnitOfWork<diesel::SqliteConnection>,
    /// #     conn: &mut diesel::SqliteConnection,
    /// # ) -> Result<(), CommitError> {
    /// if let Err(CommitError::Conflicts(conflicts)) = uow.commit(conn) {
    ///     uow.discard(&conflicts);
    ///     uow.commit(conn)?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If a handle is of another unit. Conflicts of another unit are ignored.
    #[track_caller]
    pub fn discard<D: Discard>(&mut self, what: D) {
        what.discard_from(self);
    }

    /// Runs slow work once, when the unit is durable. Inside a caller's transaction it is handed
    /// back in [`Committed`] instead, to be run when that is committed. If a hook panics, the unit
    /// is committed and the hooks after it do not run.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)")?;
    /// let (sender, mails) = std::sync::mpsc::channel();
    /// let mut uow = UnitOfWork::new();
    /// let handle: Handle<Product> = uow.find(&mut conn, 1)?;
    /// uow[handle].stock = 0;
    /// uow.after_commit(move |done| {
    ///     for row in done {
    ///         sender.send(format!("{} {} is sold out", row.table(), row.key())).ok();
    ///     }
    /// });
    /// assert!(mails.try_recv().is_err());
    /// uow.commit(&mut conn)?;
    /// assert_eq!(mails.try_recv()?, "products 1 is sold out");
    /// # Ok(())
    /// # }
    /// ```
    pub fn after_commit(&mut self, run: impl FnOnce(&Committed) + Send + 'static) {
        self.hooks.push(Box::new(run));
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
}

impl<C, V: SetCore + SetKind + ?Sized> fmt::Debug for UnitOfWork<C, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for (_, set) in &self.sets {
            map.entry(&set.core_ref().kinship().table.name, &set.core_ref().len());
        }
        map.finish()
    }
}
