//! Single writes of the mark of deletion on an asynchronous connection.

use diesel_async::AsyncConnection;

use super::session::{self, Begun, affected, rows};
use super::single::settle;
use crate::backend::Dialect;
use crate::error::SaveError;
use crate::isolation::Terms;
use crate::outcome::{self, Lost, Wanted};
use crate::soft_delete::mark_columns;
use crate::statement::{Entity, Lock, Next, Returning, Select, Update};
use crate::unit_of_work::UpdateMode;
use crate::version::Moment;

/// Marks one row as deleted, or takes the mark from it, and brings the copy to what is written.
pub(super) async fn remark<T, C>(
    conn: &mut C,
    entity: &mut T,
    wanted: Wanted,
) -> Result<(), SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    // The moment is not kept across a wait: its clock is asked once, and not by two threads.
    let (marked, next) = {
        let moment = Moment::new();
        let marked = outcome::remarked(entity, wanted.deletes(), &moment)?;
        (
            marked,
            outcome::next_version(entity, T::VERSION_COLUMNS, &moment)?,
        )
    };
    let row = match UpdateMode::of::<T, C::Backend>() {
        UpdateMode::Plain => {
            let mut conn = Begun::statement(conn)?;
            let done = counted(&mut *conn, entity, &marked, &next, wanted).await;
            conn.ended();
            done?;
            None
        }
        UpdateMode::Returning if !outcome::may_be_taken_back::<T>() => {
            let mut conn = Begun::statement(conn)?;
            let done = returning(&mut *conn, entity, &marked, &next, wanted).await;
            conn.ended();
            Some(done?)
        }
        UpdateMode::Returning | UpdateMode::ReadByKey => {
            let outer = session::depth(conn)?;
            let mut conn = Begun::new(conn);
            let done = remark_and_read(&mut *conn, entity, &marked, &next, wanted).await;
            let done = session::end(&mut *conn, outer, done).await;
            conn.ended();
            Some(done?)
        }
    };
    outcome::take_written(entity, next, row.as_ref());
    entity.take_columns(&marked, mark_columns::<T>());
    Ok(())
}

async fn counted<T, C>(
    conn: &mut C,
    entity: &T,
    marked: &T,
    next: &Next<T::Version>,
    wanted: Wanted,
) -> Result<(), SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    let count = affected(conn, Update::mark(marked, next.clone())).await?;
    settle(conn, entity, Lost::of(wanted), count).await
}

async fn returning<T, C>(
    conn: &mut C,
    entity: &T,
    marked: &T,
    next: &Next<T::Version>,
    wanted: Wanted,
) -> Result<T, SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    let statement = Update::mark(marked, next.clone());
    let written = rows(conn, Returning::<_, T, _>::of(statement)).await?;
    settle(conn, entity, Lost::of(wanted), written.len()).await?;
    outcome::read_back(entity, written, wanted)
}

/// Begins a transaction or savepoint, writes the mark in it and reads the row back.
async fn remark_and_read<T, C>(
    conn: &mut C,
    entity: &T,
    marked: &T,
    next: &Next<T::Version>,
    wanted: Wanted,
) -> Result<T, SaveError<T>>
where
    C: AsyncConnection,
    C::Backend: Dialect,
    T: Entity<C::Backend>,
{
    session::begin(conn, Terms::default()).await?;
    if UpdateMode::of::<T, C::Backend>() == UpdateMode::Returning {
        return returning(conn, entity, marked, next, wanted).await;
    }
    counted(conn, entity, marked, next, wanted).await?;
    let key = [entity.key()];
    let written = rows(conn, Select::<T, _>::new(&key, Lock::Current)).await?;
    outcome::read_back(entity, written, wanted)
}
