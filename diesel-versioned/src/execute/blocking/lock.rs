//! Row locks on a blocking connection.

use diesel::QueryResult;
use diesel::connection::LoadConnection;
use diesel::expression::QueryMetadata;

use super::read::read;
use super::session::{self, affected};
use super::set::BlockingSet;
use crate::backend::WholeDatabase;
use crate::entity::{IntoKey, Versioned};
use crate::error::{CommitError, SaveError};
use crate::lock::{Failed, Lock, Locked, Wait, Way, in_key_order};
use crate::statement::{self, Entity, OwnTables, WriteNothing};
use crate::unit_of_work::{Handle, Holds, UnitOfWork};

/// How rows are locked on a connection of the type `Conn`: they are read as they stand now, and
/// nobody else writes them until the transaction ends.
///
/// For work that would otherwise lose to others again and again, or that must not be done twice. A
/// write after it is guarded as any other is, and the guard holds. Implemented as
/// [`VersionedDsl`](crate::VersionedDsl) is.
///
/// ```
/// # use diesel::connection::SimpleConnection;
/// # use diesel::prelude::*;
/// # use diesel_versioned::prelude::*;
/// # diesel::table! {
/// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
/// # }
/// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// # #[diesel(table_name = products)]
/// # struct Product { id: i32, stock: i32, #[version] version: i32 }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
/// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)")?;
/// conn.transaction::<_, SaveError<Product>, _>(|conn| {
///     let mut product = Product::lock(conn, 1, Lock::Update, Wait::Block)?;
///     product.stock -= 3; // nobody else can sell them meanwhile
///     product.save(conn)
/// })?;
/// assert_eq!(Product::find(&mut conn, 1)?.stock, 7);
///
/// let error = Product::lock(&mut conn, 1, Lock::Update, Wait::Block).unwrap_err();
/// assert_eq!(error.code(), "lock.no_transaction");
/// # Ok(())
/// # }
/// ```
///
/// # On each database
///
/// | | PostgreSQL | MySQL 8, MariaDB 10.6 | SQLite |
/// | --- | --- | --- | --- |
/// | [`Lock::Update`] | `FOR NO KEY UPDATE` | `FOR UPDATE` | the write lock of the database |
/// | [`Lock::Share`] | `FOR SHARE` | `LOCK IN SHARE MODE` | the same as `Update` |
/// | [`Wait::Block`] | `lock_timeout` | `innodb_lock_wait_timeout` | `busy_timeout` |
/// | [`Wait::NoWait`] | yes; the transaction is then of no use any more | yes | yes |
/// | [`Wait::SkipLocked`] | yes | yes | `lock.unsupported` |
///
/// On PostgreSQL any error ends what the transaction can do: lock in a transaction inside of it
/// (`conn.transaction(…)`), a savepoint, to go on after a refusal.
///
/// On SQLite there is one lock, that of writers. A transaction that was begun immediate
/// (`conn.immediate_transaction`, [`retry`](crate::retry()), [`UnitOfWork::run`]) has it already. One
/// that was begun deferred takes it with the first lock, and cannot if someone else has written since
/// it read: that is `lock.timeout` at once, however long `busy_timeout` is, and only a new transaction
/// helps. Readers are never kept away.
#[diagnostic::on_unimplemented(
    message = "rows of `{Self}` cannot be locked through `{Conn}`",
    label = "no entity of this connection's database",
    note = "derive `Queryable, Selectable, Versioned` on `{Self}`",
    note = "on a connection of diesel-async use `diesel_versioned::async_prelude`"
)]
pub trait LockDsl<Conn>: Versioned {
    /// Reads the row with a key and locks it.
    ///
    /// # Errors
    ///
    /// - [`SaveError::Lock`] with [`NotFound`](crate::LockError::NotFound) (`row.not_found`) if there
    ///   is no such row or it is marked as deleted, with [`Refused`](crate::LockError::Refused) (`lock.refused`) if someone else has
    ///   locked it and it is not to be waited for, also with [`Wait::SkipLocked`]: there is no other row
    ///   that could be had instead. Outside of a transaction and where the database has no such lock
    ///   nothing is sent (`lock.no_transaction`, `lock.unsupported`).
    /// - [`SaveError::Lock`] with [`Busy`](crate::LockError::Busy) (`lock.timeout`) on SQLite, where the
    ///   database was not had in time; it says what to do.
    /// - [`SaveError::Database`] with what the database reported: elsewhere a lock that was not had in time
    ///   (`lock.timeout`), a deadlock (`lock.deadlock`), a row that was changed since the snapshot of a
    ///   transaction that repeats its reads (`database.transient`).
    fn lock(
        conn: &mut Conn,
        key: impl IntoKey<Self::Key>,
        lock: Lock,
        wait: Wait,
    ) -> Result<Self, SaveError<Self>>;

    /// Reads the rows with these keys and locks them, in the order of their keys whatever the order
    /// in which they are given: two who lock the same rows wait for each other and never deadlock.
    /// Lock all that you need of a table by one call.
    ///
    /// The rows come in the order in which they were asked for; a key that is given twice gives its
    /// row twice. With [`Wait::SkipLocked`] rows that others have locked, and rows that are not there,
    /// are left out: the way of workers that take the next few jobs of a queue.
    ///
    /// # Errors
    ///
    /// As [`lock`](LockDsl::lock). If one row is not there, it is an error unless it may be left out;
    /// the rows that were locked before stay locked.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)")?;
    /// conn.immediate_transaction::<_, SaveError<Product>, _>(|conn| {
    ///     let found = Product::lock_all(conn, [2, 1], Lock::Update, Wait::Block)?;
    ///     assert_eq!(found.iter().map(|product| product.id).collect::<Vec<_>>(), [2, 1]);
    ///     Ok(())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    fn lock_all<K: IntoKey<Self::Key>>(
        conn: &mut Conn,
        keys: impl IntoIterator<Item = K>,
        lock: Lock,
        wait: Wait,
    ) -> Result<Vec<Self>, SaveError<Self>>;

    /// Locks the row of an entity that was loaded earlier, if it is still at its version: what was
    /// read is then known to be so until the transaction ends. The entity is not changed.
    ///
    /// It asks about the whole row: about all [groups](derive@crate::Versioned#groups), and where there is
    /// [no version](derive@crate::Versioned#no-version) about all that a deletion would compare, with this
    /// copy as what was loaded, so lock before you change it. A conflict names the groups, or the columns.
    ///
    /// # Errors
    ///
    /// [`SaveError::Conflict`] if the row is at another version or gone, otherwise as
    /// [`lock`](LockDsl::lock). The lock that was taken stays.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)")?;
    /// let product = Product::find(&mut conn, 1)?;
    /// Product::find(&mut conn, 1)?.touch(&mut conn)?; // someone else
    ///
    /// let locked = conn.immediate_transaction(|conn| {
    ///     product.lock_loaded(conn, Lock::Share, Wait::Block)
    /// });
    /// assert!(locked.unwrap_err().is_conflict());
    /// # Ok(())
    /// # }
    /// ```
    fn lock_loaded(&self, conn: &mut Conn, lock: Lock, wait: Wait) -> Result<(), SaveError<Self>>;
}

/// A connection that can lock the rows of `T`: what [`LockDsl`] asks for.
#[diagnostic::on_unimplemented(
    message = "rows of `{T}` cannot be locked through `{Self}`",
    label = "no connection of the entity's database",
    note = "derive `Queryable, Selectable, Versioned` on `{T}`"
)]
#[allow(private_interfaces, reason = "only this crate can call these")]
pub trait Locks<T: Versioned>: Sized {
    /// Locks the rows with these keys, each of which is given once, in their order.
    #[doc(hidden)]
    fn execute_lock(
        &mut self,
        keys: &[T::Key],
        lock: Lock,
        wait: Wait,
    ) -> Result<Locked<T>, Failed>;
}

#[diagnostic::do_not_recommend]
impl<T: Versioned, C: Locks<T>> LockDsl<C> for T {
    fn lock(
        conn: &mut C,
        key: impl IntoKey<Self::Key>,
        lock: Lock,
        wait: Wait,
    ) -> Result<Self, SaveError<Self>> {
        let key = key.into_key();
        let locked: Locked<T> = conn.execute_lock(std::slice::from_ref(&key), lock, wait)?;
        locked.one(&key)
    }

    fn lock_all<K: IntoKey<Self::Key>>(
        conn: &mut C,
        keys: impl IntoIterator<Item = K>,
        lock: Lock,
        wait: Wait,
    ) -> Result<Vec<Self>, SaveError<Self>> {
        let keys: Vec<T::Key> = keys.into_iter().map(IntoKey::into_key).collect();
        let locked: Locked<T> = conn.execute_lock(&in_key_order(&keys), lock, wait)?;
        locked.all(&keys, wait)
    }

    fn lock_loaded(&self, conn: &mut C, lock: Lock, wait: Wait) -> Result<(), SaveError<Self>> {
        let locked: Locked<T> = conn.execute_lock(&[self.key()], lock, wait)?;
        locked.unmoved(self)
    }
}

#[diagnostic::do_not_recommend]
#[allow(private_interfaces, reason = "see the trait")]
impl<T, C> Locks<T> for C
where
    C: LoadConnection,
    C::Backend: OwnTables + QueryMetadata<<T as Entity<C::Backend>>::SqlType>,
    T: Entity<C::Backend>,
{
    fn execute_lock(
        &mut self,
        keys: &[T::Key],
        lock: Lock,
        wait: Wait,
    ) -> Result<Locked<T>, Failed> {
        let conn = self;
        let failed = |error| Failed::told::<T, C::Backend>(error, keys, wait);
        let in_transaction = session::depth(conn).map_err(failed)?.is_some();
        let rows = match Way::of::<T, C::Backend>(in_transaction, lock, wait)? {
            Way::Clause(clause) => read(conn, keys, statement::Lock::By(clause)),
            Way::Database { at_once } => take_database::<T, C>(conn, at_once)
                .and_then(|()| read(conn, keys, statement::Lock::Current)),
        };
        let mut locked = Locked::new(rows.map_err(failed)?);
        let missing = locked.to_look_for(keys, wait);
        if !missing.is_empty() {
            let there = read(conn, &missing, statement::Lock::None).map_err(failed)?;
            locked.there(there);
        }
        Ok(locked)
    }
}

/// Takes the lock of the whole database, or sees that the transaction has it already.
fn take_database<T, C>(conn: &mut C, at_once: Option<WholeDatabase>) -> QueryResult<()>
where
    C: LoadConnection,
    C::Backend: OwnTables,
    T: Entity<C::Backend>,
{
    let write = WriteNothing::<T, C::Backend>::new();
    let Some(whole) = at_once else {
        return affected(conn, &write).map(drop);
    };
    let waits = session::setting(conn, whole.waits)?;
    session::set(conn, whole.wait, 0)?;
    let taken = affected(conn, &write).map(drop);
    // What went wrong first is what the caller has to hear of.
    let again = session::set(conn, whole.wait, waits);
    taken.and(again)
}

impl<C> UnitOfWork<C, dyn BlockingSet<C>>
where
    C: LoadConnection + 'static,
{
    /// Reads a row, locks it and takes it in. A row that the unit has already is locked and compared:
    /// what was changed in memory is never replaced, and if the row is not at the version that the unit
    /// has read, it is a conflict. See [`LockDsl`](crate::LockDsl) for what a lock is on each database.
    ///
    /// It belongs into the transaction in which the unit is committed, as in
    /// [`UnitOfWork::run`](crate::UnitOfWork::run) or in a transaction of yours; outside of one it is an
    /// error.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)")?;
    /// let (left, done) = UnitOfWork::run(&mut conn, &RetryPolicy::default(), |uow, conn| {
    ///     let product: Handle<Product> = uow.lock(conn, 1, Lock::Update, Wait::Block)?;
    ///     uow[product].stock -= 3;
    ///     Ok::<_, CommitError>(uow[product].stock)
    /// })?;
    /// assert_eq!((left, done.len()), (7, 1));
    /// # Ok(())
    /// # }
    /// ```
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
    ) -> Result<Handle<T>, CommitError>
    where
        T: Versioned,
        C: Locks<T>,
        dyn BlockingSet<C>: Holds<T>,
    {
        let key = key.into_key();
        let keys = [key];
        self.lockable::<T>(&keys)?;
        let locked = conn.execute_lock(&keys, lock, wait)?;
        self.take_locked(&keys, locked, wait)?.one(&keys)
    }

    /// Reads rows, locks them and takes them in, always in the order of their keys: two units that
    /// lock the same rows wait for each other and never deadlock. Their handles come in the order in
    /// which the rows were asked for.
    ///
    /// With [`Wait::SkipLocked`](crate::Wait::SkipLocked) rows that others have locked, and rows that
    /// are not there, are left out, unless the unit has read them before: then a row that is gone is a
    /// conflict.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)")?;
    /// let (_, done) = UnitOfWork::run(&mut conn, &RetryPolicy::default(), |uow, conn| {
    ///     // Locked in the order 1, 2.
    ///     let found: Vec<Handle<Product>> = uow.lock_all(conn, [2, 1], Lock::Update, Wait::Block)?;
    ///     let (milk, tea) = (found[0], found[1]);
    ///     uow[tea].stock -= 3;
    ///     uow[milk].stock += 3;
    ///     Ok::<_, CommitError>(())
    /// })?;
    /// assert_eq!(done.len(), 2);
    /// assert_eq!(Product::find(&mut conn, 2)?.stock, 3);
    /// # Ok(())
    /// # }
    /// ```
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
    ) -> Result<Vec<Handle<T>>, CommitError>
    where
        T: Versioned,
        C: Locks<T>,
        dyn BlockingSet<C>: Holds<T>,
    {
        let keys: Vec<T::Key> = keys.into_iter().map(IntoKey::into_key).collect();
        self.lockable::<T>(&keys)?;
        let locked = conn.execute_lock(&in_key_order(&keys), lock, wait)?;
        Ok(self.take_locked(&keys, locked, wait)?.all())
    }
}
