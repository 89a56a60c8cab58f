//! Single writes on an asynchronous connection.

use std::future::Future;

use diesel::QueryResult;
use diesel::result::Error;
use diesel_async::AsyncConnection;

use super::commit::save_all;
use super::insert::insert;
use super::retry::update_with;
use super::schema::check_schema;
use super::session::{self, Begun, affected, rows};
use super::upsert::insert_or_save;
use crate::backend::Dialect;
use crate::entity::Versioned;
use crate::error::{CommitError, SaveError};
use crate::isolation::Terms;
use crate::outcome::{self, Change, Lost, Matched, Wanted};
use crate::retry::{Attempt, RetryError, RetryPolicy};
use crate::schema_check::SchemaReport;
use crate::statement::{Delete, Entity, Find, Lock, OwnTables, Returning, Scope, Select, Update};
use crate::unit_of_work::UpdateMode;

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
            Some(_) => {
                let change = Change::remark(entity, true)?;
                update(self, entity, change).await
            }
            None => delete(self, entity, Wanted::Delete).await,
        }
    }

    async fn execute_purge(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        outcome::alone(entity)?;
        delete(self, entity, Wanted::Purge).await
    }

    async fn execute_restore(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        outcome::alone(entity)?;
        let change = Change::remark(entity, false)?;
        update(self, entity, change).await
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
            let done = session::end(&mut *conn, outer, done).await;
            conn.ended();
            Some(done?)
        }
    };
    change.take_written(entity, row.as_ref());
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
    let count = match change.scope {
        Scope::Whole => affected(conn, Update::whole(entity, change.next.clone())).await?,
        Scope::Columns(columns) => affected(conn, change.update_of(entity, columns)).await?,
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
    let written = match change.scope {
        Scope::Whole => {
            let statement = Update::whole(entity, change.next.clone());
            rows(conn, Returning::<_, T, _>::of(statement)).await?
        }
        Scope::Columns(columns) => {
            let statement = change.update_of(entity, columns);
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

pub(super) fn only<T>(rows: Vec<T>) -> QueryResult<T> {
    rows.into_iter().next().ok_or(Error::NotFound)
}
