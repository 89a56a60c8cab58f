//! Merging an entity inside its unit: it stands on the current row afterwards.

use super::slot::{Slot, State};
use super::{Handle, SetCore, SetKind, UnitOfWork};
use crate::conflict::Conflict;
use crate::entity::Versioned;
use crate::unmergeable::{Unmergeable, Why};

impl<C, V: SetCore + SetKind + ?Sized> UnitOfWork<C, V> {
    /// Merges an entity that is in conflict by a rule, inside this unit, which can then be committed
    /// again: [`T::merge`](crate::Merge::merge), or a closure that is given base, mine and theirs.
    /// Mine is the entity as the unit has it now.
    ///
    /// The current row becomes its base and the merged state mine, so the next commit writes what
    /// differs from the current row, guarded by its version; nothing, if nothing differs.
    /// [`touch`](UnitOfWork::touch) stays. An entity that was given to [`save`](UnitOfWork::save)
    /// has no base, unless the conflict was given one by [`with_base`](Conflict::with_base).
    ///
    /// A rule sees one row. What the unit decided by comparing rows is not decided again.
    ///
    /// # Errors
    ///
    /// [`Unmergeable`]: what the rule says; or, without asking it, what [`Conflict::resolve`] does,
    /// and if the unit is to delete the entity or
    /// [expects it to be unchanged](UnitOfWork::expect_unchanged), if the unit has gone on since, or
    /// if the conflict is not one of this unit. The unit is as it was then.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     articles (id) { id -> Integer, title -> Text, body -> Text, version -> Integer }
    /// # }
    /// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// #[diesel(table_name = articles)]
    /// #[versioned(merge(independent(title, body)))]
    /// struct Article {
    ///     id: i32,
    ///     title: String,
    ///     body: String,
    ///     #[version]
    ///     version: i32,
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE articles (id INTEGER PRIMARY KEY, title TEXT NOT NULL,
    /// #     body TEXT NOT NULL, version INTEGER NOT NULL);
    /// #     INSERT INTO articles VALUES (1, 'Tea', 'Leaves.', 1)")?;
    /// let mut uow = UnitOfWork::new();
    /// let tea: Handle<Article> = uow.find(&mut conn, 1)?;
    /// uow[tea].title = "On tea".to_owned();
    ///
    /// let mut theirs = Article::find(&mut conn, 1)?; // someone else
    /// theirs.body = "Leaves and water.".to_owned();
    /// theirs.save(&mut conn)?;
    ///
    /// while let Err(CommitError::Conflicts(conflicts)) = uow.commit(&mut conn) {
    ///     for conflict in conflicts.of::<Article>() {
    ///         uow.resolve(conflict, Article::merge)?;
    ///     }
    /// }
    /// assert_eq!((&*uow[tea].title, &*uow[tea].body), ("On tea", "Leaves and water."));
    /// assert_eq!(uow[tea].version, 3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn resolve<T: Versioned>(
        &mut self,
        conflict: &Conflict<T>,
        rule: impl FnOnce(&T, &T, T) -> Result<T, Unmergeable>,
    ) -> Result<Handle<T>, Unmergeable> {
        let unit = self.id;
        conflict
            .handle()
            .filter(|handle| handle.unit == unit)
            .and_then(|handle| {
                let set = self.set_mut::<T>()?;
                let slot = set.slots.get_mut(handle.slot)?;
                (slot.state != State::Gone).then_some((handle, slot, &mut set.overwrites))
            })
            .ok_or_else(|| conflict.unmergeable(Why::UnknownHandle))
            .and_then(|(handle, slot, overwrites)| {
                slot.rebase(conflict, rule)?;
                // It was to be overwritten once; now it is merged.
                overwrites.remove(&handle.slot);
                Ok(handle)
            })
    }
}

impl<T: Versioned> Slot<T> {
    /// Puts the entity on the current row: that is its base, and mine is what the rule makes.
    fn rebase(
        &mut self,
        conflict: &Conflict<T>,
        rule: impl FnOnce(&T, &T, T) -> Result<T, Unmergeable>,
    ) -> Result<(), Unmergeable> {
        let same = |mine: &&T| mine.key() == conflict.key && mine.version() == conflict.expected;
        let why = match (self.state, self.mine.as_ref().filter(same)) {
            (State::New, _) => Why::Refused,
            (_, None) => Why::Outdated,
            (State::Deleted, _) => Why::Delete,
            _ if self.check => Why::ExpectUnchanged,
            (_, Some(mine)) => {
                let base = conflict.base();
                let merged = conflict.merge(base, mine, rule)?;
                let mut current = conflict.current().cloned();
                if let Some(current) = &mut current {
                    current.copy_key(mine);
                }
                // If they have restored it, there is nothing to do.
                self.restore &= current.as_ref().is_some_and(T::is_deleted);
                self.base = current;
                self.mine = Some(merged);
                self.state = State::Loaded;
                self.read = true;
                return Ok(());
            }
        };
        Err(conflict.unmergeable(why))
    }
}
