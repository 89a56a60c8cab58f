//! The unit of work: many entities, one transaction, all or none.

mod access;
mod aggregate;
mod batches;
mod claim;
mod committed;
mod core;
mod course;
mod diagnosis;
mod discard;
mod handle;
mod inquiry;
mod isolation;
mod join;
mod judge;
mod landed;
mod lease;
mod locked;
mod mark;
mod order;
mod overwrite;
mod plan;
mod prepare;
mod protocol;
mod recall;
mod replay;
mod resolve;
mod rows;
mod set;
mod slot;
mod work;

pub use committed::{Committed, CommittedChange, CommittedRow, Operation, UndoError};
pub use core::SetCore;
pub use discard::Discard;
pub use handle::Handle;
pub use set::Set;

pub(crate) use batches::{InsertMode, UpdateMode};
pub(crate) use handle::UnitId;
pub(crate) use order::Operation as WriteOperation;
#[cfg(feature = "async")]
pub(crate) use plan::Step;
#[cfg(feature = "async")]
pub(crate) use protocol::Protocol;
pub(crate) use protocol::{Action, Answer};
pub(crate) use replay::Replay;
pub(crate) use work::Group;

use std::any::{Any, TypeId};
use std::fmt;
use std::marker::PhantomData;

use self::access::foreign;
use self::slot::State;
use crate::entity::Versioned;
use crate::error::TrackError;
use crate::execute::BlockingSet;
use crate::isolation::Terms;
use crate::lease::Lease;

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
    /// What records overwrites, and what is recorded while a commit runs.
    pub(crate) audits: Vec<V::Audit>,
    pub(crate) recorded: Vec<overwrite::Recorded>,
    pub(crate) hooks: Vec<Hook>,
    pub(crate) sequence: u64,
    pub(crate) replay: Option<Replay<V::Store>>,
    /// What it is committed under, by table and key, and how each is locked.
    pub(crate) leases: Vec<(Lease, V::Fence)>,
    pub(crate) terms: Terms,
    connection: PhantomData<fn(&mut C)>,
}

/// How the sets of a unit are executed: `dyn BlockingSet<C>` or `dyn AsyncSet<C>`.
pub trait SetKind {
    /// What runs in the unit's transaction, after its own writes.
    #[doc(hidden)]
    type Also: Send;

    /// How idempotency keys are stored.
    #[doc(hidden)]
    type Store: Send;

    /// What records that rows are overwritten.
    #[doc(hidden)]
    type Audit: Send;

    /// How a lease is locked.
    #[doc(hidden)]
    type Fence: Send;
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
            audits: Vec::new(),
            recorded: Vec::new(),
            hooks: Vec::new(),
            sequence: 0,
            replay: None,
            leases: Vec::new(),
            terms: Terms::default(),
            connection: PhantomData,
        }
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
