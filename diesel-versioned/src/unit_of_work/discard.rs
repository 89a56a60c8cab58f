//! Taking entities out of a unit, with the rows that were to be made from them.

use std::collections::HashSet;

use super::{Handle, SetCore, SetKind, UnitOfWork};
use crate::conflicts::Conflicts;
use crate::entity::Versioned;

impl<C, V: SetCore + SetKind + ?Sized> UnitOfWork<C, V> {
    /// Takes an entity out of the unit, or, given [`Conflicts`](crate::Conflicts), everything that
    /// conflicted, with the inserts that were to take the place of rows whose deletion conflicted.
    /// Rows that were to be made from it ([`insert_with`](UnitOfWork::insert_with)) go with it.
    /// Nothing is written for them; the rest of the unit can be committed. The handle is dead
    /// afterwards: to apply a change again, [`find`](UnitOfWork::find) the row anew. What was to be
    /// [overwritten](UnitOfWork::overwrite) is not, and is not recorded.
    ///
    /// ```
    /// # use diesel_versioned::prelude::*;
    /// # fn again<T: Versioned>(
    /// #     uow: &mut UnitOfWork<diesel::SqliteConnection>,
    /// #     conn: &mut diesel::SqliteConnection,
    /// # ) -> Result<(), CommitError> {
    /// if let Err(CommitError::Conflicts(conflicts)) = uow.commit(conn) {
    ///     uow.discard(&conflicts);
    ///     uow.commit(conn)?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If a handle is of another unit. Conflicts of another unit are ignored.
    #[track_caller]
    pub fn discard<D: Discard>(&mut self, what: D) {
        what.discard_from(self);
    }

    /// Entities are taken out, and the rows that were to be made from them.
    pub(super) fn forget_all(&mut self, places: HashSet<(usize, u32)>) {
        for &(set, slot) in &places {
            self.sets[set].1.core().forget(slot);
        }
        self.forget_children(places);
    }

    /// Rows that were to be made from some that are forgotten are forgotten too.
    pub(super) fn forget_children(&mut self, mut gone: HashSet<(usize, u32)>) {
        // A link is made after its parent's, so one pass is enough.
        for link in &self.links {
            let child = (link.child_set, link.child_slot);
            if gone.contains(&(link.parent_set, link.parent_slot)) && gone.insert(child) {
                self.sets[link.child_set].1.core().forget(link.child_slot);
            }
        }
        self.links
            .retain(|link| !gone.contains(&(link.child_set, link.child_slot)));
    }
}

/// What [`UnitOfWork::discard`] takes: a [`Handle`], or [`Conflicts`].
pub trait Discard {
    #[doc(hidden)]
    #[track_caller]
    fn discard_from<C, V: SetCore + SetKind + ?Sized>(self, uow: &mut UnitOfWork<C, V>);
}

impl<T: Versioned> Discard for Handle<T> {
    fn discard_from<C, V: SetCore + SetKind + ?Sized>(self, uow: &mut UnitOfWork<C, V>) {
        let set = uow.owned_set(self);
        uow.forget_all(HashSet::from([(set, self.slot)]));
    }
}

impl Discard for &Conflicts {
    fn discard_from<C, V: SetCore + SetKind + ?Sized>(self, uow: &mut UnitOfWork<C, V>) {
        let places = self.iter().filter_map(|conflict| {
            let (entity, unit, slot) = conflict.place()?;
            let set = uow.sets.iter().position(|(other, _)| *other == entity)?;
            (unit == uow.id).then_some((set, slot))
        });
        let mut places: HashSet<(usize, u32)> = places.collect();
        let replacements: Vec<(usize, u32)> = places
            .iter()
            .filter_map(|&(set, slot)| Some((set, uow.sets[set].1.core_ref().replacement(slot)?)))
            .collect();
        places.extend(replacements);
        uow.forget_all(places);
    }
}
