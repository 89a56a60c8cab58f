//! `UPDATE`, of one row and of many: the guard and the new version are in it, unless it is unguarded.

use std::marker::PhantomData;

use diesel::QueryResult;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};

use super::row::{Next, Row};
use super::target::{
    Entity, column, guard_columns, in_key_order, key_columns, limit, list, marked, one_of,
    qualified,
};
use super::versions::Versions;
use crate::backend::{BatchUpdateSyntax, Dialect};
use crate::columns::ColumnSet;
use crate::entity::Versioned;
use crate::soft_delete::mark_columns;

/// Which columns an update of one row writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Every writable one that is guarded.
    Whole,
    /// These; none for the version alone.
    Columns(ColumnSet),
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
            restores: false,
        }
    }
}

impl<'a, T: Entity<DB>, DB: Dialect> Update<'a, T, DB, false> {
    /// Writes some columns; none for the version alone.
    pub(crate) fn columns(entity: &'a T, next: Next<T::Version>, columns: ColumnSet) -> Self {
        Self {
            from: T::from_clause(),
            row: Row::new(entity, next),
            columns,
            restores: false,
        }
    }

    /// Writes the mark of deletion of a copy that has it, or none; the row may be marked as deleted
    /// if it is none.
    pub(crate) fn mark(entity: &'a T, next: Next<T::Version>) -> Self {
        Self {
            restores: !entity.is_deleted(),
            ..Self::columns(entity, next, mark_columns::<T>())
        }
    }
}

impl<T: Entity<DB>, DB: Dialect, const WHOLE: bool> QueryFragment<DB> for Update<'_, T, DB, WHOLE> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        self.from.walk_ast(out.reborrow())?;
        // Plain loops: this runs twice for every save.
        let columns = if WHOLE { T::UPDATABLE } else { self.columns };
        let made_here = matches!(self.row.next(), Next::Is(_));
        let columns = columns.with_if(T::VERSION_COLUMN, made_here);
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
            self.row.bind_guard(part, &mut out)?;
        }
        if self.row.next().is_guarded() {
            out.push_sql(" AND ");
            column::<T, DB>(T::VERSION_COLUMN, &mut out)?;
            out.push_sql(" = ");
            self.row.bind_guard(T::KEY_COUNT, &mut out)?;
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

/// One statement that updates several rows, each guarded by its own version or none guarded.
pub(crate) struct UpdateMany<'a, T: Entity<DB>, DB: Dialect> {
    from: T::From,
    rows: Vec<Row<'a, T>>,
    /// How often the last row is said again, so that the sizes of statements stay few.
    padding: usize,
    /// What is written of each row.
    columns: Vec<usize>,
    versions: Versions,
    restores: bool,
    limit: i64,
}

impl<'a, T: Entity<DB>, DB: Dialect> UpdateMany<'a, T, DB> {
    /// Writes some columns of each row, none for the versions alone. The statement has room for
    /// `size` rows.
    pub(crate) fn new(rows: Vec<Row<'a, T>>, size: usize, columns: ColumnSet) -> Self {
        let versions = Versions::of(&rows);
        let columns = match versions {
            Versions::Each => written::<T>(columns).collect(),
            _ => columns.iter().collect(),
        };
        Self {
            from: T::from_clause(),
            padding: size.saturating_sub(rows.len()),
            limit: limit(rows.len()),
            rows,
            columns,
            versions,
            restores: false,
        }
    }

    /// The rows may be marked as deleted.
    pub(crate) fn restoring(self, restores: bool) -> Self {
        Self { restores, ..self }
    }

    /// How many values a row binds at most, whatever the form.
    pub(crate) const fn binds_per_row(columns: ColumnSet) -> usize {
        (columns.len() + 1) * (T::KEY_COUNT + 1) + T::KEY_COUNT + 1
    }

    /// How many values the guard of each row has: the version's is not among them if it is one
    /// for all, or of no interest.
    fn guard_parts(&self) -> usize {
        match self.versions {
            Versions::One | Versions::Unguarded => T::KEY_COUNT,
            Versions::OneNext | Versions::Few(_) | Versions::Each | Versions::ByDatabase => {
                T::KEY_COUNT + 1
            }
        }
    }

    /// The rows, and the last one again. No database minds: it is one row that is updated, to the
    /// same values, and counted once.
    fn padded(&self) -> impl Iterator<Item = &Row<'a, T>> {
        self.rows
            .iter()
            .chain(self.rows.last().into_iter().cycle().take(self.padding))
    }

    /// `UPDATE t SET a = CASE id WHEN ? THEN ? … END, …, version = CASE t.version WHEN ? THEN ? …
    /// END WHERE (id, version) IN ((?, ?), …)`
    fn walk_case<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        self.from.walk_ast(out.reborrow())?;
        out.push_sql(" SET ");
        let key = key_columns::<T>();
        list(&self.columns, ", ", out, |&index, out| {
            column::<T, DB>(index, out)?;
            out.push_sql(" = CASE");
            if let [single] = key[..] {
                out.push_sql(" ");
                column::<T, DB>(single, out)?;
            }
            for row in self.padded() {
                out.push_sql(" WHEN ");
                if let [_] = key[..] {
                    row.bind_guard(0, out)?;
                } else {
                    list(
                        key.iter().enumerate(),
                        " AND ",
                        out,
                        |(part, &index), out| {
                            column::<T, DB>(index, out)?;
                            out.push_sql(" = ");
                            row.bind_guard(part, out)
                        },
                    )?;
                }
                out.push_sql(" THEN ");
                row.bind_value(index, out)?;
            }
            out.push_sql(" END");
            Ok(())
        })?;
        self.walk_set_version(out)?;
        out.push_sql(" WHERE ");
        let guard = guard_columns::<T>().into_iter().take(self.guard_parts());
        let guard: Vec<usize> = guard.collect();
        let is_marked = T::MARK.is_some() && !self.restores;
        if is_marked {
            marked::<T, DB>(false, ("", " AND "), None, out)?;
        }
        if let Versions::One = self.versions {
            self.walk_version_is(out)?;
            out.push_sql(" AND ");
        }
        let parenthesized = is_marked || self.versions == Versions::One;
        out.push_sql(if parenthesized { "(" } else { "" });
        one_of::<T, DB, _>(&guard, self.padded(), out, Row::bind_guard)?;
        out.push_sql(if parenthesized { ")" } else { "" });
        if self.rows.len() > 1 {
            in_key_order::<T, DB>(&self.limit, out)?;
        }
        Ok(())
    }

    /// `(VALUES (?, ?, ?), …) AS __dv`: per row the guard, then what is written.
    fn walk_values<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        // Few and plain calls: this runs three times for every row.
        let guard_parts = self.guard_parts();
        let mut opening = "(VALUES (";
        for row in self.padded() {
            for part in 0..guard_parts {
                out.push_sql(opening);
                opening = ", ";
                row.bind_guard(part, out)?;
            }
            for &index in &self.columns {
                out.push_sql(opening);
                row.bind_value(index, out)?;
            }
            opening = "), (";
        }
        out.push_sql(")) AS __dv");
        Ok(())
    }

    /// `UPDATE t SET a = __dv.column3, …, version = CASE t.version WHEN ? THEN ? … END
    /// FROM (VALUES …) AS __dv WHERE t.id = __dv.column1 AND …`
    fn walk_from_values<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.walk_set_from_v(out)?;
        self.walk_values(out)?;
        self.walk_where_v(out)
    }

    /// `WITH __dv AS (SELECT __dv.* FROM (VALUES …) AS __dv JOIN t ON … ORDER BY … FOR NO KEY UPDATE OF t)
    /// UPDATE t SET a = __dv.column3, … FROM __dv WHERE …`: the rows are locked in key order before any
    /// is written, so that two units that meet wait for each other instead of deadlocking. The
    /// update compares the versions again, with the rows as they are under the lock.
    fn walk_from_locked_values<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("WITH __dv AS MATERIALIZED (SELECT __dv.* FROM ");
        self.walk_values(out)?;
        out.push_sql(" JOIN ");
        self.from.walk_ast(out.reborrow())?;
        out.push_sql(" AS t ON ");
        list(0..T::KEY_COUNT, " AND ", out, |part, out| {
            out.push_sql("t.");
            column::<T, DB>(T::key_column(part), out)?;
            push_number(" = __dv.column", part + 1, out);
            Ok(())
        })?;
        out.push_sql(" ORDER BY ");
        list(0..T::KEY_COUNT, ", ", out, |part, out| {
            // By the column itself: it knows the collation that other statements lock by.
            out.push_sql("t.");
            column::<T, DB>(T::key_column(part), out)
        })?;
        out.push_sql(out.backend().syntax().lock_write);
        out.push_sql(" OF t) ");
        self.walk_set_from_v(out)?;
        out.push_sql("__dv");
        self.walk_where_v(out)
    }

    fn walk_set_from_v<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        self.from.walk_ast(out.reborrow())?;
        out.push_sql(" SET ");
        let values = self.columns.iter().zip(self.guard_parts() + 1..);
        list(values, ", ", out, |(&index, number), out| {
            column::<T, DB>(index, out)?;
            push_number(" = __dv.column", number, out);
            Ok(())
        })?;
        self.walk_set_version(out)?;
        out.push_sql(" FROM ");
        Ok(())
    }

    /// The assignment to the version, where it is not one of the columns of each row.
    fn walk_set_version<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        match self.versions {
            Versions::Each | Versions::Unguarded => return Ok(()),
            Versions::ByDatabase if self.columns.is_empty() => {
                return keep_a_column::<T, DB>(&self.from, out);
            }
            Versions::ByDatabase => return Ok(()),
            Versions::One | Versions::OneNext | Versions::Few(_) => {}
        }
        if !self.columns.is_empty() {
            out.push_sql(", ");
        }
        column::<T, DB>(T::VERSION_COLUMN, out)?;
        out.push_sql(" = ");
        if let Versions::Few(pairs) = &self.versions {
            out.push_sql("CASE ");
            qualified::<T, DB>(&self.from, T::VERSION_COLUMN, out)?;
            for row in pairs.iter().filter_map(|&pair| self.rows.get(pair)) {
                out.push_sql(" WHEN ");
                row.bind_guard(T::KEY_COUNT, out)?;
                out.push_sql(" THEN ");
                row.bind_value(T::VERSION_COLUMN, out)?;
            }
            out.push_sql(" END");
        } else if let Some(row) = self.rows.first() {
            row.bind_value(T::VERSION_COLUMN, out)?;
        }
        Ok(())
    }

    /// `t.version = ?`, of the one version that all rows stand at.
    fn walk_version_is<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        qualified::<T, DB>(&self.from, T::VERSION_COLUMN, out)?;
        out.push_sql(" = ");
        match self.rows.first() {
            Some(row) => row.bind_guard(T::KEY_COUNT, out),
            None => Ok(()),
        }
    }

    fn walk_where_v<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql(" WHERE ");
        let guard = guard_columns::<T>().into_iter().take(self.guard_parts());
        list(guard.zip(1..), " AND ", out, |(index, number), out| {
            qualified::<T, DB>(&self.from, index, out)?;
            push_number(" = __dv.column", number, out);
            Ok(())
        })?;
        if let Versions::One = self.versions {
            out.push_sql(" AND ");
            self.walk_version_is(out)?;
        }
        if self.restores {
            return Ok(());
        }
        marked::<T, DB>(false, (" AND ", ""), Some(&self.from), out)
    }
}

impl<T: Entity<DB>, DB: Dialect> QueryFragment<DB> for UpdateMany<'_, T, DB> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        match out.backend().syntax().batch_update {
            BatchUpdateSyntax::Case => self.walk_case(&mut out),
            BatchUpdateSyntax::Values => self.walk_from_values(&mut out),
            BatchUpdateSyntax::LockedValues => self.walk_from_locked_values(&mut out),
        }
    }
}

impl<T: Entity<DB>, DB: Dialect> QueryId for UpdateMany<'_, T, DB> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

/// Writes `a = t.a`, of a column that may be written: an update must set something for the database
/// to make a new version.
fn keep_a_column<'b, T: Entity<DB>, DB: Dialect>(
    from: &'b T::From,
    out: &mut AstPass<'_, 'b, DB>,
) -> QueryResult<()> {
    let index = T::UPDATABLE.iter().next();
    let index = index.unwrap_or_else(|| T::key_column(0));
    column::<T, DB>(index, out)?;
    out.push_sql(" = ");
    qualified::<T, DB>(from, index, out)
}

/// The columns that an update writes: the given ones and the version.
fn written<T: Versioned>(columns: ColumnSet) -> impl Iterator<Item = usize> {
    columns.with(T::VERSION_COLUMN).iter()
}

fn push_number<DB: Dialect>(text: &str, number: usize, out: &mut AstPass<'_, '_, DB>) {
    out.push_sql(text);
    out.push_sql(&number.to_string());
}
