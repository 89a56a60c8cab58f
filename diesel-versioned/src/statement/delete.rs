//! `DELETE`, of one row and of many, guarded.

use std::marker::PhantomData;

use diesel::QueryResult;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};

use super::row::{Compared, Next, Row};
use super::target::{Entity, in_key_order, limit, one_of};
use crate::backend::Dialect;
use crate::guard;

/// `DELETE FROM t WHERE (id, version) IN ((?, ?), …)`, or `id = ? AND version = ?` for one row.
pub(crate) struct Delete<'a, T: Entity<DB>, DB: Dialect> {
    from: T::From,
    rows: Vec<Row<'a, T>>,
    limit: i64,
    backend: PhantomData<fn() -> DB>,
}

impl<'a, T: Entity<DB>, DB: Dialect> Delete<'a, T, DB> {
    /// Deletes each of the entities that stands as it was read: each comes with what it was then.
    pub(crate) fn new(entities: impl IntoIterator<Item = (&'a T, &'a T)>) -> Self {
        let rows: Vec<_> = entities
            .into_iter()
            .map(|(entity, base)| Row::new(entity, Next::Nothing).based(Some(base)))
            .collect();
        Self {
            from: T::from_clause(),
            limit: limit(rows.len()),
            rows,
            backend: PhantomData,
        }
    }
}

impl<T: Entity<DB>, DB: Dialect> QueryFragment<DB> for Delete<'_, T, DB> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("DELETE FROM ");
        self.from.walk_ast(out.reborrow())?;
        out.push_sql(" WHERE ");
        one_of::<T, DB, _>(
            &Compared::guard::<T>(guard::of_row::<T>()),
            &self.rows,
            &mut out,
            Row::bind_guard,
        )?;
        if self.rows.len() > 1 {
            in_key_order::<T, DB>(&self.limit, &mut out)?;
        }
        Ok(())
    }
}

impl<T: Entity<DB>, DB: Dialect> QueryId for Delete<'_, T, DB> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}
