//! Relative updates and upserts on a blocking connection.

use diesel::connection::LoadConnection;
use diesel::expression::{AppearsOnTable, Expression, NonAggregate, QueryMetadata};
use diesel::query_builder::QueryFragment;
use diesel::sql_types::BoolOrNullableBool;

use super::session::{self, affected, rows};
use super::single::{insert, update};
use crate::backend::Dialect;
use crate::entity::Versioned;
use crate::error::SaveError;
use crate::outcome::{self, Matched};
use crate::relative::{ApplyError, Asks, Ready, Relative};
use crate::statement::{Both, Condition, Entity, Lock, Readable, Scope, Select};

/// A relative update on a connection; [`apply`](crate::VersionedDsl::apply) begins it.
#[must_use = "nothing is written before `execute`"]
pub struct Apply<'c, Conn, T: Versioned, S, P> {
    conn: &'c mut Conn,
    update: Relative<T, S, P>,
}

impl<'c, Conn, T: Versioned, S, P> Apply<'c, Conn, T, S, P> {
    pub(super) fn new(conn: &'c mut Conn, update: Relative<T, S, P>) -> Self {
        Self { conn, update }
    }

    /// Writes the row only if it meets a condition; said again, only if it meets all.
    pub fn filter<Q>(self, condition: Q) -> Apply<'c, Conn, T, S, Both<P, Q>>
    where
        Q: Expression<SqlType: BoolOrNullableBool> + AppearsOnTable<T::Table> + NonAggregate,
    {
        Apply {
            conn: self.conn,
            update: self.update.filter(condition),
        }
    }

    /// Writes the row, in one statement.
    ///
    /// # Errors
    ///
    /// Nothing is written then, with the one exception that [`ApplyError::NotUnique`] names.
    ///
    /// - [`ApplyError::Gone`], [`ConditionFailed`](ApplyError::ConditionFailed),
    ///   [`Refused`](ApplyError::Refused), [`VersionExhausted`](ApplyError::VersionExhausted) by what
    ///   stands there: the row is read for it, in the caller's transaction if there is one.
    /// - [`ApplyError::NoVersion`] if no version can be made. Nothing was sent.
    /// - [`ApplyError::Database`] with whatever else the database reported, and if the key or the
    ///   version is set, or nothing is. Nothing was sent then.
    pub fn execute(self) -> Result<(), ApplyError<T>>
    where
        Conn: LoadConnection,
        Conn::Backend: Dialect + Readable + QueryMetadata<<T as Entity<Conn::Backend>>::SqlType>,
        T: Entity<Conn::Backend>,
        S: QueryFragment<Conn::Backend>,
        P: Condition<Conn::Backend> + Asks,
    {
        let conn = self.conn;
        let update: Ready<T, S, P> = self.update.ready::<Conn::Backend>()?;
        session::usable(conn)?;
        let count = affected(conn, &update.statement())?;
        match outcome::matched(count, 1) {
            Matched::All => Ok(()),
            Matched::More => Err(update.not_unique(count)),
            Matched::Fewer => {
                let key = std::slice::from_ref(&update.key);
                let current = rows(conn, Select::<T, _>::new(key, Lock::Current))?;
                Err(update.not_written(current.into_iter().next()))
            }
        }
    }
}

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
        let next = outcome::next_version_of(entity)?;
        let saved = update(conn, entity, next, Scope::Whole);
        if let Some(done) = outcome::upserted(entity, saved, taken, attempt) {
            return done;
        }
        attempt += 1;
    }
}
