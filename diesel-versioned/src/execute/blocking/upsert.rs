//! An insert that becomes a save if the key is taken, on a blocking connection.

use diesel::connection::LoadConnection;
use diesel::expression::QueryMetadata;

use super::insert::insert;
use super::session::rows;
use super::single::update;
use crate::backend::Dialect;
use crate::error::SaveError;
use crate::outcome::{self, Change};
use crate::statement::{Entity, Lock, Select};

/// Inserts the row, or saves it under its guard if its key is taken.
pub(super) fn insert_or_save<T, C>(conn: &mut C, entity: &mut T) -> Result<(), SaveError<T>>
where
    C: LoadConnection,
    C::Backend: Dialect + QueryMetadata<<T as Entity<C::Backend>>::SqlType>,
    T: Entity<C::Backend>,
{
    outcome::key_is_known::<T>()?;
    let mut attempt = 1;
    loop {
        let taken = match insert(conn, entity, true) {
            Ok(true) => return Ok(()),
            Ok(false) => None,
            Err(SaveError::Database(error)) if outcome::may_be_taken(&error) => Some(error),
            Err(error) => return Err(error),
        };
        let change = match Change::whole(entity) {
            Ok(change) => change,
            Err(why) => {
                let key = [entity.key()];
                let taken = taken
                    .map(|error| (error, rows(conn, Select::<T, _>::new(&key, Lock::Current))));
                return Err(outcome::not_upserted(why, taken));
            }
        };
        let saved = update(conn, entity, change);
        if let Some(done) = outcome::upserted(entity, saved, taken, attempt) {
            return done;
        }
        attempt += 1;
    }
}
