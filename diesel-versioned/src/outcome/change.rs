//! What a single update does: to which columns, to which version, knowing what.

use diesel::QueryResult;
use diesel::result::Error;

use super::Wanted;
use super::single::Lost;
use super::version::{Unversioned, next_version, no_version_column, unversioned};
use super::written::take_written;
use crate::backend::Dialect;
use crate::columns::ColumnSet;
use crate::entity::Versioned;
use crate::error::SaveError;
use crate::guard::{self, Check};
use crate::soft_delete::mark_columns;
use crate::statement::{Entity, Next, Scope, Update};
use crate::version::Moment;

/// What a single update does.
pub(crate) struct Change<'a, T: Versioned> {
    pub(crate) next: Next<T::Version>,
    pub(crate) scope: Scope,
    /// The row as it was loaded, where that is known.
    base: Option<&'a T>,
    /// The copy with its mark of deletion as it is to be, if that is what is written.
    remarked: Option<Box<T>>,
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
            remarked: None,
        })
    }

    /// Marks the row as deleted, or takes the mark from it.
    pub(crate) fn remark(entity: &T, deleted: bool) -> Result<Self, Unversioned> {
        let moment = Moment::new();
        let remarked = remarked(entity, deleted, &moment)?;
        Ok(Self {
            next: next_version(entity, T::VERSION_COLUMNS, &moment)?,
            scope: Scope::Columns(mark_columns::<T>()),
            base: None,
            remarked: Some(Box::new(remarked)),
        })
    }

    /// Writes the bookkeeping; an error if there is none.
    pub(crate) fn unguarded() -> QueryResult<Self> {
        Ok(Self {
            next: Next::Unguarded,
            scope: Scope::Columns(unguarded_columns::<T>()?),
            base: None,
            remarked: None,
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
            remarked: None,
        }))
    }

    /// What it wants of the row.
    pub(crate) fn wanted(&self) -> Wanted {
        match (&self.remarked, &self.next) {
            (Some(remarked), _) if remarked.is_deleted() => Wanted::Delete,
            (Some(_), _) => Wanted::Restore,
            (None, Next::Unguarded) => Wanted::Unguarded,
            (None, _) => Wanted::Update,
        }
    }

    /// The statement that writes these columns of the entity.
    pub(crate) fn update_of<'b, DB>(
        &'b self,
        entity: &'b T,
        columns: ColumnSet,
    ) -> Update<'b, T, DB, false>
    where
        DB: Dialect,
        T: Entity<DB>,
    {
        let next = self.next.clone();
        match &self.remarked {
            Some(remarked) => Update::mark(remarked, next),
            None => Update::columns(entity, self.base, next, columns),
        }
    }

    /// What it is, if it matched no row.
    pub(crate) fn lost(&self) -> Lost<'a, T> {
        if self.remarked.is_some() {
            return Lost::of(self.wanted());
        }
        Lost {
            wanted: self.wanted(),
            guard: match self.next {
                Next::Unguarded => ColumnSet::EMPTY,
                _ => guard::of_update::<T>(self.scope.columns::<T>()),
            },
            base: self.base,
        }
    }

    /// Brings the copy to what was written, and to what the database has made of its row.
    pub(crate) fn take_written(self, entity: &mut T, row: Option<&T>) {
        take_written(entity, self.next, row);
        if let Some(remarked) = self.remarked {
            entity.take_columns(&remarked, mark_columns::<T>());
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
