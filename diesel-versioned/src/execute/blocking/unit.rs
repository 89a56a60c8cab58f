//! A unit of work on a blocking connection: made, filled and given what belongs to it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use diesel::QueryResult;
use diesel::connection::LoadConnection;

use super::dsl::VersionedDsl;
use super::session;
use super::set::BlockingSet;
use crate::backend::Dialect;
use crate::entity::{IntoKey, Versioned};
use crate::error::CommitError;
use crate::isolation::{Isolation, Terms};
use crate::soft_delete::SoftDelete;
use crate::unit_of_work::{Handle, Holds, UnitOfWork};

impl<C: 'static> UnitOfWork<C, dyn BlockingSet<C>> {
    /// A unit without entities.
    pub fn new() -> Self {
        Self::empty()
    }

    /// Gives the unit rows that belong to it, a journal or an outbox: runs in the unit's
    /// transaction after its own writes. It runs again with the next attempt if the commit fails,
    /// and is gone after success. An error that it returns rolls the unit back and becomes
    /// [`CommitError::Database`](crate::CommitError::Database).
    ///
    /// It may use transactions of its own (`conn.transaction(…)`), and must not end the unit's. On
    /// MySQL and MariaDB statements about the schema (`CREATE TABLE`, `TRUNCATE`, …) commit by
    /// themselves: after one the commit ends in
    /// [`OutcomeUnknown`](crate::CommitError::OutcomeUnknown), for the unit's rows are written.
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
    /// # diesel::table! { journal (id) { id -> Integer, text -> Text } }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)")?;
    /// # conn.batch_execute("CREATE TABLE journal (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")?;
    /// let mut uow = UnitOfWork::new();
    /// let tea: Handle<Product> = uow.find(&mut conn, 1)?;
    /// uow[tea].stock = 8;
    /// uow.also(|conn| {
    ///     diesel::insert_into(journal::table)
    ///         .values(journal::text.eq("counted in May"))
    ///         .execute(conn)
    ///         .map(drop)
    /// });
    ///
    /// Product::find(&mut conn, 1)?.touch(&mut conn)?; // someone else
    /// assert!(uow.commit(&mut conn).unwrap_err().is_conflict());
    /// assert_eq!(journal::table.count().get_result(&mut conn), Ok(0));
    ///
    /// uow.discard(tea);
    /// uow.commit(&mut conn)?;
    /// assert_eq!(journal::table.count().get_result(&mut conn), Ok(1));
    /// # Ok(())
    /// # }
    /// ```
    pub fn also(&mut self, run: impl FnMut(&mut C) -> QueryResult<()> + Send + 'static) {
        self.also.push(Box::new(run));
    }
}

impl<C> UnitOfWork<C, dyn BlockingSet<C>>
where
    C: LoadConnection + 'static,
    C::Backend: Dialect,
{
    /// Lets a closure read into this unit inside one read-only transaction of this isolation, which is
    /// over when it returns: with [`RepeatableRead`](Isolation::RepeatableRead) all that it reads is of
    /// one moment, without a lock. What is computed of it is then written by
    /// [`commit`](UnitOfWork::commit), guarded by the versions that were read; if a row was written
    /// since, that is a conflict.
    ///
    /// A row that the unit had before is not read again, as by [`find`](UnitOfWork::find), and is not of
    /// that moment. If the closure fails, what it has read is no longer part of the unit, so that it
    /// can be called again. A write in it is turned away by the database (`transaction.read_only`).
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
    /// let (full, empty) = uow.read(&mut conn, Isolation::RepeatableRead, |uow, conn| {
    ///     let full: Handle<Product> = uow.find(conn, 1)?;
    ///     let empty: Handle<Product> = uow.find(conn, 2)?;
    ///     Ok::<_, CommitError>((full, empty))
    /// })?;
    /// // … whatever takes its time: no transaction is open, no row is locked.
    /// let half = (uow[full].stock + uow[empty].stock) / 2;
    /// uow[full].stock = half;
    /// uow[empty].stock = half;
    /// uow.commit(&mut conn)?;
    /// assert_eq!((uow[full].stock, uow[empty].stock), (5, 5));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// What the closure returns; [`CommitError::Isolation`] inside a transaction of the caller's, which
    /// stays as it was begun, and where it is not known how the database is told; otherwise what the
    /// database reports.
    ///
    /// # Panics
    ///
    /// If the closure panics: the transaction is rolled back and the panic goes on.
    pub fn read<R, E: From<CommitError>>(
        &mut self,
        conn: &mut C,
        isolation: Isolation,
        work: impl FnOnce(&mut Self, &mut C) -> Result<R, E>,
    ) -> Result<R, E> {
        let terms = Terms::to_read(isolation);
        let outer = session::depth(conn).map_err(CommitError::from)?;
        let checked = terms.check::<C::Backend>(outer.is_some());
        checked.map_err(CommitError::from)?;
        let joined = self.joined();
        let entered = session::enter(conn, terms).map_err(CommitError::from)?;
        let worked = catch_unwind(AssertUnwindSafe(|| -> Result<R, E> {
            session::begin(conn, terms).map_err(CommitError::from)?;
            let begun = session::depth(conn).map_err(CommitError::from)?;
            let result = work(self, conn)?;
            session::same_depth(conn, begun).map_err(CommitError::from)?;
            session::commit(conn).map_err(CommitError::from)?;
            Ok(result)
        }));
        if matches!(worked, Ok(Ok(_))) {
            if let Err(error) = session::leave(conn, entered) {
                self.forget_since(&joined);
                return Err(CommitError::from(error).into());
            }
        } else {
            // What went wrong first is what the caller has to hear of.
            drop(session::roll_back_to(conn, outer));
            drop(session::leave(conn, entered));
            self.forget_since(&joined);
        }
        worked.unwrap_or_else(|panic| resume_unwind(panic))
    }
}

impl<C: 'static> Default for UnitOfWork<C, dyn BlockingSet<C>> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C> UnitOfWork<C, dyn BlockingSet<C>>
where
    C: LoadConnection + 'static,
    C::Backend: Dialect,
{
    /// Reads a row and takes it in. A row that the unit has already is not read again.
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
    /// uow[tea].stock -= 3;
    /// let again: Handle<Product> = uow.find(&mut conn, 1)?; // no read: the change is still there
    /// assert!(again == tea);
    /// assert_eq!(uow[again].stock, 7);
    ///
    /// uow.delete(tea);
    /// assert!(uow.find::<Product>(&mut conn, 1).optional()?.is_none());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// `NotFound` if there is no such row, if it is
    /// [marked as deleted](derive@crate::Versioned#soft-deletion), or if the unit deletes it, so that
    /// Diesel's `optional()` works; otherwise what the database reports.
    pub fn find<T>(&mut self, conn: &mut C, key: impl IntoKey<T::Key>) -> QueryResult<Handle<T>>
    where
        T: Versioned + VersionedDsl<C>,
        dyn BlockingSet<C>: Holds<T>,
    {
        let key = key.into_key();
        match self.to_be_found(&key, false)? {
            Some(handle) => Ok(handle),
            None => {
                let entity = T::find(conn, key)?;
                self.found(entity)
            }
        }
    }

    /// Reads a row that is [marked as deleted](derive@crate::Versioned#soft-deletion) and takes it in,
    /// to [`restore`](UnitOfWork::restore) or to [`purge`](UnitOfWork::purge) it. A row that the unit
    /// has already is not read again.
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
    /// let note: Handle<Note> = uow.find_deleted(&mut conn, 1)?;
    /// assert!(uow[note].deleted);
    /// assert!(uow.find_deleted::<Note>(&mut conn, 2).optional()?.is_none()); // it is not deleted
    ///
    /// uow.restore(note);
    /// uow.commit(&mut conn)?;
    /// assert_eq!((uow[note].deleted, uow[note].version), (false, 3));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// `NotFound` if there is no such row, if it is not deleted, or if the unit has it otherwise:
    /// restored, or to be deleted; otherwise what the database reports.
    pub fn find_deleted<T>(
        &mut self,
        conn: &mut C,
        key: impl IntoKey<T::Key>,
    ) -> QueryResult<Handle<T>>
    where
        T: SoftDelete + VersionedDsl<C>,
        dyn BlockingSet<C>: Holds<T>,
    {
        let key = key.into_key();
        match self.to_be_found(&key, true)? {
            Some(handle) => Ok(handle),
            None => {
                let entity = T::find_deleted(conn, key)?;
                self.found(entity)
            }
        }
    }
}
