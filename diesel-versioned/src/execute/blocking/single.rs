//! Single writes on a blocking connection.

use diesel::QueryResult;
use diesel::connection::LoadConnection;
use diesel::expression::QueryMetadata;
use diesel::result::Error;

use super::commit::save_all;
use super::insert::insert;
use super::retry::update_with;
use super::schema::check_schema;
use super::session::{self, affected, rows};
use super::upsert::insert_or_save;
use crate::backend::Dialect;
use crate::entity::Versioned;
use crate::error::{CommitError, SaveError};
use crate::outcome::{self, Change, Lost, Matched, Wanted};
use crate::retry::{Attempt, RetryError, RetryPolicy};
use crate::schema_check::SchemaReport;
use crate::statement::{Delete, Entity, Find, Lock, OwnTables, Returning, Scope, Select, Update};
use crate::unit_of_work::UpdateMode;

/// A connection that can read and write the rows of `T`: what [`VersionedDsl`] asks for.
///
/// [`VersionedDsl`]: crate::VersionedDsl
pub trait Executes<T: Versioned>: Sized {
    #[doc(hidden)]
    fn execute_find(&mut self, key: T::Key) -> QueryResult<T>;

    #[doc(hidden)]
    fn execute_find_deleted(&mut self, key: T::Key) -> QueryResult<T>;

    #[doc(hidden)]
    fn execute_insert(&mut self, entity: &mut T) -> Result<(), SaveError<T>>;

    #[doc(hidden)]
    fn execute_insert_or_save(&mut self, entity: &mut T) -> Result<(), SaveError<T>>;

    #[doc(hidden)]
    fn execute_save(&mut self, entity: &mut T) -> Result<(), SaveError<T>>;

    #[doc(hidden)]
    fn execute_delete(&mut self, entity: &mut T) -> Result<(), SaveError<T>>;

    #[doc(hidden)]
    fn execute_purge(&mut self, entity: &mut T) -> Result<(), SaveError<T>>;

    #[doc(hidden)]
    fn execute_restore(&mut self, entity: &mut T) -> Result<(), SaveError<T>>;

    #[doc(hidden)]
    fn execute_touch(&mut self, entity: &mut T) -> Result<(), SaveError<T>>;

    #[doc(hidden)]
    fn execute_save_unguarded(&mut self, entity: &mut T) -> Result<(), SaveError<T>>;

    #[doc(hidden)]
    fn execute_save_changes(&mut self, entity: &mut T, base: &T) -> Result<(), SaveError<T>>;

    #[doc(hidden)]
    fn execute_update_with<A: Attempt>(
        &mut self,
        key: T::Key,
        policy: &RetryPolicy,
        change: impl FnMut(&mut T) -> A,
    ) -> Result<T, RetryError<A::Error>>;

    #[doc(hidden)]
    fn execute_save_all(&mut self, entities: &mut [T]) -> Result<(), CommitError>;

    #[doc(hidden)]
    fn execute_check_schema(&mut self) -> QueryResult<SchemaReport>;
}

#[diagnostic::do_not_recommend]
impl<T, C> Executes<T> for C
where
    C: LoadConnection + 'static,
    C::Backend: OwnTables + QueryMetadata<<T as Entity<C::Backend>>::SqlType>,
    T: Entity<C::Backend>,
{
    fn execute_find(&mut self, key: T::Key) -> QueryResult<T> {
        session::usable(self)?;
        only(rows(self, Find::<T, C::Backend, false>::new(key))?)
    }

    fn execute_find_deleted(&mut self, key: T::Key) -> QueryResult<T> {
        session::usable(self)?;
        only(rows(self, Find::<T, C::Backend, true>::new(key))?)
    }

    fn execute_insert(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        outcome::alone(entity)?;
        insert(self, entity, false).map(drop)
    }

    fn execute_insert_or_save(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        outcome::alone(entity)?;
        insert_or_save(self, entity)
    }

    fn execute_save(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        outcome::alone(entity)?;
        let change = Change::whole(entity)?;
        update(self, entity, change)
    }

    fn execute_delete(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        outcome::alone(entity)?;
        match T::MARK {
            Some(_) => {
                let change = Change::remark(entity, true)?;
                update(self, entity, change)
            }
            None => delete(self, entity, Wanted::Delete),
        }
    }

    fn execute_purge(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        outcome::alone(entity)?;
        delete(self, entity, Wanted::Purge)
    }

    fn execute_restore(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        outcome::alone(entity)?;
        let change = Change::remark(entity, false)?;
        update(self, entity, change)
    }

    fn execute_touch(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        outcome::alone(entity)?;
        let change = Change::touch(entity)?;
        update(self, entity, change)
    }

    fn execute_save_unguarded(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        update(self, entity, Change::unguarded()?)
    }

    fn execute_save_changes(&mut self, entity: &mut T, base: &T) -> Result<(), SaveError<T>> {
        outcome::alone(entity)?;
        match Change::since(base, entity)? {
            Some(change) => update(self, entity, change),
            None => Ok(()),
        }
    }

    fn execute_update_with<A: Attempt>(
        &mut self,
        key: T::Key,
        policy: &RetryPolicy,
        change: impl FnMut(&mut T) -> A,
    ) -> Result<T, RetryError<A::Error>> {
        update_with(self, &key, policy, change)
    }

    fn execute_save_all(&mut self, entities: &mut [T]) -> Result<(), CommitError> {
        save_all(self, entities)
    }

    fn execute_check_schema(&mut self) -> QueryResult<SchemaReport> {
        check_schema::<T, C>(self)
    }
}

/// Deletes a row.
fn delete<T, C>(conn: &mut C, entity: &T, wanted: Wanted) -> Result<(), SaveError<T>>
where
    C: LoadConnection,
    C::Backend: Dialect + QueryMetadata<<T as Entity<C::Backend>>::SqlType>,
    T: Entity<C::Backend>,
{
    session::usable(conn)?;
    let count = affected(conn, &Delete::new([(entity, entity)]))?;
    settle(conn, entity, Lost::of(wanted), count)
}

/// Updates one row and brings the copy to what is written.
pub(super) fn update<T, C>(
    conn: &mut C,
    entity: &mut T,
    change: Change<'_, T>,
) -> Result<(), SaveError<T>>
where
    C: LoadConnection,
    C::Backend: Dialect + QueryMetadata<<T as Entity<C::Backend>>::SqlType>,
    T: Entity<C::Backend>,
{
    session::usable(conn)?;
    let row = match UpdateMode::of::<T, C::Backend>() {
        UpdateMode::Plain => {
            count_updated(conn, entity, &change)?;
            None
        }
        UpdateMode::Returning if !outcome::may_be_taken_back::<T>() => {
            Some(update_returning(conn, entity, &change)?)
        }
        UpdateMode::Returning => Some(session::in_transaction(conn, |conn| {
            update_returning(conn, entity, &change)
        })?),
        UpdateMode::ReadByKey => Some(session::in_transaction(conn, |conn| {
            count_updated(conn, entity, &change)?;
            let key = [entity.key()];
            let written = rows(conn, Select::<T, _>::new(&key, Lock::Current))?;
            outcome::read_back(entity, written, change.wanted())
        })?),
    };
    change.take_written(entity, row.as_ref());
    Ok(())
}

fn count_updated<T, C>(conn: &mut C, entity: &T, change: &Change<'_, T>) -> Result<(), SaveError<T>>
where
    C: LoadConnection,
    C::Backend: Dialect + QueryMetadata<<T as Entity<C::Backend>>::SqlType>,
    T: Entity<C::Backend>,
{
    let count = match change.scope {
        Scope::Whole => affected(conn, &Update::whole(entity, change.next.clone()))?,
        Scope::Columns(columns) => affected(conn, &change.update_of(entity, columns))?,
    };
    settle(conn, entity, change.lost(), count)
}

fn update_returning<T, C>(
    conn: &mut C,
    entity: &T,
    change: &Change<'_, T>,
) -> Result<T, SaveError<T>>
where
    C: LoadConnection,
    C::Backend: Dialect + QueryMetadata<<T as Entity<C::Backend>>::SqlType>,
    T: Entity<C::Backend>,
{
    let written = match change.scope {
        Scope::Whole => {
            let statement = Update::whole(entity, change.next.clone());
            rows(conn, Returning::<_, T, _>::of(statement))?
        }
        Scope::Columns(columns) => {
            let statement = change.update_of(entity, columns);
            rows(conn, Returning::<_, T, _>::of(statement))?
        }
    };
    settle(conn, entity, change.lost(), written.len())?;
    outcome::read_back(entity, written, change.wanted())
}

/// Turns the row count of a single write into success or into what stands there instead.
pub(super) fn settle<T, C>(
    conn: &mut C,
    entity: &T,
    lost: Lost<'_, T>,
    count: usize,
) -> Result<(), SaveError<T>>
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
            Err(outcome::conflict(entity, lost, current.into_iter().next()).into())
        }
    }
}

pub(super) fn only<T>(rows: Vec<T>) -> QueryResult<T> {
    rows.into_iter().next().ok_or(Error::NotFound)
}
