//! The course of a commit, as a machine: it says what to do next and is told what came of it.
//!
//! Blocking and asynchronous execution perform the same actions; everything that is decided is
//! decided here, in `judge.rs` about what a step has written, in `claim.rs` about an idempotency key, in
//! `lease.rs` about leases, and in `inquiry.rs` after a rollback.
//!
//! ```text
//! begin ─▶ claim ─▶ leases ─▶ steps ─▶ record ─▶ mark, also, unmark ─▶ commit ─▶ done
//!            │        │         │                      └─▶ ping: connection lost ─▶ outcome unknown
//!            ▼        ▼         ▼
//!         roll back (a lost write, an error) ─▶ begin ─▶ read ─▶ try again ─▶ roll back ─▶ conflicts
//! ```

use std::any::TypeId;

use diesel::result::Error;

use super::SetCore;
use super::claim::Stage;
use super::handle::UnitId;
use super::inquiry::{Inquiry, give_up};
use super::plan::Step;
use super::work::Group;
use crate::database_error::is_transient;
use crate::error::{CommitError, EntityRef};

/// What is to be done next.
#[derive(Debug)]
pub(crate) enum Action {
    /// Begin a transaction, or a savepoint inside the caller's.
    Begin,
    /// Take the unit's idempotency key: 1 if nobody had it.
    Claim,
    /// See what was written under it, and count those who asked for the same.
    Recall,
    /// Lock a lease that the unit is under, and fail if it does not hold.
    Lease(usize),
    /// Lock rows and count those that have not moved.
    Lock { set: usize, only_checks: bool },
    /// Make the rows that refer to others of this unit.
    Resolve { set: usize, level: u32 },
    /// Write rows and count them.
    Write { set: usize, group: Group },
    /// Record under the key what was written.
    Record,
    /// Mark the transaction, so that it is seen at the end whether it is still this one.
    Mark,
    /// Run what belongs to the unit: the closure of this number.
    Also(usize),
    /// Remove the mark; fails if the transaction that it was made in is gone.
    Unmark,
    /// Commit, or release the savepoint.
    Commit,
    /// Undo everything since `Begin`.
    Rollback,
    /// See whether the connection still answers.
    Ping,
    /// Read all guarded rows of a set as they are now.
    ReadCurrent { set: usize },
    /// It is over.
    Finish(Result<(), CommitError>),
}

impl From<Step> for Action {
    fn from(step: Step) -> Self {
        match step {
            Step::Lock { set, only_checks } => Self::Lock { set, only_checks },
            Step::Resolve { set, level } => Self::Resolve { set, level },
            Step::Write { set, group } => Self::Write { set, group },
        }
    }
}

/// How many rows a unit may have whose statements are sent without waiting for each other.
#[cfg(feature = "async")]
const MOST_AT_ONCE: usize = 4_096;

/// What came of an action.
pub(crate) type Answer = Result<usize, Error>;

pub(super) enum State {
    Start,
    Beginning,
    /// Something about the idempotency key is under way.
    Keyed(Stage),
    /// A lease is checked: the one of this number.
    Leased(usize),
    Stepping(usize),
    Marking,
    Also(usize),
    /// A closure has failed; is the transaction still the one that it was lent?
    Failed(Error),
    Unmarking,
    /// Whether the mark is gone, or the transaction of no use any more.
    LookingForMark(Error, fn(Error) -> Then),
    Committing,
    Pinging(Error, bool),
    RollingBack(Then),
    Inquiring(Inquiry),
}

/// What follows a rollback.
pub(super) enum Then {
    Finish(CommitError),
    /// It was done before.
    Replay,
    Inquire(Option<(Error, Option<EntityRef>)>),
    /// See whether the connection still answers, and if it does, whether to ask what is in conflict.
    Ping(Error, bool),
}

pub(crate) struct Protocol {
    pub(super) unit: UnitId,
    pub(super) steps: Vec<Step>,
    also: usize,
    /// Whether it runs inside a caller's transaction.
    nested: bool,
    /// How many leases it is under.
    pub(super) leases: usize,
    /// The idempotency key.
    pub(super) key: Option<String>,
    pub(super) state: State,
    /// Groups of which fewer rows were written than meant, with how many were.
    pub(super) short: Vec<(usize, Group, usize)>,
    /// A check of rows failed.
    pub(super) moved: bool,
    /// How often the unit ran into conflicts that nothing could be found of.
    pub(super) phantoms: u32,
    /// The idempotency key was taken and had expired when its record was looked for.
    pub(super) expired: bool,
}

impl Protocol {
    pub(super) fn new(
        unit: UnitId,
        steps: Vec<Step>,
        also: usize,
        nested: bool,
        key: Option<String>,
    ) -> Self {
        Self {
            unit,
            steps,
            also,
            nested,
            leases: 0,
            key,
            state: State::Start,
            short: Vec::new(),
            moved: false,
            phantoms: 0,
            expired: false,
        }
    }

    /// The same under so many leases.
    pub(super) fn under(mut self, leases: usize) -> Self {
        self.leases = leases;
        self
    }

    /// Takes what came of the last action and says what is next.
    pub(crate) fn next<S: SetCore + ?Sized>(
        &mut self,
        sets: &mut [(TypeId, Box<S>)],
        answer: Answer,
    ) -> Action {
        match std::mem::replace(&mut self.state, State::Start) {
            State::Start if self.is_empty() => Action::Finish(Ok(())),
            State::Start => {
                self.state = State::Beginning;
                Action::Begin
            }
            State::Beginning => match answer {
                Ok(_) if self.key.is_some() => self.claim(),
                Ok(_) => self.check_lease(0),
                Err(error) => Action::Finish(Err(error.into())),
            },
            State::Keyed(stage) => self.keyed(sets, answer, stage),
            State::Leased(index) => self.leased(answer, index),
            State::Stepping(index) => match answer {
                // The rows must not be taken for each other: once more, each by a statement of its own.
                Ok(_) if self.inserts_alone(index, sets) => self.roll_back_to_start(),
                Ok(count) => match self.judge(index, count, sets) {
                    Ok(()) => self.step(index + 1),
                    Err(error) => self.roll_back(Then::Finish(error)),
                },
                // What the unit says of itself is no matter of the database's.
                Err(Error::QueryBuilderError(error)) if error.is::<CommitError>() => {
                    let error = error.downcast::<CommitError>();
                    self.roll_back(Then::Finish(error.map_or_else(
                        |error| Error::QueryBuilderError(error).into(),
                        |error| *error,
                    )))
                }
                Err(error) => {
                    let entity = self.entity(index, sets);
                    self.roll_back(Then::Inquire(Some((error, entity))))
                }
            },
            State::Marking => match answer {
                Ok(_) => self.run_also(0),
                Err(error) => self.roll_back(Then::Finish(error.into())),
            },
            State::Also(index) => match answer {
                Ok(_) => self.run_also(index + 1),
                Err(error) => {
                    self.state = State::Failed(error);
                    Action::Unmark
                }
            },
            State::Failed(error) => match answer {
                Ok(_) => self.roll_back(Then::Finish(error.into())),
                // The database has rolled the transaction back by it, and takes statements.
                Err(_) if is_transient(&error) => self.roll_back(Then::Finish(error.into())),
                Err(_) => self.look_for_mark(error, |error| Then::Finish(error.into())),
            },
            State::Unmarking => match answer {
                Ok(_) => self.commit(),
                // All rows were there, and locked: none is in conflict.
                Err(error) => self.look_for_mark(error, |error| Then::Ping(error, false)),
            },
            State::LookingForMark(source, then) => match answer {
                // Something has ended the transaction, and what was written may have stayed.
                Ok(_) => self.roll_back(Then::Finish(CommitError::OutcomeUnknown { source })),
                Err(_) => self.roll_back(then(source)),
            },
            State::Committing => match answer {
                Ok(_) => Action::Finish(Ok(())),
                Err(error) => self.roll_back(Then::Ping(error, true)),
            },
            State::Pinging(source, inquire) => match answer {
                // It answers, so the server turned the commit down, and nothing is written.
                // A savepoint goes with its transaction alone, and what was written after that may have
                // stayed.
                Ok(_) if inquire && self.nested => {
                    self.roll_back(Then::Finish(CommitError::OutcomeUnknown { source }))
                }
                Ok(_) if inquire => self.roll_back(Then::Inquire(Some((source, None)))),
                Ok(_) => self.roll_back(Then::Finish(source.into())),
                // A savepoint that was not released goes with the caller's transaction.
                Err(_) if self.nested => self.roll_back(Then::Finish(source.into())),
                Err(_) => Action::Finish(Err(CommitError::OutcomeUnknown { source })),
            },
            State::RollingBack(then) => match then {
                Then::Finish(error) => Action::Finish(Err(error)),
                Then::Replay => Action::Finish(Ok(())),
                // Whether the rollback was heard is what the ping tells.
                Then::Ping(error, inquire) => {
                    self.state = State::Pinging(error, inquire);
                    Action::Ping
                }
                Then::Inquire(cause) => match answer {
                    Ok(_) => self.inquire(sets, Ok(0), Inquiry::new(sets, cause)),
                    Err(error) => Action::Finish(Err(give_up(cause, error))),
                },
            },
            State::Inquiring(inquiry) => self.inquire(sets, answer, inquiry),
        }
    }

    /// The step that is to be done now and those after it that need nothing of what comes of it, if
    /// there are any and the unit is small: then waiting for each other would be most of the time.
    #[cfg(feature = "async")]
    pub(crate) fn together<S: SetCore + ?Sized>(&self, sets: &[(TypeId, Box<S>)]) -> &[Step] {
        let State::Stepping(index) = self.state else {
            return &[];
        };
        let rest = self.steps.get(index..).unwrap_or_default();
        let kind = rest.first().map(std::mem::discriminant);
        let like_the_first = |step: &&Step| Some(std::mem::discriminant(*step)) == kind;
        let count = rest.iter().take_while(like_the_first).count();
        let checks = sets.iter().map(|(_, set)| set.core_ref().checks());
        let writes = self.steps.iter().map(|step| match step {
            Step::Write { group, .. } => group.len(),
            Step::Lock { .. } | Step::Resolve { .. } => 0,
        });
        if count > 1 && writes.chain(checks).sum::<usize>() <= MOST_AT_ONCE {
            &rest[..count]
        } else {
            &[]
        }
    }

    pub(super) fn step(&mut self, index: usize) -> Action {
        match self.steps.get(index) {
            Some(step) => {
                self.state = State::Stepping(index);
                step.clone().into()
            }
            None if self.short.is_empty() && !self.moved => self.finish_writing(),
            None => self.roll_back(Then::Inquire(None)),
        }
    }

    fn finish_writing(&mut self) -> Action {
        if self.key.is_some() {
            self.record()
        } else {
            self.mark()
        }
    }

    /// Whether there is nothing to do. What was asked for under a key is recorded even so.
    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty() && self.also == 0 && self.key.is_none()
    }

    /// A closure may swallow an error by which the database gave the transaction up. COMMIT would
    /// then roll back and report nothing, so the transaction is marked before the first of them.
    pub(super) fn mark(&mut self) -> Action {
        if self.also > 0 {
            self.state = State::Marking;
            Action::Mark
        } else {
            self.run_also(0)
        }
    }

    fn run_also(&mut self, index: usize) -> Action {
        if index < self.also {
            self.state = State::Also(index);
            Action::Also(index)
        } else if self.also > 0 {
            self.state = State::Unmarking;
            Action::Unmark
        } else {
            self.commit()
        }
    }

    /// The mark could not be removed: the transaction is another one, or it is of no use any more
    /// and is rolled back; then the error leads on.
    fn look_for_mark(&mut self, error: Error, then: fn(Error) -> Then) -> Action {
        self.state = State::LookingForMark(error, then);
        Action::Ping
    }

    fn commit(&mut self) -> Action {
        self.state = State::Committing;
        Action::Commit
    }

    pub(super) fn roll_back(&mut self, then: Then) -> Action {
        self.state = State::RollingBack(then);
        Action::Rollback
    }

    /// Compares the rows of a step with those that were meant.
    pub(super) fn roll_back_to_start(&mut self) -> Action {
        // `Start` takes whatever the rollback answers and begins.
        self.state = State::Start;
        Action::Rollback
    }
}
