//! What a copy takes from its row once that is written, and how the row is judged that was read back.

use diesel::result::Error;

use super::Wanted;
use super::version::{Unversioned, unversioned};
use crate::conflict::Conflict;
use crate::entity::Versioned;
use crate::error::SaveError;
use crate::soft_delete::mark_columns;
use crate::statement::Next;
use crate::version::{NoVersion, VersionValue};

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
