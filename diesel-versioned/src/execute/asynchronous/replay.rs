//! A unit under an idempotency key, on an asynchronous connection.

use diesel::QueryResult;
use diesel_async::AsyncConnection;
use futures_util::future::BoxFuture;

use super::set::AsyncSet;
use crate::backend::Dialect;
use crate::unit_of_work::{Action, Answer, UnitOfWork};

/// Where idempotency keys are stored, on an asynchronous connection of the type `C`.
pub trait AsyncStore<C>: Send + Sync {
    #[doc(hidden)]
    fn claim<'c>(
        &self,
        conn: &'c mut C,
        key: &str,
        payload: &str,
    ) -> BoxFuture<'c, QueryResult<usize>>;

    #[doc(hidden)]
    fn recall<'c>(
        &self,
        conn: &'c mut C,
        key: &str,
    ) -> BoxFuture<'c, QueryResult<Option<(String, String)>>>;

    #[doc(hidden)]
    fn record<'c>(
        &self,
        conn: &'c mut C,
        key: &str,
        written: String,
    ) -> BoxFuture<'c, QueryResult<usize>>;
}

impl<C> UnitOfWork<C, dyn AsyncSet<C>>
where
    C: AsyncConnection + 'static,
    C::Backend: Dialect,
{
    /// Performs what is about the key.
    pub(super) async fn perform_replay(&mut self, conn: &mut C, action: &Action) -> Answer {
        let Some(replay) = &self.replay else {
            return Ok(0);
        };
        let key = replay.key.as_str();
        match action {
            Action::Claim => replay.store.claim(conn, key, &replay.payload).await,
            Action::Recall => {
                let found = replay.store.recall(conn, key).await?;
                self.recall(found)
            }
            _ => replay.store.record(conn, key, self.record()).await,
        }
    }
}
