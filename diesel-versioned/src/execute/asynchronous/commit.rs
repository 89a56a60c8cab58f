//! The commit of a unit on an asynchronous connection: performs what the protocol says.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use diesel::QueryResult;
use diesel_async::AsyncConnection;
use futures_util::FutureExt;

use super::ahead::Ahead;
use super::overwrite::AnyAudit;
use super::session::{self, Begun};
use super::set::AsyncSet;
use crate::backend::Dialect;
use crate::entity::Versioned;
use crate::error::CommitError;
use crate::execute::transaction::{Depth, no_audit};
use crate::outcome;
use crate::telling;
use crate::unit_of_work::{Action, Answer, Committed, Holds, Protocol, UnitOfWork};

impl<C> UnitOfWork<C, dyn AsyncSet<C>>
where
    C: AsyncConnection + 'static,
    C::Backend: Dialect,
{
    /// Writes everything that was changed, in one transaction, all or none.
    ///
    /// Inside a caller's transaction it is a savepoint: after a failure the caller's earlier work
    /// stands. A unit can be used again after success (clean, at the new versions) and after
    /// failure (dirty, at the old ones).
    ///
    /// On MySQL and MariaDB a deadlock rolls the whole transaction back, the caller's earlier work with
    /// it, and Diesel does not notice. Let the transaction around a unit fail if the unit's error
    /// [is transient](crate::CommitError::is_transient).
    ///
    /// On PostgreSQL the statements are sent without waiting for each other, as far as none needs
    /// what another one brings back; a pooled connection needs the pool's feature of this crate for
    /// that (`deadpool`, `bb8`, `mobc`), or is given as `&mut *conn`.
    ///
    /// # Cancellation
    ///
    /// If the future is dropped before it is ready, the unit and its entities are as they were, and
    /// nothing is written unless it was the COMMIT that was waited for. The transaction is still
    /// open then, so the connection is marked as broken: transactions fail on it with
    /// `BrokenTransactionManager`, and pools throw it away, deadpool not before it would hand it out
    /// again. The server rolls back when the connection is closed; until then rows stay locked. Where
    /// requests are dropped often, run the unit in a task of its own (`tokio::spawn`) instead.
    ///
    /// # Errors
    ///
    /// [`CommitError::Conflicts`] with every row that was not at the expected version, and the
    /// others that [`CommitError`] lists. Nothing is written then and nothing in memory is changed;
    /// only after [`CommitError::OutcomeUnknown`] the database may hold the work.
    ///
    /// # Panics
    ///
    /// If a closure of the unit panics: the transaction is rolled back and the panic goes on; the
    /// unit is as after any failure. If an after-commit hook panics, the unit is committed.
    pub fn commit(
        &mut self,
        conn: &mut C,
    ) -> impl Future<Output = Result<Committed, CommitError>> + Send {
        self.commit_by(conn, None)
    }

    /// The same, and what is overwritten is recorded by an audit that is lent for it.
    pub(super) fn commit_lent(
        &mut self,
        conn: &mut C,
        audit: &mut dyn AnyAudit<C>,
    ) -> impl Future<Output = Result<Committed, CommitError>> + Send {
        self.commit_by(conn, Some(audit))
    }

    #[allow(
        clippy::manual_async_fn,
        reason = "that it is `Send` is part of the contract"
    )]
    fn commit_by(
        &mut self,
        conn: &mut C,
        audit: Option<&mut dyn AnyAudit<C>>,
    ) -> impl Future<Output = Result<Committed, CommitError>> + Send {
        async move {
            let work = Work { unit: self };
            let telling = telling::Commit::begin();
            let nested = telling.while_waiting(work.unit.follow(conn, audit)).await;
            let nested = match nested {
                Ok(nested) => nested,
                Err(error) => {
                    work.unit.fail_with(&error);
                    telling.failed(&error);
                    return Err(error);
                }
            };
            let mut done = telling.during(|| work.unit.succeed(nested));
            telling.committed(&done);
            drop(work);
            if !nested {
                done.run_hooks();
            }
            Ok(done)
        }
    }

    /// Performs the protocol; returns whether it was inside a caller's transaction.
    async fn follow(
        &mut self,
        conn: &mut C,
        mut audit: Option<&mut dyn AnyAudit<C>>,
    ) -> Result<bool, CommitError> {
        let outer = session::depth(conn)?;
        let mut protocol = self.start::<C::Backend>(outer.is_some())?;
        let mut conn = Begun::new(conn);
        let entered = match session::enter(&mut *conn, self.terms_of(&protocol)).await {
            Ok(entered) => entered,
            Err(error) => {
                conn.ended();
                return Err(error.into());
            }
        };
        let mut answer = Ok(0);
        let mut ahead = Ahead::default();
        loop {
            // A panic of a closure, a `Clone` or a `ToSql` must not leave the transaction open.
            let turn = catch_unwind(AssertUnwindSafe(|| protocol.next(&mut self.sets, answer)));
            let performed = match turn {
                Ok(Action::Finish(result)) => {
                    let left = session::leave(&mut *conn, entered).await;
                    conn.ended();
                    result?;
                    left?;
                    return Ok(outer.is_some());
                }
                Ok(action) => {
                    let along = Along {
                        protocol: &protocol,
                        outer,
                        ahead: &mut ahead,
                        audit: audit.as_deref_mut(),
                    };
                    let performing = self.perform(&mut *conn, action, along);
                    AssertUnwindSafe(performing).catch_unwind().await
                }
                Err(panic) => Err(panic),
            };
            match performed {
                Ok(next) => answer = next,
                Err(panic) => {
                    self.panicked();
                    // The panic is what the caller has to hear of, whatever the rollback says.
                    drop(session::roll_back_to(&mut *conn, outer).await);
                    drop(session::leave(&mut *conn, entered).await);
                    conn.ended();
                    resume_unwind(panic)
                }
            }
        }
    }

    async fn perform(&mut self, conn: &mut C, action: Action, along: Along<'_, '_, C>) -> Answer {
        let Along {
            protocol,
            outer,
            ahead,
            audit,
        } = along;
        if !matches!(action, Action::Lock { .. } | Action::Write { .. }) {
            ahead.forget();
        } else if let Some(answer) = self.send_ahead(conn, protocol, ahead).await {
            return answer;
        }
        let nothing = |()| 0;
        match action {
            Action::Begin => session::begin(conn, self.terms).await.map(nothing),
            Action::Lock { set, only_checks } => self.sets[set].1.lock(conn, only_checks).await,
            Action::Resolve { set, level } => self.make_linked(set, level).map(nothing),
            Action::Write { set, group } => self.sets[set].1.write(conn, &group).await,
            Action::Claim | Action::Recall | Action::Record => {
                self.perform_replay(conn, &action).await
            }
            Action::Lease(index) => self.perform_lease(conn, index).await,
            Action::Mark => {
                self.see_overwrites();
                session::mark(conn, outer).await.map(nothing)
            }
            Action::Also(index) => {
                let depth = session::depth(conn)?;
                self.run_closure(index, conn, audit).await?;
                session::same_depth(conn, depth).map(nothing)
            }
            Action::Unmark => session::unmark(conn, outer).await.map(nothing),
            Action::Commit => session::commit(conn).await.map(nothing),
            Action::Rollback => session::roll_back_to(conn, outer).await.map(nothing),
            Action::Ping => session::ping(conn).await.map(nothing),
            Action::ReadCurrent { set } => self.sets[set].1.read_current(conn).await,
            Action::Finish(_) => Ok(0),
        }
    }

    /// Records an overwrite, or runs what else belongs to the unit.
    async fn run_closure(
        &mut self,
        index: usize,
        conn: &mut C,
        lent: Option<&mut (dyn AnyAudit<C> + '_)>,
    ) -> QueryResult<()> {
        let Some((audit, overwrite)) = self.recorded.get(index) else {
            return (self.also[index - self.recorded.len()])(conn).await;
        };
        match (audit, lent) {
            (Some(audit), _) => self.audits[*audit].record_any(conn, overwrite).await,
            (None, Some(lent)) => lent.record_any(conn, overwrite).await,
            (None, None) => Err(no_audit()),
        }
    }
}

/// What an action may need beside the connection.
struct Along<'a, 'b, C> {
    protocol: &'a Protocol,
    outer: Depth,
    ahead: &'a mut Ahead,
    audit: Option<&'a mut (dyn AnyAudit<C> + 'b)>,
}

/// A unit while it is committed: what was planned is forgotten, however that ends.
struct Work<'u, C>
where
    C: AsyncConnection + 'static,
{
    unit: &'u mut UnitOfWork<C, dyn AsyncSet<C>>,
}

impl<C: AsyncConnection + 'static> Drop for Work<'_, C> {
    fn drop(&mut self) {
        self.unit.fail();
    }
}

/// Saves whole rows in a unit of their own; see [`save_all`](super::AsyncVersionedDsl::save_all).
pub(super) async fn save_all<T, C>(conn: &mut C, entities: &mut [T]) -> Result<(), CommitError>
where
    T: Versioned,
    C: AsyncConnection + 'static,
    C::Backend: Dialect,
    dyn AsyncSet<C>: Holds<T>,
{
    let mut uow = UnitOfWork::<C, dyn AsyncSet<C>>::new();
    let handles = uow.save_slice(entities)?;
    let done = uow.commit(conn).await?;
    drop(done);
    for (entity, handle) in entities.iter_mut().zip(handles) {
        if let Some(saved) = uow.get(handle) {
            outcome::take_committed(entity, saved);
        }
    }
    Ok(())
}
