//! After a lost write: what stands there now says which rows are in conflict.

use std::collections::HashMap;
use std::sync::Arc;

use diesel::result::Error;

use super::handle::UnitId;
use super::order::Operation;
use super::set::Set;
use super::work::Group;
use crate::columns::ColumnSet;
use crate::conflict::ConflictKind;
use crate::conflicts::AnyConflict;
use crate::entity::Versioned;
use crate::outcome::Verdict;
use crate::statement::Next;

impl<T: Versioned> Set<T> {
    /// Takes the rows as they stand in the database after a lost write. Once rows were tried again,
    /// only those that were not written are still as others see them.
    pub(crate) fn see_current(&mut self, rows: Vec<(T::Key, T)>) {
        let mut rows: HashMap<T::Key, T> = rows.into_iter().collect();
        if self.work.refused.is_empty() {
            self.work.current = rows;
            return;
        }
        for slot in &self.work.refused {
            let mine = self.slots.get(*slot).and_then(|slot| slot.mine.as_ref());
            let Some(key) = mine.map(T::key) else {
                continue;
            };
            match rows.remove(&key) {
                Some(row) => self.work.current.insert(key, row),
                None => self.work.current.remove(&key),
            };
        }
    }

    /// Notes that the database did not write a single row.
    pub(super) fn note_refused(&mut self, single: &Group) {
        let slots: Vec<u32> = self.slots_of(single).collect();
        self.work.refused.extend(slots);
    }

    /// How many rows of a group are at another version, or gone.
    pub(super) fn stale_in(&self, group: &Group) -> usize {
        match group.operation {
            Operation::Insert { .. } => 0,
            _ => self
                .slots_of(group)
                .filter_map(|slot| self.verdict(slot))
                .filter(|verdict| verdict.kind != ConflictKind::Refused)
                .count(),
        }
    }

    /// What stands there says that the row is in conflict; `Refused` if it says nothing.
    fn verdict(&self, slot: u32) -> Option<Verdict> {
        let slot = self.slots.get(slot)?;
        let mine = slot.mine.as_ref()?;
        let current = self.work.current.get(&mine.key());
        slot.verdict(slot.need().guard::<T>(), current)
    }

    /// The conflicts, by key: whatever is stale or gone, and what the database held back.
    pub(super) fn conflicts(
        &self,
        unit: UnitId,
        cause: Option<&Arc<Error>>,
    ) -> Vec<Box<dyn AnyConflict>> {
        let mut slots: Vec<u32> = self.existing(false).collect();
        slots.sort_by_cached_key(|&slot| self.key_of(slot));
        slots.dedup();
        let existing = slots.into_iter().filter_map(|slot| {
            let verdict = self.verdict(slot)?;
            let held_back = self.work.refused.contains(&slot);
            let is_conflict = verdict.kind != ConflictKind::Refused || held_back;
            is_conflict.then_some((slot, verdict, None))
        });
        let held_back = Verdict {
            kind: ConflictKind::Refused,
            moved: ColumnSet::EMPTY,
        };
        let inserts = self.work.inserts.iter().filter_map(|insert| {
            let is_held_back = self.work.refused.contains(&insert.slot);
            is_held_back.then_some((insert.slot, held_back, Some(&insert.initial)))
        });
        existing
            .chain(inserts)
            .filter_map(|(index, verdict, initial)| {
                let mine = self.value(index)?;
                let slot = self.slots.get(index)?;
                let current = match initial {
                    Some(_) => None,
                    None => self.work.current.get(&mine.key()).cloned(),
                };
                let mut conflict = slot.conflict(mine, verdict, current, (unit, index));
                conflict.source = cause.cloned();
                if let Some(Next::Is(initial)) = initial {
                    conflict.expected = initial.clone();
                }
                Some(Box::new(conflict) as Box<dyn AnyConflict>)
            })
            .collect()
    }
}
