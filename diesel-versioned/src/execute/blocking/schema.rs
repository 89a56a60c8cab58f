//! Checks of a schema on a blocking connection.

use diesel::QueryResult;
use diesel::connection::LoadConnection;

use super::session::{self, affected, answers};
use crate::schema_check::{Inspection, Question, SchemaReport};
use crate::statement::{Entity, OwnTables};

/// Compares an entity with its table.
pub(super) fn check_schema<T, C>(conn: &mut C) -> QueryResult<SchemaReport>
where
    C: LoadConnection,
    C::Backend: OwnTables,
    T: Entity<C::Backend>,
{
    session::usable(conn)?;
    let mut inspection = Inspection::<T>::new();
    while let Some(question) = inspection.next() {
        match question {
            Question::Rows(ask) => inspection.tell_rows(answers(conn, ask))?,
            Question::Count(ask) => inspection.tell_count(affected(conn, &ask))?,
        }
    }
    Ok(inspection.report())
}
