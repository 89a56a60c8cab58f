//! Checks of a schema on an asynchronous connection.

use diesel::QueryResult;
use diesel_async::AsyncConnection;

use super::session::{Begun, affected, answers};
use crate::schema_check::{Inspection, Question, SchemaReport};
use crate::statement::{Entity, OwnTables};

/// Compares an entity with its table.
pub(super) async fn check_schema<T, C>(conn: &mut C) -> QueryResult<SchemaReport>
where
    C: AsyncConnection,
    C::Backend: OwnTables,
    T: Entity<C::Backend>,
{
    let mut conn = Begun::statement(conn)?;
    let checked = inspect::<T, C>(&mut conn).await;
    conn.ended();
    checked
}

async fn inspect<T, C>(conn: &mut C) -> QueryResult<SchemaReport>
where
    C: AsyncConnection,
    C::Backend: OwnTables,
    T: Entity<C::Backend>,
{
    let mut inspection = Inspection::<T>::new();
    while let Some(question) = inspection.next() {
        match question {
            Question::Rows(ask) => inspection.tell_rows(answers(conn, ask).await)?,
            Question::Count(ask) => inspection.tell_count(affected(conn, ask).await)?,
        }
    }
    Ok(inspection.report())
}
