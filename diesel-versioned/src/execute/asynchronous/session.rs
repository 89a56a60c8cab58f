//! The few things that are done to an asynchronous connection.

use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};

use diesel::QueryResult;
use diesel::query_builder::{Query, QueryFragment, QueryId};
use diesel::result::Error;
use diesel_async::{AsyncConnection, SimpleAsyncConnection, TransactionManager};
use futures_util::{StreamExt, TryStreamExt};

use crate::backend::catalog::Cells;
use crate::backend::{Dialect, Switch};
use crate::execute::transaction::{self, Depth, PING};
use crate::isolation::{Terms, Told};
use crate::statement::{Ask, Entity, OwnTables, Setting, read_cells};
#[cfg(any(feature = "lease", feature = "replay"))]
use crate::statement::{OwnRow, Reading};

/// Runs a statement and returns how many rows it matched.
pub(super) fn affected<'c, 's, C, S>(conn: &'c mut C, statement: S) -> C::ExecuteFuture<'c, 's>
where
    C: AsyncConnection,
    S: QueryFragment<C::Backend> + QueryId + 's,
{
    conn.execute_returning_count(statement)
}

/// Runs a statement and returns its rows, all of them: an error of the last one is an error.
pub(super) fn rows<'c, T, C, S>(
    conn: &'c mut C,
    statement: S,
) -> impl Future<Output = QueryResult<Vec<T>>> + Send + use<'c, T, C, S>
where
    C: AsyncConnection,
    T: Entity<C::Backend>,
    S: Query + QueryFragment<C::Backend> + QueryId + 'c,
{
    // The statement is turned into text and values here; it need not be `Send`.
    let loading = conn.load(statement);
    async move {
        let stream = loading.await?;
        stream.map(|row| T::from_row(&row?)).try_collect().await
    }
}

/// Runs a statement about the library's own tables and returns its rows.
#[cfg(any(feature = "lease", feature = "replay"))]
pub(super) fn own_rows<'c, C, R>(
    conn: &'c mut C,
    statement: Reading<R>,
) -> impl Future<Output = QueryResult<Vec<R>>> + Send + use<'c, C, R>
where
    C: AsyncConnection,
    C::Backend: OwnTables,
    R: OwnRow + Send + 'c,
{
    let loading = conn.load(statement);
    async move {
        let stream = loading.await?;
        stream.map(|row| R::read(&row?)).try_collect().await
    }
}

/// Asks the database about a table and returns the rows of its answer.
pub(super) fn answers<'c, C, F>(
    conn: &'c mut C,
    ask: Ask<F>,
) -> impl Future<Output = QueryResult<Vec<Cells>>> + Send + use<'c, C, F>
where
    C: AsyncConnection,
    C::Backend: OwnTables,
    F: QueryFragment<C::Backend> + 'c,
{
    let cells = ask.cells();
    let loading = conn.load(ask);
    async move {
        let stream = loading.await?;
        stream
            .map(|row| read_cells(&row?, cells))
            .try_collect()
            .await
    }
}

/// Asks for a setting that is a number.
pub(super) async fn setting<C>(conn: &mut C, question: &'static str) -> QueryResult<i64>
where
    C: AsyncConnection,
    C::Backend: OwnTables,
{
    let rows = conn.load(Setting(question)).await?;
    let answers: Vec<Option<i64>> = rows
        .map(|row| C::Backend::number(&row?, 0))
        .try_collect()
        .await?;
    Ok(answers.into_iter().flatten().next().unwrap_or(0))
}

/// Sets a setting that is a number.
pub(super) async fn set<C: SimpleAsyncConnection>(
    conn: &mut C,
    sql: &str,
    value: i64,
) -> QueryResult<()> {
    conn.batch_execute(&format!("{sql}{value}")).await
}

/// How deep in transactions a connection is; fails where nobody knows.
pub(super) fn depth<C: AsyncConnection>(conn: &mut C) -> QueryResult<Depth> {
    C::TransactionManager::transaction_manager_status_mut(conn).transaction_depth()
}

/// A connection on which something has begun that must end. If the future that holds it is dropped
/// before, the connection is marked as broken: pools throw it away, and Diesel's transactions fail
/// on it instead of joining the one that was left open.
pub(super) struct Begun<'c, C: AsyncConnection> {
    conn: &'c mut C,
    ended: bool,
}

impl<'c, C: AsyncConnection> Begun<'c, C> {
    pub(super) fn new(conn: &'c mut C) -> Self {
        Self { conn, ended: false }
    }

    /// The same for statements outside of a transaction of ours. Fails if a transaction was left
    /// open on the connection in a state that nobody knows: what is written now could be rolled back
    /// with it.
    pub(super) fn statement(conn: &'c mut C) -> QueryResult<Self>
    where
        C::Backend: Dialect,
    {
        depth(conn)?;
        Ok(Self {
            conn,
            ended: !C::Backend::LEAVES_ANSWERS,
        })
    }

    /// Everything that was begun has come to its end.
    pub(super) fn ended(mut self) {
        self.ended = true;
    }
}

impl<C: AsyncConnection> Deref for Begun<'_, C> {
    type Target = C;

    fn deref(&self) -> &C {
        self.conn
    }
}

impl<C: AsyncConnection> DerefMut for Begun<'_, C> {
    fn deref_mut(&mut self) -> &mut C {
        self.conn
    }
}

impl<C: AsyncConnection> Drop for Begun<'_, C> {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        // `SyncConnectionWrapper` panics if its connection is still at work, and is then lost anyway.
        let marked = catch_unwind(AssertUnwindSafe(|| {
            C::TransactionManager::transaction_manager_status_mut(self.conn).set_in_error();
        }));
        drop(marked);
    }
}

/// Begins a transaction, or a savepoint inside the caller's.
pub(super) async fn begin<C>(conn: &mut C, terms: Terms) -> QueryResult<()>
where
    C: AsyncConnection,
    C::Backend: Dialect,
{
    let outer = depth(conn)?;
    let checked = terms.check::<C::Backend>(false);
    checked.map_err(|error| Error::QueryBuilderError(Box::new(error)))?;
    let told = terms.told::<C::Backend>();
    if let (None, Told::Before(sql)) = (outer, &told) {
        conn.batch_execute(sql).await?;
    }
    C::TransactionManager::begin_transaction(conn).await?;
    if let (None, Told::Inside(sql)) = (outer, &told)
        && let Err(error) = conn.batch_execute(sql).await
    {
        // What went wrong first is what the caller has to hear of.
        drop(roll_back_to(conn, outer).await);
        return Err(error);
    }
    let sql = C::Backend::BEGIN_TO_WRITE.filter(|_| !terms.read_only);
    let (None, Some(sql)) = (outer, sql) else {
        return Ok(());
    };
    if let Err(error) = conn.batch_execute(sql.take).await {
        // Diesel may have noticed by itself that there is no transaction any more. What went wrong
        // first is what the caller has to hear of.
        if !matches!(depth(conn), Ok(now) if now == outer) {
            drop(conn.batch_execute(sql.restore).await);
            drop(roll_back_to(conn, outer).await);
        }
        return Err(error);
    }
    Ok(())
}

/// Keeps the session from writing, where that is how a transaction is kept from it; returns what has
/// to be switched off again.
pub(super) async fn enter<C>(conn: &mut C, terms: Terms) -> QueryResult<Option<Switch>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
{
    let Some(switch) = terms.switch::<C::Backend>() else {
        return Ok(None);
    };
    let rows = conn.load(Setting(switch.is_on)).await?;
    let on: Vec<()> = rows.map(|row| row.map(drop)).try_collect().await?;
    if !on.is_empty() {
        return Ok(None);
    }
    conn.batch_execute(switch.on).await?;
    Ok(Some(switch))
}

/// Leaves the session as it was.
pub(super) async fn leave<C: SimpleAsyncConnection>(
    conn: &mut C,
    entered: Option<Switch>,
) -> QueryResult<()> {
    match entered {
        Some(switch) => conn.batch_execute(switch.off).await,
        None => Ok(()),
    }
}

/// Makes the connection forget the key that the database made last, where it is asked for it.
pub(super) async fn forget_last_inserted<C>(conn: &mut C) -> QueryResult<()>
where
    C: AsyncConnection,
    C::Backend: Dialect,
{
    match C::Backend::FORGET_LAST_INSERTED {
        Some(sql) => conn.batch_execute(sql).await,
        None => Ok(()),
    }
}

/// Marks the transaction that was begun at some depth.
pub(super) async fn mark<C: SimpleAsyncConnection>(conn: &mut C, outer: Depth) -> QueryResult<()> {
    conn.batch_execute(&transaction::mark(outer)).await
}

/// Removes the mark; fails if it is gone.
pub(super) async fn unmark<C: SimpleAsyncConnection>(
    conn: &mut C,
    outer: Depth,
) -> QueryResult<()> {
    conn.batch_execute(&transaction::unmark(outer)).await
}

/// Commits, or releases the savepoint that was begun.
pub(super) async fn commit<C: AsyncConnection>(conn: &mut C) -> QueryResult<()> {
    C::TransactionManager::commit_transaction(conn).await
}

/// Rolls back until the connection is as deep as it was. A savepoint that the server has lost does
/// not keep the transaction around it from being rolled back; the first error is returned.
pub(super) async fn roll_back_to<C: AsyncConnection>(
    conn: &mut C,
    outer: Depth,
) -> QueryResult<()> {
    let mut result = Ok(());
    loop {
        let before = depth(conn)?;
        if before <= outer {
            return result;
        }
        let rolled_back = C::TransactionManager::rollback_transaction(conn).await;
        result = result.and(rolled_back);
        if depth(conn)? >= before {
            return result;
        }
    }
}

/// Commits what was done since the connection was at this depth, or rolls it back.
pub(super) async fn end<C, R, E>(conn: &mut C, outer: Depth, done: Result<R, E>) -> Result<R, E>
where
    C: AsyncConnection,
    E: From<Error>,
{
    let ended = match done {
        Ok(done) => match commit(conn).await {
            Ok(()) => Ok(done),
            Err(error) => Err(error.into()),
        },
        Err(error) => Err(error),
    };
    if ended.is_err() {
        // What went wrong first is what the caller has to hear of.
        drop(roll_back_to(conn, outer).await);
    }
    ended
}

/// Fails if a closure that was lent the connection has ended the transaction around it.
pub(super) fn same_depth<C: AsyncConnection>(conn: &mut C, before: Depth) -> QueryResult<()> {
    transaction::same_depth(before, depth(conn)?)
}

/// Whether the server still answers.
pub(super) async fn ping<C: SimpleAsyncConnection>(conn: &mut C) -> QueryResult<()> {
    conn.batch_execute(PING).await
}
