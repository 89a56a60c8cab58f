//! How entities join a unit.

use std::any::Any;

use super::slot::State;
use super::{Handle, Holds, Link, SetCore, SetKind, UnitOfWork};
use crate::entity::Versioned;
use crate::error::TrackError;

impl<C, V: SetCore + SetKind + ?Sized> UnitOfWork<C, V> {
    /// Takes in an entity that was read: what is changed from here on is written.
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
    /// let full: Product = products::table
    ///     .filter(products::stock.gt(0))
    ///     .select(Product::as_select())
    ///     .first(&mut conn)?;
    ///
    /// let mut uow = UnitOfWork::new();
    /// let tea = uow.attach(full.clone())?;
    /// assert!(!uow.is_dirty(tea));
    /// uow[tea].stock -= 3;
    /// assert!(uow.is_dirty(tea));
    /// assert_eq!(uow.attach(full).unwrap_err().code(), "unit.already_tracked");
    ///
    /// uow.commit(&mut conn)?;
    /// assert_eq!((uow[tea].stock, uow[tea].version), (7, 2));
    /// # Ok(())
    /// # }
    /// ```
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

    /// Takes in an entity that was changed since it was loaded.
    #[cfg(feature = "lease")]
    pub(crate) fn attach_changed<T: Versioned>(
        &mut self,
        base: T,
        entity: T,
    ) -> Result<Handle<T>, TrackError>
    where
        V: Holds<T>,
    {
        let handle = self.attach(base)?;
        if let Some(mine) = self.get_mut(handle) {
            *mine = entity;
        }
        Ok(handle)
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
    /// Where the database makes the key, rows that one statement has inserted are told apart by what was
    /// sent for them, for no database promises in which order it hands them back. What a trigger or the
    /// type of a column makes otherwise of some columns does not disturb that as long as the rest differs
    /// from row to row; if it does not, the unit begins once more and inserts these rows one by one.
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
    /// let milk = uow.insert(Product { id: 3, stock: 5, version: 0 })?;
    /// uow[milk].stock = 6; // nothing is written before the commit
    /// let done = uow.commit(&mut conn)?;
    ///
    /// assert_eq!(done.iter().next().map(|row| row.operation()), Some(Operation::Insert));
    /// assert_eq!((uow[milk].stock, uow[milk].version), (6, 1));
    /// # Ok(())
    /// # }
    /// ```
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
    /// written, guarded by the version that the entity carries. Its
    /// [bookkeeping](derive@crate::Versioned#bookkeeping) is not, for it may be older than what
    /// stands there.
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
    /// // From two forms that had the rows at version 1.
    /// let (tea, milk) = (Product { id: 1, stock: 7, version: 1 }, Product { id: 2, stock: 3, version: 1 });
    /// Product::find(&mut conn, 2)?.touch(&mut conn)?; // someone else
    ///
    /// let mut uow = UnitOfWork::new();
    /// let tea = uow.save(tea)?;
    /// let milk = uow.save(milk)?;
    /// assert!(uow.commit(&mut conn).unwrap_err().is_conflict());
    /// assert_eq!(Product::find(&mut conn, 1)?.stock, 10);
    ///
    /// uow.discard(milk);
    /// uow.commit(&mut conn)?;
    /// assert_eq!((uow[tea].stock, uow[tea].version), (7, 2));
    /// # Ok(())
    /// # }
    /// ```
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

    fn add<T: Versioned>(&mut self, entity: T, state: State) -> Result<Handle<T>, TrackError>
    where
        V: Holds<T>,
    {
        let id = self.id;
        let slot = self.set_mut_or_new()?.add(entity, state)?;
        Ok(Handle::new(id, slot))
    }
}
