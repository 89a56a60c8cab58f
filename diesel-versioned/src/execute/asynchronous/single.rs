//! Single writes on an asynchronous connection.

use std::future::Future;

use diesel::QueryResult;
use diesel::result::Error;
use diesel_async::AsyncConnection;

use super::commit::save_all;
use super::retry::update_with;
use super::session::{self, Begun, affected, rows};
use crate::backend::Dialect;
use crate::columns::ColumnSet;
use crate::entity::Versioned;
use crate::error::{CommitError, SaveError};
use crate::outcome::{self, Matched, Wanted};
use crate::retry::{Attempt, RetryError, RetryPolicy};
use crate::statement::{
    Delete, Entity, Find, Insert, InsertReturning, LastInserted, Lock, Next, Select, Update,
};
use crate::unit_of_work::InsertMode;

/// An asynchronous connection that can read and write the rows of `T`: what [`AsyncVersionedDsl`]
/// asks for.
///
/// [`AsyncVersionedDsl`]: crate::AsyncVersionedDsl
pub trait AsyncExecutes<T: Versioned>: Sized {
    #[doc(hidden)]
    fn execute_find(&mut self, key: T::Key) -> impl Future<Output = QueryResult<T>> + Send;

    #[doc(hidden)]
    fn execute_insert(
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
    fn execute_touch(
        &mut self,
        entity: &mut T,
    ) -> impl Future<Output = Result<(), SaveError<T>>> + Send;

    #[doc(hidden)]
    fn execute_save_unguarded(
        &mut self,
        entity: &T,
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
}

#[diagnostic::do_not_recommend]
impl<T, C> AsyncExecutes<T> for C
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    async fn execute_find(&mut self, key: T::Key) -> QueryResult<T> {
        let mut conn = Begun::statement(self)?;
        let found = rows(&mut *conn, Find::<T, C::Backend>::new(key)).await;
        conn.ended();
        only(found?)
    }

    async fn execute_insert(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        let mut conn = Begun::statement(self)?;
        let done = insert(&mut *conn, entity).await;
        conn.ended();
        done
    }

    async fn execute_save(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        let mut conn = Begun::statement(self)?;
        let done = save(&mut *conn, entity).await;
        conn.ended();
        done
    }

    async fn execute_delete(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        let mut conn = Begun::statement(self)?;
        let done = delete(&mut *conn, entity).await;
        conn.ended();
        done
    }

    async fn execute_touch(&mut self, entity: &mut T) -> Result<(), SaveError<T>> {
        let mut conn = Begun::statement(self)?;
        let done = touch(&mut *conn, entity).await;
        conn.ended();
        done
    }

    async fn execute_save_unguarded(&mut self, entity: &T) -> Result<(), SaveError<T>> {
        let mut conn = Begun::statement(self)?;
        let done = save_unguarded(&mut *conn, entity).await;
        conn.ended();
        done
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
}

async fn insert<T, C>(conn: &mut C, entity: &mut T) -> Result<(), SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    let initial = outcome::initial_version_of(entity)?;
    let row = (&*entity, initial.clone());
    let landed = match InsertMode::of::<T, C::Backend>() {
        InsertMode::Plain => {
            let count = affected(conn, Insert::new([row])).await?;
            outcome::inserted(entity, &initial, count)?;
            entity.set_version(initial);
            return Ok(());
        }
        InsertMode::Returning => rows(conn, InsertReturning::new([row])).await?,
        // Two statements: the row must not stay if it cannot be read back.
        InsertMode::ReadByKey | InsertMode::OneByOne => {
            insert_and_read(conn, entity, &initial).await?
        }
    };
    outcome::inserted(entity, &initial, landed.len())?;
    *entity = only(landed)?;
    Ok(())
}

async fn save<T, C>(conn: &mut C, entity: &mut T) -> Result<(), SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    let next = outcome::next_version_of(entity)?;
    let count = affected(conn, Update::whole(entity, next.clone())).await?;
    settle(conn, entity, Wanted::Update, count).await?;
    entity.set_version(next);
    Ok(())
}

async fn delete<T, C>(conn: &mut C, entity: &T) -> Result<(), SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    let count = affected(conn, Delete::new([entity])).await?;
    settle(conn, entity, Wanted::Delete, count).await
}

async fn touch<T, C>(conn: &mut C, entity: &mut T) -> Result<(), SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    let next = outcome::next_version_of(entity)?;
    let statement = Update::columns(entity, Next::Is(next.clone()), ColumnSet::EMPTY);
    let count = affected(conn, statement).await?;
    settle(conn, entity, Wanted::Update, count).await?;
    entity.set_version(next);
    Ok(())
}

async fn save_unguarded<T, C>(conn: &mut C, entity: &T) -> Result<(), SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    let columns = outcome::unguarded_columns::<T>()?;
    let statement = Update::columns(entity, Next::Unguarded, columns);
    let count = affected(conn, statement).await?;
    settle(conn, entity, Wanted::Unguarded, count).await
}

/// Inserts a row and reads it back, in a transaction or savepoint.
async fn insert_and_read<T, C>(
    conn: &mut C,
    entity: &T,
    initial: &T::Version,
) -> Result<Vec<T>, SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    let outer = session::depth(conn)?;
    let mut conn = Begun::new(conn);
    let row = (entity, initial.clone());
    let landed = async {
        session::begin(&mut *conn).await?;
        if InsertMode::of::<T, C::Backend>() == InsertMode::OneByOne {
            session::forget_last_inserted(&mut *conn).await?;
            let count = affected(&mut *conn, Insert::new([row])).await?;
            outcome::inserted(entity, initial, count)?;
            let landed = rows(&mut *conn, LastInserted::new(entity)).await?;
            Ok(vec![outcome::last_inserted(landed)?])
        } else {
            let count = affected(&mut *conn, Insert::new([row])).await?;
            outcome::inserted(entity, initial, count)?;
            let key = [entity.key()];
            Ok(rows(&mut *conn, Select::<T, _>::new(&key, Lock::Current)).await?)
        }
    }
    .await;
    let ended = match landed {
        Ok(landed) => match session::commit(&mut *conn).await {
            Ok(()) => Ok(landed),
            Err(error) => Err(error.into()),
        },
        Err(error) => Err(error),
    };
    if ended.is_err() {
        // What went wrong first is what the caller has to hear of.
        drop(session::roll_back_to(&mut *conn, outer).await);
    }
    conn.ended();
    ended
}

/// Turns the row count of a single write into success or into what stands there instead.
async fn settle<T, C>(
    conn: &mut C,
    entity: &T,
    wanted: Wanted,
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
            Err(outcome::conflict(entity, wanted, current.into_iter().next()).into())
        }
    }
}

fn only<T>(rows: Vec<T>) -> QueryResult<T> {
    rows.into_iter().next().ok_or(Error::NotFound)
}
