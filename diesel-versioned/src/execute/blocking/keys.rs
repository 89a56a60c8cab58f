//! Idempotency keys in the library's own table, on a blocking connection.

use std::time::Duration;

use diesel::QueryResult;
use diesel::connection::LoadConnection;
use diesel::expression::QueryMetadata;
use diesel::sql_types::Text;

use super::replay::BlockingStore;
use super::session::{self, affected, own_rows};
use super::set::BlockingSet;
use crate::error::CommitError;
use crate::isolation::Terms;
use crate::replay::{IdempotencyKey, KeyError, Payload};
use crate::statement::{OwnTables, replay};
use crate::unit_of_work::{Committed, Replay, UnitOfWork};

/// The library's own table.
struct OwnTable;

impl<C> BlockingStore<C> for OwnTable
where
    C: LoadConnection,
    C::Backend: OwnTables + QueryMetadata<(Text, Text)>,
{
    fn claim(&self, conn: &mut C, key: &str, payload: &str) -> QueryResult<usize> {
        affected(conn, &replay::claim(key, payload))
    }

    fn recall(&self, conn: &mut C, key: &str) -> QueryResult<Option<(String, String)>> {
        Ok(own_rows(conn, replay::recall(key))?.into_iter().next())
    }

    fn record(&self, conn: &mut C, key: &str, written: String) -> QueryResult<usize> {
        affected(conn, &replay::record(key, written))
    }
}

impl<C> UnitOfWork<C, dyn BlockingSet<C>>
where
    C: LoadConnection + 'static,
    C::Backend: OwnTables + QueryMetadata<(Text, Text)>,
{
    /// Gives the next commit the key of the request that it answers: whatever is written under a key
    /// is written once. A commit under a key that is known writes nothing and returns what was
    /// recorded; see [`replay`](crate::replay), also for the table that this needs.
    ///
    /// Two requests are the same if the unit writes the same: the same rows, from the same versions,
    /// with the same values. For one that is computed from what stands there, use
    /// [`idempotency_key_for`](UnitOfWork::idempotency_key_for).
    ///
    /// The key takes the place of one that was given before. It stays if the commit fails, and is used up
    /// by success.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # use diesel_migrations::MigrationHarness;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)")?;
    /// # conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
    /// fn count(conn: &mut SqliteConnection, key: &str, stock: i32) -> Result<bool, CommitError> {
    ///     let mut uow = UnitOfWork::new();
    ///     uow.idempotency_key(key)?;
    ///     uow.save(Product { id: 1, stock, version: 1 })?; // what a form has sent
    ///     Ok(uow.commit(conn)?.is_replayed())
    /// }
    ///
    /// assert!(!count(&mut conn, "ann 7f3c", 8)?);
    /// assert!(count(&mut conn, "ann 7f3c", 8)?); // the second click: no conflict
    /// assert_eq!(Product::find(&mut conn, 1)?.version, 2);
    /// assert_eq!(count(&mut conn, "ann 7f3c", 9).unwrap_err().code(), "replay.other_payload");
    ///
    /// let mut uow = UnitOfWork::<SqliteConnection>::new();
    /// assert_eq!(uow.idempotency_key("").unwrap_err().code(), "replay.key");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`KeyError`] if the text is empty, has more than 255 characters, begins or ends in white space, or
    /// has control characters in it.
    /// The commit fails with [`CommitError::OtherPayload`] if something else was written under the
    /// key, and with [`CommitError::Database`] if there is no table for the keys.
    pub fn idempotency_key(&mut self, key: impl AsRef<str>) -> Result<(), KeyError> {
        let key = IdempotencyKey::new(key.as_ref())?;
        self.replay = Some(Replay::new(key, None, Box::new(OwnTable)));
        Ok(())
    }

    /// The same, where the program says what the request asks for: its body, for example. Two
    /// requests are the same if these bytes are, whatever the unit writes.
    ///
    /// ```
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel_migrations::MigrationHarness;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (42, 10, 1)")?;
    /// # conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
    /// fn sell(conn: &mut SqliteConnection, key: &str, body: &[u8]) -> Result<i32, CommitError> {
    ///     let mut uow = UnitOfWork::new();
    ///     uow.idempotency_key_for(key, body)?;
    ///     let product: Handle<Product> = uow.find(conn, 42)?;
    ///     uow[product].stock -= 3; // computed from what stands there
    ///     uow.commit(conn)?;
    ///     Ok(uow[product].stock)
    /// }
    ///
    /// assert_eq!(sell(&mut conn, "ann 7f3c", b"three, please")?, 7);
    /// assert_eq!(sell(&mut conn, "ann 7f3c", b"three, please")?, 7); // not 4
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As those of [`idempotency_key`](UnitOfWork::idempotency_key).
    pub fn idempotency_key_for(
        &mut self,
        key: impl AsRef<str>,
        request: impl AsRef<[u8]>,
    ) -> Result<(), KeyError> {
        let key = IdempotencyKey::new(key.as_ref())?;
        let payload = Payload::given(request.as_ref());
        self.replay = Some(Replay::new(key, Some(payload), Box::new(OwnTable)));
        Ok(())
    }

    /// What was written under a key, `None` if nothing was: whether a commit that ended in
    /// [`OutcomeUnknown`](CommitError::OutcomeUnknown) has happened. If that commit is still under
    /// way on the server, it is waited for, as long as the database waits for a lock.
    ///
    /// The unit itself is not changed. It helps to read the keys and versions: what it tracks is in
    /// [`of`](Committed::of), everything is in [`iter`](Committed::iter). To go on, commit the unit
    /// under the same key; that needs no question.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # use diesel_migrations::MigrationHarness;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)")?;
    /// # conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
    /// let mut uow = UnitOfWork::new();
    /// uow.idempotency_key("ann 7f3c")?;
    /// let tea: Handle<Product> = uow.find(&mut conn, 1)?;
    /// uow[tea].stock = 8;
    /// assert!(uow.outcome(&mut conn, "ann 7f3c")?.is_none());
    /// uow.commit(&mut conn)?;
    ///
    /// // … the answer is lost, and someone asks: was it written?
    /// let done = uow.outcome(&mut conn, "ann 7f3c")?.ok_or("it was")?;
    /// let row = done.of::<Product>().next().ok_or("one row was written")?;
    /// assert_eq!((row.key, row.new_version), (&1, Some(&2)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`CommitError::Key`] if the text cannot be a key, otherwise [`CommitError::Database`].
    pub fn outcome(
        &mut self,
        conn: &mut C,
        key: impl AsRef<str>,
    ) -> Result<Option<Committed>, CommitError> {
        let key = IdempotencyKey::new(key.as_ref())?;
        let outer = session::depth(conn)?;
        session::begin(conn, Terms::default())?;
        // Nobody can take it while it is looked at, and whoever has taken it is waited for.
        let found = OwnTable
            .claim(conn, key.as_str(), "")
            .and_then(|claimed| match claimed {
                0 => OwnTable.recall(conn, key.as_str()),
                _ => Ok(None),
            });
        let rolled_back = session::roll_back_to(conn, outer);
        let found = found?;
        rolled_back?;
        Ok(self.tell(found)?)
    }

    /// Removes the keys that were given longer ago than this, by the database's clock, and returns
    /// how many. A request that comes again after that is written again.
    ///
    /// # Errors
    ///
    /// What the database reports.
    ///
    /// ```
    /// # use diesel::prelude::*;
    /// # use diesel_migrations::MigrationHarness;
    /// use std::time::Duration;
    ///
    /// use diesel_versioned::prelude::*;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
    /// let week = Duration::from_secs(7 * 24 * 60 * 60);
    /// assert_eq!(UnitOfWork::expire_idempotency_keys(&mut conn, week)?, 0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn expire_idempotency_keys(conn: &mut C, older_than: Duration) -> QueryResult<usize> {
        session::usable(conn)?;
        affected(conn, &replay::expire(older_than))
    }
}
