//! Relative updates and upserts on an asynchronous connection.

use std::future::Future;

use diesel::expression::{AppearsOnTable, Expression, NonAggregate};
use diesel::query_builder::QueryFragment;
use diesel::sql_types::BoolOrNullableBool;
use diesel_async::AsyncConnection;

use super::session::{Begun, affected, rows};
use super::single::{insert, update};
use crate::backend::Dialect;
use crate::entity::Versioned;
use crate::error::SaveError;
use crate::outcome::{self, Matched};
use crate::relative::{ApplyError, Asks, Ready, Relative};
use crate::statement::{Both, Condition, Entity, Lock, Readable, Scope, Select};

/// A relative update on an asynchronous connection; [`apply`](crate::AsyncVersionedDsl::apply) begins it.
#[must_use = "nothing is written before `execute`"]
pub struct AsyncApply<'c, Conn, T: Versioned, S, P> {
    conn: &'c mut Conn,
    update: Relative<T, S, P>,
}

impl<'c, Conn, T: Versioned, S, P> AsyncApply<'c, Conn, T, S, P> {
    pub(super) fn new(conn: &'c mut Conn, update: Relative<T, S, P>) -> Self {
        Self { conn, update }
    }

    /// Writes the row only if it meets a condition; said again, only if it meets all.
    pub fn filter<Q>(self, condition: Q) -> AsyncApply<'c, Conn, T, S, Both<P, Q>>
    where
        Q: Expression<SqlType: BoolOrNullableBool> + AppearsOnTable<T::Table> + NonAggregate,
    {
        AsyncApply {
            conn: self.conn,
            update: self.update.filter(condition),
        }
    }

    /// Writes the row, in one statement. A future that is dropped before it is ready may have done so.
    ///
    /// # Errors
    ///
    /// As those of [`Apply::execute`](crate::Apply::execute).
    pub fn execute(
        self,
    ) -> impl Future<Output = Result<(), ApplyError<T>>> + Send + use<'c, Conn, T, S, P>
    where
        Conn: AsyncConnection,
        Conn::Backend: Dialect + Readable,
        T: Entity<Conn::Backend>,
        S: QueryFragment<Conn::Backend> + Send + Sync,
        P: Condition<Conn::Backend> + Asks + Send + Sync,
    {
        async move {
            let update: Ready<T, S, P> = self.update.ready::<Conn::Backend>()?;
            let mut conn = Begun::statement(self.conn)?;
            let done = apply(&mut *conn, &update).await;
            conn.ended();
            done
        }
    }
}

async fn apply<T, C, S, P>(conn: &mut C, update: &Ready<T, S, P>) -> Result<(), ApplyError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect + Readable,
    T: Entity<C::Backend>,
    S: QueryFragment<C::Backend>,
    P: Condition<C::Backend> + Asks,
{
    let count = affected(conn, update.statement()).await?;
    match outcome::matched(count, 1) {
        Matched::All => Ok(()),
        Matched::More => Err(update.not_unique(count)),
        Matched::Fewer => {
            let key = std::slice::from_ref(&update.key);
            let current = rows(conn, Select::<T, _>::new(key, Lock::Current)).await?;
            Err(update.not_written(current.into_iter().next()))
        }
    }
}

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
        let next = outcome::next_version_of(entity)?;
        let saved = update(conn, entity, next, Scope::Whole).await;
        if let Some(done) = outcome::upserted(entity, saved, taken, attempt) {
            return done;
        }
        attempt += 1;
    }
}
