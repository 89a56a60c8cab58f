//! A unit of work on an asynchronous connection: made, filled and given what belongs to it.

use std::future::Future;
use std::panic::{AssertUnwindSafe, resume_unwind};

use diesel::QueryResult;
use diesel_async::AsyncConnection;
use futures_util::FutureExt;

use super::closure::{AlsoFn, RunFn};
use super::dsl::AsyncVersionedDsl;
use super::session::{self, Begun};
use super::set::AsyncSet;
use crate::backend::Dialect;
use crate::entity::{IntoKey, Versioned};
use crate::error::CommitError;
use crate::execute::transaction::Depth;
use crate::isolation::{Isolation, Terms};
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

impl<C> UnitOfWork<C, dyn AsyncSet<C>>
where
    C: AsyncConnection + 'static,
    C::Backend: Dialect,
{
    /// Lets an asynchronous closure read into this unit inside one read-only transaction of this
    /// isolation, which is over when it returns: with [`RepeatableRead`](Isolation::RepeatableRead) all
    /// that it reads is of one moment, without a lock. What is computed of it is then written by
    /// [`commit`](UnitOfWork::commit), guarded by the versions that were read; if a row was written
    /// since, that is a conflict.
    ///
    /// A row that the unit had before is not read again, as by [`find`](UnitOfWork::find), and is not of
    /// that moment. If the closure fails, what it has read is no longer part of the unit, so that it
    /// can be called again. A write in it is turned away by the database (`transaction.read_only`). If
    /// the future is dropped, the connection is marked as broken, as [`commit`](UnitOfWork::commit)
    /// says.
    ///
    /// ```
    /// # use diesel::prelude::*;
    /// # use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
    /// # use diesel_async::{AsyncConnection, SimpleAsyncConnection};
    /// # use diesel_versioned::async_prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SyncConnectionWrapper::<SqliteConnection>::establish(":memory:").await?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL);
    /// #     INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)").await?;
    /// let mut uow = UnitOfWork::new();
    /// let reading = uow.read(&mut conn, Isolation::RepeatableRead, async |uow, conn| {
    ///     let full: Handle<Product> = uow.find(conn, 1).await?;
    ///     let empty: Handle<Product> = uow.find(conn, 2).await?;
    ///     Ok::<_, CommitError>((full, empty))
    /// });
    /// let (full, empty) = reading.await?;
    /// uow[empty].stock = uow[full].stock / 2;
    /// uow[full].stock -= uow[empty].stock;
    /// uow.commit(&mut conn).await?;
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
    #[allow(
        clippy::manual_async_fn,
        reason = "that it is `Send` is part of the contract"
    )]
    pub fn read<R, E, F>(
        &mut self,
        conn: &mut C,
        isolation: Isolation,
        work: F,
    ) -> impl Future<Output = Result<R, E>> + Send
    where
        R: Send,
        E: From<CommitError> + Send,
        for<'u, 'c> F: AsyncFnOnce(&'u mut Self, &'c mut C) -> Result<R, E>
            + RunFn<&'u mut Self, &'c mut C, Result<R, E>, Running: Send>
            + Send,
    {
        async move {
            let terms = Terms::to_read(isolation);
            let outer = session::depth(conn).map_err(CommitError::from)?;
            let checked = terms.check::<C::Backend>(outer.is_some());
            checked.map_err(CommitError::from)?;
            let mut reading = Reading {
                joined: self.joined(),
                unit: self,
                ended: false,
            };
            let mut conn = Begun::new(conn);
            let entered = match session::enter(&mut *conn, terms).await {
                Ok(entered) => entered,
                Err(error) => {
                    conn.ended();
                    return Err(CommitError::from(error).into());
                }
            };
            let worked = match begin(&mut *conn, terms).await {
                Err(error) => Ok(Err(CommitError::from(error).into())),
                Ok(begun) => {
                    // Boxed where the unit's type is known in full; what is held is then `Send`.
                    let working = work(&mut *reading.unit, &mut *conn).boxed();
                    match AssertUnwindSafe(working).catch_unwind().await {
                        Ok(Ok(result)) => match end(&mut *conn, begun).await {
                            Ok(()) => Ok(Ok(result)),
                            Err(error) => Ok(Err(CommitError::from(error).into())),
                        },
                        failed => failed,
                    }
                }
            };
            // What went wrong first is what the caller has to hear of.
            let left = if matches!(worked, Ok(Ok(_))) {
                // Dropped here, nobody hears of what was read.
                let left = session::leave(&mut *conn, entered).await;
                reading.ended = left.is_ok();
                left
            } else {
                drop(session::roll_back_to(&mut *conn, outer).await);
                drop(session::leave(&mut *conn, entered).await);
                Ok(())
            };
            conn.ended();
            drop(reading);
            let result = worked.unwrap_or_else(|panic| resume_unwind(panic))?;
            left.map_err(CommitError::from)?;
            Ok(result)
        }
    }
}

/// Begins a transaction; returns how deep it is.
async fn begin<C>(conn: &mut C, terms: Terms) -> QueryResult<Depth>
where
    C: AsyncConnection,
    C::Backend: Dialect,
{
    session::begin(conn, terms).await?;
    session::depth(conn)
}

/// Commits, if the transaction is still the one that was begun.
async fn end<C: AsyncConnection>(conn: &mut C, begun: Depth) -> QueryResult<()> {
    session::same_depth(conn, begun)?;
    session::commit(conn).await
}

/// A unit that is read into: what has joined is taken out again unless that comes to its end.
struct Reading<'u, C>
where
    C: AsyncConnection + 'static,
{
    unit: &'u mut UnitOfWork<C, dyn AsyncSet<C>>,
    joined: Vec<u32>,
    ended: bool,
}

impl<C: AsyncConnection + 'static> Drop for Reading<'_, C> {
    fn drop(&mut self) {
        if !self.ended {
            self.unit.forget_since(&self.joined);
        }
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
            match self.to_be_found(&key, false)? {
                Some(handle) => Ok(handle),
                None => {
                    let entity = T::find(conn, key).await?;
                    self.found(entity)
                }
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
            match self.to_be_found(&key, true)? {
                Some(handle) => Ok(handle),
                None => {
                    let entity = T::find_deleted(conn, key).await?;
                    self.found(entity)
                }
            }
        }
    }
}
