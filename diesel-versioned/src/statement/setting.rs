//! What a session is asked about itself.

use diesel::QueryResult;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::Untyped;

use crate::backend::Dialect;

/// A question about a setting of the session.
pub(crate) struct Setting(pub(crate) &'static str);

impl<DB: Dialect> QueryFragment<DB> for Setting {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.unsafe_to_cache_prepared();
        out.push_sql(self.0);
        Ok(())
    }
}

impl Query for Setting {
    type SqlType = Untyped;
}

impl QueryId for Setting {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}
