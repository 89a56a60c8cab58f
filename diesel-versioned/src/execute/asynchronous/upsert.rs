//! An insert that becomes a save if the key is taken, on an asynchronous connection.

use diesel_async::AsyncConnection;

use super::insert::insert;
use super::session::{Begun, rows};
use super::single::update;
use crate::backend::Dialect;
use crate::error::SaveError;
use crate::outcome::{self, Change};
use crate::statement::{Entity, Lock, Select};

/// Inserts the row, or saves it under its guard if its key is taken.
pub(super) async fn insert_or_save<T, C>(conn: &mut C, entity: &mut T) -> Result<(), SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    outcome::key_is_known::<T>()?;
    let mut attempt = 1;
    loop {
        let mut begun = Begun::statement(conn)?;
        let inserted = insert(&mut *begun, entity, true).await;
        begun.ended();
        let taken = match inserted {
            Ok(true) => return Ok(()),
            Ok(false) => None,
            Err(SaveError::Database(error)) if outcome::may_be_taken(&error) => Some(error),
            Err(error) => return Err(error),
        };
        let change = match Change::whole(entity) {
            Ok(change) => change,
            Err(why) => {
                let key = [entity.key()];
                let taken = match taken {
                    Some(error) => {
                        let mut begun = Begun::statement(conn)?;
                        let there =
                            rows(&mut *begun, Select::<T, _>::new(&key, Lock::Current)).await;
                        begun.ended();
                        Some((error, there))
                    }
                    None => None,
                };
                return Err(outcome::not_upserted(why, taken));
            }
        };
        let saved = update(conn, entity, change).await;
        if let Some(done) = outcome::upserted(entity, saved, taken, attempt) {
            return done;
        }
        attempt += 1;
    }
}
