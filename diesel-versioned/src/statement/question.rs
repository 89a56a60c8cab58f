//! A query whose answer is whether it has rows.

use diesel::QueryResult;
use diesel::backend::Backend;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::Untyped;

/// SQL that binds nothing; its answer is whether it has rows.
pub(crate) struct Question {
    sql: &'static str,
}

impl Question {
    pub(crate) fn new(sql: &'static str) -> Self {
        Self { sql }
    }
}

impl<DB: Backend> QueryFragment<DB> for Question {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql(self.sql);
        Ok(())
    }
}

impl Query for Question {
    type SqlType = Untyped;
}

impl QueryId for Question {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}
