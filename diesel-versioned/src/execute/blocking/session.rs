//! The few things that are done to a blocking connection.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use diesel::QueryResult;
use diesel::connection::{
    Connection, DefaultLoadingMode, LoadConnection, SimpleConnection, TransactionManager,
};
use diesel::expression::QueryMetadata;
use diesel::query_builder::{Query, QueryFragment, QueryId};
use diesel::result::Error;

use crate::backend::catalog::Cells;
use crate::backend::{Dialect, Switch};
use crate::execute::transaction::{self, Depth, PING};
use crate::isolation::{Terms, Told};
use crate::statement::{Ask, Entity, OwnTables, Setting, read_cells};
#[cfg(any(feature = "lease", feature = "replay"))]
use crate::statement::{OwnRow, Reading};

/// Runs a statement and returns how many rows it matched.
pub(super) fn affected<C, S>(conn: &mut C, statement: &S) -> QueryResult<usize>
where
    C: Connection,
    S: QueryFragment<C::Backend> + QueryId,
{
    conn.execute_returning_count(statement)
}

/// Runs a statement and returns its rows, all of them: an error of the last one is an error.
pub(super) fn rows<C, T, S>(conn: &mut C, statement: S) -> QueryResult<Vec<T>>
where
    C: LoadConnection,
    C::Backend: QueryMetadata<S::SqlType>,
    T: Entity<C::Backend>,
    S: Query + QueryFragment<C::Backend> + QueryId,
{
    let cursor = LoadConnection::<DefaultLoadingMode>::load(conn, statement)?;
    cursor.map(|row| T::from_row(&row?)).collect()
}

/// Runs a statement about the library's own tables and returns its rows.
#[cfg(any(feature = "lease", feature = "replay"))]
pub(super) fn own_rows<C, R>(conn: &mut C, statement: Reading<R>) -> QueryResult<Vec<R>>
where
    C: LoadConnection,
    C::Backend: OwnTables + QueryMetadata<R::SqlType>,
    R: OwnRow,
{
    let cursor = LoadConnection::<DefaultLoadingMode>::load(conn, statement)?;
    cursor.map(|row| R::read(&row?)).collect()
}

/// Asks the database about a table and returns the rows of its answer.
pub(super) fn answers<C, F>(conn: &mut C, ask: Ask<F>) -> QueryResult<Vec<Cells>>
where
    C: LoadConnection,
    C::Backend: OwnTables,
    F: QueryFragment<C::Backend>,
{
    let cells = ask.cells();
    let cursor = LoadConnection::<DefaultLoadingMode>::load(conn, ask)?;
    cursor.map(|row| read_cells(&row?, cells)).collect()
}

/// Asks for a setting that is a number.
pub(super) fn setting<C>(conn: &mut C, question: &'static str) -> QueryResult<i64>
where
    C: LoadConnection,
    C::Backend: OwnTables,
{
    let cursor = LoadConnection::<DefaultLoadingMode>::load(conn, Setting(question))?;
    let answers: QueryResult<Vec<_>> = cursor.map(|row| C::Backend::number(&row?, 0)).collect();
    Ok(answers?.into_iter().flatten().next().unwrap_or(0))
}

/// Sets a setting that is a number.
pub(super) fn set<C: SimpleConnection>(conn: &mut C, sql: &str, value: i64) -> QueryResult<()> {
    conn.batch_execute(&format!("{sql}{value}"))
}

/// How deep in transactions a connection is; fails where nobody knows.
pub(super) fn depth<C: Connection>(conn: &mut C) -> QueryResult<Depth> {
    C::TransactionManager::transaction_manager_status_mut(conn).transaction_depth()
}

/// Fails if a transaction was left open on the connection in a state that nobody knows: what is
/// written now could be rolled back with it.
pub(super) fn usable<C: Connection>(conn: &mut C) -> QueryResult<()> {
    depth(conn).map(drop)
}

/// Begins a transaction, or a savepoint inside the caller's.
pub(super) fn begin<C>(conn: &mut C, terms: Terms) -> QueryResult<()>
where
    C: Connection,
    C::Backend: Dialect,
{
    let outer = depth(conn)?;
    let checked = terms.check::<C::Backend>(false);
    checked.map_err(|error| Error::QueryBuilderError(Box::new(error)))?;
    let told = terms.told::<C::Backend>();
    if let (None, Told::Before(sql)) = (outer, &told) {
        conn.batch_execute(sql)?;
    }
    C::TransactionManager::begin_transaction(conn)?;
    if let (None, Told::Inside(sql)) = (outer, &told)
        && let Err(error) = conn.batch_execute(sql)
    {
        // What went wrong first is what the caller has to hear of.
        drop(roll_back_to(conn, outer));
        return Err(error);
    }
    let sql = C::Backend::BEGIN_TO_WRITE.filter(|_| !terms.read_only);
    let (None, Some(sql)) = (outer, sql) else {
        return Ok(());
    };
    if let Err(error) = conn.batch_execute(sql.take) {
        // Diesel may have noticed by itself that there is no transaction any more. What went wrong
        // first is what the caller has to hear of.
        if !matches!(depth(conn), Ok(now) if now == outer) {
            drop(conn.batch_execute(sql.restore));
            drop(roll_back_to(conn, outer));
        }
        return Err(error);
    }
    Ok(())
}

/// Keeps the session from writing, where that is how a transaction is kept from it; returns what has
/// to be switched off again.
pub(super) fn enter<C>(conn: &mut C, terms: Terms) -> QueryResult<Option<Switch>>
where
    C: LoadConnection,
    C::Backend: Dialect,
{
    let Some(switch) = terms.switch::<C::Backend>() else {
        return Ok(None);
    };
    let cursor = LoadConnection::<DefaultLoadingMode>::load(conn, Setting(switch.is_on))?;
    let on: QueryResult<Vec<_>> = cursor.map(|row| row.map(drop)).collect();
    if !on?.is_empty() {
        return Ok(None);
    }
    conn.batch_execute(switch.on)?;
    Ok(Some(switch))
}

/// Leaves the session as it was.
pub(super) fn leave<C: SimpleConnection>(conn: &mut C, entered: Option<Switch>) -> QueryResult<()> {
    match entered {
        Some(switch) => conn.batch_execute(switch.off),
        None => Ok(()),
    }
}

/// Makes the connection forget the key that the database made last, where it is asked for it.
pub(super) fn forget_last_inserted<C>(conn: &mut C) -> QueryResult<()>
where
    C: Connection,
    C::Backend: Dialect,
{
    match C::Backend::FORGET_LAST_INSERTED {
        Some(sql) => conn.batch_execute(sql),
        None => Ok(()),
    }
}

/// Marks the transaction that was begun at some depth.
pub(super) fn mark<C: SimpleConnection>(conn: &mut C, outer: Depth) -> QueryResult<()> {
    conn.batch_execute(&transaction::mark(outer))
}

/// Removes the mark; fails if it is gone.
pub(super) fn unmark<C: SimpleConnection>(conn: &mut C, outer: Depth) -> QueryResult<()> {
    conn.batch_execute(&transaction::unmark(outer))
}

/// Does something in a transaction, or in a savepoint inside the caller's; all of it or nothing.
pub(super) fn in_transaction<C, R, E>(
    conn: &mut C,
    work: impl FnOnce(&mut C) -> Result<R, E>,
) -> Result<R, E>
where
    C: Connection,
    C::Backend: Dialect,
    E: From<Error>,
{
    let outer = depth(conn)?;
    begin(conn, Terms::default())?;
    // A panic of a `Clone` or a `ToSql` must not leave the transaction open.
    let worked = catch_unwind(AssertUnwindSafe(|| work(&mut *conn)));
    let ended = match worked {
        Ok(Ok(done)) => match commit(conn) {
            Ok(()) => return Ok(done),
            Err(error) => Ok(error.into()),
        },
        Ok(Err(error)) => Ok(error),
        Err(panic) => Err(panic),
    };
    // What went wrong first is what the caller has to hear of, whatever the rollback says.
    drop(roll_back_to(conn, outer));
    match ended {
        Ok(error) => Err(error),
        Err(panic) => resume_unwind(panic),
    }
}

/// Commits, or releases the savepoint that was begun.
pub(super) fn commit<C: Connection>(conn: &mut C) -> QueryResult<()> {
    C::TransactionManager::commit_transaction(conn)
}

/// Rolls back until the connection is as deep as it was. A savepoint that the server has lost does
/// not keep the transaction around it from being rolled back; the first error is returned.
pub(super) fn roll_back_to<C: Connection>(conn: &mut C, outer: Depth) -> QueryResult<()> {
    let mut result = Ok(());
    loop {
        let before = depth(conn)?;
        if before <= outer {
            return result;
        }
        let rolled_back = C::TransactionManager::rollback_transaction(conn);
        result = result.and(rolled_back);
        if depth(conn)? >= before {
            return result;
        }
    }
}

/// Fails if a closure that was lent the connection has ended the transaction around it.
pub(super) fn same_depth<C: Connection>(conn: &mut C, before: Depth) -> QueryResult<()> {
    transaction::same_depth(before, depth(conn)?)
}

/// Whether the server still answers.
pub(super) fn ping<C: SimpleConnection>(conn: &mut C) -> QueryResult<()> {
    conn.batch_execute(PING)
}
