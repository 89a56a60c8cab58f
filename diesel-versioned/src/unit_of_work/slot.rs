//! One tracked entity, and the storage of all that are of one type.

use super::handle::UnitId;
use crate::columns::ColumnSet;
use crate::conflict::{Conflict, ConflictKind};
use crate::entity::Versioned;
use crate::guard;
use crate::outcome::{Verdict, Wanted, classify};
use crate::soft_delete::mark_columns;

/// What is to become of a tracked entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// It was read; what was changed is written.
    Loaded,
    /// It was edited elsewhere; the whole row is written.
    Whole,
    /// It is inserted.
    New,
    /// It is deleted.
    Deleted,
    /// It is no longer part of the unit.
    Gone,
}

/// One tracked entity.
#[derive(Clone)]
pub(super) struct Slot<T> {
    /// As I changed it; `None` for a row that can be made only when the unit runs.
    pub(super) mine: Option<T>,
    /// As it was loaded; kept from the first change on.
    pub(super) base: Option<T>,
    pub(super) state: State,
    /// It was read from the database, so it is known what it was.
    pub(super) read: bool,
    /// The version is to move on even if nothing changed.
    pub(super) touch: bool,
    /// The same, because a child of it is written; known once the commit is planned.
    pub(super) touched: bool,
    /// The version must not have moved, even if nothing changed.
    pub(super) check: bool,
    /// Its mark of deletion is to be taken from it.
    pub(super) restore: bool,
    /// If it is deleted, then for good, whether it has a mark of deletion or not.
    pub(super) purge: bool,
}

/// What a unit has to do for one entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    Nothing,
    Check,
    Update(Change),
    /// Only bookkeeping changed: it is written unguarded, and the version may be checked as well.
    Unguarded {
        columns: ColumnSet,
        check: bool,
    },
    Delete,
    Insert,
}

/// A guarded update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Change {
    /// What is written.
    pub(super) columns: ColumnSet,
    /// What is compared.
    pub(super) guard: ColumnSet,
    /// The versions that move on.
    pub(super) moving: ColumnSet,
}

impl Need {
    /// What is compared.
    pub(super) fn guard<T: Versioned>(self) -> ColumnSet {
        match self {
            Self::Update(change) => change.guard,
            Self::Check | Self::Unguarded { check: true, .. } | Self::Delete => {
                guard::of_row::<T>()
            }
            Self::Nothing | Self::Unguarded { check: false, .. } | Self::Insert => ColumnSet::EMPTY,
        }
    }
}

impl<T: Versioned> Slot<T> {
    pub(super) fn new(mine: Option<T>, state: State) -> Self {
        Self {
            mine,
            base: None,
            state,
            read: state == State::Loaded,
            touch: false,
            touched: false,
            check: false,
            restore: false,
            purge: false,
        }
    }

    /// The entity, for a reader.
    pub(super) fn get(&self) -> Option<&T> {
        match self.state {
            State::Gone => None,
            _ => self.mine.as_ref(),
        }
    }

    /// The entity, for someone who may change it: the state as it was loaded is kept from here.
    pub(super) fn get_mut(&mut self) -> Option<&mut T> {
        match self.state {
            State::Gone => return None,
            State::Loaded | State::Deleted if self.read && self.base.is_none() => {
                self.base.clone_from(&self.mine);
            }
            _ => {}
        }
        self.mine.as_mut()
    }

    /// What has to be done; the same entity may have been changed, touched and checked.
    pub(super) fn need(&self) -> Need {
        match self.state {
            State::Gone => Need::Nothing,
            State::New => Need::Insert,
            State::Deleted => Need::Delete,
            State::Whole => Need::Update(self.change(T::UPDATABLE, self.mark())),
            State::Loaded => {
                let changed = match (&self.mine, &self.base) {
                    (Some(mine), Some(base)) => mine.changed(base),
                    _ => ColumnSet::EMPTY,
                };
                let guarded = changed.and(T::UPDATABLE);
                let unguarded = changed.and(T::UNGUARDED);
                if self.touch || self.touched || self.restore || !guarded.is_empty() {
                    Need::Update(self.change(guarded, unguarded.or(self.mark())))
                } else if !unguarded.is_empty() {
                    Need::Unguarded {
                        columns: unguarded,
                        check: self.check,
                    }
                } else if self.check {
                    Need::Check
                } else {
                    Need::Nothing
                }
            }
        }
    }

    /// An update of guarded columns, and of others.
    fn change(&self, guarded: ColumnSet, unguarded: ColumnSet) -> Change {
        let moving = if self.touch || self.touched || self.restore {
            guard::of_row::<T>()
        } else {
            guard::of_update::<T>(guarded)
        };
        Change {
            columns: guarded.or(unguarded),
            guard: if self.check {
                guard::of_row::<T>()
            } else {
                moving
            },
            moving: moving.and(T::VERSION_COLUMNS),
        }
    }

    /// Whether the row will be gone when it is deleted here.
    pub(super) fn goes(&self) -> bool {
        self.state == State::Deleted && (T::MARK.is_none() || self.purge)
    }

    /// Whether the row was marked as deleted when it joined the unit, and still is to be.
    pub(super) fn is_marked(&self) -> bool {
        !self.restore && self.loaded().is_some_and(T::is_deleted)
    }

    /// Whether a row that must not have moved has not.
    pub(super) fn is_still(&self, row: &T) -> bool {
        self.verdict(guard::of_row::<T>(), Some(row))
            .is_some_and(|verdict| verdict.kind == ConflictKind::Refused)
    }

    /// What the row as it stands says of the guarded columns: that it is in conflict, or `Refused`
    /// if it says nothing.
    pub(super) fn verdict(&self, guard: ColumnSet, current: Option<&T>) -> Option<Verdict> {
        let version = self.mine.as_ref()?.version();
        Some(classify(
            &version,
            self.loaded(),
            current,
            guard,
            self.wanted(),
        ))
    }

    /// The conflict of the entity, which is `mine` by now, with the row as it stands.
    pub(super) fn conflict(
        &self,
        mine: &T,
        verdict: Verdict,
        current: Option<T>,
        place: (UnitId, u32),
    ) -> Conflict<T> {
        Conflict {
            kind: verdict.kind,
            key: mine.key(),
            expected: mine.version(),
            base: self.loaded().cloned(),
            mine: mine.clone(),
            actual: current.as_ref().map(T::version),
            current,
            moved: verdict.moved,
            source: None,
            lost: self.wanted(),
            place: Some(place),
        }
    }

    /// The mark of deletion, if it is to be taken from the row.
    fn mark(&self) -> ColumnSet {
        if self.restore {
            mark_columns::<T>()
        } else {
            ColumnSet::EMPTY
        }
    }

    /// What the planned write wants of the row.
    pub(super) fn wanted(&self) -> Wanted {
        match self.need() {
            Need::Delete if self.purge => Wanted::Purge,
            Need::Delete => Wanted::Delete,
            _ if self.restore => Wanted::Restore,
            // One that was deleted when it was read is to be so still.
            Need::Check if self.loaded().is_some_and(T::is_deleted) => Wanted::StillDeleted,
            Need::Unguarded { check: false, .. } => Wanted::Unguarded,
            _ => Wanted::Update,
        }
    }

    /// The entity as it was loaded, where that is known.
    pub(super) fn loaded(&self) -> Option<&T> {
        if self.read {
            self.base.as_ref().or(self.mine.as_ref())
        } else {
            None
        }
    }

    /// Back to clean, after a write that is known to have happened.
    pub(super) fn clean(&mut self) {
        self.state = State::Loaded;
        self.read = true;
        self.base = None;
        self.touch = false;
        self.touched = false;
        self.check = false;
        self.restore = false;
        self.purge = false;
    }
}

const CHUNK: usize = 1_024;

/// The slots of one type. Grows by whole chunks: no entity moves once its chunk is full, and no
/// more than one chunk is empty.
pub(super) struct Slots<T> {
    chunks: Vec<Vec<Slot<T>>>,
}

impl<T> Slots<T> {
    pub(super) fn new() -> Self {
        Self { chunks: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        match self.chunks.split_last() {
            Some((last, full)) => full.len() * CHUNK + last.len(),
            None => 0,
        }
    }

    pub(super) fn push(&mut self, slot: Slot<T>) {
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK => last.push(slot),
            Some(_) => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(slot);
                self.chunks.push(chunk);
            }
            // The first one grows as any vector does: most units are small.
            None => self.chunks.push(vec![slot]),
        }
    }

    pub(super) fn get(&self, slot: u32) -> Option<&Slot<T>> {
        let slot = slot as usize;
        self.chunks.get(slot / CHUNK)?.get(slot % CHUNK)
    }

    pub(super) fn get_mut(&mut self, slot: u32) -> Option<&mut Slot<T>> {
        let slot = slot as usize;
        self.chunks.get_mut(slot / CHUNK)?.get_mut(slot % CHUNK)
    }

    pub(super) fn truncate(&mut self, len: usize) {
        while self.len() > len {
            if let Some(last) = self.chunks.last_mut() {
                last.pop();
                if last.is_empty() {
                    self.chunks.pop();
                }
            }
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Slot<T>)> {
        (0..).zip(self.chunks.iter().flatten())
    }
}
