//! Work that may be done again, on a blocking connection.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use diesel::connection::{Connection, LoadConnection};
use diesel::result::Error;

use super::dsl::VersionedDsl;
use super::session;
use super::set::BlockingSet;
use crate::backend::Dialect;
use crate::entity::Versioned;
use crate::error::CommitError;
use crate::isolation::Terms;
use crate::retry::{Attempt, Course, Failed, RetryError, RetryPolicy, Retryable};
use crate::unit_of_work::{Committed, Handle, Holds, UnitOfWork};

/// Runs a closure in a new transaction, again and again until it succeeds, fails for a reason that
/// does not pass, or the policy is at its end.
///
/// What the closure has written is rolled back with a failed attempt; what it has changed in memory
/// is not, so let it read what it works on. It must not end the transaction. On SQLite the
/// transaction is begun immediate.
///
/// ```
/// # use diesel::prelude::*;
/// # diesel::table! {
/// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
/// # }
/// # #[derive(Debug, Clone, Queryable, Selectable, diesel_versioned::Versioned)]
/// # #[diesel(table_name = products)]
/// # struct Product { id: i32, stock: i32, #[version] version: i32 }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use diesel::connection::SimpleConnection;
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
/// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1)")?;
/// use diesel_versioned::prelude::*;
///
/// let policy = RetryPolicy::default();
/// let left = retry(&mut conn, &policy, |conn| {
///     let mut product = Product::find(conn, 1)?;
///     product.stock -= 3;
///     product.save(conn)?;
///     Ok::<_, SaveError<Product>>(product.stock)
/// })?;
/// assert_eq!(left, 7);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`RetryError`]: with the last error of the closure, or without one if the connection is in a
/// transaction, if the policy allows nothing, or if the connection was lost during COMMIT.
///
/// # Panics
///
/// If the closure panics: the transaction is rolled back and the panic goes on.
pub fn retry<C, R, E>(
    conn: &mut C,
    policy: &RetryPolicy,
    work: impl FnMut(&mut C) -> Result<R, E>,
) -> Result<R, RetryError<E>>
where
    C: Connection,
    C::Backend: Dialect,
    E: Retryable + From<Error>,
{
    again(conn, policy, work, E::from)
}

/// Does the work until it is over; `from` makes an error of the work from one of the connection.
fn again<C, R, E>(
    conn: &mut C,
    policy: &RetryPolicy,
    mut work: impl FnMut(&mut C) -> Result<R, E>,
    from: impl Fn(Error) -> E,
) -> Result<R, RetryError<E>>
where
    C: Connection,
    C::Backend: Dialect,
    E: Retryable,
{
    let depth = session::depth(conn);
    let mut course = Course::begin(policy, matches!(depth, Ok(Some(_))))?;
    loop {
        match attempt(conn, policy.terms(), &mut work) {
            Ok(result) => return Ok(result),
            Err(failed) => thread::sleep(course.next(failed, &from)?),
        }
    }
}

/// One attempt, in a transaction.
fn attempt<C, R, E>(
    conn: &mut C,
    terms: Terms,
    work: &mut impl FnMut(&mut C) -> Result<R, E>,
) -> Result<R, Failed<E>>
where
    C: Connection,
    C::Backend: Dialect,
{
    session::begin(conn, terms)?;
    let begun = session::depth(conn)?;
    let done = match catch_unwind(AssertUnwindSafe(|| work(conn))) {
        Ok(done) => done.map_err(Failed::Work),
        Err(panic) => {
            // The panic is what the caller has to hear of, whatever the rollback says.
            drop(session::roll_back_to(conn, None));
            resume_unwind(panic)
        }
    };
    let done = done.and_then(|result| {
        session::same_depth(conn, begun)?;
        Ok(result)
    });
    let result = match done {
        Ok(result) => result,
        Err(failed) => {
            // What went wrong first is what the caller has to hear of.
            drop(session::roll_back_to(conn, None));
            return Err(failed);
        }
    };
    match session::commit(conn) {
        Ok(()) => Ok(result),
        Err(error) => {
            drop(session::roll_back_to(conn, None));
            // If the server answers, it has turned the commit down.
            match session::ping(conn) {
                Ok(()) => Err(Failed::Connection(error)),
                Err(_) => Err(Failed::Commit(error)),
            }
        }
    }
}

/// Changes one row; see [`VersionedDsl::update_with`](crate::VersionedDsl::update_with).
pub(super) fn update_with<T, C, A>(
    conn: &mut C,
    key: &T::Key,
    policy: &RetryPolicy,
    mut change: impl FnMut(&mut T) -> A,
) -> Result<T, RetryError<A::Error>>
where
    T: Versioned + VersionedDsl<C>,
    C: LoadConnection + 'static,
    C::Backend: Dialect,
    dyn BlockingSet<C>: Holds<T>,
    A: Attempt,
{
    let work = |conn: &mut C| {
        let mut uow = UnitOfWork::<C, dyn BlockingSet<C>>::new();
        let handle: Handle<T> = uow.find(conn, key).map_err(CommitError::from)?;
        change(&mut uow[handle]).into_result()?;
        uow.commit(conn)?;
        Ok(uow[handle].clone())
    };
    again(conn, policy, work, |error| CommitError::from(error).into())
}

impl<C> UnitOfWork<C, dyn BlockingSet<C>>
where
    C: LoadConnection + 'static,
    C::Backend: Dialect,
{
    /// Lets a closure fill a new unit and commits it, again and again until that succeeds, fails for
    /// a reason that does not pass, or the policy is at its end. Returns what the closure returned
    /// and what was written.
    ///
    /// Each attempt is a transaction of its own with a new unit, so the closure reads anew; what it
    /// writes to the connection itself belongs to the attempt. After-commit hooks run once, after
    /// the attempt that succeeded.
    ///
    /// ```
    /// # use diesel::prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, diesel_versioned::Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use diesel::connection::SimpleConnection;
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)")?;
    /// use diesel_versioned::prelude::*;
    ///
    /// let policy = RetryPolicy::default();
    /// let (left, done) = UnitOfWork::run(&mut conn, &policy, |uow, conn| {
    ///     let from: Handle<Product> = uow.find(conn, 1)?;
    ///     let to: Handle<Product> = uow.find(conn, 2)?;
    ///     uow[from].stock -= 3;
    ///     uow[to].stock += 3;
    ///     Ok::<_, CommitError>(uow[from].stock)
    /// })?;
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
    /// after-commit hook panics, the unit is committed.
    pub fn run<R, E>(
        conn: &mut C,
        policy: &RetryPolicy,
        mut work: impl FnMut(&mut Self, &mut C) -> Result<R, E>,
    ) -> Result<(R, Committed), RetryError<E>>
    where
        E: Retryable + From<CommitError> + From<Error>,
    {
        let (result, mut done) = retry(conn, policy, |conn| {
            let mut uow = Self::new();
            let result = work(&mut uow, conn)?;
            let done = uow.commit(conn)?;
            Ok::<_, E>((result, done))
        })?;
        done.settle();
        Ok((result, done))
    }
}
