//! Work that may be done again, on an asynchronous connection.

use std::future::Future;
use std::panic::{AssertUnwindSafe, resume_unwind};

use diesel::QueryResult;
use diesel::result::Error;
use diesel_async::AsyncConnection;
use futures_util::FutureExt;

use super::closure::{AlsoFn, RunFn};
use super::dsl::AsyncVersionedDsl;
use super::session::{self, Begun};
use super::set::AsyncSet;
use crate::backend::Dialect;
use crate::entity::Versioned;
use crate::error::CommitError;
use crate::execute::transaction::Depth;
use crate::retry::{Attempt, Course, Failed, RetryError, RetryPolicy, Retryable};
use crate::unit_of_work::{Committed, Handle, Holds, UnitOfWork};

/// Does the work until it is over, each time in a transaction; `$from` makes an error of the work
/// from one of the connection. A macro, for a function could not take all of these closures and have
/// a future that is `Send`.
macro_rules! again {
    ($conn:expr, $policy:expr, $from:expr, |$attempt:ident| $work:expr) => {{
        let (conn, from) = ($conn, $from);
        let depth = session::depth(conn);
        let mut course = Course::begin($policy, matches!(depth, Ok(Some(_))))?;
        loop {
            let mut begun = Begun::new(conn);
            let attempted = match session::begin(&mut *begun, $policy.terms()).await {
                Ok(()) => {
                    let worked = {
                        let $attempt = &mut *begun;
                        AssertUnwindSafe($work).catch_unwind().await
                    };
                    end(&mut *begun, worked).await
                }
                Err(error) => Ok(Err(error.into())),
            };
            begun.ended();
            match attempted {
                Ok(Ok(result)) => break Ok(result),
                Ok(Err(failed)) => tokio::time::sleep(course.next(failed, from)?).await,
                Err(panic) => resume_unwind(panic),
            }
        }
    }};
}

/// Runs an asynchronous closure in a new transaction, again and again until it succeeds, fails for a
/// reason that does not pass, or the policy is at its end; [`retry`](crate::retry()) on a blocking
/// connection.
///
/// The closure is cloned for each attempt, so what it has captured must be `Clone`. Between attempts
/// tokio's timer waits. If the future is dropped, the attempt is not written, and the connection is
/// marked as broken as [`commit`](crate::UnitOfWork::commit) says.
///
/// ```
/// # use diesel::prelude::*;
/// # use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
/// # use diesel_async::{AsyncConnection, SimpleAsyncConnection};
/// # diesel::table! {
/// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
/// # }
/// # #[derive(Debug, Clone, Queryable, Selectable, diesel_versioned::Versioned)]
/// # #[diesel(table_name = products)]
/// # struct Product { id: i32, stock: i32, #[version] version: i32 }
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut conn = SyncConnectionWrapper::<SqliteConnection>::establish(":memory:").await?;
/// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
/// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1)").await?;
/// use diesel_versioned::async_prelude::*;
///
/// let policy = RetryPolicy::default();
/// let left = retry(&mut conn, &policy, async |conn| {
///     let mut product = Product::find(conn, 1).await?;
///     product.stock -= 3;
///     product.save(conn).await?;
///     Ok::<_, SaveError<Product>>(product.stock)
/// })
/// .await?;
/// assert_eq!(left, 7);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`retry`](crate::retry()).
///
/// # Panics
///
/// If the closure panics: the transaction is rolled back and the panic goes on. Outside of tokio.
#[allow(
    clippy::manual_async_fn,
    reason = "that it is `Send` is part of the contract"
)]
pub fn retry<C, R, E, F>(
    conn: &mut C,
    policy: &RetryPolicy,
    work: F,
) -> impl Future<Output = Result<R, RetryError<E>>> + Send
where
    C: AsyncConnection,
    C::Backend: Dialect,
    R: Send,
    E: Retryable + From<Error> + Send,
    for<'r> F: AsyncFnOnce(&'r mut C) -> Result<R, E>
        + AlsoFn<&'r mut C, Result<R, E>, Running: Send>
        + Clone
        + Send,
{
    async move {
        again!(conn, policy, E::from, |conn| {
            let work = work.clone();
            async move {
                let begun = lend(conn).await?;
                let worked = work(&mut *conn).boxed().await;
                take_back(conn, begun, worked).await
            }
        })
    }
}

/// Before the connection is lent to work of the caller's. It may swallow an error by which the
/// database gave the transaction up, and COMMIT would then roll back and report nothing, so the
/// transaction is marked. Returns how deep it is.
async fn lend<C: AsyncConnection>(conn: &mut C) -> QueryResult<Depth> {
    session::mark(conn, None).await?;
    session::depth(conn)
}

/// After it; fails if the transaction is not the one that was lent.
async fn take_back<C, R, E>(
    conn: &mut C,
    begun: Depth,
    worked: Result<R, E>,
) -> Result<R, Failed<E>>
where
    C: AsyncConnection,
    E: Retryable,
{
    // One that it has left open is rolled back; one that it has ended has no mark any more.
    let depth = session::same_depth(conn, begun);
    match (session::unmark(conn, None).await, worked) {
        (Ok(()), worked) => {
            depth?;
            worked.map_err(Failed::Work)
        }
        (Err(mark), Err(error)) => {
            let takes = session::ping(conn).await.is_ok();
            Err(Failed::worked(error, mark, takes))
        }
        (Err(error), Ok(_)) => {
            let takes = session::ping(conn).await.is_ok();
            drop(session::roll_back_to(conn, None).await);
            let answers = session::ping(conn).await.is_ok();
            Err(Failed::unmarked(error, takes, answers))
        }
    }
}

type Panicked = Box<dyn std::any::Any + Send>;

/// Brings the transaction of an attempt to its end, whatever the work has come to.
async fn end<C, R, E>(
    conn: &mut C,
    worked: Result<Result<R, Failed<E>>, Panicked>,
) -> Result<Result<R, Failed<E>>, Panicked>
where
    C: AsyncConnection,
{
    let result = match worked {
        Ok(Ok(result)) => result,
        Err(panic) => {
            // The panic is what the caller has to hear of, whatever the rollback says.
            drop(session::roll_back_to(conn, None).await);
            return Err(panic);
        }
        Ok(Err(failed)) => {
            // What went wrong first is what the caller has to hear of.
            drop(session::roll_back_to(conn, None).await);
            return Ok(Err(failed));
        }
    };
    let Err(error) = session::commit(conn).await else {
        return Ok(Ok(result));
    };
    drop(session::roll_back_to(conn, None).await);
    let answers = session::ping(conn).await.is_ok();
    Ok(Err(Failed::committed(error, answers)))
}

/// Changes one row; see [`AsyncVersionedDsl::update_with`].
pub(super) async fn update_with<T, C, A>(
    conn: &mut C,
    key: T::Key,
    policy: &RetryPolicy,
    mut change: impl FnMut(&mut T) -> A + Send,
) -> Result<T, RetryError<A::Error>>
where
    T: Versioned + AsyncVersionedDsl<C>,
    C: AsyncConnection + 'static,
    C::Backend: Dialect,
    dyn AsyncSet<C>: Holds<T>,
    A: Attempt<Error: Send>,
{
    let from = |error| A::Error::from(CommitError::from(error));
    again!(conn, policy, from, |conn| async {
        let mut uow = UnitOfWork::<C, dyn AsyncSet<C>>::new();
        let work = async {
            let handle: Handle<T> = uow.find(conn, key.clone()).await.map_err(from)?;
            change(&mut uow[handle]).into_result()?;
            uow.commit(conn).await?;
            Ok(uow[handle].clone())
        };
        work.await.map_err(Failed::Work)
    })
}

impl<C> UnitOfWork<C, dyn AsyncSet<C>>
where
    C: AsyncConnection + 'static,
    C::Backend: Dialect,
{
    /// Lets an asynchronous closure fill a new unit and commits it, again and again until that
    /// succeeds, fails for a reason that does not pass, or the policy is at its end. Returns what
    /// the closure returned and what was written.
    ///
    /// Each attempt is a transaction of its own with a new unit, so the closure reads anew; what it
    /// writes to the connection itself belongs to the attempt. It is cloned for each attempt, so
    /// what it has captured must be `Clone`. After-commit hooks run once, after the attempt that
    /// succeeded. The unit is committed after the closure: do not do it there.
    ///
    /// ```
    /// # use diesel::prelude::*;
    /// # use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
    /// # use diesel_async::{AsyncConnection, SimpleAsyncConnection};
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, diesel_versioned::Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SyncConnectionWrapper::<SqliteConnection>::establish(":memory:").await?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL);
    /// #     INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)").await?;
    /// use diesel_versioned::async_prelude::*;
    ///
    /// let policy = RetryPolicy::default();
    /// let (left, done) = UnitOfWork::run(&mut conn, &policy, async |uow, conn| {
    ///     let from: Handle<Product> = uow.find(conn, 1).await?;
    ///     let to: Handle<Product> = uow.find(conn, 2).await?;
    ///     uow[from].stock -= 3;
    ///     uow[to].stock += 3;
    ///     Ok::<_, CommitError>(uow[from].stock)
    /// })
    /// .await?;
    /// assert_eq!((left, done.len()), (7, 2));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`retry`](crate::retry()).
    ///
    /// # Panics
    ///
    /// If the closure panics: the transaction is rolled back and the panic goes on. If an
    /// after-commit hook panics, the unit is committed. Outside of tokio.
    #[allow(
        clippy::manual_async_fn,
        reason = "that it is `Send` is part of the contract"
    )]
    pub fn run<R, E, F>(
        conn: &mut C,
        policy: &RetryPolicy,
        work: F,
    ) -> impl Future<Output = Result<(R, Committed), RetryError<E>>> + Send
    where
        R: Send,
        E: Retryable + From<CommitError> + From<Error> + Send,
        for<'u, 'c> F: AsyncFnOnce(&'u mut Self, &'c mut C) -> Result<R, E>
            + RunFn<&'u mut Self, &'c mut C, Result<R, E>, Running: Send>
            + Clone
            + Send,
    {
        async move {
            let (result, mut done) = again!(conn, policy, E::from, |conn| {
                let work = work.clone();
                async move {
                    let begun = lend(conn).await?;
                    let mut uow = Self::new();
                    // Boxed where the unit's type is known in full; what is held is then `Send`.
                    let worked = work(&mut uow, &mut *conn).boxed().await;
                    let worked = match worked {
                        Ok(result) => match uow.commit(&mut *conn).await {
                            Ok(done) => Ok((result, done)),
                            Err(error) => Err(E::from(error)),
                        },
                        Err(error) => Err(error),
                    };
                    take_back(conn, begun, worked).await
                }
            })?;
            done.settle();
            Ok((result, done))
        }
    }
}
