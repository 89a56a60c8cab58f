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
/// is not, so let it read what it works on. It must not end the transaction, and hand on the errors
/// of the database: one that it swallows may have cost the transaction, and then `retry` fails. On
/// SQLite the transaction is begun immediate.
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
/// transaction, if the policy allows nothing, or if the connection was lost during COMMIT or the
/// transaction ended by something else.
///
/// # Panics
///
/// If the closure panics: the transaction is rolled back and the panic goes on.
pub fn retry<C, R, E>(
    conn: &mut C,
    policy: &RetryPolicy,
    mut work: impl FnMut(&mut C) -> Result<R, E>,
) -> Result<R, RetryError<E>>
where
    C: Connection,
    C::Backend: Dialect,
    E: Retryable + From<Error>,
{
    again(conn, policy, |conn| lend(conn, &mut work), E::from)
}

/// Lends the connection to work of the caller's. It may swallow an error by which the database gave
/// the transaction up, and COMMIT would then roll back and report nothing, so the transaction is
/// marked before.
fn lend<C, R, E>(
    conn: &mut C,
    work: &mut impl FnMut(&mut C) -> Result<R, E>,
) -> Result<R, Failed<E>>
where
    C: Connection,
    E: Retryable,
{
    let begun = session::depth(conn)?;
    session::mark(conn, None)?;
    let worked = work(conn);
    // One that it has left open is rolled back; one that it has ended has no mark any more.
    let depth = session::same_depth(conn, begun);
    match (session::unmark(conn, None), worked) {
        (Ok(()), worked) => {
            depth?;
            worked.map_err(Failed::Work)
        }
        (Err(mark), Err(error)) => Err(Failed::worked(error, mark, session::ping(conn).is_ok())),
        (Err(error), Ok(_)) => {
            let takes = session::ping(conn).is_ok();
            drop(session::roll_back_to(conn, None));
            Err(Failed::unmarked(error, takes, session::ping(conn).is_ok()))
        }
    }
}

/// Does the work until it is over; `from` makes an error of the work from one of the connection.
fn again<C, R, E>(
    conn: &mut C,
    policy: &RetryPolicy,
    mut work: impl FnMut(&mut C) -> Result<R, Failed<E>>,
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
    work: &mut impl FnMut(&mut C) -> Result<R, Failed<E>>,
) -> Result<R, Failed<E>>
where
    C: Connection,
    C::Backend: Dialect,
{
    session::begin(conn, terms)?;
    let result = match catch_unwind(AssertUnwindSafe(|| work(conn))) {
        Ok(Ok(result)) => result,
        Err(panic) => {
            // The panic is what the caller has to hear of, whatever the rollback says.
            drop(session::roll_back_to(conn, None));
            resume_unwind(panic)
        }
        Ok(Err(failed)) => {
            // What went wrong first is what the caller has to hear of.
            drop(session::roll_back_to(conn, None));
            return Err(failed);
        }
    };
    match session::commit(conn) {
        Ok(()) => Ok(result),
        Err(error) => {
            drop(session::roll_back_to(conn, None));
            Err(Failed::committed(error, session::ping(conn).is_ok()))
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
    let mut work = |conn: &mut C| -> Result<T, A::Error> {
        let mut uow = UnitOfWork::<C, dyn BlockingSet<C>>::new();
        let handle: Handle<T> = uow.find(conn, key).map_err(CommitError::from)?;
        change(&mut uow[handle]).into_result()?;
        uow.commit(conn)?;
        Ok(uow[handle].clone())
    };
    let from = |error| CommitError::from(error).into();
    again(conn, policy, |conn| work(conn).map_err(Failed::Work), from)
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
    /// the attempt that succeeded. The unit is committed after the closure: do not do it there.
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
