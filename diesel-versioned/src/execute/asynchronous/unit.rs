//! A unit of work on an asynchronous connection: made, filled and given what belongs to it.

use std::future::Future;

use diesel::QueryResult;
use diesel::result::Error;
use diesel_async::AsyncConnection;
use futures_util::FutureExt;

use super::closure::AlsoFn;
use super::dsl::AsyncVersionedDsl;
use super::set::AsyncSet;
use crate::backend::Dialect;
use crate::entity::{IntoKey, Versioned};
use crate::soft_delete::SoftDelete;
use crate::unit_of_work::{Handle, Holds, UnitOfWork};

impl<C: AsyncConnection + 'static> UnitOfWork<C, dyn AsyncSet<C>> {
    /// A unit without entities.
    pub fn new() -> Self {
        Self::empty()
    }

    /// Gives the unit rows that belong to it, a journal or an outbox: runs in the unit's
    /// transaction after its own writes. The closure is cloned for each attempt, so what it has
    /// captured must be `Clone`, and is gone after success. An error that it returns rolls the unit
    /// back and becomes [`CommitError::Database`](crate::CommitError::Database).
    ///
    /// It may use transactions of its own (`conn.transaction(…)`), and must not end the unit's. On
    /// MySQL and MariaDB statements about the schema (`CREATE TABLE`, `TRUNCATE`, …) commit by
    /// themselves: after one the commit ends in
    /// [`OutcomeUnknown`](crate::CommitError::OutcomeUnknown), for the unit's rows are written.
    ///
    /// ```
    /// use diesel::prelude::*;
    /// use diesel_async::{AsyncConnection, RunQueryDsl};
    /// use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
    /// use diesel_versioned::async_prelude::*;
    /// # diesel::table! { journal (id) { id -> Integer, text -> Text } }
    ///
    /// type Connection = SyncConnectionWrapper<SqliteConnection>;
    ///
    /// fn log(uow: &mut UnitOfWork<Connection>, text: String) {
    ///     uow.also(async move |conn| {
    ///         diesel::insert_into(journal::table)
    ///             .values(journal::text.eq(text))
    ///             .execute(conn)
    ///             .await
    ///             .map(drop)
    ///     });
    /// }
    /// ```
    pub fn also<F>(&mut self, run: F)
    where
        for<'r> F: AsyncFnOnce(&'r mut C) -> QueryResult<()>
            + AlsoFn<&'r mut C, QueryResult<()>, Running: Send>
            + Clone
            + Send
            + 'static,
    {
        self.also.push(Box::new(move |conn| {
            let run = run.clone();
            async move { run(conn).await }.boxed()
        }));
    }
}

impl<C: AsyncConnection + 'static> Default for UnitOfWork<C, dyn AsyncSet<C>> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C> UnitOfWork<C, dyn AsyncSet<C>>
where
    C: AsyncConnection + 'static,
    C::Backend: Dialect,
{
    /// Reads a row and takes it in. A row that the unit has already is not read again.
    ///
    /// # Errors
    ///
    /// `NotFound` if there is no such row, if it is
    /// [marked as deleted](derive@crate::Versioned#soft-deletion), or if the unit deletes it, so that
    /// Diesel's `optional()` works; otherwise what the database reports.
    pub fn find<T>(
        &mut self,
        conn: &mut C,
        key: impl IntoKey<T::Key>,
    ) -> impl Future<Output = QueryResult<Handle<T>>> + Send
    where
        T: Versioned + AsyncVersionedDsl<C>,
        dyn AsyncSet<C>: Holds<T>,
    {
        let key = key.into_key();
        async move {
            match self.known(&key) {
                Ok(Some(handle)) => Ok(handle),
                Ok(None) => {
                    let entity = T::find(conn, key).await?;
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
    ) -> impl Future<Output = QueryResult<Handle<T>>> + Send
    where
        T: SoftDelete + AsyncVersionedDsl<C>,
        dyn AsyncSet<C>: Holds<T>,
    {
        let key = key.into_key();
        async move {
            match self.known_deleted(&key) {
                Ok(Some(handle)) => Ok(handle),
                Ok(None) => {
                    let entity = T::find_deleted(conn, key).await?;
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
}
