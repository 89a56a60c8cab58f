//! An asynchronous unit of work with the signatures of a blocking one.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use diesel::QueryResult;
use diesel::result::Error;
use diesel_async::AsyncConnection;
use diesel_versioned::plumbing::AsyncLocks;
use diesel_versioned::{
    Actor, AsyncSet, AsyncVersionedDsl, CommitError, Committed, Conflict, Handle, Holds, IntoKey,
    Isolation, Lock, OverwriteError, RetryError, RetryPolicy, Retryable, SoftDelete, Versioned,
    Wait, async_prelude,
};

use super::Blocking;
use super::overwrite::{Audit, Lent};
use super::runtime::block_on;
use crate::Inner;
use crate::support::TestBackend;

/// A unit on an [`Inner`]. What has nothing to do with a connection is the unit's own.
pub struct UnitOfWork<Conn> {
    unit: async_prelude::UnitOfWork<Inner>,
    conn: PhantomData<fn(Conn)>,
}

impl UnitOfWork<Blocking> {
    pub fn new() -> Self {
        Self {
            unit: async_prelude::UnitOfWork::new(),
            conn: PhantomData,
        }
    }

    pub fn find<T>(
        &mut self,
        conn: &mut Blocking,
        key: impl IntoKey<T::Key>,
    ) -> QueryResult<Handle<T>>
    where
        T: Versioned + AsyncVersionedDsl<Inner>,
        dyn AsyncSet<Inner>: Holds<T>,
    {
        block_on(self.unit.find(conn, key))
    }

    pub fn read<R, E>(
        &mut self,
        conn: &mut Blocking,
        isolation: Isolation,
        work: impl FnOnce(&mut Self, &mut Blocking) -> Result<R, E> + Send,
    ) -> Result<R, E>
    where
        R: Send,
        E: From<CommitError> + Send,
    {
        let work = Mutex::new(Some(work));
        let work = async move |unit: &mut async_prelude::UnitOfWork<Inner>, conn: &mut Inner| {
            let mut uow = Self {
                unit: std::mem::take(unit),
                conn: PhantomData,
            };
            let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
            let work = work.expect("it runs once");
            let result = catch_unwind(AssertUnwindSafe(|| lend(conn, |conn| work(&mut uow, conn))));
            *unit = uow.unit;
            result.unwrap_or_else(|panic| resume_unwind(panic))
        };
        block_on(self.unit.read(&mut **conn, isolation, work))
    }

    pub fn lock<T>(
        &mut self,
        conn: &mut Blocking,
        key: impl IntoKey<T::Key>,
        lock: Lock,
        wait: Wait,
    ) -> Result<Handle<T>, CommitError>
    where
        T: Versioned,
        Inner: AsyncLocks<T>,
        dyn AsyncSet<Inner>: Holds<T>,
    {
        block_on(self.unit.lock(conn, key, lock, wait))
    }

    pub fn lock_all<T, K: IntoKey<T::Key>>(
        &mut self,
        conn: &mut Blocking,
        keys: impl IntoIterator<Item = K>,
        lock: Lock,
        wait: Wait,
    ) -> Result<Vec<Handle<T>>, CommitError>
    where
        T: Versioned,
        Inner: AsyncLocks<T>,
        dyn AsyncSet<Inner>: Holds<T>,
    {
        block_on(self.unit.lock_all(conn, keys, lock, wait))
    }

    pub fn find_deleted<T>(
        &mut self,
        conn: &mut Blocking,
        key: impl IntoKey<T::Key>,
    ) -> QueryResult<Handle<T>>
    where
        T: SoftDelete + AsyncVersionedDsl<Inner>,
        dyn AsyncSet<Inner>: Holds<T>,
    {
        block_on(self.unit.find_deleted(conn, key))
    }

    pub fn commit(&mut self, conn: &mut Blocking) -> Result<Committed, CommitError> {
        block_on(self.unit.commit(conn))
    }

    pub fn outcome(
        &mut self,
        conn: &mut Blocking,
        key: impl AsRef<str>,
    ) -> Result<Option<Committed>, CommitError> {
        block_on(self.unit.outcome(conn, key))
    }

    pub fn expire_idempotency_keys(
        conn: &mut Blocking,
        older_than: Duration,
    ) -> QueryResult<usize> {
        block_on(async_prelude::UnitOfWork::expire_idempotency_keys(
            &mut **conn,
            older_than,
        ))
    }

    pub fn overwrite_with<T: Versioned>(
        &mut self,
        conflict: &Conflict<T>,
        audit: impl Audit<Blocking> + 'static,
        actor: Actor,
        reason: impl Into<String>,
    ) -> Result<Handle<T>, OverwriteError<T>> {
        let audit = Lent(Some(audit));
        self.unit.overwrite_with(conflict, audit, actor, reason)
    }

    pub fn also(&mut self, run: impl FnMut(&mut Blocking) -> QueryResult<()> + Send + 'static) {
        let run = Arc::new(Mutex::new(run));
        self.unit.also(async move |conn: &mut Inner| {
            lend(conn, |conn| {
                let mut run = run.lock().unwrap_or_else(PoisonError::into_inner);
                run(conn)
            })
        });
    }
}

impl UnitOfWork<Blocking> {
    pub fn run<R, E>(
        conn: &mut Blocking,
        policy: &RetryPolicy,
        work: impl FnMut(&mut Self, &mut Blocking) -> Result<R, E> + Send,
    ) -> Result<(R, Committed), RetryError<E>>
    where
        R: Send,
        E: Retryable + From<CommitError> + From<Error> + Send,
    {
        let work = Arc::new(Mutex::new(work));
        let work = async move |unit: &mut async_prelude::UnitOfWork<Inner>, conn: &mut Inner| {
            let mut uow = Self {
                unit: std::mem::take(unit),
                conn: PhantomData,
            };
            let result = lend(conn, |conn| {
                let mut work = work.lock().unwrap_or_else(PoisonError::into_inner);
                work(&mut uow, conn)
            });
            *unit = uow.unit;
            result
        };
        block_on(async_prelude::UnitOfWork::run(&mut **conn, policy, work))
    }
}

/// [`async_prelude::retry`] with the signature of the blocking one.
pub fn retry<R, E>(
    conn: &mut Blocking,
    policy: &RetryPolicy,
    work: impl FnMut(&mut Blocking) -> Result<R, E> + Send,
) -> Result<R, RetryError<E>>
where
    R: Send,
    E: Retryable + From<Error> + Send,
{
    let work = Arc::new(Mutex::new(work));
    let work = async move |conn: &mut Inner| {
        lend(conn, |conn| {
            let mut work = work.lock().unwrap_or_else(PoisonError::into_inner);
            work(conn)
        })
    };
    block_on(async_prelude::retry(&mut **conn, policy, work))
}

impl Default for UnitOfWork<Blocking> {
    fn default() -> Self {
        Self::new()
    }
}

impl<Conn> Deref for UnitOfWork<Conn> {
    type Target = async_prelude::UnitOfWork<Inner>;

    fn deref(&self) -> &Self::Target {
        &self.unit
    }
}

impl<Conn> DerefMut for UnitOfWork<Conn> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.unit
    }
}

impl<Conn> fmt::Debug for UnitOfWork<Conn> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.unit.fmt(f)
    }
}

/// Connections to stand in for those that are lent.
static SPARE: Mutex<Vec<Inner>> = Mutex::new(Vec::new());

/// Runs blocking code on an asynchronous connection, also if it panics.
pub(super) fn lend<R>(conn: &mut Inner, run: impl FnOnce(&mut Blocking) -> R) -> R {
    let spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let spare = spare.unwrap_or_else(|| {
        block_on(Inner::establish(&Blocking::any_database())).expect("a spare connection")
    });
    let mut lent = Blocking::from(std::mem::replace(conn, spare));
    let result = catch_unwind(AssertUnwindSafe(|| run(&mut lent)));
    let spare = std::mem::replace(conn, lent.into_inner());
    SPARE
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(spare);
    result.unwrap_or_else(|panic| resume_unwind(panic))
}
