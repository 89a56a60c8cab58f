//! The one decision: how many rows were matched in, applied or a conflict out. No connection.

use std::collections::{HashMap, HashSet};

use diesel::QueryResult;
use diesel::result::{DatabaseErrorKind, Error};

use crate::columns::ColumnSet;
use crate::conflict::{Conflict, ConflictKind};
use crate::entity::Versioned;
use crate::error::{CommitError, EntityRef, SaveError};
use crate::guard::{self, Check};
use crate::soft_delete::mark_columns;
use crate::statement::{Next, Scope};
use crate::telling;
use crate::version::{Moment, NoVersion, VersionValue};

/// What a row count says of a statement that was meant for some rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Matched {
    /// Each row was written, once.
    All,
    /// At least one row was not.
    Fewer,
    /// A key stands for more than one row.
    More,
}

/// Compares the rows that were matched with those that were meant.
pub(crate) fn matched(rows: usize, meant: usize) -> Matched {
    match rows.cmp(&meant) {
        std::cmp::Ordering::Equal => Matched::All,
        std::cmp::Ordering::Less => Matched::Fewer,
        std::cmp::Ordering::Greater => Matched::More,
    }
}

/// Why a row was not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) kind: ConflictKind,
    /// The columns of the guard that are no longer as they were.
    pub(crate) moved: ColumnSet,
}

/// What stands in the database says why the row was not written, whose guard compares some columns:
/// `expected` is the version that it was to have, and `base` what it was when it was loaded. A write
/// without a guard is lost only where there is no row, or one that is marked as deleted.
pub(crate) fn classify<T: Versioned>(
    expected: &T::Version,
    base: Option<&T>,
    current: Option<&T>,
    guard: ColumnSet,
    wanted: Wanted,
) -> Verdict {
    let moved = current.map(|current| guard::moved(guard, expected, base, current));
    let is_gone = |current: &T| !wanted.of_deleted() && current.is_deleted();
    let kind = match (current, moved) {
        (Some(current), _) if is_gone(current) => ConflictKind::Deleted,
        (_, None) => ConflictKind::Deleted,
        (_, Some(moved)) if moved.is_empty() => ConflictKind::Refused,
        (_, Some(_)) => ConflictKind::Modified,
    };
    Verdict {
        kind,
        // Of a row that is gone it says nothing.
        moved: moved
            .filter(|_| kind == ConflictKind::Modified)
            .unwrap_or_default(),
    }
}

/// What a write wanted of a row that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// To write it, or its version alone, under its guard.
    Update,
    /// To write its bookkeeping.
    Unguarded,
    /// To delete it, or to mark it as deleted.
    Delete,
    /// To take its mark from it.
    Restore,
    /// To delete it for good, marked or not.
    Purge,
    /// To find it as it was read: marked as deleted.
    StillDeleted,
}

impl Wanted {
    /// Whether a row may be marked as deleted.
    fn of_deleted(self) -> bool {
        matches!(self, Self::Restore | Self::Purge | Self::StillDeleted)
    }

    /// Whether the row is to go, or to be marked as gone.
    pub(crate) fn deletes(self) -> bool {
        matches!(self, Self::Delete | Self::Purge)
    }
}

/// A single write that matched no row.
pub(crate) struct Lost<'a, T: Versioned> {
    pub(crate) wanted: Wanted,
    /// What its guard compared.
    pub(crate) guard: ColumnSet,
    /// The row as it was loaded, where that is known.
    pub(crate) base: Option<&'a T>,
}

impl<T: Versioned> Lost<'_, T> {
    /// One that compared all that there is to compare.
    pub(crate) fn of(wanted: Wanted) -> Self {
        Self {
            wanted,
            guard: guard::of_row::<T>(),
            base: None,
        }
    }
}

/// What a single update does.
pub(crate) struct Change<'a, T: Versioned> {
    pub(crate) next: Next<T::Version>,
    pub(crate) scope: Scope,
    /// The row as it was loaded, where that is known.
    pub(crate) base: Option<&'a T>,
}

impl<'a, T: Versioned> Change<'a, T> {
    /// Writes every writable column.
    pub(crate) fn whole(entity: &T) -> Result<Self, Unversioned> {
        Self::of_some(entity, T::UPDATABLE, Scope::Whole)
    }

    /// Writes the version alone.
    pub(crate) fn touch(entity: &T) -> Result<Self, Unversioned> {
        let nothing = ColumnSet::EMPTY;
        Self::of_some(entity, nothing, Scope::Columns(nothing))
    }

    /// Without a version it would have to know what was loaded.
    fn of_some(entity: &T, columns: ColumnSet, scope: Scope) -> Result<Self, Unversioned> {
        if T::CHECK != Check::Version {
            return Err(no_version_column(entity));
        }
        let guard = guard::of_update::<T>(columns);
        Ok(Self {
            next: next_version(entity, guard, &Moment::new())?,
            scope,
            base: None,
        })
    }

    /// Writes the bookkeeping; an error if there is none.
    pub(crate) fn unguarded() -> QueryResult<Self> {
        Ok(Self {
            next: Next::Unguarded,
            scope: Scope::Columns(unguarded_columns::<T>()?),
            base: None,
        })
    }

    /// Writes what differs from the row as it was loaded; nothing if nothing does.
    pub(crate) fn since(base: &'a T, entity: &T) -> Result<Option<Self>, SaveError<T>> {
        if base.key() != entity.key() {
            let problem = format!(
                "`{}` {:?} is not the row that was loaded, which is {:?}; delete the one and insert \
                 the other",
                T::TABLE,
                entity.key(),
                base.key()
            );
            return Err(Error::QueryBuilderError(problem.into()).into());
        }
        let changed = entity.changed(base);
        let (guarded, unguarded) = (changed.and(T::UPDATABLE), changed.and(T::UNGUARDED));
        let columns = guarded.or(unguarded);
        if columns.is_empty() {
            return Ok(None);
        }
        let next = if guarded.is_empty() {
            Next::Unguarded
        } else {
            let guard = guard::of_update::<T>(guarded).and(T::VERSION_COLUMNS);
            next_version(entity, guard, &Moment::new())?
        };
        Ok(Some(Self {
            next,
            scope: Scope::Columns(columns),
            base: Some(base),
        }))
    }

    /// What it wants of the row.
    pub(crate) fn wanted(&self) -> Wanted {
        match self.next {
            Next::Unguarded => Wanted::Unguarded,
            _ => Wanted::Update,
        }
    }

    /// What it is, if it matched no row.
    pub(crate) fn lost(&self) -> Lost<'a, T> {
        Lost {
            wanted: self.wanted(),
            guard: match self.next {
                Next::Unguarded => ColumnSet::EMPTY,
                _ => guard::of_update::<T>(self.scope.columns::<T>()),
            },
            base: self.base,
        }
    }
}

/// The copy that a write gives or takes the mark of deletion.
pub(crate) fn remarked<T: Versioned>(
    entity: &T,
    deleted: bool,
    moment: &Moment,
) -> Result<T, Unversioned> {
    let mut marked = entity.clone();
    if deleted {
        marked
            .set_mark(moment)
            .map_err(|why| unversioned(entity, why))?;
    } else {
        marked.remove_mark();
    }
    Ok(marked)
}

/// Fails for an entity whose writes belong to a unit, which knows the versions of its parents.
pub(crate) fn alone<T: Versioned>(entity: &T) -> QueryResult<()> {
    if !T::TOUCHES {
        return Ok(());
    }
    let parents = entity.touches();
    let parents: Vec<_> = parents
        .iter()
        .map(|parent| format!("`{}` {}", parent.table, parent.text))
        .collect();
    let problem = format!(
        "a write of `{}` {:?} moves the version of its parent on ({}), which this call does not know; \
         write both in a unit of work that has read the parent",
        T::TABLE,
        entity.key(),
        parents.join(", ")
    );
    Err(Error::QueryBuilderError(problem.into()))
}

/// The same of a write that has read no row.
pub(crate) fn alone_without_key<T: Versioned>() -> QueryResult<()> {
    if !T::TOUCHES {
        return Ok(());
    }
    let problem = format!(
        "a write of `{}` moves the version of its parent on, which this one does not know; write both in a \
         unit of work that has read the parent and the child",
        T::TABLE
    );
    Err(Error::QueryBuilderError(problem.into()))
}

/// The columns that are written unguarded; an error if the entity has none.
fn unguarded_columns<T: Versioned>() -> QueryResult<ColumnSet> {
    if T::UNGUARDED.is_empty() {
        let problem = format!(
            "no column of `{}` is unguarded, so there is nothing that can be written without a \
             check; put `#[versioned(unguarded)]` on the field, or use `save`",
            T::TABLE
        );
        return Err(Error::QueryBuilderError(problem.into()));
    }
    Ok(T::UNGUARDED)
}

/// The conflict of a single write, once it is known what stands there.
pub(crate) fn conflict<T: Versioned>(
    entity: &T,
    lost: Lost<'_, T>,
    current: Option<T>,
) -> Conflict<T> {
    let Lost {
        wanted,
        guard,
        base,
    } = lost;
    let version = entity.version();
    let loaded = base.or(Some(entity));
    let verdict = classify(&version, loaded, current.as_ref(), guard, wanted);
    told(Conflict {
        base: base.cloned(),
        actual: current.as_ref().map(T::version),
        current,
        lost: wanted,
        moved: verdict.moved,
        ..of_single(entity, verdict.kind, version)
    })
}

/// The conflict of a single insert that the database held back.
fn refused<T: Versioned>(entity: &T, initial: Next<T::Version>) -> Conflict<T> {
    let expected = initial.made().unwrap_or_else(|| entity.version());
    told(of_single(entity, ConflictKind::Refused, expected))
}

fn of_single<T: Versioned>(entity: &T, kind: ConflictKind, expected: T::Version) -> Conflict<T> {
    Conflict {
        kind,
        key: entity.key(),
        expected,
        base: None,
        mine: entity.clone(),
        current: None,
        actual: None,
        moved: ColumnSet::EMPTY,
        source: None,
        lost: Wanted::Update,
        place: None,
    }
}

fn told<T: Versioned>(conflict: Conflict<T>) -> Conflict<T> {
    telling::conflict(&conflict);
    conflict
}

/// A row for which there is no version.
pub(crate) struct Unversioned {
    row: EntityRef,
    /// The one that it stands at.
    version: Option<String>,
    why: NoVersion,
}

/// The version that a write at a moment gives to an entity: another one than it had, in each of the
/// columns that its guard compares.
pub(crate) fn next_version<T: Versioned>(
    entity: &T,
    guard: ColumnSet,
    moment: &Moment,
) -> Result<Next<T::Version>, Unversioned> {
    if T::VERSION_BY_DATABASE {
        return Ok(Next::ByDatabase);
    }
    if T::CHECK != Check::Version {
        return Ok(Next::Nothing);
    }
    let moves = |next: &T::Version| {
        let differ = T::versions_differ(next, &entity.version());
        guard.without(differ).is_empty()
    };
    let why = match entity.next_version(moment, guard) {
        Ok(next) if moves(&next) => return Ok(Next::Is(next)),
        // A guard that everybody passes would guard nothing.
        Ok(_) => NoVersion::Unmoved,
        Err(why) => why,
    };
    Err(unversioned(entity, why))
}

/// What a write is told that there is no version for.
pub(crate) fn no_version_column<T: Versioned>(entity: &T) -> Unversioned {
    unversioned(entity, NoVersion::NoColumn)
}

fn unversioned<T: Versioned>(entity: &T, why: NoVersion) -> Unversioned {
    Unversioned {
        row: EntityRef {
            table: T::TABLE,
            key: Some(format!("{:?}", entity.key())),
        },
        version: Some(format!("{:?}", entity.version())),
        why,
    }
}

/// Judges a row that was read back after an update of an entity: where the database makes the
/// version, it must have moved.
pub(crate) fn moved<T: Versioned>(
    entity: &T,
    row: &T,
    is_guarded: bool,
) -> Result<(), Unversioned> {
    if may_be_taken_back::<T>() && is_guarded && row.version() == entity.version() {
        return Err(unversioned(entity, NoVersion::NotMoved));
    }
    Ok(())
}

/// What a row that was written and cannot be read back by its key is reported as.
pub(crate) fn not_read_back<T: Versioned>() -> Error {
    let problem = format!(
        "a row of `{}` that was written cannot be read back by its key, so what the database made of \
         it is not known; let no trigger change the key, and give the user the right to SELECT it",
        T::TABLE
    );
    Error::QueryBuilderError(problem.into())
}

/// The row that was read back after a single update.
pub(crate) fn read_back<T: Versioned>(
    entity: &T,
    rows: Vec<T>,
    wanted: Wanted,
) -> Result<T, SaveError<T>> {
    let row = rows.into_iter().next().ok_or_else(not_read_back::<T>)?;
    moved(entity, &row, wanted != Wanted::Unguarded)?;
    Ok(row)
}

/// Whether a single update must be taken back if the row that it returns is not as it must be.
pub(crate) fn may_be_taken_back<T: Versioned>() -> bool {
    // Two writes of one transaction have its one number.
    T::VERSION_BY_DATABASE && !T::Version::OF_TRANSACTION
}

/// Brings a copy to what an update has made of its row: the version, and what the database generates.
/// The rest of a row that was read back is left alone: it may be the work of others, which a guarded
/// write would then overwrite unseen.
pub(crate) fn take_written<T: Versioned>(entity: &mut T, next: Next<T::Version>, row: Option<&T>) {
    if let Some(row) = row {
        entity.take_columns(row, T::GENERATED);
    }
    // Whatever the copy says of it: otherwise the row was not matched.
    entity.remove_mark();
    match (next, row) {
        (Next::Is(next), _) => entity.set_version(next),
        (Next::ByDatabase, Some(row)) => entity.set_version(row.version()),
        (Next::ByDatabase, None) | (Next::Nothing | Next::Unguarded, _) => {}
    }
}

/// The same of one that was marked as deleted.
pub(crate) fn take_marked<T: Versioned>(marked: &mut T, next: Next<T::Version>, row: Option<&T>) {
    let mark = marked.clone();
    take_written(marked, next, row);
    marked.take_columns(&mark, mark_columns::<T>());
}

/// The row that was overwritten, as it stands there now; one that is gone, as it last stood.
pub(crate) fn overwritten<T: Versioned>(
    conflict: &Conflict<T>,
    written: Option<&T>,
    marked: Option<&T>,
) -> T {
    let last = conflict.current().unwrap_or(conflict.mine());
    let mut row = written.unwrap_or(last).clone();
    if let Some(marked) = marked {
        take_committed(&mut row, marked);
    }
    row
}

/// Brings a copy to what a unit has written of its row.
pub(crate) fn take_committed<T: Versioned>(entity: &mut T, written: &T) {
    entity.take_columns(written, T::GENERATED.or(mark_columns::<T>()));
    entity.set_version(written.version());
}

/// The version that an insert at a moment gives to a row; there is none yet of one that is made when
/// the unit runs.
pub(crate) fn initial_version<T: Versioned>(
    entity: Option<&T>,
    moment: &Moment,
) -> Result<Next<T::Version>, Unversioned> {
    if T::VERSION_BY_DATABASE {
        return Ok(Next::ByDatabase);
    }
    if T::CHECK != Check::Version {
        return Ok(Next::Nothing);
    }
    let initial = T::initial_version(moment).map(Next::Is);
    initial.map_err(|why| {
        let known = entity.filter(|_| !T::key_is_generated());
        Unversioned {
            row: EntityRef {
                table: T::TABLE,
                key: known.map(|entity| format!("{:?}", entity.key())),
            },
            version: None,
            why,
        }
    })
}

/// The same of a single insert.
pub(crate) fn initial_version_of<T: Versioned>(
    entity: &T,
) -> Result<Next<T::Version>, Unversioned> {
    initial_version(Some(entity), &Moment::new())
}

macro_rules! from_unversioned {
    ([$($generics:tt)*] for $error:ty) => {
        impl<$($generics)*> From<Unversioned> for $error {
            fn from(Unversioned { row, version, why }: Unversioned) -> Self {
                match (why, row.key, version) {
                    (NoVersion::Exhausted, Some(key), Some(version)) => Self::VersionExhausted {
                        table: row.table,
                        key,
                        version,
                    },
                    (source, key, _) => Self::NoVersion {
                        entity: EntityRef {
                            table: row.table,
                            key,
                        },
                        source,
                    },
                }
            }
        }
    };
}

from_unversioned!([T: Versioned] for SaveError<T>);
from_unversioned!([] for CommitError);

/// The error of a guard that matched several rows.
pub(crate) fn not_unique<T: Versioned>(entity: &T, rows: usize) -> SaveError<T> {
    SaveError::NotUnique {
        table: T::TABLE,
        key: format!("{:?}", entity.key()),
        rows,
    }
}

/// What the row count of a single insert says.
pub(crate) fn inserted<T: Versioned>(
    entity: &T,
    initial: &Next<T::Version>,
    rows: usize,
) -> Result<(), SaveError<T>> {
    match matched(rows, 1) {
        Matched::All => Ok(()),
        Matched::More => Err(not_unique(entity, rows)),
        Matched::Fewer => Err(refused(entity, initial.clone()).into()),
    }
}

/// An upsert looks for the row by its key, so the program must know it.
pub(crate) fn key_is_known<T: Versioned>() -> QueryResult<()> {
    if T::key_is_generated() {
        let problem = format!(
            "the database makes the key of `{}`, so it cannot be told whether the row is there; use \
             `insert` for a new one and `save` for one that was read",
            T::TABLE
        );
        return Err(Error::QueryBuilderError(problem.into()));
    }
    Ok(())
}

/// How often an upsert is tried at most, because the row went away between the insert and the save.
pub(crate) const UPSERTS: u32 = 3;

/// What came of the save of an upsert, after an insert that found the key taken, or failed by an error
/// that may mean this. `None` if the row was gone again, so that it may be
/// tried once more.
pub(crate) fn upserted<T: Versioned>(
    entity: &T,
    saved: Result<(), SaveError<T>>,
    taken: Option<Error>,
    attempt: u32,
) -> Option<Result<(), SaveError<T>>> {
    let is_gone = match &saved {
        Err(SaveError::Conflict(conflict)) => conflict.current().is_none(),
        _ => false,
    };
    match taken {
        // Another constraint of the row, not its key; PostgreSQL has given the transaction up by it.
        Some(error) if is_gone || matches!(saved, Err(SaveError::Database(_))) => {
            Some(Err(error.into()))
        }
        _ if !is_gone => Some(saved),
        _ if attempt < UPSERTS => None,
        // There is no row, and none is inserted: something holds it back.
        _ => Some(Err(refused(entity, Next::ByDatabase).into())),
    }
}

/// What came of an upsert whose row has no version to be saved at, after an insert that found the key
/// taken, or failed by an error that may mean this: then `there` is what stands there.
pub(crate) fn not_upserted<T: Versioned>(
    why: Unversioned,
    taken: Option<(Error, QueryResult<Vec<T>>)>,
) -> SaveError<T> {
    match taken {
        // Another constraint of the row, not its key.
        Some((error, there)) if !matches!(&there, Ok(rows) if !rows.is_empty()) => error.into(),
        _ => why.into(),
    }
}

/// Whether it may be by this error that a database says that a key is taken, where it cannot skip one.
pub(crate) fn may_be_taken(error: &Error) -> bool {
    matches!(
        error,
        Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _)
    )
}

/// Rows with the keys that they were asked for by, and keys to be asked for alone.
pub(crate) type Paired<T> = (Vec<Asked<T>>, Vec<<T as Versioned>::Key>);

/// A row with the key that it was asked for by.
pub(crate) type Asked<T> = (<T as Versioned>::Key, T);

/// Gives each row to the key that it was asked for by. Where rows come back under keys that nobody
/// asked for (a database that does not tell `a` from `A`), the keys that got none are handed back,
/// to be asked for one by one.
pub(crate) fn pair<T: Versioned>(keys: &[T::Key], rows: Vec<T>) -> Paired<T> {
    let mut open: HashSet<&T::Key> = keys.iter().collect();
    let mut pairs = Vec::with_capacity(rows.len());
    let mut strays = false;
    for row in rows {
        let key = row.key();
        // A key that is not unique has several rows.
        if open.remove(&key) || pairs.iter().any(|(known, _)| *known == key) {
            pairs.push((key, row));
        } else {
            strays = true;
        }
    }
    let alone = if strays {
        open.into_iter().cloned().collect()
    } else {
        Vec::new()
    };
    (pairs, alone)
}

/// The rows in the order of the keys that they were asked for by.
pub(crate) fn in_order<T: Versioned>(keys: &[T::Key], found: Vec<Asked<T>>) -> Vec<T> {
    let mut found: HashMap<T::Key, T> = found.into_iter().collect();
    keys.iter().filter_map(|key| found.remove(key)).collect()
}

/// The row that was inserted last, which must be there and be the only one.
pub(crate) fn last_inserted<T: Versioned>(rows: Vec<T>) -> QueryResult<T> {
    let mut rows = rows.into_iter();
    match (rows.next(), rows.next()) {
        (Some(row), None) => Ok(row),
        _ => {
            let problem = format!(
                "the row that was inserted into `{}` cannot be found by the key that the database \
                 made; the key column must be AUTO_INCREMENT, or the program must bring the key",
                T::TABLE
            );
            Err(Error::QueryBuilderError(problem.into()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Matched, matched};

    #[test]
    fn only_the_exact_count_is_success() {
        assert_eq!(matched(1, 1), Matched::All);
        assert_eq!(matched(0, 1), Matched::Fewer);
        assert_eq!(matched(2, 1), Matched::More);
        assert_eq!(matched(0, 0), Matched::All);
    }
}
