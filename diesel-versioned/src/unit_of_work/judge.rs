//! What the count of a step says: all is written, or some rows came short.

use std::any::TypeId;

use super::SetCore;
use super::plan::Step;
use super::protocol::Protocol;
use crate::error::{CommitError, EntityRef};
use crate::outcome::{Matched, matched};
use crate::telling;

impl Protocol {
    /// Whether the rows that a step has inserted could not be told apart, and it is worth a second
    /// try: nothing else has failed.
    pub(super) fn inserts_alone<S: SetCore + ?Sized>(
        &self,
        index: usize,
        sets: &mut [(TypeId, Box<S>)],
    ) -> bool {
        match &self.steps[index] {
            Step::Write { set, .. } if self.short.is_empty() && !self.moved => {
                sets[*set].1.core().inserts_alone()
            }
            Step::Write { .. } | Step::Lock { .. } | Step::Resolve { .. } => false,
        }
    }

    pub(super) fn judge<S: SetCore + ?Sized>(
        &mut self,
        index: usize,
        count: usize,
        sets: &[(TypeId, Box<S>)],
    ) -> Result<(), CommitError> {
        let (set, meant) = match &self.steps[index] {
            Step::Resolve { .. } => return Ok(()),
            Step::Lock { set, .. } => (*set, sets[*set].1.core_ref().checks()),
            Step::Write { set, group } => {
                let table = sets[*set].1.core_ref().kinship().table.name;
                telling::batch(table, group.operation.name(), group.len(), count);
                (*set, group.len())
            }
        };
        match (matched(count, meant), &self.steps[index]) {
            (Matched::All, Step::Write { group, .. }) => {
                sets[set].1.core_ref().judge_read_back(group)?;
            }
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

    pub(super) fn entity<S: SetCore + ?Sized>(
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
}
