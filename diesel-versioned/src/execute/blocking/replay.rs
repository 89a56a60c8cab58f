//! A unit under an idempotency key, on a blocking connection.

use diesel::QueryResult;
use diesel::connection::LoadConnection;

use super::set::BlockingSet;
use crate::backend::Dialect;
use crate::unit_of_work::{Action, Answer, UnitOfWork};

/// Where idempotency keys are stored, on a blocking connection of the type `C`.
pub trait BlockingStore<C>: Send {
    #[doc(hidden)]
    fn claim(&self, conn: &mut C, key: &str, payload: &str) -> QueryResult<usize>;

    #[doc(hidden)]
    fn recall(&self, conn: &mut C, key: &str) -> QueryResult<Option<(String, String)>>;

    #[doc(hidden)]
    fn record(&self, conn: &mut C, key: &str, written: String) -> QueryResult<usize>;
}

impl<C> UnitOfWork<C, dyn BlockingSet<C>>
where
    C: LoadConnection + 'static,
    C::Backend: Dialect,
{
    /// Performs what is about the key.
    pub(super) fn perform_replay(&mut self, conn: &mut C, action: &Action) -> Answer {
        let Some(replay) = &self.replay else {
            return Ok(0);
        };
        let key = replay.key.as_str();
        match action {
            Action::Claim => replay.store.claim(conn, key, &replay.payload),
            Action::Recall => {
                let found = replay.store.recall(conn, key)?;
                self.recall(found)
            }
            _ => replay.store.record(conn, key, self.record()),
        }
    }
}
