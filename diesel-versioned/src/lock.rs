//! Row locks, without a connection: what is asked for, how a database is asked, and what came of it.

use std::collections::HashMap;

use diesel::result::Error;

use crate::backend::{Dialect, LockSyntax, WholeDatabase};
use crate::database_error;
use crate::entity::Versioned;
use crate::error::{CommitError, EntityRef, LockError, SaveError};
use crate::guard;
use crate::outcome::{self, Asked, Lost, Wanted};

/// What a lock keeps others from, until the transaction ends.
///
/// Reads that do not lock go on in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lock {
    /// From writing the row and from locking it, in either way: for a row that this transaction is
    /// going to write. `FOR NO KEY UPDATE` on PostgreSQL, so that others may still insert rows that
    /// refer to it; `FOR UPDATE` on MySQL and MariaDB.
    Update,
    /// From writing the row; others may share the lock. For a row that must stay as it is while
    /// another one is written. Two who share it and then both write it are a deadlock, so take
    /// [`Update`](Lock::Update) for a row that is to be written. SQLite cannot share: there it is the
    /// same as `Update`.
    Share,
}

/// What is done about a row that another transaction has locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wait {
    /// It is waited for, as long as the session waits for any lock: `lock_timeout` on PostgreSQL,
    /// `innodb_lock_wait_timeout` on MySQL and MariaDB, `busy_timeout` on SQLite, where it is zero
    /// unless you set it. After that it is an error with the code `lock.timeout`.
    Block,
    /// It is an error at once, with the code `lock.refused`. MySQL has it from 8.0 on.
    NoWait,
    /// The row is left out. MySQL has it from 8.0, MariaDB from 10.6 on, SQLite not at all: there are
    /// no rows to skip where the database is locked as a whole.
    SkipLocked,
}

/// How rows are locked on a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// By what a SELECT ends in.
    Clause(&'static str),
    /// By a statement that writes nothing and takes the lock of all; `at_once` says how the time is
    /// set for which it waits, if it may not wait.
    Database { at_once: Option<WholeDatabase> },
}

impl Way {
    /// How the rows of an entity are locked, if they can be.
    pub(crate) fn of<T: Versioned, DB: Dialect>(
        in_transaction: bool,
        lock: Lock,
        wait: Wait,
    ) -> Result<Self, LockError> {
        let table = T::TABLE;
        let unsupported = |problem| LockError::Unsupported { table, problem };
        if !in_transaction {
            return Err(LockError::NoTransaction { table });
        }
        match DB::LOCKS {
            LockSyntax::Unknown => Err(unsupported(
                "it is not known how this database locks rows; say so by `Dialect::LOCKS`, or read \
                 them with Diesel's `for_update()` and `attach` them",
            )),
            LockSyntax::Clauses(clause) => match clause(lock, wait) {
                Some(clause) => Ok(Self::Clause(clause)),
                None => Err(unsupported(
                    "this database has no such lock; take another `Lock`, or another `Wait`",
                )),
            },
            LockSyntax::WholeDatabase(_) if wait == Wait::SkipLocked => Err(unsupported(
                "it locks as a whole, so there is no row that could be skipped; take \
                 `Wait::NoWait`, and the error `lock.refused` as nothing to be had now",
            )),
            LockSyntax::WholeDatabase(whole) => Ok(Self::Database {
                at_once: (wait == Wait::NoWait).then_some(whole),
            }),
        }
    }
}

/// What was asked for: keys, each once, in the order in which rows are locked.
pub(crate) fn in_key_order<K: Ord + Clone>(keys: &[K]) -> Vec<K> {
    let mut ordered = keys.to_vec();
    ordered.sort();
    ordered.dedup();
    ordered
}

/// Rows that were locked.
pub(crate) struct Locked<T: Versioned> {
    rows: HashMap<T::Key, T>,
    /// Those that others have locked and that were left out.
    skipped: Vec<T::Key>,
}

impl<T: Versioned> Locked<T> {
    pub(crate) fn new(rows: Vec<Asked<T>>) -> Self {
        Self {
            // A key that is not unique is read as `find` reads it: the first row counts.
            rows: rows.into_iter().rev().collect(),
            skipped: Vec::new(),
        }
    }

    /// Those of the keys that no row has come for, where that may be because it was left out.
    pub(crate) fn to_look_for(&self, asked: &[T::Key], wait: Wait) -> Vec<T::Key> {
        match wait {
            Wait::Block | Wait::NoWait => Vec::new(),
            Wait::SkipLocked => {
                let missing = asked.iter().filter(|key| !self.rows.contains_key(key));
                missing.cloned().collect()
            }
        }
    }

    /// Takes in which of them are there.
    pub(crate) fn there(&mut self, rows: Vec<Asked<T>>) {
        self.skipped = rows.into_iter().map(|(key, _)| key).collect();
    }

    /// The row of a key.
    pub(crate) fn get(&self, key: &T::Key) -> Option<&T> {
        self.rows.get(key)
    }

    /// The row of a key, unless it is marked as deleted.
    pub(crate) fn alive(&self, key: &T::Key) -> Option<&T> {
        self.get(key).filter(|row| !row.is_deleted())
    }

    /// Whether there is such a row, and someone else has locked it.
    pub(crate) fn was_skipped(&self, key: &T::Key) -> bool {
        self.skipped.contains(key)
    }

    /// Why there is no row for a key.
    pub(crate) fn why_not(&self, key: &T::Key) -> LockError {
        let entity = entity::<T>(std::slice::from_ref(key));
        if self.was_skipped(key) {
            LockError::Refused {
                entity,
                source: None,
            }
        } else {
            LockError::NotFound { entity }
        }
    }

    /// The one row that was asked for.
    pub(crate) fn one(mut self, key: &T::Key) -> Result<T, SaveError<T>> {
        match self.rows.remove(key).filter(|row| !row.is_deleted()) {
            Some(row) => Ok(row),
            None => Err(self.why_not(key).into()),
        }
    }

    /// The rows in the order in which they were asked for.
    pub(crate) fn all(self, keys: &[T::Key], wait: Wait) -> Result<Vec<T>, SaveError<T>> {
        let mut rows = Vec::with_capacity(keys.len());
        for key in keys {
            match self.alive(key) {
                Some(row) => rows.push(row.clone()),
                None if wait == Wait::SkipLocked => {}
                None => return Err(self.why_not(key).into()),
            }
        }
        Ok(rows)
    }

    /// Whether a row that was loaded earlier stands as it was.
    pub(crate) fn unmoved(mut self, loaded: &T) -> Result<(), SaveError<T>> {
        let key = loaded.key();
        let guard = guard::of_row::<T>();
        let stands = |row: &T| {
            !row.is_deleted()
                && guard::moved(guard, &loaded.version(), Some(loaded), row).is_empty()
        };
        match self.rows.remove(&key) {
            Some(row) if stands(&row) => Ok(()),
            None if self.was_skipped(&key) => Err(self.why_not(&key).into()),
            row => {
                let lost = Lost {
                    wanted: Wanted::Update,
                    guard,
                    base: Some(loaded),
                };
                Err(outcome::conflict(loaded, lost, row).into())
            }
        }
    }
}

/// Why rows were not locked.
pub(crate) enum Failed {
    Lock(LockError),
    Database(Error, EntityRef),
}

impl Failed {
    /// What the database reported instead of locking the rows with these keys.
    pub(crate) fn told<T: Versioned, DB: Dialect>(
        source: Error,
        keys: &[T::Key],
        wait: Wait,
    ) -> Self {
        let entity = entity::<T>(keys);
        let code = database_error::code(&source);
        // MariaDB and SQLite say of either that the time is over.
        if wait == Wait::NoWait && ["lock.refused", "lock.timeout"].contains(&code) {
            let source = Some(source);
            return Self::Lock(LockError::Refused { entity, source });
        }
        if matches!(DB::LOCKS, LockSyntax::WholeDatabase(_)) && code == "lock.timeout" {
            return Self::Lock(LockError::Busy { entity, source });
        }
        Self::Database(source, entity)
    }
}

impl From<LockError> for Failed {
    fn from(error: LockError) -> Self {
        Self::Lock(error)
    }
}

impl<T: Versioned> From<Failed> for SaveError<T> {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Lock(error) => Self::Lock(error),
            Failed::Database(source, _) => Self::Database(source),
        }
    }
}

impl From<Failed> for CommitError {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Lock(error) => Self::Lock(error),
            Failed::Database(source, entity) => Self::Database {
                source,
                entity: Some(entity),
            },
        }
    }
}

/// Which row is meant; all of them where it is not one.
pub(crate) fn entity<T: Versioned>(keys: &[T::Key]) -> EntityRef {
    EntityRef {
        table: T::TABLE,
        key: match keys {
            [key] => Some(format!("{key:?}")),
            _ => None,
        },
    }
}
