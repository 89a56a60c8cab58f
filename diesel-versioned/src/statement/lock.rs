//! What takes the lock of a database that is locked as a whole.

use std::marker::PhantomData;

use diesel::QueryResult;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};

use super::target::{Entity, column};
use crate::backend::Dialect;

/// `UPDATE t SET id = id WHERE 0`: a write, of no row.
pub(crate) struct WriteNothing<T: Entity<DB>, DB: Dialect> {
    from: T::From,
    backend: PhantomData<fn() -> DB>,
}

impl<T: Entity<DB>, DB: Dialect> WriteNothing<T, DB> {
    pub(crate) fn new() -> Self {
        Self {
            from: T::from_clause(),
            backend: PhantomData,
        }
    }
}

impl<T: Entity<DB>, DB: Dialect> QueryFragment<DB> for WriteNothing<T, DB> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        self.from.walk_ast(out.reborrow())?;
        out.push_sql(" SET ");
        column::<T, DB>(T::key_column(0), &mut out)?;
        out.push_sql(" = ");
        column::<T, DB>(T::key_column(0), &mut out)?;
        out.push_sql(" WHERE 0");
        Ok(())
    }
}

impl<T: Entity<DB>, DB: Dialect> QueryId for WriteNothing<T, DB> {
    type QueryId = NothingOf<T>;
}

/// What the write of no row of an entity type is known by.
pub(crate) struct NothingOf<T>(PhantomData<T>);
