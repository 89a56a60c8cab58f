//! Idempotency keys in the library's own table, on an asynchronous connection.

use std::future::Future;
use std::time::Duration;

use diesel::QueryResult;
use diesel_async::AsyncConnection;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::replay::AsyncStore;
use super::session::{self, Begun, affected, own_rows};
use super::set::AsyncSet;
use crate::error::CommitError;
use crate::isolation::Terms;
use crate::replay::{IdempotencyKey, KeyError, Payload};
use crate::statement::{OwnTables, replay};
use crate::unit_of_work::{Committed, Replay, UnitOfWork};

/// The library's own table.
struct OwnTable;

impl<C> AsyncStore<C> for OwnTable
where
    C: AsyncConnection + 'static,
    C::Backend: OwnTables,
{
    fn claim<'c>(
        &self,
        conn: &'c mut C,
        key: &str,
        payload: &str,
    ) -> BoxFuture<'c, QueryResult<usize>> {
        affected(conn, replay::claim(key, payload)).boxed()
    }

    fn recall<'c>(
        &self,
        conn: &'c mut C,
        key: &str,
    ) -> BoxFuture<'c, QueryResult<Option<(String, String)>>> {
        let found = own_rows(conn, replay::recall(key));
        async move { Ok(found.await?.into_iter().next()) }.boxed()
    }

    fn record<'c>(
        &self,
        conn: &'c mut C,
        key: &str,
        written: String,
    ) -> BoxFuture<'c, QueryResult<usize>> {
        affected(conn, replay::record(key, written)).boxed()
    }
}

impl<C> UnitOfWork<C, dyn AsyncSet<C>>
where
    C: AsyncConnection + 'static,
    C::Backend: OwnTables,
{
    /// Gives the next commit the key of the request that it answers: whatever is written under a key
    /// is written once. A commit under a key that is known writes nothing and returns what was
    /// recorded; see [`replay`](crate::replay), also for the table that this needs.
    ///
    /// Two requests are the same if the unit writes the same: the same rows, from the same versions,
    /// with the same values. For one that is computed from what stands there, use
    /// [`idempotency_key_for`](UnitOfWork::idempotency_key_for).
    ///
    /// The key takes the place of one that was given before. It stays if the commit fails, and is
    /// used up by success.
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
    /// # Errors
    ///
    /// [`CommitError::Key`] if the text cannot be a key, otherwise [`CommitError::Database`].
    #[allow(
        clippy::manual_async_fn,
        reason = "that it is `Send` is part of the contract"
    )]
    pub fn outcome(
        &mut self,
        conn: &mut C,
        key: impl AsRef<str>,
    ) -> impl Future<Output = Result<Option<Committed>, CommitError>> + Send {
        let key = IdempotencyKey::new(key.as_ref());
        async move {
            let key = key?;
            let outer = session::depth(conn)?;
            let mut conn = Begun::new(conn);
            if let Err(error) = session::begin(&mut *conn, Terms::default()).await {
                conn.ended();
                return Err(error.into());
            }
            // Nobody can take it while it is looked at, and whoever has taken it is waited for.
            let found = match OwnTable.claim(&mut *conn, key.as_str(), "").await {
                Ok(0) => OwnTable.recall(&mut *conn, key.as_str()).await,
                Ok(_) => Ok(None),
                Err(error) => Err(error),
            };
            let rolled_back = session::roll_back_to(&mut *conn, outer).await;
            conn.ended();
            let found = found?;
            rolled_back?;
            Ok(self.tell(found)?)
        }
    }

    /// Removes the keys that were given longer ago than this, by the database's clock, and returns
    /// how many. A request that comes again after that is written again.
    ///
    /// # Errors
    ///
    /// What the database reports.
    #[allow(
        clippy::manual_async_fn,
        reason = "that it is `Send` is part of the contract"
    )]
    pub fn expire_idempotency_keys(
        conn: &mut C,
        older_than: Duration,
    ) -> impl Future<Output = QueryResult<usize>> + Send {
        async move {
            let mut begun = Begun::statement(conn)?;
            let expired = affected(&mut *begun, replay::expire(older_than)).await;
            begun.ended();
            expired
        }
    }
}
