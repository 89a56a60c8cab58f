//! What is to become of an entity at the commit, apart from what is changed in it.

use std::collections::HashSet;

use super::access::foreign;
use super::slot::State;
use super::{Handle, SetCore, SetKind, UnitOfWork};
use crate::entity::Versioned;
use crate::soft_delete::SoftDelete;

impl<C, V: SetCore + SetKind + ?Sized> UnitOfWork<C, V> {
    /// Marks an entity for deletion, guarded by its version. One that this unit would have
    /// inserted is forgotten instead; deleting twice is deleting once. Where rows are
    /// [marked as deleted](derive@crate::Versioned#soft-deletion), it is marked.
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
    /// let tea: Handle<Product> = uow.find(&mut conn, 1)?;
    /// let new = uow.insert(Product { id: 3, stock: 5, version: 0 })?;
    /// uow.delete(tea);
    /// uow.delete(new); // never written at all
    /// let done = uow.commit(&mut conn)?;
    ///
    /// assert_eq!(done.len(), 1);
    /// assert!(uow.get(tea).is_none());
    /// assert!(Product::find(&mut conn, 1).optional()?.is_none());
    /// # Ok(())
    /// # }
    /// ```
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

    /// Marks an entity for deletion for good, guarded by its version, whether it is
    /// [marked as deleted](derive@crate::Versioned#soft-deletion) or not. One that this unit would
    /// have inserted is forgotten instead.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     notes (id) { id -> Integer, text -> Text, deleted -> Bool, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = notes)]
    /// # struct Note {
    /// #     id: i32,
    /// #     text: String,
    /// #     #[versioned(soft_delete)]
    /// #     deleted: bool,
    /// #     #[version]
    /// #     version: i32,
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL,
    /// #     deleted BOOLEAN NOT NULL, version INTEGER NOT NULL);
    /// #     INSERT INTO notes VALUES (1, 'buy tea', TRUE, 2), (2, 'sell tea', FALSE, 1)")?;
    /// let mut uow = UnitOfWork::new();
    /// let deleted: Handle<Note> = uow.find_deleted(&mut conn, 1)?;
    /// let other: Handle<Note> = uow.find(&mut conn, 2)?;
    /// uow.purge(deleted);
    /// uow.delete(other);
    /// let done = uow.commit(&mut conn)?;
    ///
    /// assert_eq!(
    ///     done.iter().map(|row| row.operation()).collect::<Vec<_>>(),
    ///     [Operation::Delete, Operation::Purge]
    /// );
    /// assert!(Note::find_deleted(&mut conn, 1).optional()?.is_none()); // gone
    /// assert!(Note::find_deleted(&mut conn, 2).optional()?.is_some()); // marked
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If the handle is of another unit.
    #[track_caller]
    pub fn purge<T: SoftDelete>(&mut self, handle: Handle<T>) {
        self.owned_set(handle);
        let set = self.set_mut::<T>();
        if let Some(slot) = set.and_then(|set| set.slots.get_mut(handle.slot)) {
            slot.purge = slot.state != State::New;
        }
        self.delete(handle);
    }

    /// Brings an entity back that is [marked as deleted](derive@crate::Versioned#soft-deletion), guarded
    /// by its version; what else is changed in it is written with that. One that this unit was to delete
    /// is not deleted. The last word counts: [`delete`](UnitOfWork::delete) after it deletes.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     notes (id) { id -> Integer, text -> Text, deleted -> Bool, version -> Integer }
    /// # }
    /// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// #[diesel(table_name = notes)]
    /// struct Note {
    ///     id: i32,
    ///     text: String,
    ///     #[versioned(soft_delete)]
    ///     deleted: bool,
    ///     #[version]
    ///     version: i32,
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL,
    /// #     deleted BOOLEAN NOT NULL, version INTEGER NOT NULL);
    /// #     INSERT INTO notes VALUES (1, 'buy tea', TRUE, 2), (2, 'sell tea', FALSE, 1)")?;
    /// let mut uow = UnitOfWork::new();
    /// let one: Handle<Note> = uow.find_deleted(&mut conn, 1)?;
    /// let two: Handle<Note> = uow.find(&mut conn, 2)?;
    /// uow.restore(one);
    /// uow[one].text = "buy green tea".to_owned();
    /// uow.delete(two);
    /// uow.commit(&mut conn)?;
    ///
    /// assert_eq!(Note::find(&mut conn, 1)?.text, "buy green tea");
    /// let deleted = Note::find_deleted(&mut conn, 2)?;
    /// assert_eq!((deleted.deleted, deleted.version), (true, 2));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If the handle is of another unit or its entity is no longer part of this one, or if the unit
    /// inserts another row in the place of the entity.
    #[track_caller]
    pub fn restore<T: SoftDelete>(&mut self, handle: Handle<T>) {
        self.owned_slot(handle);
        let set = self.set_mut::<T>();
        if !set.is_some_and(|set| set.restore(handle.slot)) {
            foreign::<T>();
        }
    }

    /// Lets the version of an entity move on even if nothing else changes; by one, whether
    /// something changes or not. [Bookkeeping](derive@crate::Versioned#bookkeeping) that changed is
    /// written under the guard then.
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
    /// The row is locked for the rest of the transaction, so that nobody moves it in between, as
    /// [a rule over several rows](crate::guide#a-rule-over-several-rows) needs it; that
    /// takes the right to UPDATE it. An entity that is changed, touched or deleted as well is only
    /// that: those writes are guarded anyway. One of which only
    /// [bookkeeping](derive@crate::Versioned#bookkeeping) changed is checked too, and written without
    /// a new version.
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
}
