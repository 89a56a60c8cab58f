//! What a commit did, and how its effect in memory is taken back.

use std::any::Any;
use std::fmt;

use super::handle::UnitId;
use super::rows::{CommittedRows, Rows};
use super::{Handle, Hook, Link, SetCore, SetKind, UnitOfWork};
use crate::entity::Versioned;

/// What was done to a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Operation {
    /// It was inserted.
    Insert,
    /// Some of its columns were written. If that was only
    /// [bookkeeping](derive@crate::Versioned#bookkeeping), the old version of this copy is told as the
    /// new one too, for it did not move.
    Update,
    /// Only its version moved on.
    Touch,
    /// It was deleted, or [marked as deleted](derive@crate::Versioned#soft-deletion).
    Delete,
    /// It had been marked as deleted, and is so no longer. Other columns may have been written as well.
    Restore,
    /// It was deleted for good, whether it was marked as deleted before or not.
    Purge,
}

/// One row that a unit wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommittedChange {
    pub(super) table: &'static str,
    pub(super) key: String,
    pub(super) operation: Operation,
    pub(super) old_version: Option<String>,
    pub(super) new_version: Option<String>,
}

impl CommittedChange {
    /// The table of the row.
    pub fn table(&self) -> &'static str {
        self.table
    }

    /// The primary key, as text.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What was done.
    pub fn operation(&self) -> Operation {
        self.operation
    }

    /// The version that the row was at, as text; `None` for an insert, and where rows have no version.
    pub fn old_version(&self) -> Option<&str> {
        self.old_version.as_deref()
    }

    /// The version that the row is at now, as text; `None` for a row that is gone, and where
    /// rows have no version.
    pub fn new_version(&self) -> Option<&str> {
        self.new_version.as_deref()
    }
}

/// One row of a known entity type that a unit wrote; see [`Committed::of`].
#[derive(Debug)]
#[non_exhaustive]
pub struct CommittedRow<'a, T: Versioned> {
    /// The primary key.
    pub key: &'a T::Key,
    /// What was done.
    pub operation: Operation,
    /// The version that the row was at; `None` for an insert, and where rows have no version.
    pub old_version: Option<&'a T::Version>,
    /// The version that the row is at now; `None` for a row that is gone, and where rows have no version.
    pub new_version: Option<&'a T::Version>,
}

/// What [`commit`](UnitOfWork::commit) did: every row that was written, with its versions.
///
/// A commit inside a caller's transaction is only as durable as that transaction. Its
/// after-commit hooks are handed back here ([`run_hooks`](Committed::run_hooks)), and if the
/// caller rolls back, [`undo`](Committed::undo) takes the effect in memory back.
pub struct Committed {
    pub(super) unit: UnitId,
    pub(super) sequence: u64,
    pub(super) rows: Vec<Box<dyn CommittedRows>>,
    pub(super) hooks: Vec<Hook>,
    pub(super) nested: Option<Nested>,
    pub(super) replayed: bool,
}

/// What a unit had that a commit inside a caller's transaction took from it.
pub(super) struct Nested {
    pub(super) also: Box<dyn Any + Send>,
    pub(super) links: Vec<Link>,
    pub(super) replay: Box<dyn Any + Send>,
    /// What was to follow it and does not, for an earlier commit did it.
    pub(super) hooks: Vec<Hook>,
}

impl Committed {
    /// What an earlier commit did.
    pub(super) fn replayed(unit: UnitId, sequence: u64, rows: Vec<Box<dyn CommittedRows>>) -> Self {
        Self {
            unit,
            sequence,
            rows,
            hooks: Vec::new(),
            nested: None,
            replayed: true,
        }
    }

    /// Every row that was written: by entity type in the order in which the types joined the
    /// unit; within each deletes, updates, inserts.
    pub fn iter(&self) -> impl Iterator<Item = CommittedChange> + '_ {
        self.rows
            .iter()
            .flat_map(|rows| (0..rows.len()).filter_map(|index| rows.change(index)))
    }

    /// The rows of one entity type that were written: deletes, updates, inserts.
    pub fn of<T: Versioned>(&self) -> impl Iterator<Item = CommittedRow<'_, T>> {
        self.rows
            .iter()
            .filter_map(|rows| {
                let rows: &dyn Any = &**rows;
                rows.downcast_ref::<Rows<T>>()
            })
            .flat_map(|rows| &rows.rows)
            .map(|row| CommittedRow {
                key: &row.key,
                operation: row.operation,
                old_version: row.old_version.as_ref(),
                new_version: row.new_version.as_ref(),
            })
    }

    /// A row that was marked as deleted, as it stands there now.
    pub(crate) fn marked<T: Versioned>(&self, handle: Handle<T>) -> Option<&T> {
        self.rows.iter().find_map(|rows| {
            let rows: &dyn Any = &**rows;
            rows.downcast_ref::<Rows<T>>()?.marked.get(&handle.slot)
        })
    }

    /// How many rows were written.
    pub fn len(&self) -> usize {
        self.rows.iter().map(|rows| rows.len()).sum()
    }

    /// Whether nothing had to be written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the unit ran inside a caller's transaction, so that its work is not durable yet.
    pub fn is_nested(&self) -> bool {
        self.nested.is_some()
    }

    /// Whether nothing was written now, for an earlier commit under the same
    /// idempotency key has written it. The rows and versions are those of that commit.
    pub fn is_replayed(&self) -> bool {
        self.replayed
    }

    /// The transaction around the unit is committed: nothing can be undone, and its hooks run.
    pub(crate) fn settle(&mut self) {
        self.nested = None;
        self.run_hooks();
    }

    /// Runs the after-commit hooks of a unit that ran inside a caller's transaction; call it once
    /// that transaction is committed. Does nothing if there are none, or if they have run.
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
    /// let (sender, mails) = std::sync::mpsc::channel();
    /// let mut uow = UnitOfWork::new();
    /// let handle: Handle<Product> = uow.find(&mut conn, 1)?;
    /// uow[handle].stock = 0;
    /// uow.after_commit(move |done| drop(sender.send(done.len())));
    ///
    /// let mut done = conn.transaction(|conn| uow.commit(conn))?;
    /// assert!(done.is_nested() && mails.try_recv().is_err());
    /// done.run_hooks();
    /// assert_eq!(mails.try_recv()?, 1);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If a hook panics. The hooks after it do not run.
    pub fn run_hooks(&mut self) {
        for hook in std::mem::take(&mut self.hooks) {
            hook(self);
        }
    }

    /// Takes the effect in memory back, after the caller's transaction was rolled back: each
    /// entity that the commit changed is as it was just before it, dirty and at its old version,
    /// and what [`also`](UnitOfWork::also) and [`after_commit`](UnitOfWork::after_commit) were
    /// given belongs to the unit again, as does its idempotency key.
    ///
    /// # Errors
    ///
    /// [`UndoError`] if the work is durable, belongs to another unit, or is not the last that the
    /// unit did. Nothing is changed then.
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
    /// use diesel::result::Error::RollbackTransaction;
    ///
    /// let mut uow = UnitOfWork::new();
    /// let handle: Handle<Product> = uow.find(&mut conn, 1)?;
    /// uow[handle].stock = 3;
    ///
    /// let mut done = None;
    /// let result = conn.transaction::<(), CommitError, _>(|conn| {
    ///     done = Some(uow.commit(conn)?);
    ///     Err(RollbackTransaction.into()) // something else went wrong
    /// });
    /// assert!(result.is_err());
    /// assert_eq!(uow[handle].version, 2); // as if it were written
    ///
    /// done.ok_or("it was committed")?.undo(&mut uow)?;
    /// assert_eq!((uow[handle].stock, uow[handle].version), (3, 1));
    /// assert!(uow.is_dirty(handle));
    /// assert_eq!(uow.commit(&mut conn)?.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn undo<C, V: SetCore + SetKind + ?Sized>(
        self,
        uow: &mut UnitOfWork<C, V>,
    ) -> Result<(), UndoError>
    where
        V::Also: 'static,
        V::Store: 'static,
    {
        let nested = match self.nested {
            Some(nested) => nested,
            None => return Err(UndoError::Durable),
        };
        if self.unit != uow.id {
            return Err(UndoError::OtherUnit);
        }
        if self.sequence != uow.sequence {
            return Err(UndoError::NotTheLast);
        }
        for (rows, set) in self.rows.into_iter().zip(&mut uow.sets) {
            rows.undo(set.1.core());
        }
        if let Ok(also) = nested.also.downcast() {
            let later = std::mem::replace(&mut uow.also, *also);
            uow.also.extend(later);
        }
        if let (None, Ok(replay)) = (&uow.replay, nested.replay.downcast()) {
            uow.replay = *replay;
        }
        let later = std::mem::replace(&mut uow.links, nested.links);
        uow.links.extend(later);
        let later = std::mem::replace(&mut uow.hooks, self.hooks);
        uow.hooks.extend(nested.hooks);
        uow.hooks.extend(later);
        uow.sequence -= 1;
        Ok(())
    }
}

impl<'a> IntoIterator for &'a Committed {
    type Item = CommittedChange;
    type IntoIter = Box<dyn Iterator<Item = CommittedChange> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

impl fmt::Debug for Committed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Why [`Committed::undo`] did nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UndoError {
    /// The unit committed a transaction of its own.
    #[error("the unit is committed and durable; write the old values again to undo it")]
    Durable,
    /// It is the work of another unit.
    #[error("this is the work of another unit; undo it there")]
    OtherUnit,
    /// The unit has committed again since.
    #[error("the unit has committed again since; undo that first")]
    NotTheLast,
}
