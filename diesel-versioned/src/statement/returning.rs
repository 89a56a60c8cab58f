//! `… RETURNING`: a write that hands its rows back as the database has them.

use diesel::QueryResult;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};

use super::target::Entity;
use crate::backend::Dialect;

/// A write that hands its rows back.
pub(crate) struct Returning<S, T: Entity<DB>, DB: Dialect> {
    statement: S,
    selection: T::Selection,
}

impl<S, T: Entity<DB>, DB: Dialect> Returning<S, T, DB> {
    /// The rows of this write.
    pub(crate) fn of(statement: S) -> Self {
        Self {
            statement,
            selection: T::selection(),
        }
    }
}

impl<S: QueryFragment<DB>, T: Entity<DB>, DB: Dialect> QueryFragment<DB> for Returning<S, T, DB> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.statement.walk_ast(out.reborrow())?;
        out.push_sql(" RETURNING ");
        self.selection.walk_ast(out)
    }
}

impl<S, T: Entity<DB>, DB: Dialect> Query for Returning<S, T, DB> {
    type SqlType = T::SqlType;
}

impl<S, T: Entity<DB>, DB: Dialect> QueryId for Returning<S, T, DB> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}
