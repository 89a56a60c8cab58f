//! A unit of work on a blocking connection: made, filled and given what belongs to it.

use diesel::QueryResult;
use diesel::connection::LoadConnection;
use diesel::result::Error;

use super::dsl::VersionedDsl;
use super::set::BlockingSet;
use crate::backend::Dialect;
use crate::entity::{IntoKey, Versioned};
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
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! { journal (id) { id -> Integer, text -> Text } }
    /// # fn log(uow: &mut UnitOfWork<SqliteConnection>) {
    /// uow.also(|conn| {
    ///     diesel::insert_into(journal::table)
    ///         .values(journal::text.eq("prices of May"))
    ///         .execute(conn)
    ///         .map(drop)
    /// });
    /// # }
    /// ```
    pub fn also(&mut self, run: impl FnMut(&mut C) -> QueryResult<()> + Send + 'static) {
        self.also.push(Box::new(run));
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
        match self.known(&key) {
            Ok(Some(handle)) => Ok(handle),
            Ok(None) => {
                let entity = T::find(conn, key)?;
                // A database that does not tell `a` from `A` may find a row that is known by
                // another spelling of its key.
                if let Ok(Some(handle)) = self.known(&entity.key()) {
                    return Ok(handle);
                }
                self.attach(entity)
                    .map_err(|error| Error::QueryBuilderError(Box::new(error)))
            }
            Err(_deleted) => Err(Error::NotFound),
        }
    }

    /// Reads a row that is [marked as deleted](derive@crate::Versioned#soft-deletion) and takes it in,
    /// to [`restore`](UnitOfWork::restore) or to [`purge`](UnitOfWork::purge) it. A row that the unit
    /// has already is not read again.
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
        match self.known_deleted(&key) {
            Ok(Some(handle)) => Ok(handle),
            Ok(None) => {
                let entity = T::find_deleted(conn, key)?;
                if let Ok(Some(handle)) = self.known_deleted(&entity.key()) {
                    return Ok(handle);
                }
                self.attach(entity)
                    .map_err(|error| Error::QueryBuilderError(Box::new(error)))
            }
            Err(_otherwise) => Err(Error::NotFound),
        }
    }
}
