//! Rows that were locked join a unit, and those that it has already are compared.

use super::slot::State;
use super::{Handle, Holds, SetCore, SetKind, UnitOfWork};
use crate::conflict::{Conflict, ConflictKind};
use crate::conflicts::{AnyConflict, Conflicts};
use crate::entity::Versioned;
use crate::error::{CommitError, LockError};
use crate::guard;
use crate::lock::{Locked, Wait, entity};
use crate::telling;

/// The handles of rows that were locked.
pub(crate) struct Taken<T: Versioned> {
    handles: Vec<Handle<T>>,
    /// Why there is none for a row, if there is none.
    missing: Option<LockError>,
}

impl<T: Versioned> Taken<T> {
    /// The one of the row that was asked for alone.
    pub(crate) fn one(self, asked: &[T::Key]) -> Result<Handle<T>, CommitError> {
        match (self.handles.into_iter().next(), self.missing) {
            (Some(handle), _) => Ok(handle),
            (None, Some(error)) => Err(error.into()),
            (None, None) => Err(not_found::<T>(asked).into()),
        }
    }

    /// Those of all that were had.
    pub(crate) fn all(self) -> Vec<Handle<T>> {
        self.handles
    }
}

fn not_found<T: Versioned>(asked: &[T::Key]) -> LockError {
    LockError::NotFound {
        entity: entity::<T>(asked),
    }
}

impl<C, V: SetCore + SetKind + ?Sized> UnitOfWork<C, V> {
    /// Fails if the unit has plans for one of the rows by which there is nothing to lock.
    pub(crate) fn lockable<T: Versioned>(&self, keys: &[T::Key]) -> Result<(), CommitError> {
        for key in keys {
            match self.known::<T>(key) {
                Ok(Some(handle)) if self.inserts(handle) => {
                    return Err(CommitError::Invalid {
                        table: T::TABLE,
                        key: format!("{key:?}"),
                        problem: "this unit inserts the row, so there is none yet that could be \
                                  locked; commit it first",
                    });
                }
                Ok(_) => {}
                Err(_deleted) => return Err(not_found::<T>(std::slice::from_ref(key)).into()),
            }
        }
        Ok(())
    }

    fn inserts<T: Versioned>(&self, handle: Handle<T>) -> bool {
        self.set::<T>()
            .and_then(|set| set.slots.get(handle.slot))
            .is_some_and(|slot| slot.state == State::New)
    }

    /// Takes rows in that were locked; all of them, or none if one that the unit has is stale.
    pub(crate) fn take_locked<T: Versioned>(
        &mut self,
        asked: &[T::Key],
        locked: Locked<T>,
        wait: Wait,
    ) -> Result<Taken<T>, CommitError>
    where
        V: Holds<T>,
    {
        let mut all: Vec<(T::Key, Box<dyn AnyConflict>)> = Vec::new();
        let mut missing = None;
        for key in asked {
            let row = locked.get(key);
            match self.tracked(key, row) {
                Some(_) if row.is_none() && locked.was_skipped(key) => {
                    missing = missing.or_else(|| Some(locked.why_not(key)));
                }
                Some(handle) => {
                    let twice = all.iter().any(|(known, _)| known == key);
                    if let Some(conflict) = self.stale(handle, row).filter(|_| !twice) {
                        all.push((key.clone(), Box::new(conflict)));
                    }
                }
                None if locked.alive(key).is_none() => {
                    missing = missing.or_else(|| Some(locked.why_not(key)));
                }
                None => {}
            }
        }
        if !all.is_empty() {
            all.sort_by(|(one, _), (other, _)| one.cmp(other));
            let all: Vec<_> = all.into_iter().map(|(_, conflict)| conflict).collect();
            for conflict in &all {
                telling::conflict(&**conflict);
            }
            return Err(Conflicts { all }.into());
        }
        match missing {
            Some(error) if wait != Wait::SkipLocked => return Err(error.into()),
            _ => {}
        }
        let mut handles = Vec::with_capacity(asked.len());
        for key in asked {
            let Some(row) = locked.get(key) else {
                continue;
            };
            handles.push(match self.tracked(key, Some(row)) {
                Some(handle) => handle,
                None if row.is_deleted() => continue,
                None => self.attach(row.clone())?,
            });
        }
        Ok(Taken { handles, missing })
    }

    /// The entity that stands for a row. A database that does not tell `a` from `A` may find one that
    /// is known by another spelling of its key.
    fn tracked<T: Versioned>(&self, key: &T::Key, row: Option<&T>) -> Option<Handle<T>> {
        let by_row = || self.known(&row?.key()).ok().flatten();
        self.known(key).ok().flatten().or_else(by_row)
    }

    /// The conflict of an entity whose row is not at its version.
    fn stale<T: Versioned>(&self, handle: Handle<T>, row: Option<&T>) -> Option<Conflict<T>> {
        let slot = self.set::<T>()?.slots.get(handle.slot)?;
        let verdict = slot.verdict(guard::of_row::<T>(), row)?;
        if verdict.kind == ConflictKind::Refused {
            return None;
        }
        let mine = slot.mine.as_ref()?;
        Some(slot.conflict(mine, verdict, row.cloned(), (self.id, handle.slot)))
    }
}
