//! Single writes on a blocking connection.

use diesel::QueryResult;
use diesel::connection::LoadConnection;
use diesel::expression::QueryMetadata;
use diesel::result::Error;

use super::commit::save_all;
use super::session::{affected, rows};
use crate::backend::Dialect;
use crate::columns::ColumnSet;
use crate::entity::{IntoKey, Versioned};
use crate::error::{CommitError, SaveError};
use crate::outcome::{self, Matched};
use crate::statement::{
    Delete, Entity, Find, Insert, InsertReturning, LastInserted, Lock, Select, Update,
};
use crate::unit_of_work::InsertMode;

/// What a versioned entity can do on a connection of the type `Conn`.
///
/// Implemented for every entity that derives [`Versioned`](derive@crate::Versioned), `Queryable`
/// and `Selectable`, on every connection whose backend is a [`Dialect`], pooled ones and
/// `#[derive(MultiConnection)]` enums among them. Generic code says
/// `where Product: VersionedDsl<C>`.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::prelude::*;
///
/// diesel::table! {
///     products (id) { id -> Integer, name -> Text, version -> Integer }
/// }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// #[diesel(table_name = products)]
/// struct Product { id: i32, name: String, #[version] version: i32 }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use diesel::connection::SimpleConnection;
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
/// #     version INTEGER NOT NULL)")?;
/// let mut mine = Product { id: 42, name: "Chai".into(), version: 0 };
/// mine.insert(&mut conn)?;
/// assert_eq!(mine.version, 1);
///
/// let mut theirs = Product::find(&mut conn, 42)?;
/// theirs.name = "Chai tea".into();
/// theirs.save(&mut conn)?;
///
/// mine.name = "Masala chai".into();
/// match mine.save(&mut conn) {
///     Err(SaveError::Conflict(conflict)) => {
///         assert_eq!(conflict.kind(), ConflictKind::Modified);
///         assert_eq!((*conflict.expected(), conflict.actual()), (1, Some(&2)));
///         assert_eq!(conflict.current().map(|row| row.name.as_str()), Some("Chai tea"));
///     }
///     other => panic!("their work would be lost: {other:?}"),
/// }
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written to and read from a database through `{Conn}`",
    label = "no entity of this connection's database",
    note = "derive `Queryable, Selectable, Versioned` on `{Self}`",
    note = "enable the feature of diesel-versioned that is called like the database: `sqlite`, \
            `postgres` or `mysql`",
    note = "if both is done, a field's type does not fit its column on this database: \
            `#[diesel(check_for_backend(…))]` shows which"
)]
pub trait VersionedDsl<Conn>: Versioned {
    /// Reads the row with a key: the field's type, or a tuple for a composite key.
    ///
    /// # Errors
    ///
    /// `NotFound` if there is no such row, so that Diesel's `optional()` works; otherwise what the
    /// database reports.
    fn find(conn: &mut Conn, key: impl IntoKey<Self::Key>) -> QueryResult<Self>;

    /// Inserts the row with the initial version, whatever the version field holds. Columns that
    /// the database makes (`#[diesel(skip_insertion)]`) are read back.
    ///
    /// # Errors
    ///
    /// [`SaveError::Database`] with the violated constraint if there is such a row already;
    /// [`ConflictKind::Refused`](crate::ConflictKind::Refused) if a trigger or a rule held the row
    /// back. The entity is unchanged then.
    fn insert(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>;

    /// Writes every writable column and moves the version on, if the row is still at the version
    /// that this copy holds. One statement, one round trip.
    ///
    /// # Errors
    ///
    /// [`SaveError::Conflict`] if the row is at another version or gone; the entity is unchanged
    /// then, and saving it again conflicts again. [`SaveError::VersionExhausted`] if the version
    /// cannot move on.
    fn save(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>;

    /// Deletes the row, if it is still at the version that this copy holds.
    ///
    /// # Errors
    ///
    /// [`SaveError::Conflict`] if the row is at another version or gone.
    fn delete(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>;

    /// Moves the version on and writes nothing else, if the row is still at the version that this
    /// copy holds: whoever else has read the row will conflict.
    ///
    /// # Errors
    ///
    /// As [`save`](VersionedDsl::save).
    fn touch(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>;

    /// Reads the row again; what was changed in this copy is gone.
    ///
    /// # Errors
    ///
    /// `NotFound` if the row is gone, otherwise what the database reports. The entity is unchanged
    /// then.
    fn reload(&mut self, conn: &mut Conn) -> QueryResult<()>;

    /// Saves each of the entities, as [`save`](VersionedDsl::save) does, set-based and in one
    /// transaction, all or none. Their versions move on after the commit.
    ///
    /// # Errors
    ///
    /// [`CommitError::Conflicts`] with every row that was not at the expected version. Nothing is
    /// written then, and no entity is changed.
    fn save_all(conn: &mut Conn, entities: &mut [Self]) -> Result<(), CommitError>
    where
        Self: Sized;
}

#[diagnostic::do_not_recommend]
impl<T, C> VersionedDsl<C> for T
where
    C: LoadConnection + 'static,
    C::Backend: Dialect + QueryMetadata<<T as Entity<C::Backend>>::SqlType>,
    T: Entity<C::Backend>,
{
    fn find(conn: &mut C, key: impl IntoKey<Self::Key>) -> QueryResult<Self> {
        only(rows(conn, Find::<T, C::Backend>::new(key.into_key()))?)
    }

    fn insert(&mut self, conn: &mut C) -> Result<(), SaveError<Self>> {
        let landed = match InsertMode::of::<T, C::Backend>() {
            InsertMode::Plain => {
                outcome::inserted(self, affected(conn, &Insert::new([&*self]))?)?;
                self.set_version(T::initial_version());
                return Ok(());
            }
            InsertMode::Returning => rows(conn, InsertReturning::new([&*self]))?,
            // Two statements: the row must not stay if it cannot be read back.
            InsertMode::ReadByKey => conn.transaction::<_, SaveError<T>, _>(|conn| {
                outcome::inserted(self, affected(conn, &Insert::new([&*self]))?)?;
                Ok(rows(
                    conn,
                    Select::<T, _>::new(&[self.key()], Lock::Current),
                )?)
            })?,
            InsertMode::OneByOne => conn.transaction::<_, SaveError<T>, _>(|conn| {
                outcome::inserted(self, affected(conn, &Insert::new([&*self]))?)?;
                Ok(rows(conn, LastInserted::new(&*self))?)
            })?,
        };
        outcome::inserted(self, landed.len())?;
        *self = only(landed)?;
        Ok(())
    }

    fn save(&mut self, conn: &mut C) -> Result<(), SaveError<Self>> {
        let next = outcome::next_version(self)?;
        let count = affected(conn, &Update::whole(self, next.clone()))?;
        settle(conn, self, count)?;
        self.set_version(next);
        Ok(())
    }

    fn delete(&mut self, conn: &mut C) -> Result<(), SaveError<Self>> {
        let count = affected(conn, &Delete::new([&*self]))?;
        settle(conn, self, count)
    }

    fn touch(&mut self, conn: &mut C) -> Result<(), SaveError<Self>> {
        let next = outcome::next_version(self)?;
        let statement = Update::columns(self, next.clone(), ColumnSet::EMPTY);
        let count = affected(conn, &statement)?;
        settle(conn, self, count)?;
        self.set_version(next);
        Ok(())
    }

    fn reload(&mut self, conn: &mut C) -> QueryResult<()> {
        *self = only(rows(conn, Find::<T, C::Backend>::new(self.key()))?)?;
        Ok(())
    }

    fn save_all(conn: &mut C, entities: &mut [Self]) -> Result<(), CommitError> {
        save_all(conn, entities)
    }
}

/// Turns the row count of a guarded write into success or into what stands there instead.
fn settle<T, C>(conn: &mut C, entity: &T, count: usize) -> Result<(), SaveError<T>>
where
    C: LoadConnection,
    C::Backend: Dialect + QueryMetadata<<T as Entity<C::Backend>>::SqlType>,
    T: Entity<C::Backend>,
{
    match outcome::matched(count, 1) {
        Matched::All => Ok(()),
        Matched::More => Err(outcome::not_unique(entity, count)),
        Matched::Fewer => {
            let key = [entity.key()];
            let current = rows(conn, Select::<T, _>::new(&key, Lock::Current))?;
            Err(outcome::conflict(entity, current.into_iter().next()).into())
        }
    }
}

fn only<T>(rows: Vec<T>) -> QueryResult<T> {
    rows.into_iter().next().ok_or(Error::NotFound)
}
