//! The insert of one row on an asynchronous connection.

use diesel_async::AsyncConnection;

use super::session::{self, Begun, affected, rows};
use super::single::only;
use crate::backend::Dialect;
use crate::error::SaveError;
use crate::isolation::Terms;
use crate::outcome;
use crate::soft_delete::unmarked;
use crate::statement::{Entity, Insert, LastInserted, Lock, Next, Returning, Select};
use crate::unit_of_work::InsertMode;

/// Inserts one row and brings the copy to what is written. Returns `false`, and has inserted nothing, if
/// the key is taken and that is to be skipped.
pub(super) async fn insert<T, C>(
    conn: &mut C,
    entity: &mut T,
    skips_taken: bool,
) -> Result<bool, SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    let initial = outcome::initial_version_of(entity)?;
    let unmarked = unmarked(entity);
    let new = unmarked.as_ref().unwrap_or(entity);
    let statement = Insert::new([(new, initial.clone())]).skipping_taken(skips_taken);
    let skipped = |count: usize| skips_taken && count == 0;
    let landed = match InsertMode::of::<T, C::Backend>() {
        InsertMode::Plain => {
            let count = affected(conn, statement).await?;
            if skipped(count) {
                return Ok(false);
            }
            outcome::inserted(entity, &initial, count)?;
            outcome::take_written(entity, initial, None);
            return Ok(true);
        }
        InsertMode::Returning => {
            let landed = rows(conn, Returning::<_, T, _>::of(statement)).await?;
            (!skipped(landed.len())).then_some(landed)
        }
        // Two statements: the row must not stay if it cannot be read back.
        InsertMode::ReturningKeys | InsertMode::ReadByKey | InsertMode::OneByOne => {
            insert_and_read(conn, new, &initial, skips_taken).await?
        }
    };
    let Some(landed) = landed else {
        return Ok(false);
    };
    outcome::inserted(entity, &initial, landed.len())?;
    *entity = only(landed)?;
    Ok(true)
}

/// Inserts a row and reads it back, in a transaction or savepoint. `None` if it was skipped.
async fn insert_and_read<T, C>(
    conn: &mut C,
    entity: &T,
    initial: &Next<T::Version>,
    skips_taken: bool,
) -> Result<Option<Vec<T>>, SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    let outer = session::depth(conn)?;
    let mut conn = Begun::new(conn);
    let row = (entity, initial.clone());
    let skipped = |count: usize| skips_taken && count == 0;
    let landed = async {
        session::begin(&mut *conn, Terms::default()).await?;
        let insert = Insert::new([row]).skipping_taken(skips_taken);
        let keys = match InsertMode::of::<T, C::Backend>() {
            InsertMode::OneByOne => {
                session::forget_last_inserted(&mut *conn).await?;
                let count = affected(&mut *conn, insert).await?;
                outcome::inserted(entity, initial, count)?;
                let landed = rows(&mut *conn, LastInserted::new(entity)).await?;
                return Ok(Some(vec![outcome::last_inserted(landed, None)?]));
            }
            InsertMode::ReturningKeys => {
                let statement = Returning::<_, T, _>::of(insert);
                let returned: Vec<T> = rows(&mut *conn, statement).await?;
                if skipped(returned.len()) {
                    return Ok(None);
                }
                outcome::inserted(entity, initial, returned.len())?;
                returned.iter().map(T::key).collect()
            }
            _ => {
                let count = affected(&mut *conn, insert).await?;
                if skipped(count) {
                    return Ok(None);
                }
                outcome::inserted(entity, initial, count)?;
                vec![entity.key()]
            }
        };
        let landed = rows(&mut *conn, Select::<T, _>::new(&keys, Lock::Current)).await?;
        Ok(Some(landed))
    }
    .await;
    let ended = session::end(&mut *conn, outer, landed).await;
    conn.ended();
    ended
}
