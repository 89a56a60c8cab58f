//! The part of a commit that is about its idempotency key: it is claimed before the first step and
//! gets its record after the last one; if it is known, nothing is written.
//!
//! ```text
//! claim ─▶ leases, steps ─▶ record
//!   └─▶ recall ─▶ read the rows ─▶ roll back ─▶ replayed
//!         └─▶ something else was asked for
//! ```

use std::any::TypeId;

use diesel::result::Error;

use super::SetCore;
use super::inquiry::by_table;
use super::protocol::{Action, Answer, Protocol, State, Then};
use super::replay::failed;
use crate::error::CommitError;

/// What is under way.
pub(super) enum Stage {
    Claim,
    Recall,
    /// The rows that an earlier commit wrote are read; those of so many sets are.
    Read(usize),
    Record,
}

/// The table takes a key and does not show it.
fn not_kept() -> Error {
    let problem = "the idempotency key is not kept as it was written; look for a trigger, a rule or \
                   row-level security on its table";
    Error::QueryBuilderError(problem.into())
}

impl Protocol {
    pub(super) fn claim(&mut self) -> Action {
        self.state = State::Keyed(Stage::Claim);
        Action::Claim
    }

    pub(super) fn record(&mut self) -> Action {
        self.state = State::Keyed(Stage::Record);
        Action::Record
    }

    pub(super) fn keyed<S: SetCore + ?Sized>(
        &mut self,
        sets: &[(TypeId, Box<S>)],
        answer: Answer,
        stage: Stage,
    ) -> Action {
        match (stage, answer) {
            // What was written before is told even if its lease is over, so that comes after it.
            (Stage::Claim, Ok(1)) => self.check_lease(0),
            (Stage::Claim, Ok(_)) => {
                self.state = State::Keyed(Stage::Recall);
                Action::Recall
            }
            (Stage::Recall, Ok(1)) => self.read_again(sets, 0),
            (Stage::Recall, Ok(_)) => {
                let key = self.key.take().unwrap_or_default();
                self.roll_back(Then::Finish(CommitError::OtherPayload { key }))
            }
            // It has expired since: now it can be had.
            (Stage::Recall, Err(Error::NotFound)) if !self.expired => {
                self.expired = true;
                self.roll_back_to_start()
            }
            (Stage::Read(index), Ok(_)) => self.read_again(sets, index + 1),
            (Stage::Read(_), Err(error)) => self.roll_back(Then::Finish(error.into())),
            (Stage::Record, Ok(1)) => self.mark(),
            (Stage::Record, Ok(_)) => self.roll_back(Then::Finish(failed(not_kept()))),
            (Stage::Recall, Err(Error::NotFound)) => {
                self.roll_back(Then::Finish(failed(not_kept())))
            }
            (Stage::Claim | Stage::Recall | Stage::Record, Err(error)) => {
                self.roll_back(Then::Finish(failed(error)))
            }
        }
    }

    /// The rows that an earlier commit wrote are read, set by set.
    fn read_again<S: SetCore + ?Sized>(
        &mut self,
        sets: &[(TypeId, Box<S>)],
        index: usize,
    ) -> Action {
        match by_table(sets).get(index) {
            Some(&set) => {
                self.state = State::Keyed(Stage::Read(index));
                Action::ReadCurrent { set }
            }
            None => self.roll_back(Then::Replay),
        }
    }
}
