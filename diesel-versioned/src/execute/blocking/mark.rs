//! Single writes of the mark of deletion on a blocking connection.

use diesel::connection::LoadConnection;
use diesel::expression::QueryMetadata;

use super::session::{self, affected, rows};
use super::single::settle;
use crate::backend::Dialect;
use crate::error::SaveError;
use crate::outcome::{self, Lost, Wanted};
use crate::soft_delete::mark_columns;
use crate::statement::{Entity, Lock, Next, Returning, Select, Update};
use crate::unit_of_work::UpdateMode;
use crate::version::Moment;

/// Marks one row as deleted, or takes the mark from it, and brings the copy to what is written.
pub(super) fn remark<T, C>(conn: &mut C, entity: &mut T, wanted: Wanted) -> Result<(), SaveError<T>>
where
    C: LoadConnection,
    C::Backend: Dialect + QueryMetadata<<T as Entity<C::Backend>>::SqlType>,
    T: Entity<C::Backend>,
{
    session::usable(conn)?;
    let moment = Moment::new();
    let marked = outcome::remarked(entity, wanted.deletes(), &moment)?;
    let next = outcome::next_version(entity, T::VERSION_COLUMNS, &moment)?;
    let row = match UpdateMode::of::<T, C::Backend>() {
        UpdateMode::Plain => {
            let count = affected(conn, &Update::mark(&marked, next.clone()))?;
            settle(conn, entity, Lost::of(wanted), count)?;
            None
        }
        UpdateMode::Returning if !outcome::may_be_taken_back::<T>() => {
            Some(returning(conn, entity, &marked, &next, wanted)?)
        }
        UpdateMode::Returning => Some(conn.transaction::<_, SaveError<T>, _>(|conn| {
            returning(conn, entity, &marked, &next, wanted)
        })?),
        UpdateMode::ReadByKey => Some(conn.transaction::<_, SaveError<T>, _>(|conn| {
            let count = affected(conn, &Update::mark(&marked, next.clone()))?;
            settle(conn, entity, Lost::of(wanted), count)?;
            let key = [entity.key()];
            let written = rows(conn, Select::<T, _>::new(&key, Lock::Current))?;
            outcome::read_back(entity, written, wanted)
        })?),
    };
    outcome::take_written(entity, next, row.as_ref());
    entity.take_columns(&marked, mark_columns::<T>());
    Ok(())
}

fn returning<T, C>(
    conn: &mut C,
    entity: &T,
    marked: &T,
    next: &Next<T::Version>,
    wanted: Wanted,
) -> Result<T, SaveError<T>>
where
    C: LoadConnection,
    C::Backend: Dialect + QueryMetadata<<T as Entity<C::Backend>>::SqlType>,
    T: Entity<C::Backend>,
{
    let statement = Update::mark(marked, next.clone());
    let written = rows(conn, Returning::<_, T, _>::of(statement))?;
    settle(conn, entity, Lost::of(wanted), written.len())?;
    outcome::read_back(entity, written, wanted)
}
