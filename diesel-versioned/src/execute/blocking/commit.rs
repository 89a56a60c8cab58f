//! The commit of a unit on a blocking connection: performs what the protocol says.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use diesel::QueryResult;
use diesel::connection::LoadConnection;

use super::overwrite::Audit;
use super::session;
use super::set::BlockingSet;
use crate::backend::Dialect;
use crate::entity::Versioned;
use crate::error::CommitError;
use crate::execute::transaction::{Depth, no_audit};
use crate::outcome;
use crate::telling;
use crate::unit_of_work::{Action, Answer, Committed, Holds, UnitOfWork};

impl<C> UnitOfWork<C, dyn BlockingSet<C>>
where
    C: LoadConnection + 'static,
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
    pub fn commit(&mut self, conn: &mut C) -> Result<Committed, CommitError> {
        self.commit_by(conn, None)
    }

    /// The same, and what is overwritten is recorded by an audit that is lent for it.
    pub(super) fn commit_lent(
        &mut self,
        conn: &mut C,
        audit: &mut dyn Audit<C>,
    ) -> Result<Committed, CommitError> {
        self.commit_by(conn, Some(audit))
    }

    fn commit_by(
        &mut self,
        conn: &mut C,
        audit: Option<&mut dyn Audit<C>>,
    ) -> Result<Committed, CommitError> {
        let telling = telling::Commit::begin();
        match telling.during(|| self.follow(conn, audit)) {
            Ok(nested) => {
                let mut done = telling.during(|| self.succeed(nested));
                telling.committed(&done);
                if !nested {
                    done.run_hooks();
                }
                Ok(done)
            }
            Err(error) => {
                self.fail_with(&error);
                telling.failed(&error);
                Err(error)
            }
        }
    }

    /// Performs the protocol; returns whether it was inside a caller's transaction.
    fn follow(
        &mut self,
        conn: &mut C,
        mut audit: Option<&mut dyn Audit<C>>,
    ) -> Result<bool, CommitError> {
        let outer = session::depth(conn)?;
        let mut protocol = self.start::<C::Backend>(outer.is_some())?;
        let entered = session::enter(conn, self.terms_of(&protocol))?;
        let mut answer = Ok(0);
        loop {
            // A panic of a closure, a `Clone` or a `ToSql` must not leave the transaction open.
            let turn = catch_unwind(AssertUnwindSafe(|| {
                match protocol.next(&mut self.sets, answer) {
                    Action::Finish(result) => ControlFlow::Break(result),
                    action => {
                        let audit = audit.as_deref_mut();
                        ControlFlow::Continue(self.perform(conn, action, outer, audit))
                    }
                }
            }));
            match turn {
                Ok(ControlFlow::Continue(next)) => answer = next,
                Ok(ControlFlow::Break(result)) => {
                    let left = session::leave(conn, entered);
                    result?;
                    left?;
                    return Ok(outer.is_some());
                }
                Err(panic) => {
                    self.panicked();
                    // The panic is what the caller has to hear of, whatever the rollback says.
                    drop(session::roll_back_to(conn, outer));
                    drop(session::leave(conn, entered));
                    resume_unwind(panic)
                }
            }
        }
    }

    fn perform(
        &mut self,
        conn: &mut C,
        action: Action,
        outer: Depth,
        lent: Option<&mut (dyn Audit<C> + '_)>,
    ) -> Answer {
        let nothing = |()| 0;
        match action {
            Action::Begin => session::begin(conn, self.terms).map(nothing),
            Action::Lock { set, only_checks } => self.sets[set].1.lock(conn, only_checks),
            Action::Resolve { set, level } => self.make_linked(set, level).map(nothing),
            Action::Write { set, group } => self.sets[set].1.write(conn, &group),
            Action::Claim | Action::Recall | Action::Record => self.perform_replay(conn, &action),
            Action::Lease(index) => self.perform_lease(conn, index),
            Action::Mark => {
                self.see_overwrites();
                session::mark(conn, outer).map(nothing)
            }
            Action::Also(index) => {
                let depth = session::depth(conn)?;
                self.run_closure(index, conn, lent)?;
                session::same_depth(conn, depth).map(nothing)
            }
            Action::Unmark => session::unmark(conn, outer).map(nothing),
            Action::Commit => session::commit(conn).map(nothing),
            Action::Rollback => session::roll_back_to(conn, outer).map(nothing),
            Action::Ping => session::ping(conn).map(nothing),
            Action::ReadCurrent { set } => self.sets[set].1.read_current(conn),
            Action::Finish(_) => Ok(0),
        }
    }
}

impl<C: 'static> UnitOfWork<C, dyn BlockingSet<C>> {
    /// Records an overwrite, or runs what else belongs to the unit.
    fn run_closure(
        &mut self,
        index: usize,
        conn: &mut C,
        lent: Option<&mut (dyn Audit<C> + '_)>,
    ) -> QueryResult<()> {
        let Some((audit, overwrite)) = self.recorded.get(index) else {
            return (self.also[index - self.recorded.len()])(conn);
        };
        match (audit, lent) {
            (Some(audit), _) => self.audits[*audit].record(conn, overwrite),
            (None, Some(lent)) => lent.record(conn, overwrite),
            (None, None) => Err(no_audit()),
        }
    }
}

/// Saves whole rows in a unit of their own; see [`save_all`](super::VersionedDsl::save_all).
pub(super) fn save_all<T, C>(conn: &mut C, entities: &mut [T]) -> Result<(), CommitError>
where
    T: Versioned,
    C: LoadConnection + 'static,
    C::Backend: Dialect,
    dyn BlockingSet<C>: Holds<T>,
{
    let mut uow = UnitOfWork::<C, dyn BlockingSet<C>>::new();
    let handles = uow.save_slice(entities)?;
    let done = uow.commit(conn)?;
    drop(done);
    for (entity, handle) in entities.iter_mut().zip(handles) {
        if let Some(saved) = uow.get(handle) {
            outcome::take_committed(entity, saved);
        }
    }
    Ok(())
}
