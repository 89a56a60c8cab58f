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
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)")?;
    /// let mut uow = UnitOfWork::new();
    /// let tea: Handle<Product> = uow.find(&mut conn, 1)?;
    /// let milk: Handle<Product> = uow.find(&mut conn, 2)?;
    /// uow[tea].stock -= 3;
    /// uow[milk].stock += 3;
    ///
    /// Product::find(&mut conn, 1)?.touch(&mut conn)?; // someone else
    /// if let Err(CommitError::Conflicts(conflicts)) = uow.commit(&mut conn) {
    ///     uow.discard(&conflicts);
    ///     uow.commit(&mut conn)?;
    /// }
    /// assert!(uow.get(tea).is_none());
    /// assert_eq!((uow[milk].stock, uow[milk].version), (3, 2));
    /// assert_eq!(Product::find(&mut conn, 1)?.stock, 10);
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
