//! `UPDATE` of one row: the guard and the new version are in it, unless it is unguarded.

use std::marker::PhantomData;

use diesel::QueryResult;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};

use super::row::{Compared, Next, Row};
use super::target::{Entity, column, equals, marked, qualified};
use crate::backend::Dialect;
use crate::columns::ColumnSet;
use crate::entity::Versioned;
use crate::guard;
use crate::soft_delete::mark_columns;

/// Which columns an update of one row writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Every writable one that is guarded.
    Whole,
    /// These; none for the version alone.
    Columns(ColumnSet),
}

impl Scope {
    /// The columns.
    pub(crate) const fn columns<T: Versioned>(self) -> ColumnSet {
        match self {
            Self::Whole => T::UPDATABLE,
            Self::Columns(columns) => columns,
        }
    }
}

/// `UPDATE t SET a = ?, version = ? WHERE id = ? AND version = ?`; an unguarded one is without the
/// version.
///
/// `WHOLE` says that every writable column is written: then the SQL is the same for each entity
/// of a type, and the prepared statement is found without building it.
pub(crate) struct Update<'a, T: Entity<DB>, DB: Dialect, const WHOLE: bool> {
    from: T::From,
    row: Row<'a, T>,
    columns: ColumnSet,
    guard: ColumnSet,
    /// The row may be marked as deleted.
    restores: bool,
}

impl<'a, T: Entity<DB>, DB: Dialect> Update<'a, T, DB, true> {
    /// Writes every writable column.
    pub(crate) fn whole(entity: &'a T, next: Next<T::Version>) -> Self {
        Self {
            from: T::from_clause(),
            row: Row::new(entity, next),
            columns: T::UPDATABLE,
            guard: guard::of_update::<T>(T::UPDATABLE),
            restores: false,
        }
    }
}

impl<'a, T: Entity<DB>, DB: Dialect> Update<'a, T, DB, false> {
    /// Writes some columns; none for the version alone. `base` is the row as it was loaded, where that
    /// is known.
    pub(crate) fn columns(
        entity: &'a T,
        base: Option<&'a T>,
        next: Next<T::Version>,
        columns: ColumnSet,
    ) -> Self {
        Self {
            from: T::from_clause(),
            guard: match next {
                Next::Unguarded => ColumnSet::EMPTY,
                _ => guard::of_update::<T>(columns),
            },
            row: Row::new(entity, next).based(base),
            columns,
            restores: false,
        }
    }

    /// Writes the mark of deletion of a copy that has it, or none; the row may be marked as deleted
    /// if it is none.
    pub(crate) fn mark(entity: &'a T, next: Next<T::Version>) -> Self {
        Self {
            restores: !entity.is_deleted(),
            guard: guard::of_row::<T>(),
            ..Self::columns(entity, None, next, mark_columns::<T>())
        }
    }
}

impl<T: Entity<DB>, DB: Dialect, const WHOLE: bool> QueryFragment<DB> for Update<'_, T, DB, WHOLE> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        self.from.walk_ast(out.reborrow())?;
        // Plain loops: this runs twice for every save.
        let mut columns = if WHOLE { T::UPDATABLE } else { self.columns };
        let guard = if WHOLE {
            guard::of_update::<T>(T::UPDATABLE)
        } else {
            self.guard
        };
        if let Next::Is(_) = self.row.next() {
            columns = columns.or(guard.and(T::VERSION_COLUMNS));
        }
        let mut opening = " SET ";
        for index in 0..T::COLUMN_COUNT {
            if columns.contains(index) {
                out.push_sql(opening);
                opening = ", ";
                column::<T, DB>(index, &mut out)?;
                out.push_sql(" = ");
                self.row.bind_value(index, &mut out)?;
            }
        }
        if columns.is_empty() {
            out.push_sql(opening);
            keep_a_column::<T, DB>(&self.from, &mut out)?;
        }
        let mut opening = " WHERE ";
        for part in 0..T::KEY_COUNT {
            out.push_sql(opening);
            opening = " AND ";
            column::<T, DB>(T::key_column(part), &mut out)?;
            out.push_sql(" = ");
            self.row.bind_guard(Compared::Key(part), &mut out)?;
        }
        for compared in Compared::columns::<T>(guard) {
            out.push_sql(" AND ");
            equals::<T, DB>(compared, &mut out, column::<T, DB>, |out| {
                self.row.bind_guard(compared, out)
            })?;
        }
        if self.restores {
            return Ok(());
        }
        marked::<T, DB>(false, (" AND ", ""), None, &mut out)
    }
}

/// What the whole-row update of an entity type is known by.
pub(crate) struct WholeUpdate<T>(PhantomData<T>);

impl<T: Entity<DB>, DB: Dialect, const WHOLE: bool> QueryId for Update<'_, T, DB, WHOLE> {
    type QueryId = WholeUpdate<T>;

    const HAS_STATIC_QUERY_ID: bool = WHOLE;
}

/// Writes `a = t.a`, of a column that may be written: an update must set something for the database
/// to make a new version.
pub(super) fn keep_a_column<'b, T: Entity<DB>, DB: Dialect>(
    from: &'b T::From,
    out: &mut AstPass<'_, 'b, DB>,
) -> QueryResult<()> {
    let index = T::UPDATABLE.iter().next();
    let index = index.unwrap_or_else(|| T::key_column(0));
    column::<T, DB>(index, out)?;
    out.push_sql(" = ");
    qualified::<T, DB>(from, index, out)
}
