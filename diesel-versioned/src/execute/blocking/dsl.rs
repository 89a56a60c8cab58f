//! What an entity can do on a blocking connection; the doing is in `single.rs`.

use diesel::QueryResult;
use diesel::query_builder::AsChangeset;

use super::apply::Apply;
use super::single::Executes;
use crate::entity::{IntoKey, Versioned};
use crate::error::{CommitError, SaveError};
use crate::relative::RelativeDsl;
use crate::retry::{Attempt, RetryError, RetryPolicy};
use crate::schema_check::SchemaReport;
use crate::soft_delete::SoftDelete;
use crate::statement::Always;
use crate::version::SteppingVersion;

/// What a versioned entity can do on a connection of the type `Conn`.
///
/// Implemented for every entity that derives [`Versioned`](derive@crate::Versioned), `Queryable`
/// and `Selectable`, on every connection whose backend is a [`Dialect`](crate::Dialect), pooled ones and
/// `#[derive(MultiConnection)]` enums among them. Generic code says
/// `where Product: VersionedDsl<C>`.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::prelude::*;
///
/// diesel::table! {
///     products (id) { id -> Integer, name -> Text, version -> Integer }
/// }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// #[diesel(table_name = products)]
/// struct Product { id: i32, name: String, #[version] version: i32 }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use diesel::connection::SimpleConnection;
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
/// #     version INTEGER NOT NULL)")?;
/// let mut mine = Product { id: 42, name: "Chai".into(), version: 0 };
/// mine.insert(&mut conn)?;
/// assert_eq!(mine.version, 1);
///
/// let mut theirs = Product::find(&mut conn, 42)?;
/// theirs.name = "Chai tea".into();
/// theirs.save(&mut conn)?;
///
/// mine.name = "Masala chai".into();
/// match mine.save(&mut conn) {
///     Err(SaveError::Conflict(conflict)) => {
///         assert_eq!(conflict.kind(), ConflictKind::Modified);
///         assert_eq!((*conflict.expected(), conflict.actual()), (1, Some(&2)));
///         assert_eq!(conflict.current().map(|row| row.name.as_str()), Some("Chai tea"));
///     }
///     other => panic!("their work would be lost: {other:?}"),
/// }
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written to and read from a database through `{Conn}`",
    label = "no entity of this connection's database",
    note = "derive `Queryable, Selectable, Versioned` on `{Self}`",
    note = "enable the feature of diesel-versioned that is called like the database: `sqlite`, \
            `postgres` or `mysql`",
    note = "on a connection of diesel-async use `diesel_versioned::async_prelude`",
    note = "if both is done, a field's type does not fit its column on this database: \
            `#[diesel(check_for_backend(…))]` shows which"
)]
pub trait VersionedDsl<Conn>: Versioned {
    /// Reads the row with a key: the field's type, or a tuple for a composite key.
    ///
    /// # Errors
    ///
    /// `NotFound` if there is no such row, or it is
    /// [marked as deleted](derive@crate::Versioned#soft-deletion), so that Diesel's `optional()` works;
    /// otherwise what the database reports.
    fn find(conn: &mut Conn, key: impl IntoKey<Self::Key>) -> QueryResult<Self>;

    /// Reads the row with a key if it is [marked as deleted](derive@crate::Versioned#soft-deletion).
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     notes (id) { id -> Integer, text -> Text, deleted -> Bool, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = notes)]
    /// # struct Note {
    /// #     id: i32,
    /// #     text: String,
    /// #     #[versioned(soft_delete)]
    /// #     deleted: bool,
    /// #     #[version]
    /// #     version: i32,
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL,
    /// #     deleted BOOLEAN NOT NULL, version INTEGER NOT NULL);
    /// #     INSERT INTO notes VALUES (1, 'buy tea', TRUE, 2), (2, 'sell tea', FALSE, 1)")?;
    /// let mut note = Note::find_deleted(&mut conn, 1)?;
    /// assert_eq!((&*note.text, note.deleted), ("buy tea", true));
    /// assert!(Note::find_deleted(&mut conn, 2).optional()?.is_none()); // it is not deleted
    ///
    /// note.restore(&mut conn)?;
    /// assert_eq!(Note::find(&mut conn, 1)?.version, 3);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// `NotFound` if there is no such row or it is not deleted, otherwise what the database reports.
    fn find_deleted(conn: &mut Conn, key: impl IntoKey<Self::Key>) -> QueryResult<Self>
    where
        Self: SoftDelete;

    /// Inserts the row with the initial version, whatever the version field holds. Columns that
    /// the database makes (`#[diesel(skip_insertion)]`) are read back.
    ///
    /// # Errors
    ///
    /// The entity is unchanged then.
    ///
    /// - [`SaveError::Database`] with the violated constraint if there is such a row already, and
    ///   with whatever else the database reported.
    /// - [`SaveError::Conflict`] of the kind [`Refused`](crate::ConflictKind::Refused) if a trigger
    ///   or a rule held the row back.
    /// - [`SaveError::NotUnique`] if the row is read back and several have its key.
    /// - [`SaveError::NoVersion`] if no version can be made. Nothing was sent.
    fn insert(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>;

    /// Inserts the row, or saves it if its key is taken: never over what somebody else has written.
    ///
    /// | the row | this copy's version | what is done |
    /// | --- | --- | --- |
    /// | is not there | any | inserted, at the initial version |
    /// | is there | the row's | [saved](VersionedDsl::save), at the next version |
    /// | is [marked as deleted](derive@crate::Versioned#soft-deletion) | any | nothing: a `Conflict` of the kind `Deleted` |
    /// | is there | another one | nothing: a [`Conflict`](crate::Conflict), of the kind [`Modified`](crate::ConflictKind::Modified) |
    ///
    /// A copy that was never stored should hold a version that no row has, such as 0 or an empty
    /// token: with 1 it would pass for a copy of the row that someone else has just inserted.
    ///
    /// Where there is [no version](derive@crate::Versioned#no-version) it cannot be told whether a row that
    /// is there is the one that was read: it is [`NoVersion`](SaveError::NoVersion) then, and nothing is
    /// written. Read it, and use [`save_changes`](VersionedDsl::save_changes).
    ///
    /// It is an insert that skips a taken key, then a save; never both. Of two that insert one row at
    /// the same time one inserts and the other has a conflict, also inside a caller's transaction, which
    /// stays usable. Where the key columns have no unique index PostgreSQL and SQLite report that.
    /// On MySQL the insert fails and leaves the transaction as it was; two transactions that go on to
    /// save one row may meet in a deadlock, which [is transient](SaveError::is_transient).
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
    /// #     version INTEGER NOT NULL)")?;
    /// let new = Product { id: 42, stock: 10, version: 0 };
    /// let (mut mine, mut theirs) = (new.clone(), new);
    /// mine.insert_or_save(&mut conn)?; // absent: inserted
    /// assert_eq!(mine.version, 1);
    /// mine.stock = 7;
    /// mine.insert_or_save(&mut conn)?; // there, at its version: saved
    /// assert_eq!(mine.version, 2);
    /// // There, at another version: never overwritten.
    /// assert_eq!(theirs.insert_or_save(&mut conn).unwrap_err().code(), "conflict.modified");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The entity is unchanged then. As those of [`insert`](VersionedDsl::insert) and of
    /// [`save`](VersionedDsl::save), where nothing was sent but for the insert that found the key taken;
    /// and [`SaveError::Database`] if the database makes the key, so that it is not known whether the row
    /// is there. Nothing was sent then.
    fn insert_or_save(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>;

    /// Writes every writable column and moves the version on, if the row is still at the version
    /// that this copy holds. One statement, one round trip; a transaction of two where the database
    /// makes [columns](derive@crate::Versioned#generated-columns) or
    /// [the version](derive@crate::Versioned#a-version-that-the-database-makes) and cannot hand them
    /// back in that statement.
    ///
    /// Columns that are [unguarded](derive@crate::Versioned#bookkeeping) are not written: this copy may
    /// hold an older value than the row. [`save_unguarded`](VersionedDsl::save_unguarded) writes them.
    ///
    /// # Errors
    ///
    /// The entity is unchanged then, and saving it again fails or succeeds by what stands there then.
    ///
    /// - [`SaveError::Conflict`] if the row is at another version or gone, or if the database held
    ///   the write back.
    /// - [`SaveError::VersionExhausted`] if the version cannot move on. Nothing was sent.
    /// - [`SaveError::NoVersion`] if there is nothing to make a version of, if the entity [has
    ///   none](derive@crate::Versioned#no-version), or if the database was to move it and did not; then
    ///   nothing stays written.
    /// - [`SaveError::NotUnique`] if several rows have the key and the version. Roll the
    ///   transaction back; outside of one they have been written.
    /// - [`SaveError::Database`] with whatever else the database reported.
    fn save(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>;

    /// Deletes the row, if it is still at the version that this copy holds. Where rows are
    /// [marked as deleted](derive@crate::Versioned#soft-deletion), it is marked and moves to a new
    /// version, which this copy has afterwards.
    ///
    /// # Errors
    ///
    /// - [`SaveError::Conflict`] if the row is at another version or gone, or if the database held
    ///   the delete back.
    /// - [`SaveError::NotUnique`] if several rows have the key and the version. Roll the
    ///   transaction back; outside of one they have been deleted.
    /// - [`SaveError::VersionExhausted`] and [`SaveError::NoVersion`] as of
    ///   [`save`](VersionedDsl::save) where it is marked.
    /// - [`SaveError::Database`] with whatever else the database reported, such as a row that refers
    ///   to this one.
    fn delete(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>;

    /// Brings a row back that is [marked as deleted](derive@crate::Versioned#soft-deletion), if it is
    /// still at the version that this copy holds, and moves that on. Nothing else is written. For a
    /// row that is not deleted it is a [`touch`](VersionedDsl::touch).
    ///
    /// # Errors
    ///
    /// As those of [`save`](VersionedDsl::save), all of them. That the row is marked is no conflict.
    fn restore(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>
    where
        Self: SoftDelete;

    /// Deletes the row for good, whether it is
    /// [marked as deleted](derive@crate::Versioned#soft-deletion) or not, if it is still at the version
    /// that this copy holds.
    ///
    /// # Errors
    ///
    /// As those of [`delete`](VersionedDsl::delete) where no row is marked.
    fn purge(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>
    where
        Self: SoftDelete;

    /// Moves the version on and writes nothing else, if the row is still at the version that this
    /// copy holds: whoever else has read the row will conflict. A version that the database makes moves
    /// if a write that changes no value moves it.
    ///
    /// # Errors
    ///
    /// As those of [`save`](VersionedDsl::save), all of them.
    fn touch(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>;

    /// Writes the [unguarded](derive@crate::Versioned#bookkeeping) columns of this copy, all of them and
    /// nothing else: by the key alone, whatever version the row is at, and without a new version.
    /// The last one who writes them wins.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     machines (id) { id -> Integer, speed -> Integer, last_seen -> BigInt, version -> Integer }
    /// # }
    /// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// #[diesel(table_name = machines)]
    /// struct Machine {
    ///     id: i32,
    ///     speed: i32,
    ///     #[versioned(unguarded)]
    ///     last_seen: i64,
    ///     #[version]
    ///     version: i32,
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE machines (id INTEGER PRIMARY KEY, speed INTEGER NOT NULL,
    /// #     last_seen BIGINT NOT NULL, version INTEGER NOT NULL);
    /// #     INSERT INTO machines VALUES (1, 10, 1000, 7)")?;
    /// let mut mine = Machine::find(&mut conn, 1)?;
    /// let mut theirs = mine.clone();
    /// theirs.speed = 20;
    /// theirs.save(&mut conn)?;
    ///
    /// mine.speed = 5;
    /// mine.last_seen = 1060;
    /// mine.save_unguarded(&mut conn)?; // though this copy is stale, and nothing but that column
    /// let machine = Machine::find(&mut conn, 1)?;
    /// assert_eq!((machine.speed, machine.last_seen, machine.version), (20, 1060, 8));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// - [`SaveError::Conflict`] of the kind [`Deleted`](crate::ConflictKind::Deleted) if the row is
    ///   gone, and [`Refused`](crate::ConflictKind::Refused) if the database held the write back.
    /// - [`SaveError::NotUnique`] if several rows have the key. Roll the transaction back; outside of
    ///   one they have been written.
    /// - [`SaveError::Database`] with whatever else the database reported, and if the entity has no
    ///   unguarded column. Nothing was sent then.
    fn save_unguarded(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>;

    /// Writes the columns in which this copy differs from `base`, the row as it was loaded, if the row
    /// is still at this copy's version; nothing if none does. What a unit of work does for an entity
    /// that it tracks, for one that is not in a unit.
    ///
    /// Of [groups](derive@crate::Versioned#groups) those are checked and moved that a column differs in.
    /// Without [a version](derive@crate::Versioned#no-version) the guard compares `base`.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! { notes (id) { id -> Integer, title -> Text, text -> Text } }
    /// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// #[versioned(check = "changed")]
    /// struct Note { id: i32, title: String, text: String }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT NOT NULL,
    /// #     text TEXT NOT NULL); INSERT INTO notes VALUES (1, 'Tea', 'Leaves.')")?;
    /// let loaded = Note::find(&mut conn, 1)?;
    /// let (mut mine, mut stale) = (loaded.clone(), loaded.clone());
    /// mine.text = "Leaves and water.".to_owned();
    /// mine.save_changes(&mut conn, &loaded)?;
    ///
    /// stale.text = "Coffee.".to_owned();
    /// let Err(SaveError::Conflict(conflict)) = stale.save_changes(&mut conn, &loaded) else {
    ///     panic!("it is stale");
    /// };
    /// assert_eq!(conflict.changes().both().collect::<Vec<_>>(), ["text"]);
    /// stale.text = loaded.text.clone();
    /// stale.title = "On tea".to_owned();
    /// stale.save_changes(&mut conn, &loaded)?; // Nobody else changed the title.
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As those of [`save`](VersionedDsl::save), all of them; and [`SaveError::Database`] if `base` is
    /// another row. Nothing was sent then.
    fn save_changes(&mut self, conn: &mut Conn, base: &Self) -> Result<(), SaveError<Self>>;

    /// Reads the row again; what was changed in this copy is gone.
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
    /// let mut mine = Product::find(&mut conn, 1)?;
    /// let mut theirs = mine.clone();
    /// theirs.stock = 8;
    /// theirs.save(&mut conn)?;
    ///
    /// mine.stock -= 3;
    /// assert!(mine.save(&mut conn).unwrap_err().is_conflict());
    /// mine.reload(&mut conn)?;
    /// assert_eq!((mine.stock, mine.version), (8, 2));
    /// mine.stock -= 3;
    /// mine.save(&mut conn)?;
    ///
    /// theirs.reload(&mut conn)?;
    /// theirs.delete(&mut conn)?;
    /// assert_eq!(mine.reload(&mut conn), Err(diesel::NotFound));
    /// assert_eq!(mine.stock, 5);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// `NotFound` if the row is gone or
    /// [marked as deleted](derive@crate::Versioned#soft-deletion), otherwise what the database reports.
    /// The entity is unchanged then.
    fn reload(&mut self, conn: &mut Conn) -> QueryResult<()>;

    /// Reads the row, changes it by a closure and writes it if it was changed, again and again until
    /// that succeeds, fails for a reason that does not pass, or the policy is at its end. Returns the
    /// entity as it was written.
    ///
    /// The closure returns nothing, or a `Result<(), E>` by which it can refuse. Each attempt is a new
    /// transaction with a fresh read.
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
    /// let product = Product::update_with(&mut conn, 1, &policy, |product| product.stock -= 3)?;
    /// assert_eq!((product.stock, product.version), (7, 2));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`retry`](crate::retry()); a row that is not there ends it with `NotFound` inside.
    ///
    /// # Panics
    ///
    /// If the closure panics: the transaction is rolled back and the panic goes on.
    fn update_with<A: Attempt>(
        conn: &mut Conn,
        key: impl IntoKey<Self::Key>,
        policy: &RetryPolicy,
        change: impl FnMut(&mut Self) -> A,
    ) -> Result<Self, RetryError<A::Error>>
    where
        Self: Sized;

    /// Updates the row with a key by the expressions of Diesel, whatever its version is: one statement,
    /// no read, no comparison. The database computes what is written, so two that do it at once lose
    /// nothing; the version moves on in the same statement, so that whoever has read the row notices.
    ///
    /// [`filter`](crate::Apply::filter) says what the row must meet, and
    /// [`execute`](crate::Apply::execute) runs it. What is set is what `set` of Diesel takes; neither the
    /// key nor the version may be among it.
    ///
    /// Of [groups](derive@crate::Versioned#groups) the versions move of what is set. Where all of it is
    /// [bookkeeping](derive@crate::Versioned#bookkeeping) none does, and where there is [no
    /// version](derive@crate::Versioned#no-version) those who have read the row notice by what it holds.
    ///
    /// ```
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use diesel::connection::SimpleConnection;
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (42, 5, 1)")?;
    /// use self::products::dsl::stock;
    ///
    /// let sell = |conn: &mut _, pieces: i32| {
    ///     Product::apply(conn, 42, stock.eq(stock - pieces))
    ///         .filter(stock.ge(pieces))
    ///         .execute()
    /// };
    /// sell(&mut conn, 3)?;
    /// match sell(&mut conn, 3) {
    ///     Err(ApplyError::ConditionFailed { current }) => {
    ///         assert_eq!((current.stock, current.version), (2, 2));
    ///     }
    ///     other => panic!("there are not so many: {other:?}"),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    fn apply<S>(
        conn: &mut Conn,
        key: impl IntoKey<Self::Key>,
        set: S,
    ) -> Apply<'_, Conn, Self, S::Changeset, Always>
    where
        Self: Sized,
        Self::Version: SteppingVersion,
        S: AsChangeset<Target = Self::Table>,
    {
        Apply::new(conn, Self::relative(key, set))
    }

    /// Saves each of the entities, as [`save`](VersionedDsl::save) does, set-based and in one
    /// transaction, all or none. Their versions move on after the commit.
    ///
    /// # Errors
    ///
    /// No entity is changed then, and nothing is written; only after
    /// [`CommitError::OutcomeUnknown`] the database may hold the work.
    ///
    /// - [`CommitError::Conflicts`] with every row that was not at the expected version.
    /// - [`CommitError::Invalid`] if the slice holds a row twice, [`CommitError::VersionExhausted`]
    ///   if a version cannot move on, [`CommitError::NoVersion`] if one cannot be made. Nothing was
    ///   sent.
    /// - [`CommitError::NotUnique`] if the key columns are not unique.
    /// - [`CommitError::OutcomeUnknown`] if the connection was lost during COMMIT.
    /// - [`CommitError::Database`] with whatever else the database reported.
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
    /// let mut products = [Product::find(&mut conn, 1)?, Product::find(&mut conn, 2)?];
    /// products[0].stock -= 3;
    /// products[1].stock += 3;
    /// Product::save_all(&mut conn, &mut products)?;
    /// assert_eq!(products.each_ref().map(|product| product.version), [2, 2]);
    ///
    /// // Someone else moves the second one: neither is written.
    /// Product::find(&mut conn, 2)?.touch(&mut conn)?;
    /// products[0].stock = 0;
    /// let error = Product::save_all(&mut conn, &mut products).unwrap_err();
    /// assert_eq!(error.conflicts().map(Conflicts::len), Some(1));
    /// assert_eq!(Product::find(&mut conn, 1)?.stock, 7);
    /// # Ok(())
    /// # }
    /// ```
    fn save_all(conn: &mut Conn, entities: &mut [Self]) -> Result<(), CommitError>
    where
        Self: Sized;

    /// Compares the entity with the live table and returns all that is wrong, as data: columns that
    /// are missing, a version that may be NULL or does not fit its column, a key that is not unique.
    /// See [`schema_check`](crate::schema_check). Once, at the start of a program:
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
    /// #     version INTEGER NOT NULL)")?;
    /// let warnings = Product::check_schema(&mut conn)?.into_result()?;
    /// assert_eq!(
    ///     warnings.to_string(),
    ///     "`products`.`version`: the version has no DEFAULT, so inserts that do not name it fail or \
    ///      make rows without a version; add `DEFAULT 1`, or what the first version is"
    /// );
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// It reads the catalog of the database. On MySQL and MariaDB it also makes a temporary table of
    /// its own, to see what the connection counts; that commits nothing.
    ///
    /// # Errors
    ///
    /// What the database reports, and `QueryBuilderError` where it is not known how to ask it: for a
    /// `#[derive(MultiConnection)]` enum hand [`Dialect::syntax`](crate::Dialect::syntax) on.
    fn check_schema(conn: &mut Conn) -> QueryResult<SchemaReport>;
}

// The bounds are on the connection, which is not known yet where the compiler looks for the method:
// so it finds the method, and tells by `on_unimplemented` what is missing.
#[diagnostic::do_not_recommend]
impl<T: Versioned, C: Executes<T>> VersionedDsl<C> for T {
    fn find(conn: &mut C, key: impl IntoKey<Self::Key>) -> QueryResult<Self> {
        conn.execute_find(key.into_key())
    }

    fn find_deleted(conn: &mut C, key: impl IntoKey<Self::Key>) -> QueryResult<Self>
    where
        Self: SoftDelete,
    {
        conn.execute_find_deleted(key.into_key())
    }

    fn insert(&mut self, conn: &mut C) -> Result<(), SaveError<Self>> {
        conn.execute_insert(self)
    }

    fn insert_or_save(&mut self, conn: &mut C) -> Result<(), SaveError<Self>> {
        conn.execute_insert_or_save(self)
    }

    fn save(&mut self, conn: &mut C) -> Result<(), SaveError<Self>> {
        conn.execute_save(self)
    }

    fn delete(&mut self, conn: &mut C) -> Result<(), SaveError<Self>> {
        conn.execute_delete(self)
    }

    fn restore(&mut self, conn: &mut C) -> Result<(), SaveError<Self>>
    where
        Self: SoftDelete,
    {
        conn.execute_restore(self)
    }

    fn purge(&mut self, conn: &mut C) -> Result<(), SaveError<Self>>
    where
        Self: SoftDelete,
    {
        conn.execute_purge(self)
    }

    fn touch(&mut self, conn: &mut C) -> Result<(), SaveError<Self>> {
        conn.execute_touch(self)
    }

    fn save_unguarded(&mut self, conn: &mut C) -> Result<(), SaveError<Self>> {
        conn.execute_save_unguarded(self)
    }

    fn save_changes(&mut self, conn: &mut C, base: &Self) -> Result<(), SaveError<Self>> {
        conn.execute_save_changes(self, base)
    }

    fn reload(&mut self, conn: &mut C) -> QueryResult<()> {
        *self = conn.execute_find(self.key())?;
        Ok(())
    }

    fn update_with<A: Attempt>(
        conn: &mut C,
        key: impl IntoKey<Self::Key>,
        policy: &RetryPolicy,
        change: impl FnMut(&mut Self) -> A,
    ) -> Result<Self, RetryError<A::Error>> {
        conn.execute_update_with(key.into_key(), policy, change)
    }

    fn save_all(conn: &mut C, entities: &mut [Self]) -> Result<(), CommitError> {
        conn.execute_save_all(entities)
    }

    fn check_schema(conn: &mut C) -> QueryResult<SchemaReport> {
        conn.execute_check_schema()
    }
}
