//! The course of a commit, as a machine: it says what to do next and is told what came of it.
//!
//! Blocking and asynchronous execution perform the same actions; everything that is decided is
//! decided here.
//!
//! ```text
//! begin ─▶ steps ─▶ also ─▶ commit ─▶ done
//!            │        │       └─▶ ping: connection lost ─▶ outcome unknown
//!            ▼        ▼
//!         roll back (a lost write, an error) ─▶ begin ─▶ read ─▶ try again ─▶ roll back ─▶ conflicts
//! ```

use std::any::TypeId;
use std::sync::Arc;

use diesel::result::Error;

use super::SetCore;
use super::handle::UnitId;
use super::plan::Step;
use super::work::Group;
use crate::conflicts::{AnyConflict, Conflicts};
use crate::error::{CommitError, EntityRef};
use crate::outcome::{Matched, matched};

/// What is to be done next.
#[derive(Debug)]
pub(crate) enum Action {
    /// Begin a transaction, or a savepoint inside the caller's.
    Begin,
    /// Lock rows and count those that have not moved.
    Lock { set: usize, only_checks: bool },
    /// Make the rows that refer to others of this unit.
    Resolve { set: usize, level: u32 },
    /// Write rows and count them.
    Write { set: usize, group: Group },
    /// Mark the transaction, so that it is seen at the end whether it is still this one.
    Mark,
    /// Run what belongs to the unit: the closure of this number.
    Also(usize),
    /// Commit, or release the savepoint, if the mark is there where one was made.
    Commit { marked: bool },
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

/// What came of an action.
pub(crate) type Answer = Result<usize, Error>;

enum State {
    Start,
    Beginning,
    Stepping(usize),
    Marking,
    Also(usize),
    Committing,
    Pinging(Error),
    RollingBack(Then),
    Diagnosing(Diagnosis),
}

/// What follows a rollback.
enum Then {
    Finish(CommitError),
    Diagnose(Option<(Error, Option<EntityRef>)>),
    Ping(Error),
}

enum Stage {
    Begin,
    Read(usize),
    Try(usize),
    ReadAgain(usize),
    End,
}

/// Finding out which rows are in conflict, in a transaction that is rolled back.
struct Diagnosis {
    stage: Stage,
    cause: Option<(Error, Option<EntityRef>)>,
    /// The sets, in the order in which writers lock their rows.
    reads: Vec<usize>,
    /// What is written again, to see which rows the database holds back.
    tries: Vec<Try>,
}

/// A step of the unit that is done again.
#[derive(Clone)]
enum Try {
    /// As it was: later rows need what it writes.
    Again(Step),
    /// A row of a group that came short, by itself.
    Alone(usize, Group),
}

pub(crate) struct Protocol {
    unit: UnitId,
    steps: Vec<Step>,
    also: usize,
    /// Whether it runs inside a caller's transaction.
    nested: bool,
    state: State,
    /// Groups of which fewer rows were written than meant, with how many were.
    short: Vec<(usize, Group, usize)>,
    /// A check of rows failed.
    moved: bool,
    /// How often the unit ran into conflicts that nothing could be found of.
    phantoms: u32,
}

impl Protocol {
    pub(super) fn new(unit: UnitId, steps: Vec<Step>, also: usize, nested: bool) -> Self {
        Self {
            unit,
            steps,
            also,
            nested,
            state: State::Start,
            short: Vec::new(),
            moved: false,
            phantoms: 0,
        }
    }

    /// Takes what came of the last action and says what is next.
    pub(crate) fn next<S: SetCore + ?Sized>(
        &mut self,
        sets: &mut [(TypeId, Box<S>)],
        answer: Answer,
    ) -> Action {
        match std::mem::replace(&mut self.state, State::Start) {
            State::Start if self.steps.is_empty() && self.also == 0 => Action::Finish(Ok(())),
            State::Start => {
                self.state = State::Beginning;
                Action::Begin
            }
            State::Beginning => match answer {
                Ok(_) => self.step(0),
                Err(error) => Action::Finish(Err(error.into())),
            },
            State::Stepping(index) => match answer {
                Ok(count) => match self.judge(index, count, sets) {
                    Ok(()) => self.step(index + 1),
                    Err(error) => self.roll_back(Then::Finish(error)),
                },
                Err(error) => {
                    let entity = self.entity(index, sets);
                    self.roll_back(Then::Diagnose(Some((error, entity))))
                }
            },
            State::Marking => match answer {
                Ok(_) => self.run_also(0),
                Err(error) => self.roll_back(Then::Finish(error.into())),
            },
            State::Also(index) => match answer {
                Ok(_) => self.run_also(index + 1),
                Err(error) => self.roll_back(Then::Finish(error.into())),
            },
            State::Committing => match answer {
                Ok(_) => Action::Finish(Ok(())),
                Err(error) => self.roll_back(Then::Ping(error)),
            },
            State::Pinging(source) => match answer {
                // It answers, so the server turned the commit down, and nothing is written.
                Ok(_) => self.roll_back(Then::Diagnose(Some((source, None)))),
                // A savepoint that was not released goes with the caller's transaction.
                Err(_) if self.nested => self.roll_back(Then::Finish(source.into())),
                Err(_) => Action::Finish(Err(CommitError::OutcomeUnknown { source })),
            },
            State::RollingBack(then) => match then {
                Then::Finish(error) => Action::Finish(Err(error)),
                // Whether the rollback was heard is what the ping tells.
                Then::Ping(error) => {
                    self.state = State::Pinging(error);
                    Action::Ping
                }
                Then::Diagnose(cause) => match answer {
                    Ok(_) => self.diagnose(
                        sets,
                        Ok(0),
                        Diagnosis {
                            stage: Stage::Begin,
                            cause,
                            reads: by_table(sets),
                            tries: Vec::new(),
                        },
                    ),
                    Err(error) => Action::Finish(Err(give_up(cause, error))),
                },
            },
            State::Diagnosing(diagnosis) => self.diagnose(sets, answer, diagnosis),
        }
    }

    fn step(&mut self, index: usize) -> Action {
        match self.steps.get(index) {
            Some(step) => {
                self.state = State::Stepping(index);
                step.clone().into()
            }
            None if self.short.is_empty() && !self.moved => self.finish_writing(),
            None => self.roll_back(Then::Diagnose(None)),
        }
    }

    /// A closure may swallow an error by which the database gave the transaction up. COMMIT would
    /// then roll back and report nothing, so the transaction is marked before the first of them.
    fn finish_writing(&mut self) -> Action {
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
        } else {
            self.state = State::Committing;
            Action::Commit {
                marked: self.also > 0,
            }
        }
    }

    fn roll_back(&mut self, then: Then) -> Action {
        self.state = State::RollingBack(then);
        Action::Rollback
    }

    /// Compares the rows of a step with those that were meant.
    fn judge<S: SetCore + ?Sized>(
        &mut self,
        index: usize,
        count: usize,
        sets: &[(TypeId, Box<S>)],
    ) -> Result<(), CommitError> {
        let (set, meant) = match &self.steps[index] {
            Step::Resolve { .. } => return Ok(()),
            Step::Lock { set, .. } => (*set, sets[*set].1.core_ref().checks()),
            Step::Write { set, group } => (*set, group.len()),
        };
        match (matched(count, meant), &self.steps[index]) {
            (Matched::All, _) => {}
            (Matched::More, _) => {
                return Err(CommitError::NotUnique {
                    table: sets[set].1.core_ref().kinship().table.name,
                    meant,
                    rows: count,
                });
            }
            (Matched::Fewer, Step::Write { group, .. }) => {
                self.short.push((set, group.clone(), count));
            }
            (Matched::Fewer, _) => self.moved = true,
        }
        Ok(())
    }

    fn entity<S: SetCore + ?Sized>(
        &self,
        index: usize,
        sets: &[(TypeId, Box<S>)],
    ) -> Option<EntityRef> {
        let (set, group) = match &self.steps[index] {
            Step::Write { set, group } => (*set, Some(group)),
            Step::Lock { set, .. } | Step::Resolve { set, .. } => (*set, None),
        };
        let core = sets[set].1.core_ref();
        Some(EntityRef {
            table: core.kinship().table.name,
            key: group.and_then(|group| core.only_key(group)),
        })
    }

    fn diagnose<S: SetCore + ?Sized>(
        &mut self,
        sets: &mut [(TypeId, Box<S>)],
        answer: Answer,
        mut diagnosis: Diagnosis,
    ) -> Action {
        let count = match (answer, &diagnosis.stage) {
            (Ok(count), _) => count,
            // It was begun, so it must end.
            (Err(error), Stage::Read(_)) => {
                return self.roll_back(Then::Finish(give_up(diagnosis.cause, error)));
            }
            // What is known by now is reported.
            (Err(error), Stage::Try(_) | Stage::ReadAgain(_)) => {
                let cause = diagnosis.cause.unwrap_or((error, None));
                return self.conclude(sets, Some(cause));
            }
            (Err(error), Stage::Begin | Stage::End) => {
                return Action::Finish(Err(give_up(diagnosis.cause, error)));
            }
        };
        if let Stage::Try(index) = diagnosis.stage
            && let Some(Try::Alone(set, single)) = diagnosis.tries.get(index)
            && matched(count, 1) == Matched::Fewer
        {
            sets[*set].1.core().note_refused(single);
        }
        loop {
            diagnosis.stage = match diagnosis.stage {
                Stage::Begin => {
                    diagnosis.stage = Stage::Read(usize::MAX);
                    self.state = State::Diagnosing(diagnosis);
                    return Action::Begin;
                }
                Stage::Read(index) => {
                    let next = index.wrapping_add(1);
                    if let Some(&set) = diagnosis.reads.get(next) {
                        diagnosis.stage = Stage::Read(next);
                        self.state = State::Diagnosing(diagnosis);
                        return Action::ReadCurrent { set };
                    }
                    diagnosis.tries = self.tries(sets);
                    Stage::Try(usize::MAX)
                }
                Stage::Try(index) => {
                    let next = index.wrapping_add(1);
                    if let Some(again) = diagnosis.tries.get(next).cloned() {
                        diagnosis.stage = Stage::Try(next);
                        self.state = State::Diagnosing(diagnosis);
                        return match again {
                            Try::Again(step) => step.into(),
                            Try::Alone(set, group) => Action::Write { set, group },
                        };
                    }
                    if diagnosis.tries.is_empty() {
                        Stage::End
                    } else {
                        Stage::ReadAgain(usize::MAX)
                    }
                }
                Stage::ReadAgain(index) => {
                    let next = index.wrapping_add(1);
                    if let Some(&set) = diagnosis.reads.get(next) {
                        diagnosis.stage = Stage::ReadAgain(next);
                        self.state = State::Diagnosing(diagnosis);
                        return Action::ReadCurrent { set };
                    }
                    Stage::End
                }
                Stage::End => return self.conclude(sets, diagnosis.cause),
            };
        }
    }

    /// The writes of the unit once more, up to the last group that came short for no reason that
    /// can be read; each row of such a group alone.
    fn tries<S: SetCore + ?Sized>(&self, sets: &[(TypeId, Box<S>)]) -> Vec<Try> {
        let unexplained = |set: usize, group: &Group| {
            self.short.iter().any(|(other, short, written)| {
                (*other, short) == (set, group)
                    && written + sets[set].1.core_ref().stale_in(group) < group.len()
            })
        };
        let mut tries = Vec::new();
        let mut needed = 0;
        for step in &self.steps {
            match step {
                Step::Lock { .. } => {}
                Step::Write { set, group } if unexplained(*set, group) => {
                    tries.extend(group.singles().map(|single| Try::Alone(*set, single)));
                    needed = tries.len();
                }
                Step::Resolve { .. } | Step::Write { .. } => tries.push(Try::Again(step.clone())),
            }
        }
        tries.truncate(needed);
        tries
    }

    fn conclude<S: SetCore + ?Sized>(
        &mut self,
        sets: &mut [(TypeId, Box<S>)],
        cause: Option<(Error, Option<EntityRef>)>,
    ) -> Action {
        let (error, entity) = match cause {
            Some((error, entity)) => (Some(Arc::new(error)), entity),
            None => (None, None),
        };
        let collect = |sets: &[(TypeId, Box<S>)]| -> Vec<Box<dyn AnyConflict>> {
            sets.iter()
                .flat_map(|(_, set)| set.core_ref().conflicts(self.unit, error.as_ref()))
                .collect()
        };
        let mut all = collect(sets);
        if all.is_empty() && error.is_none() {
            if self.phantoms == 0 {
                // Whatever was in the way is gone, and the rows stand as expected: once more.
                self.phantoms += 1;
                self.short.clear();
                self.moved = false;
                return self.roll_back_to_start();
            }
            for (set, group, _) in &self.short {
                sets[*set].1.core().note_refused(group);
            }
            all = collect(sets);
        }
        let verdict = match (all.is_empty(), error.map(Arc::try_unwrap)) {
            (false, _) => Conflicts { all }.into(),
            (true, Some(Ok(source))) => CommitError::Database { source, entity },
            (true, _) => CommitError::Database {
                source: Error::QueryBuilderError(
                    "rows that are expected to be unchanged stand as expected, but cannot be \
                     locked; give the user the right to UPDATE them"
                        .into(),
                ),
                entity,
            },
        };
        self.roll_back(Then::Finish(verdict))
    }

    fn roll_back_to_start(&mut self) -> Action {
        // `Start` takes whatever the rollback answers and begins.
        self.state = State::Start;
        Action::Rollback
    }
}

/// The sets, by table. A read of what stands there may lock, and must not meet a writer halfway.
fn by_table<S: SetCore + ?Sized>(sets: &[(TypeId, Box<S>)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sets.len()).collect();
    order.sort_by_key(|&set| sets[set].1.core_ref().kinship().table);
    order
}

/// The error to report when it cannot be found out what is in conflict.
fn give_up(cause: Option<(Error, Option<EntityRef>)>, error: Error) -> CommitError {
    match cause {
        Some((source, entity)) => CommitError::Database { source, entity },
        None => error.into(),
    }
}
