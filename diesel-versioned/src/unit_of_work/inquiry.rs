//! After a rollback: reads what stands there, tries what the database held back, and says what is
//! in conflict.

use std::any::TypeId;
use std::sync::Arc;

use diesel::result::Error;

use super::SetCore;
use super::plan::Step;
use super::protocol::{Action, Answer, Protocol, State, Then};
use super::work::Group;
use crate::conflicts::{AnyConflict, Conflicts};
use crate::database_error::is_deadlock;
use crate::error::{CommitError, EntityRef};
use crate::outcome::{Matched, matched};
use crate::telling;

enum Stage {
    Begin,
    Read(usize),
    Try(usize),
    ReadAgain(usize),
    End,
}

/// Finding out which rows are in conflict, in a transaction that is rolled back.
pub(super) struct Inquiry {
    stage: Stage,
    cause: Option<(Error, Option<EntityRef>)>,
    /// The sets, in the order in which writers lock their rows.
    reads: Vec<usize>,
    /// What is written again, to see which rows the database holds back.
    tries: Vec<Try>,
    /// Some of them were held back.
    refused: bool,
}

/// A step of the unit that is done again.
#[derive(Clone)]
enum Try {
    /// As it was: later rows need what it writes.
    Again(Step),
    /// A row of a group that came short, by itself.
    Alone(usize, Group),
}

impl Inquiry {
    pub(super) fn new<S: SetCore + ?Sized>(
        sets: &[(TypeId, Box<S>)],
        cause: Option<(Error, Option<EntityRef>)>,
    ) -> Self {
        Self {
            stage: Stage::Begin,
            cause,
            reads: by_table(sets),
            tries: Vec::new(),
            refused: false,
        }
    }
}

impl Protocol {
    pub(super) fn inquire<S: SetCore + ?Sized>(
        &mut self,
        sets: &mut [(TypeId, Box<S>)],
        answer: Answer,
        mut inquiry: Inquiry,
    ) -> Action {
        let count = match (answer, &inquiry.stage) {
            (Ok(count), _) => count,
            // It was begun, so it must end.
            (Err(error), Stage::Read(_)) => {
                return self.roll_back(Then::Finish(give_up(inquiry.cause, error)));
            }
            // The database has given up what it was to be found out for.
            (Err(error), Stage::Try(_) | Stage::ReadAgain(_)) if is_deadlock(&error) => {
                return self.roll_back(Then::Finish(error.into()));
            }
            // What is known by now is reported.
            (Err(error), Stage::Try(_) | Stage::ReadAgain(_)) => {
                let cause = inquiry.cause.unwrap_or((error, None));
                return self.conclude(sets, Some(cause));
            }
            (Err(error), Stage::Begin | Stage::End) => {
                return Action::Finish(Err(give_up(inquiry.cause, error)));
            }
        };
        if let Stage::Try(index) = inquiry.stage
            && let Some(Try::Alone(set, single)) = inquiry.tries.get(index)
            && matched(count, 1) == Matched::Fewer
        {
            sets[*set].1.core().note_refused(single);
            inquiry.refused = true;
        }
        loop {
            inquiry.stage = match inquiry.stage {
                Stage::Begin => {
                    inquiry.stage = Stage::Read(usize::MAX);
                    self.state = State::Inquiring(inquiry);
                    return Action::Begin;
                }
                Stage::Read(index) => {
                    let next = index.wrapping_add(1);
                    if let Some(&set) = inquiry.reads.get(next) {
                        inquiry.stage = Stage::Read(next);
                        self.state = State::Inquiring(inquiry);
                        return Action::ReadCurrent { set };
                    }
                    inquiry.tries = self.tries(sets);
                    Stage::Try(usize::MAX)
                }
                Stage::Try(index) => {
                    let next = index.wrapping_add(1);
                    if let Some(again) = inquiry.tries.get(next).cloned() {
                        inquiry.stage = Stage::Try(next);
                        self.state = State::Inquiring(inquiry);
                        return match again {
                            Try::Again(step) => step.into(),
                            Try::Alone(set, group) => Action::Write { set, group },
                        };
                    }
                    // What was written now is not what others see; only what was held back is.
                    if inquiry.refused {
                        Stage::ReadAgain(usize::MAX)
                    } else {
                        Stage::End
                    }
                }
                Stage::ReadAgain(index) => {
                    let next = index.wrapping_add(1);
                    if let Some(&set) = inquiry.reads.get(next) {
                        inquiry.stage = Stage::ReadAgain(next);
                        self.state = State::Inquiring(inquiry);
                        return Action::ReadCurrent { set };
                    }
                    Stage::End
                }
                Stage::End => return self.conclude(sets, inquiry.cause),
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
        for conflict in &all {
            telling::conflict(&**conflict);
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
}

/// The sets, by table. A read of what stands there may lock, and must not meet a writer halfway.
pub(super) fn by_table<S: SetCore + ?Sized>(sets: &[(TypeId, Box<S>)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sets.len()).collect();
    order.sort_by_key(|&set| sets[set].1.core_ref().kinship().table);
    order
}

/// The error to report when it cannot be found out what is in conflict.
pub(super) fn give_up(cause: Option<(Error, Option<EntityRef>)>, error: Error) -> CommitError {
    match cause {
        // With a deadlock goes the transaction around the unit, on some databases: that has to be told.
        Some((source, entity)) if !is_deadlock(&error) => CommitError::Database { source, entity },
        _ => error.into(),
    }
}
