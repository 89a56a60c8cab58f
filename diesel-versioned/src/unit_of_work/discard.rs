//! Taking entities out of a unit, with the rows that were to be made from them.

use super::{Handle, SetCore, UnitOfWork};
use crate::conflicts::Conflicts;
use crate::entity::Versioned;

impl<C, V: SetCore + ?Sized> UnitOfWork<C, V> {
    fn forget(&mut self, set: usize, slot: u32) {
        self.sets[set].1.core().forget(slot);
        self.forget_children(set, slot);
    }

    /// Rows that were to be made from one that is forgotten are forgotten too.
    pub(super) fn forget_children(&mut self, set: usize, slot: u32) {
        let children: Vec<(usize, u32)> = self
            .links
            .iter()
            .filter(|link| (link.parent_set, link.parent_slot) == (set, slot))
            .map(|link| (link.child_set, link.child_slot))
            .collect();
        self.links.retain(|link| {
            (link.parent_set, link.parent_slot) != (set, slot)
                && (link.child_set, link.child_slot) != (set, slot)
        });
        for (set, slot) in children {
            self.forget(set, slot);
        }
    }
}

/// What [`UnitOfWork::discard`] takes: a [`Handle`], or [`Conflicts`].
pub trait Discard {
    #[doc(hidden)]
    #[track_caller]
    fn discard_from<C, V: SetCore + ?Sized>(self, uow: &mut UnitOfWork<C, V>);
}

impl<T: Versioned> Discard for Handle<T> {
    fn discard_from<C, V: SetCore + ?Sized>(self, uow: &mut UnitOfWork<C, V>) {
        let set = uow.owned_set(self);
        uow.forget(set, self.slot);
    }
}

impl Discard for &Conflicts {
    fn discard_from<C, V: SetCore + ?Sized>(self, uow: &mut UnitOfWork<C, V>) {
        for conflict in self.iter() {
            let Some((entity, unit, slot)) = conflict.place() else {
                continue;
            };
            let set = uow.sets.iter().position(|(other, _)| *other == entity);
            if let (true, Some(set)) = (unit == uow.id, set) {
                uow.forget(set, slot);
            }
        }
    }
}
