//! The insert of one row on a blocking connection.

use diesel::connection::LoadConnection;
use diesel::expression::QueryMetadata;

use super::session::{self, affected, rows};
use super::single::only;
use crate::backend::Dialect;
use crate::error::SaveError;
use crate::outcome;
use crate::soft_delete::unmarked;
use crate::statement::{Entity, Insert, LastInserted, Lock, Returning, Select};
use crate::unit_of_work::InsertMode;

/// Inserts one row and brings the copy to what is written. Returns `false`, and has inserted nothing, if
/// the key is taken and that is to be skipped.
pub(super) fn insert<T, C>(
    conn: &mut C,
    entity: &mut T,
    skips_taken: bool,
) -> Result<bool, SaveError<T>>
where
    C: LoadConnection,
    C::Backend: Dialect + QueryMetadata<<T as Entity<C::Backend>>::SqlType>,
    T: Entity<C::Backend>,
{
    session::usable(conn)?;
    let initial = outcome::initial_version_of(entity)?;
    let unmarked = unmarked(entity);
    let new = unmarked.as_ref().unwrap_or(entity);
    let statement = Insert::new([(new, initial.clone())]).skipping_taken(skips_taken);
    let skipped = |count: usize| skips_taken && count == 0;
    let landed = match InsertMode::of::<T, C::Backend>() {
        InsertMode::Plain => {
            let count = affected(conn, &statement)?;
            if skipped(count) {
                return Ok(false);
            }
            outcome::inserted(entity, &initial, count)?;
            outcome::take_written(entity, initial, None);
            return Ok(true);
        }
        InsertMode::Returning => {
            let landed = rows(conn, Returning::<_, T, _>::of(statement))?;
            (!skipped(landed.len())).then_some(landed)
        }
        // Two statements: the row must not stay if it cannot be read back.
        InsertMode::ReturningKeys => {
            session::in_transaction(conn, |conn| -> Result<_, SaveError<T>> {
                let returned = rows(conn, Returning::<_, T, _>::of(statement))?;
                if skipped(returned.len()) {
                    return Ok(None);
                }
                let keys: Vec<T::Key> = returned.iter().map(T::key).collect();
                outcome::inserted(entity, &initial, keys.len())?;
                Ok(Some(rows(conn, Select::<T, _>::new(&keys, Lock::Current))?))
            })?
        }
        InsertMode::ReadByKey => {
            session::in_transaction(conn, |conn| -> Result<_, SaveError<T>> {
                let count = affected(conn, &statement)?;
                if skipped(count) {
                    return Ok(None);
                }
                outcome::inserted(entity, &initial, count)?;
                let key = [entity.key()];
                Ok(Some(rows(conn, Select::<T, _>::new(&key, Lock::Current))?))
            })?
        }
        InsertMode::OneByOne => session::in_transaction(conn, |conn| -> Result<_, SaveError<T>> {
            session::forget_last_inserted(conn)?;
            let count = affected(conn, &statement)?;
            outcome::inserted(entity, &initial, count)?;
            let landed = rows(conn, LastInserted::new(&*entity))?;
            Ok(Some(vec![outcome::last_inserted(landed, None)?]))
        })?,
    };
    let Some(landed) = landed else {
        return Ok(false);
    };
    outcome::inserted(entity, &initial, landed.len())?;
    *entity = only(landed)?;
    Ok(true)
}
