//! `SELECT` by key: to find a row, to lock rows, to see what stands there after a lost write.

use std::marker::PhantomData;

use diesel::QueryResult;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};

use super::chunks;
use super::row::Compared;
use super::target::{Entity, marked, one_of, order_by_key};
use crate::backend::Dialect;

/// What a read does to the rows that it finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lock {
    /// Shows the rows as they are now, never an older snapshot.
    Current,
    /// Keeps other writers away until the transaction ends; locks in key order.
    Write,
    /// Locks as this clause says; in key order.
    By(&'static str),
    /// Nothing.
    None,
}

/// `SELECT … FROM t WHERE id = ?`, as Diesel's `find` reads; where rows are marked as deleted, only
/// one that is not, or, `DELETED`, only one that is.
pub(crate) struct Find<T: Entity<DB>, DB: Dialect, const DELETED: bool> {
    from: T::From,
    selection: T::Selection,
    key: [T::Key; 1],
}

impl<T: Entity<DB>, DB: Dialect, const DELETED: bool> Find<T, DB, DELETED> {
    /// The row with this key.
    pub(crate) fn new(key: T::Key) -> Self {
        Self {
            from: T::from_clause(),
            selection: T::selection(),
            key: [key],
        }
    }
}

impl<T: Entity<DB>, DB: Dialect, const DELETED: bool> QueryFragment<DB> for Find<T, DB, DELETED> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        walk_select::<T, DB>(&self.selection, &self.from, &self.key, &mut out)?;
        marked::<T, DB>(DELETED, (" AND ", ""), None, &mut out)
    }
}

impl<T: Entity<DB>, DB: Dialect, const DELETED: bool> Query for Find<T, DB, DELETED> {
    type SqlType = T::SqlType;
}

impl<T: Entity<DB>, DB: Dialect, const DELETED: bool> QueryId for Find<T, DB, DELETED> {
    type QueryId = FindByKey<T, DELETED>;
}

/// What the read of one row of an entity type is known by.
pub(crate) struct FindByKey<T, const DELETED: bool>(PhantomData<T>);

/// `SELECT … FROM t WHERE id IN (?, …)` with a lock.
pub(crate) struct Select<'a, T: Entity<DB>, DB: Dialect> {
    from: T::From,
    selection: T::Selection,
    keys: &'a [T::Key],
    lock: Lock,
    backend: PhantomData<fn() -> DB>,
}

impl<'a, T: Entity<DB>, DB: Dialect> Select<'a, T, DB> {
    /// The rows with these keys.
    pub(crate) fn new(keys: &'a [T::Key], lock: Lock) -> Self {
        Self {
            from: T::from_clause(),
            selection: T::selection(),
            keys,
            lock,
            backend: PhantomData,
        }
    }
}

/// The keys of the reads of many rows, one statement each.
pub(crate) fn key_chunks<T: Entity<DB>, DB: Dialect>(
    keys: &[T::Key],
) -> impl Iterator<Item = &[T::Key]> {
    chunks(keys, DB::OTHER_ROWS, T::KEY_COUNT, DB::MAX_BINDS)
}

impl<T: Entity<DB>, DB: Dialect> QueryFragment<DB> for Select<'_, T, DB> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        walk_select::<T, DB>(&self.selection, &self.from, self.keys, &mut out)?;
        // In key order, which is the order that rows are locked in.
        if self.keys.len() > 1 {
            order_by_key::<T, DB>(&mut out)?;
        }
        let syntax = out.backend().syntax();
        if syntax.prepare_locking_reads_anew {
            out.unsafe_to_cache_prepared();
        }
        out.push_sql(match self.lock {
            Lock::Current => syntax.lock_current,
            Lock::Write => syntax.lock_write,
            Lock::By(clause) => clause,
            Lock::None => "",
        });
        Ok(())
    }
}

impl<T: Entity<DB>, DB: Dialect> Query for Select<'_, T, DB> {
    type SqlType = T::SqlType;
}

impl<T: Entity<DB>, DB: Dialect> QueryId for Select<'_, T, DB> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

fn walk_select<'b, T: Entity<DB>, DB: Dialect>(
    selection: &'b T::Selection,
    from: &'b T::From,
    keys: &'b [T::Key],
    out: &mut AstPass<'_, 'b, DB>,
) -> QueryResult<()> {
    out.push_sql("SELECT ");
    selection.walk_ast(out.reborrow())?;
    out.push_sql(" FROM ");
    from.walk_ast(out.reborrow())?;
    out.push_sql(" WHERE ");
    // A key says nothing of other columns.
    one_of::<T, DB, _>(
        &Compared::key::<T>(),
        keys,
        out,
        |key, compared, out| match compared {
            Compared::Key(part) => T::bind_key(key, part, out),
            Compared::Version(_) | Compared::Content(_) => Ok(()),
        },
    )
}
