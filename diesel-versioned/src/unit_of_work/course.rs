//! The unit's side of a commit: it starts, makes rows from others, succeeds or fails.

use diesel::QueryResult;

use super::protocol::Protocol;
use super::{Committed, Handle, Holds, Link, SetCore, SetKind, UnitOfWork, committed, plan};
use crate::backend::Dialect;
use crate::entity::Versioned;
use crate::error::CommitError;
use crate::telling;

impl<C, V: SetCore + SetKind + ?Sized> UnitOfWork<C, V> {
    /// Takes in copies of entities that are saved as whole rows.
    pub(crate) fn save_slice<T: Versioned>(
        &mut self,
        entities: &[T],
    ) -> Result<Vec<Handle<T>>, CommitError>
    where
        V: Holds<T>,
    {
        entities
            .iter()
            .map(|entity| {
                self.save(entity.clone()).map_err(|_| CommitError::Invalid {
                    table: T::TABLE,
                    key: format!("{:?}", entity.key()),
                    problem: "the slice holds this row twice; save each row once",
                })
            })
            .collect()
    }

    /// The course of the next commit.
    pub(crate) fn start<DB: Dialect>(&mut self, nested: bool) -> Result<Protocol, CommitError> {
        self.terms.check::<DB>(nested)?;
        let steps = plan::plan(&mut self.sets, &mut self.links, DB::ROW_LOCKS)?;
        self.say_payload();
        let key = self.replay.as_ref().map(|replay| replay.key.to_string());
        self.see_overwrites();
        self.may_write(&steps)?;
        let also = self.recorded.len() + self.also.len();
        let leases = self.leases.len();
        Ok(Protocol::new(self.id, steps, also, nested, key).under(leases))
    }

    /// Makes the rows of one level that refer to others of this unit.
    pub(crate) fn make_linked(&mut self, set: usize, level: u32) -> QueryResult<()> {
        for link in &mut self.links {
            if (link.child_set, link.level) != (set, level) {
                continue;
            }
            let parent = self.sets[link.parent_set]
                .1
                .core_ref()
                .value(link.parent_slot);
            if let Some(row) = parent.and_then(|parent| (link.make)(parent)) {
                self.sets[set].1.core().stage(link.child_slot, row);
            }
        }
        let made = |link: &&Link| (link.child_set, link.level) == (set, level);
        let mut made = self.links.iter().filter(made);
        made.try_for_each(|link| self.check_made(link))
    }

    /// Everything is written: brings memory to what is in the database.
    pub(crate) fn succeed(&mut self, nested: bool) -> Committed
    where
        V::Also: 'static,
        V::Store: 'static,
    {
        let mut replay = self.replay.take();
        if let Some(replay) = &mut replay {
            replay.ended();
        }
        if let Some(recalled) = replay.as_mut().and_then(|replay| replay.recalled.take())
            && let Some(replay) = replay.take()
        {
            return self.replay(recalled, replay, nested);
        }
        self.sequence += 1;
        for (_, overwrite) in std::mem::take(&mut self.recorded) {
            telling::overwrite(&overwrite);
        }
        if !nested {
            // What they were for is done.
            self.audits.clear();
        }
        let rows = self
            .sets
            .iter_mut()
            .map(|(_, set)| set.core().apply(nested))
            .collect();
        let also = std::mem::take(&mut self.also);
        let links = std::mem::take(&mut self.links);
        Committed {
            unit: self.id,
            sequence: self.sequence,
            rows,
            hooks: std::mem::take(&mut self.hooks),
            nested: nested.then(|| committed::Nested {
                also: Box::new(also),
                links,
                replay: Box::new(replay),
                hooks: Vec::new(),
            }),
            replayed: false,
        }
    }

    /// Nothing is written: forgets what was planned.
    pub(crate) fn fail(&mut self) {
        self.recorded.clear();
        for (_, set) in &mut self.sets {
            set.core().abandon();
        }
    }
}
