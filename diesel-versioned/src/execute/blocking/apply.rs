//! Relative updates on a blocking connection.

use diesel::connection::LoadConnection;
use diesel::expression::{AppearsOnTable, Expression, NonAggregate, QueryMetadata};
use diesel::query_builder::QueryFragment;
use diesel::sql_types::BoolOrNullableBool;

use super::session::{self, affected, rows};
use super::set::BlockingSet;
use crate::backend::Dialect;
use crate::entity::Versioned;
use crate::outcome::{self, Matched};
use crate::relative::{ApplyError, Asks, Ready, Relative};
use crate::statement::{Both, Condition, Entity, Lock, Readable, Select};
use crate::unit_of_work::UnitOfWork;

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
    /// - [`ApplyError::Database`] with whatever else the database reported, and if the key, the
    ///   version or the mark of deletion is set, or nothing is, or the entity [touches a
    ///   parent](derive@crate::Versioned#a-parent-that-moves-with-its-children). Nothing was sent then.
    pub fn execute(self) -> Result<(), ApplyError<T>>
    where
        Conn: LoadConnection,
        Conn::Backend: Dialect + Readable + QueryMetadata<<T as Entity<Conn::Backend>>::SqlType>,
        T: Entity<Conn::Backend>,
        S: QueryFragment<Conn::Backend>,
        P: Condition<Conn::Backend> + Asks,
    {
        let update = self.update.ready::<Conn::Backend>()?;
        apply(self.conn, &update)
    }
}

fn apply<T, C, S, P>(conn: &mut C, update: &Ready<T, S, P>) -> Result<(), ApplyError<T>>
where
    C: LoadConnection,
    C::Backend: Dialect + QueryMetadata<<T as Entity<C::Backend>>::SqlType>,
    T: Entity<C::Backend>,
    S: QueryFragment<C::Backend>,
    P: Condition<C::Backend> + Asks,
{
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

impl<C> UnitOfWork<C, dyn BlockingSet<C>>
where
    C: LoadConnection + 'static,
    C::Backend: Dialect + Readable,
{
    /// Gives the unit a relative update: it runs in the unit's transaction, after the rows that the unit
    /// tracks, in the order of these calls and those of [`also`](UnitOfWork::also). It runs again with the
    /// next attempt if the commit fails, and is gone after success.
    ///
    /// If the row is gone or does not meet the condition, nothing of the unit is written:
    /// [`CommitError::apply_error`](crate::CommitError::apply_error) has why.
    ///
    /// A copy of the row that the unit tracks is written before, under its guard, if it was changed: one
    /// that was stale is a conflict. The update then moves the version on once more, and memory keeps the
    /// copy as it was before the update, at the version from before it. So the copy is stale: whoever
    /// writes it next, this unit too, has a conflict and loses nothing.
    /// To go on with it, [`discard`](UnitOfWork::discard) it and find it again. The update is not among
    /// what [`Committed`](crate::Committed) lists, nor among what an idempotency key compares.
    ///
    /// ```
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # diesel::table! { orders (id) { id -> Integer, pieces -> Integer, version -> Integer } }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # struct Order { id: i32, pieces: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use diesel::connection::SimpleConnection;
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (42, 5, 1);
    /// #     CREATE TABLE orders (id INTEGER PRIMARY KEY, pieces INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL)")?;
    /// use self::products::dsl::stock;
    ///
    /// let mut uow = UnitOfWork::new();
    /// for id in [1, 2] {
    ///     uow.insert(Order { id, pieces: 3, version: 0 })?;
    ///     uow.apply(Product::relative(42, stock.eq(stock - 3)).filter(stock.ge(3)))?;
    /// }
    /// // There are 5, not 6: neither order is written.
    /// let error = uow.commit(&mut conn).unwrap_err();
    /// match error.apply_error::<Product>() {
    ///     Some(ApplyError::ConditionFailed { current }) => assert_eq!(current.stock, 2),
    ///     other => panic!("there are not so many: {other:?}"),
    /// }
    /// assert_eq!(error.code(), "apply.condition");
    /// assert_eq!(Product::find(&mut conn, 42)?.stock, 5);
    /// assert!(Order::find(&mut conn, 1).is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ApplyError::NoVersion`] if no version can be made, and [`ApplyError::Database`] if the key,
    /// the version or the mark of deletion is set, or nothing is, or if a write of this entity moves the
    /// version of its parent on. The unit is as it was then.
    pub fn apply<T, S, P>(&mut self, update: Relative<T, S, P>) -> Result<(), ApplyError<T>>
    where
        C::Backend: QueryMetadata<<T as Entity<C::Backend>>::SqlType>,
        T: Entity<C::Backend>,
        S: QueryFragment<C::Backend> + Send + 'static,
        P: Condition<C::Backend> + Asks + Send + 'static,
    {
        let update = update.ready::<C::Backend>()?;
        self.also(move |conn| Ok(apply(conn, &update)?));
        Ok(())
    }
}
