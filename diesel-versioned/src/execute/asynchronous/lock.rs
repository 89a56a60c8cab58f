//! Row locks on an asynchronous connection.

use std::future::Future;

use diesel::QueryResult;
use diesel_async::AsyncConnection;

use super::read::read;
use super::session::{self, Begun, affected};
use super::set::AsyncSet;
use crate::backend::WholeDatabase;
use crate::entity::{IntoKey, Versioned};
use crate::error::{CommitError, SaveError};
use crate::lock::{Failed, Lock, Locked, Wait, Way, in_key_order};
use crate::statement::{self, Entity, OwnTables, WriteNothing};
use crate::unit_of_work::{Handle, Holds, UnitOfWork};

/// How rows are locked on an asynchronous connection of the type `Conn`: the same as
/// [`LockDsl`](crate::LockDsl) on a blocking one, under the same names.
///
/// [`async_prelude`](crate::async_prelude) exports it as `LockDsl`. All futures are `Send`. One that is
/// dropped may have taken the lock; it goes with the transaction.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
/// use diesel_async::{AsyncConnection, SimpleAsyncConnection};
/// use diesel_versioned::async_prelude::*;
///
/// # diesel::table! {
/// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
/// # }
/// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// # #[diesel(table_name = products)]
/// # struct Product { id: i32, stock: i32, #[version] version: i32 }
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut conn = SyncConnectionWrapper::<SqliteConnection>::establish(":memory:").await?;
/// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
/// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)").await?;
/// conn.transaction::<_, SaveError<Product>, _>(async |conn| {
///     let mut product = Product::lock(conn, 1, Lock::Update, Wait::Block).await?;
///     product.stock -= 3; // nobody else can sell them meanwhile
///     product.save(conn).await
/// })
/// .await?;
/// assert_eq!(Product::find(&mut conn, 1).await?.stock, 7);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "rows of `{Self}` cannot be locked through `{Conn}`",
    label = "no entity of this asynchronous connection's database",
    note = "derive `Queryable, Selectable, Versioned` on `{Self}`",
    note = "on a blocking connection use `diesel_versioned::prelude`"
)]
pub trait AsyncLockDsl<Conn: Send>: Versioned {
    /// Reads the row with a key and locks it; see [`LockDsl::lock`](crate::LockDsl::lock).
    ///
    /// # Errors
    ///
    /// As there.
    fn lock(
        conn: &mut Conn,
        key: impl IntoKey<Self::Key>,
        lock: Lock,
        wait: Wait,
    ) -> impl Future<Output = Result<Self, SaveError<Self>>> + Send;

    /// Reads the rows with these keys and locks them, in the order of their keys; see
    /// [`LockDsl::lock_all`](crate::LockDsl::lock_all).
    ///
    /// # Errors
    ///
    /// As there.
    fn lock_all<K: IntoKey<Self::Key>>(
        conn: &mut Conn,
        keys: impl IntoIterator<Item = K>,
        lock: Lock,
        wait: Wait,
    ) -> impl Future<Output = Result<Vec<Self>, SaveError<Self>>> + Send;

    /// Locks the row of an entity that was loaded earlier, if it is still at its version; see
    /// [`LockDsl::lock_loaded`](crate::LockDsl::lock_loaded).
    ///
    /// # Errors
    ///
    /// As there.
    fn lock_loaded(
        &self,
        conn: &mut Conn,
        lock: Lock,
        wait: Wait,
    ) -> impl Future<Output = Result<(), SaveError<Self>>> + Send;
}

/// An asynchronous connection that can lock the rows of `T`: what [`AsyncLockDsl`] asks for.
#[diagnostic::on_unimplemented(
    message = "rows of `{T}` cannot be locked through `{Self}`",
    label = "no asynchronous connection of the entity's database",
    note = "derive `Queryable, Selectable, Versioned` on `{T}`"
)]
#[allow(
    private_bounds,
    private_interfaces,
    reason = "only this crate can call these"
)]
pub trait AsyncLocks<T: Versioned>: Sized {
    /// Locks the rows with these keys, each of which is given once, in their order.
    #[doc(hidden)]
    fn execute_lock(
        &mut self,
        keys: &[T::Key],
        lock: Lock,
        wait: Wait,
    ) -> impl Future<Output = Result<Locked<T>, Failed>> + Send;
}

#[diagnostic::do_not_recommend]
impl<T: Versioned, C: AsyncLocks<T> + Send> AsyncLockDsl<C> for T {
    fn lock(
        conn: &mut C,
        key: impl IntoKey<Self::Key>,
        lock: Lock,
        wait: Wait,
    ) -> impl Future<Output = Result<Self, SaveError<Self>>> + Send {
        let key = key.into_key();
        async move {
            let asked = std::slice::from_ref(&key);
            let locked: Locked<T> = conn.execute_lock(asked, lock, wait).await?;
            locked.one(&key)
        }
    }

    fn lock_all<K: IntoKey<Self::Key>>(
        conn: &mut C,
        keys: impl IntoIterator<Item = K>,
        lock: Lock,
        wait: Wait,
    ) -> impl Future<Output = Result<Vec<Self>, SaveError<Self>>> + Send {
        let keys: Vec<T::Key> = keys.into_iter().map(IntoKey::into_key).collect();
        async move {
            let asked = in_key_order(&keys);
            let locked: Locked<T> = conn.execute_lock(&asked, lock, wait).await?;
            locked.all(&keys, wait)
        }
    }

    async fn lock_loaded(
        &self,
        conn: &mut C,
        lock: Lock,
        wait: Wait,
    ) -> Result<(), SaveError<Self>> {
        let locked: Locked<T> = conn.execute_lock(&[self.key()], lock, wait).await?;
        locked.unmoved(self)
    }
}

#[diagnostic::do_not_recommend]
#[allow(private_interfaces, reason = "see the trait")]
impl<T, C> AsyncLocks<T> for C
where
    C: AsyncConnection,
    C::Backend: OwnTables,
    T: Entity<C::Backend>,
{
    async fn execute_lock(
        &mut self,
        keys: &[T::Key],
        lock: Lock,
        wait: Wait,
    ) -> Result<Locked<T>, Failed> {
        let failed = |error| Failed::told::<T, C::Backend>(error, keys, wait);
        let in_transaction = session::depth(self).map_err(failed)?.is_some();
        let way = Way::of::<T, C::Backend>(in_transaction, lock, wait)?;
        let mut conn = Begun::statement(self).map_err(failed)?;
        let rows = match way {
            Way::Clause(clause) => read(&mut *conn, keys, statement::Lock::By(clause)).await,
            Way::Database { at_once } => match take_database::<T, C>(&mut conn, at_once).await {
                Ok(()) => read(&mut *conn, keys, statement::Lock::Current).await,
                Err(error) => Err(error),
            },
        };
        let done = match rows.map(Locked::new) {
            Ok(locked) => look_for_skipped(&mut *conn, locked, keys, wait).await,
            Err(error) => Err(error),
        };
        conn.ended();
        done.map_err(failed)
    }
}

/// Sees which of the rows that were not locked are there.
async fn look_for_skipped<T, C>(
    conn: &mut C,
    mut locked: Locked<T>,
    keys: &[T::Key],
    wait: Wait,
) -> QueryResult<Locked<T>>
where
    C: AsyncConnection,
    C::Backend: OwnTables,
    T: Entity<C::Backend>,
{
    let missing = locked.to_look_for(keys, wait);
    if !missing.is_empty() {
        let there = read(conn, &missing, statement::Lock::None).await?;
        locked.there(there);
    }
    Ok(locked)
}

/// Takes the lock of the whole database, or sees that the transaction has it already.
async fn take_database<T, C>(conn: &mut C, at_once: Option<WholeDatabase>) -> QueryResult<()>
where
    C: AsyncConnection,
    C::Backend: OwnTables,
    T: Entity<C::Backend>,
{
    let write = WriteNothing::<T, C::Backend>::new();
    let Some(whole) = at_once else {
        return affected(conn, write).await.map(drop);
    };
    let waits = session::setting(conn, whole.waits).await?;
    // The setting must not stay as it is then.
    let mut conn = Begun::new(conn);
    session::set(&mut *conn, whole.wait, 0).await?;
    let taken = affected(&mut *conn, write).await.map(drop);
    // What went wrong first is what the caller has to hear of.
    let again = session::set(&mut *conn, whole.wait, waits).await;
    conn.ended();
    taken.and(again)
}

impl<C> UnitOfWork<C, dyn AsyncSet<C>>
where
    C: AsyncConnection + 'static,
{
    /// Reads a row, locks it and takes it in. A row that the unit has already is locked and compared:
    /// what was changed in memory is never replaced, and if the row is not at the version that the unit
    /// has read, it is a conflict. See [`LockDsl`](crate::LockDsl) for what a lock is on each database.
    ///
    /// It belongs into the transaction in which the unit is committed, as in
    /// [`UnitOfWork::run`](crate::UnitOfWork::run) or in a transaction of yours; outside of one it is an
    /// error.
    ///
    /// # Errors
    ///
    /// The unit is as it was then.
    ///
    /// - [`CommitError::Conflicts`] if the unit has the row and it is at another version, or gone.
    /// - [`CommitError::Lock`] and [`CommitError::Database`] as
    ///   [`LockDsl::lock`](crate::LockDsl::lock); a row that the unit deletes is not found, as by
    ///   [`find`](UnitOfWork::find).
    /// - [`CommitError::Invalid`] if the unit inserts the row: there is none yet.
    pub fn lock<T>(
        &mut self,
        conn: &mut C,
        key: impl IntoKey<T::Key>,
        lock: Lock,
        wait: Wait,
    ) -> impl Future<Output = Result<Handle<T>, CommitError>> + Send
    where
        T: Versioned,
        C: AsyncLocks<T>,
        dyn AsyncSet<C>: Holds<T>,
    {
        let keys = [key.into_key()];
        async move {
            self.lockable::<T>(&keys)?;
            let locked = conn.execute_lock(&keys, lock, wait).await?;
            self.take_locked(&keys, locked, wait)?.one(&keys)
        }
    }

    /// Reads rows, locks them and takes them in, always in the order of their keys: two units that
    /// lock the same rows wait for each other and never deadlock. Their handles come in the order in
    /// which the rows were asked for.
    ///
    /// With [`Wait::SkipLocked`](crate::Wait::SkipLocked) rows that others have locked, and rows that
    /// are not there, are left out, unless the unit has read them before: then a row that is gone is a
    /// conflict.
    ///
    /// # Errors
    ///
    /// As [`lock`](UnitOfWork::lock), with every conflict. Nothing is taken in then.
    pub fn lock_all<T, K: IntoKey<T::Key>>(
        &mut self,
        conn: &mut C,
        keys: impl IntoIterator<Item = K>,
        lock: Lock,
        wait: Wait,
    ) -> impl Future<Output = Result<Vec<Handle<T>>, CommitError>> + Send
    where
        T: Versioned,
        C: AsyncLocks<T>,
        dyn AsyncSet<C>: Holds<T>,
    {
        let keys: Vec<T::Key> = keys.into_iter().map(IntoKey::into_key).collect();
        async move {
            self.lockable::<T>(&keys)?;
            let asked = in_key_order(&keys);
            let locked = conn.execute_lock(&asked, lock, wait).await?;
            Ok(self.take_locked(&keys, locked, wait)?.all())
        }
    }
}
