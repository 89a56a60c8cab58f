//! Single writes on an asynchronous connection.

use std::future::Future;

use diesel::QueryResult;
use diesel::result::Error;
use diesel_async::AsyncConnection;

use super::apply::insert_or_save;
use super::commit::save_all;
use super::mark::remark;
use super::retry::update_with;
use super::schema::check_schema;
use super::session::{self, Begun, affected, rows};
use crate::backend::Dialect;
use crate::entity::Versioned;
use crate::error::{CommitError, SaveError};
use crate::execute::transaction::Depth;
use crate::isolation::Terms;
use crate::outcome::{self, Change, Lost, Matched, Wanted};
use crate::retry::{Attempt, RetryError, RetryPolicy};
use crate::schema_check::SchemaReport;
use crate::soft_delete::unmarked;
use crate::statement::{
    Delete, Entity, Find, Insert, LastInserted, Lock, Next, OwnTables, Returning, Scope, Select,
    Update,
};
use crate::unit_of_work::{InsertMode, UpdateMode};

/// An asynchronous connection that can read and write the rows of `T`: what [`AsyncVersionedDsl`]
/// asks for.
///
/// [`AsyncVersionedDsl`]: crate::AsyncVersionedDsl
pub trait AsyncExecutes<T: Versioned>: Sized {
    #[doc(hidden)]
    fn execute_find(&mut self, key: T::Key) -> impl Future<Output = QueryResult<T>> + Send;

    #[doc(hidden)]
    fn execute_find_deleted(&mut self, key: T::Key) -> impl Future<Output = QueryResult<T>> + Send;

    #[doc(hidden)]
    fn execute_insert(
        &mut self,
        entity: &mut T,
    ) -> impl Future<Output = Result<(), SaveError<T>>> + Send;

    #[doc(hidden)]
    fn execute_insert_or_save(
        &mut self,
        entity: &mut T,
    ) -> impl Future<Output = Result<(), SaveError<T>>> + Send;

    #[doc(hidden)]
    fn execute_save(
        &mut self,
        entity: &mut T,
    ) -> impl Future<Output = Result<(), SaveError<T>>> + Send;

    #[doc(hidden)]
    fn execute_delete(
        &mut self,
        entity: &mut T,
    ) -> impl Future<Output = Result<(), SaveError<T>>> + Send;

    #[doc(hidden)]
    fn execute_purge(
        &mut self,
        entity: &mut T,
    ) -> impl Future<Output = Result<(), SaveError<T>>> + Send;

    #[doc(hidden)]
    fn execute_restore(
        &mut self,
        entity: &mut T,
    ) -> impl Future<Output = Result<(), SaveError<T>>> + Send;

    #[doc(hidden)]
    fn execute_touch(
        &mut self,
        entity: &mut T,
    ) -> impl Future<Output = Result<(), SaveError<T>>> + Send;

    #[doc(hidden)]
    fn execute_save_unguarded(
        &mut self,
        entity: &mut T,
    ) -> impl Future<Output = Result<(), SaveError<T>>> + Send;

    #[doc(hidden)]
    fn execute_save_changes(
        &mut self,
        entity: &mut T,
        base: &T,
    ) -> impl Future<Output = Result<(), SaveError<T>>> + Send;

    #[doc(hidden)]
    fn execute_update_with<A: Attempt<Error: Send>>(
        &mut self,
        key: T::Key,
        policy: &RetryPolicy,
        change: impl FnMut(&mut T) -> A + Send,
    ) -> impl Future<Output = Result<T, RetryError<A::Error>>> + Send
    where
        Self: 'static;

    #[doc(hidden)]
    fn execute_save_all(
        &mut self,
        entities: &mut [T],
    ) -> impl Future<Output = Result<(), CommitError>> + Send
    where
        Self: 'static;

    #[doc(hidden)]
    fn execute_check_schema(&mut self) -> impl Future<Output = QueryResult<SchemaReport>> + Send;
}

#[diagnostic::do_not_recommend]
impl<T, C> AsyncExecutes<T> for C
where
    C: AsyncConnection,
    C::Backend: OwnTables,
    T: Entity<C::Backend>,
{
    async fn execute_find(&mut self, key: T::Key) -> QueryResult<T> {
        let mut conn = Begun::statement(self)?;
        let found = rows(&mut *conn, Find::<T, C::Backend, false>::new(key)).await;
        conn.ended();
        only(found?)
    }

    async fn execute_find_deleted(&mut self, key: T::Key) -> QueryResult<T> {
        let mut conn = Begun::statement(self)?;
        let found = rows(&mut *conn, Find::<T, C::Backend, true>::new(key)).await;
        conn.ended();
        only(found?)
    }

    async fn execute_insert(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        outcome::alone(entity)?;
        let mut conn = Begun::statement(self)?;
        let done = insert(&mut *conn, entity, false).await;
        conn.ended();
        done.map(drop)
    }

    async fn execute_insert_or_save(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        outcome::alone(entity)?;
        insert_or_save(self, entity).await
    }

    async fn execute_save(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        outcome::alone(entity)?;
        let change = Change::whole(entity)?;
        update(self, entity, change).await
    }

    async fn execute_delete(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        outcome::alone(entity)?;
        match T::MARK {
            Some(_) => remark(self, entity, Wanted::Delete).await,
            None => delete(self, entity, Wanted::Delete).await,
        }
    }

    async fn execute_purge(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        outcome::alone(entity)?;
        delete(self, entity, Wanted::Purge).await
    }

    async fn execute_restore(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        outcome::alone(entity)?;
        remark(self, entity, Wanted::Restore).await
    }

    async fn execute_touch(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        outcome::alone(entity)?;
        let change = Change::touch(entity)?;
        update(self, entity, change).await
    }

    async fn execute_save_unguarded(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        update(self, entity, Change::unguarded()?).await
    }

    async fn execute_save_changes(&mut self, entity: &mut T, base: &T) -> Result<(), SaveError<T>> {
        outcome::alone(entity)?;
        match Change::since(base, entity)? {
            Some(change) => update(self, entity, change).await,
            None => Ok(()),
        }
    }

    async fn execute_update_with<A: Attempt<Error: Send>>(
        &mut self,
        key: T::Key,
        policy: &RetryPolicy,
        change: impl FnMut(&mut T) -> A + Send,
    ) -> Result<T, RetryError<A::Error>>
    where
        C: 'static,
    {
        update_with(self, key, policy, change).await
    }

    async fn execute_save_all(&mut self, entities: &mut [T]) -> Result<(), CommitError>
    where
        C: 'static,
    {
        save_all(self, entities).await
    }

    async fn execute_check_schema(&mut self) -> QueryResult<SchemaReport> {
        check_schema::<T, C>(self).await
    }
}

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

/// Deletes a row.
async fn delete<T, C>(conn: &mut C, entity: &T, wanted: Wanted) -> Result<(), SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    let mut conn = Begun::statement(conn)?;
    let done = async {
        let count = affected(&mut *conn, Delete::new([(entity, entity)])).await?;
        settle(&mut *conn, entity, Lost::of(wanted), count).await
    }
    .await;
    conn.ended();
    done
}

/// Updates one row and brings the copy to what is written.
pub(super) async fn update<T, C>(
    conn: &mut C,
    entity: &mut T,
    change: Change<'_, T>,
) -> Result<(), SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    let row = match UpdateMode::of::<T, C::Backend>() {
        UpdateMode::Plain => {
            let mut conn = Begun::statement(conn)?;
            let done = count_updated(&mut *conn, entity, &change).await;
            conn.ended();
            done?;
            None
        }
        UpdateMode::Returning if !outcome::may_be_taken_back::<T>() => {
            let mut conn = Begun::statement(conn)?;
            let done = update_returning(&mut *conn, entity, &change).await;
            conn.ended();
            Some(done?)
        }
        UpdateMode::Returning | UpdateMode::ReadByKey => {
            let outer = session::depth(conn)?;
            let mut conn = Begun::new(conn);
            let done = update_and_read(&mut *conn, entity, &change).await;
            let done = end(&mut *conn, outer, done).await;
            conn.ended();
            Some(done?)
        }
    };
    outcome::take_written(entity, change.next, row.as_ref());
    Ok(())
}

async fn count_updated<T, C>(
    conn: &mut C,
    entity: &T,
    change: &Change<'_, T>,
) -> Result<(), SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    let next = change.next.clone();
    let count = match change.scope {
        Scope::Whole => affected(conn, Update::whole(entity, next)).await?,
        Scope::Columns(columns) => {
            affected(conn, Update::columns(entity, change.base, next, columns)).await?
        }
    };
    settle(conn, entity, change.lost(), count).await
}

async fn update_returning<T, C>(
    conn: &mut C,
    entity: &T,
    change: &Change<'_, T>,
) -> Result<T, SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    let next = change.next.clone();
    let written = match change.scope {
        Scope::Whole => {
            let statement = Update::whole(entity, next);
            rows(conn, Returning::<_, T, _>::of(statement)).await?
        }
        Scope::Columns(columns) => {
            let statement = Update::columns(entity, change.base, next, columns);
            rows(conn, Returning::<_, T, _>::of(statement)).await?
        }
    };
    settle(conn, entity, change.lost(), written.len()).await?;
    outcome::read_back(entity, written, change.wanted())
}

/// Begins a transaction or savepoint, updates a row in it and reads it back.
async fn update_and_read<T, C>(
    conn: &mut C,
    entity: &T,
    change: &Change<'_, T>,
) -> Result<T, SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    session::begin(conn, Terms::default()).await?;
    if UpdateMode::of::<T, C::Backend>() == UpdateMode::Returning {
        return update_returning(conn, entity, change).await;
    }
    count_updated(conn, entity, change).await?;
    let key = [entity.key()];
    let written = rows(conn, Select::<T, _>::new(&key, Lock::Current)).await?;
    outcome::read_back(entity, written, change.wanted())
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
                return Ok(Some(vec![outcome::last_inserted(landed)?]));
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
    let ended = end(&mut *conn, outer, landed).await;
    conn.ended();
    ended
}

/// Commits what was done since the connection was at this depth, or rolls it back.
pub(super) async fn end<T, C, R>(
    conn: &mut C,
    outer: Depth,
    done: Result<R, SaveError<T>>,
) -> Result<R, SaveError<T>>
where
    C: AsyncConnection,
    T: Versioned,
    R: Send,
{
    let ended = match done {
        Ok(done) => match session::commit(conn).await {
            Ok(()) => Ok(done),
            Err(error) => Err(error.into()),
        },
        Err(error) => Err(error),
    };
    if ended.is_err() {
        // What went wrong first is what the caller has to hear of.
        drop(session::roll_back_to(conn, outer).await);
    }
    ended
}

/// Turns the row count of a single write into success or into what stands there instead.
pub(super) async fn settle<T, C>(
    conn: &mut C,
    entity: &T,
    lost: Lost<'_, T>,
    count: usize,
) -> Result<(), SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    match outcome::matched(count, 1) {
        Matched::All => Ok(()),
        Matched::More => Err(outcome::not_unique(entity, count)),
        Matched::Fewer => {
            let key = [entity.key()];
            let current = rows(conn, Select::<T, _>::new(&key, Lock::Current)).await?;
            Err(outcome::conflict(entity, lost, current.into_iter().next()).into())
        }
    }
}

fn only<T>(rows: Vec<T>) -> QueryResult<T> {
    rows.into_iter().next().ok_or(Error::NotFound)
}
