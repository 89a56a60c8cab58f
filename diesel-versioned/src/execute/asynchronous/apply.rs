//! Relative updates on an asynchronous connection.

use std::future::Future;
use std::sync::Arc;

use diesel::expression::{AppearsOnTable, Expression, NonAggregate};
use diesel::query_builder::QueryFragment;
use diesel::sql_types::BoolOrNullableBool;
use diesel_async::AsyncConnection;
use futures_util::FutureExt;

use super::session::{Begun, affected, rows};
use super::set::AsyncSet;
use crate::backend::Dialect;
use crate::entity::Versioned;
use crate::outcome::{self, Matched};
use crate::relative::{ApplyError, Asks, Ready, Relative};
use crate::statement::{Both, Condition, Entity, Lock, Readable, Select};
use crate::unit_of_work::UnitOfWork;

/// A relative update on an asynchronous connection; [`apply`](crate::AsyncVersionedDsl::apply) begins it.
#[must_use = "nothing is written before `execute`"]
pub struct AsyncApply<'c, Conn, T: Versioned, S, P> {
    conn: &'c mut Conn,
    update: Relative<T, S, P>,
}

impl<'c, Conn, T: Versioned, S, P> AsyncApply<'c, Conn, T, S, P> {
    pub(super) fn new(conn: &'c mut Conn, update: Relative<T, S, P>) -> Self {
        Self { conn, update }
    }

    /// Writes the row only if it meets a condition; said again, only if it meets all.
    pub fn filter<Q>(self, condition: Q) -> AsyncApply<'c, Conn, T, S, Both<P, Q>>
    where
        Q: Expression<SqlType: BoolOrNullableBool> + AppearsOnTable<T::Table> + NonAggregate,
    {
        AsyncApply {
            conn: self.conn,
            update: self.update.filter(condition),
        }
    }

    /// Writes the row, in one statement. A future that is dropped before it is ready may have done so.
    ///
    /// # Errors
    ///
    /// As those of [`Apply::execute`](crate::Apply::execute).
    pub fn execute(
        self,
    ) -> impl Future<Output = Result<(), ApplyError<T>>> + Send + use<'c, Conn, T, S, P>
    where
        Conn: AsyncConnection,
        Conn::Backend: Dialect + Readable,
        T: Entity<Conn::Backend>,
        S: QueryFragment<Conn::Backend> + Send + Sync,
        P: Condition<Conn::Backend> + Asks + Send + Sync,
    {
        let Self { conn, update } = self;
        let update = update.ready::<Conn::Backend>();
        async move {
            let update = update?;
            let mut conn = Begun::statement(conn)?;
            let done = apply(&mut *conn, &update).await;
            conn.ended();
            done
        }
    }
}

async fn apply<T, C, S, P>(conn: &mut C, update: &Ready<T, S, P>) -> Result<(), ApplyError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect + Readable,
    T: Entity<C::Backend>,
    S: QueryFragment<C::Backend>,
    P: Condition<C::Backend> + Asks,
{
    let count = affected(conn, update.statement()).await?;
    match outcome::matched(count, 1) {
        Matched::All => Ok(()),
        Matched::More => Err(update.not_unique(count)),
        Matched::Fewer => {
            let key = std::slice::from_ref(&update.key);
            let current = rows(conn, Select::<T, _>::new(key, Lock::Current)).await?;
            Err(update.not_written(current.into_iter().next()))
        }
    }
}

impl<C> UnitOfWork<C, dyn AsyncSet<C>>
where
    C: AsyncConnection + 'static,
    C::Backend: Dialect + Readable,
{
    /// Gives the unit a relative update: it runs in the unit's transaction, after the rows that the unit
    /// tracks, in the order of these calls and those of [`also`](UnitOfWork::also). As on a blocking
    /// connection, a copy of the row that the unit tracks is stale then.
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
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (42, 5, 1)").await?;
    /// use self::products::dsl::stock;
    ///
    /// let mut uow = UnitOfWork::new();
    /// uow.apply(Product::relative(42, stock.eq(stock - 3)).filter(stock.ge(3)))?;
    /// uow.commit(&mut conn).await?;
    /// assert_eq!(Product::find(&mut conn, 42).await?.stock, 2);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ApplyError::NoVersion`] if no version can be made, and [`ApplyError::Database`] if the key,
    /// the version or the mark of deletion is set, or nothing is, or if a write of this entity moves the
    /// version of its parent on. The unit is as it was then.
    pub fn apply<T, S, P>(&mut self, update: Relative<T, S, P>) -> Result<(), ApplyError<T>>
    where
        T: Entity<C::Backend>,
        S: QueryFragment<C::Backend> + Send + Sync + 'static,
        P: Condition<C::Backend> + Asks + Send + Sync + 'static,
    {
        let update = Arc::new(update.ready::<C::Backend>()?);
        self.also.push(Box::new(move |conn| {
            let update = Arc::clone(&update);
            async move { Ok(apply(conn, &update).await?) }.boxed()
        }));
        Ok(())
    }
}
