//! What a set has to write is planned, slot by slot, and grouped into statements of one kind.

use std::collections::HashMap;
use std::ops::Range;

use super::order::Operation;
use super::set::Set;
use super::slot::{Need, Slot, State};
use super::work::{Group, Planned, PlannedInsert, Work};
use crate::columns::ColumnSet;
use crate::entity::Versioned;
use crate::error::CommitError;
use crate::guard::{self, Check};
use crate::outcome;
use crate::soft_delete::{mark_columns, unmarked};
use crate::statement::Next;
use crate::version::Moment;

impl<T: Versioned> Set<T> {
    /// Looks at every slot and plans what has to be written, and each new version; `levels` says
    /// which inserts need others first.
    pub(super) fn prepare(
        &mut self,
        levels: &HashMap<u32, u32>,
        moment: &Moment,
    ) -> Result<(), CommitError> {
        let mut work = Work::default();
        for (index, slot) in self.slots.iter() {
            let need = slot.need();
            if need != Need::Nothing || slot.base.is_some() {
                self.check_key(index, slot)?;
            }
            match need {
                Need::Nothing => {}
                Need::Check => work.checks.push(index),
                Need::Delete if T::MARK.is_none() || slot.purge => work.deletes.push(index),
                Need::Delete => {
                    let Some(mine) = &slot.mine else { continue };
                    let marked = outcome::remarked(mine, true, moment)?;
                    work.marked.insert(index, marked);
                    work.marks.push(Planned {
                        slot: index,
                        columns: mark_columns::<T>(),
                        guard: guard::of_row::<T>(),
                        next: outcome::next_version(mine, T::VERSION_COLUMNS, moment)?,
                    });
                }
                Need::Insert => {
                    if let Some(unmarked) = slot.mine.as_ref().and_then(unmarked) {
                        work.staged.insert(index, unmarked);
                    }
                    work.inserts.push(PlannedInsert {
                        level: levels.get(&index).copied().unwrap_or(0),
                        slot: index,
                        initial: outcome::initial_version(slot.mine.as_ref(), moment)?,
                    });
                }
                Need::Update(change) => {
                    let Some(mine) = &slot.mine else { continue };
                    let is_known = slot.loaded().is_some() && !(slot.touch || slot.touched);
                    if T::CHECK != Check::Version && !is_known {
                        return Err(outcome::no_version_column(mine).into());
                    }
                    if slot.restore {
                        let unmarked = outcome::remarked(mine, false, moment)?;
                        work.marked.insert(index, unmarked);
                    }
                    work.updates.push(Planned {
                        slot: index,
                        columns: change.columns,
                        guard: change.guard,
                        next: outcome::next_version(mine, change.moving, moment)?,
                    });
                }
                Need::Unguarded { columns, check } => {
                    if check {
                        work.checks.push(index);
                    }
                    work.updates.push(Planned {
                        slot: index,
                        columns,
                        guard: ColumnSet::EMPTY,
                        next: Next::Unguarded,
                    });
                }
            }
        }
        work.updates
            .sort_by_cached_key(|planned| (planned.kind(), self.key_of(planned.slot)));
        work.deletes.sort_by_cached_key(|&slot| self.key_of(slot));
        work.marks
            .sort_by_cached_key(|planned| self.key_of(planned.slot));
        let marks = work.marks.iter().map(|planned| planned.slot);
        work.deletes.splice(0..0, marks);
        work.checks.sort_by_cached_key(|&slot| self.key_of(slot));
        work.inserts.sort_by_key(|insert| insert.level);
        self.work = work;
        Ok(())
    }

    /// An entity must still be the row that it was when it joined the unit.
    fn check_key(&self, index: u32, slot: &Slot<T>) -> Result<(), CommitError> {
        let Some(mine) = &slot.mine else {
            return Ok(());
        };
        let same = match (&slot.base, slot.state) {
            (Some(base), _) => base.key() == mine.key(),
            (None, State::New) if T::key_is_generated() => true,
            (None, State::New | State::Whole) => self.by_key.get(&mine.key()) == Some(&index),
            (None, _) => true,
        };
        if same {
            Ok(())
        } else {
            Err(CommitError::Invalid {
                table: T::TABLE,
                key: format!("{:?}", mine.key()),
                problem: "the key was changed after the entity joined the unit; \
                          delete the old row and insert the new one",
            })
        }
    }

    /// The planned rows, by kind.
    pub(super) fn groups(&self) -> Vec<Group> {
        let mut groups = Vec::new();
        let nothing = ColumnSet::EMPTY;
        let mut cut = |operation, columns, guard, rows: Range<usize>| {
            if !rows.is_empty() {
                groups.push(Group {
                    operation,
                    columns,
                    guard,
                    rows,
                });
            }
        };
        let marks = self.work.marks.len();
        let of_row = guard::of_row::<T>();
        cut(Operation::Delete, mark_columns::<T>(), of_row, 0..marks);
        let purges = marks..self.work.deletes.len();
        cut(Operation::Delete, nothing, of_row, purges);
        let mut start = 0;
        for run in self.work.updates.chunk_by(|a, b| a.kind() == b.kind()) {
            let rows = start..start + run.len();
            cut(Operation::Update, run[0].columns, run[0].guard, rows);
            start += run.len();
        }
        let mut start = 0;
        for run in self.work.inserts.chunk_by(|a, b| a.level == b.level) {
            let operation = Operation::Insert {
                level: run[0].level,
            };
            cut(operation, nothing, nothing, start..start + run.len());
            start += run.len();
        }
        groups
    }
}
