//! `UPDATE`, of one row and of many: the guard and the new version are in it.

use std::marker::PhantomData;

use diesel::QueryResult;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};

use super::row::Row;
use super::target::{Entity, column, guard_columns, key_columns, list, one_of, qualified};
use crate::backend::{BatchUpdateSyntax, Dialect};
use crate::columns::ColumnSet;
use crate::entity::Versioned;

/// `UPDATE t SET a = ?, version = ? WHERE id = ? AND version = ?`.
///
/// `WHOLE` says that every writable column is written: then the SQL is the same for each entity
/// of a type, and the prepared statement is found without building it.
pub(crate) struct Update<'a, T: Entity<DB>, DB: Dialect, const WHOLE: bool> {
    from: T::From,
    row: Row<'a, T>,
    columns: ColumnSet,
}

impl<'a, T: Entity<DB>, DB: Dialect> Update<'a, T, DB, true> {
    /// Writes every writable column.
    pub(crate) fn whole(entity: &'a T, next: T::Version) -> Self {
        Self {
            from: T::from_clause(),
            row: Row::new(entity, next),
            columns: T::UPDATABLE,
        }
    }
}

impl<'a, T: Entity<DB>, DB: Dialect> Update<'a, T, DB, false> {
    /// Writes some columns; none for the version alone.
    pub(crate) fn columns(entity: &'a T, next: T::Version, columns: ColumnSet) -> Self {
        Self {
            from: T::from_clause(),
            row: Row::new(entity, next),
            columns,
        }
    }
}

impl<T: Entity<DB>, DB: Dialect, const WHOLE: bool> QueryFragment<DB> for Update<'_, T, DB, WHOLE> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        self.from.walk_ast(out.reborrow())?;
        out.push_sql(" SET ");
        list(written::<T>(self.columns), ", ", &mut out, |index, out| {
            column::<T, DB>(index, out)?;
            out.push_sql(" = ");
            self.row.bind_value(index, out)
        })?;
        out.push_sql(" WHERE ");
        list(0..=T::KEY_COUNT, " AND ", &mut out, |part, out| {
            let index = if part < T::KEY_COUNT {
                T::key_column(part)
            } else {
                T::VERSION_COLUMN
            };
            column::<T, DB>(index, out)?;
            out.push_sql(" = ");
            self.row.bind_guard(part, out)
        })
    }
}

/// What the whole-row update of an entity type is known by.
pub(crate) struct WholeUpdate<T>(PhantomData<T>);

impl<T: Entity<DB>, DB: Dialect, const WHOLE: bool> QueryId for Update<'_, T, DB, WHOLE> {
    type QueryId = WholeUpdate<T>;

    const HAS_STATIC_QUERY_ID: bool = WHOLE;
}

/// One statement that updates several rows, each guarded by its own version.
pub(crate) struct UpdateMany<'a, T: Entity<DB>, DB: Dialect> {
    from: T::From,
    rows: Vec<Row<'a, T>>,
    columns: ColumnSet,
}

impl<'a, T: Entity<DB>, DB: Dialect> UpdateMany<'a, T, DB> {
    /// Writes some columns of each row; none for the versions alone.
    pub(crate) fn new(rows: Vec<Row<'a, T>>, columns: ColumnSet) -> Self {
        Self {
            from: T::from_clause(),
            rows,
            columns,
        }
    }

    /// How many values a row binds at most, whatever the form.
    pub(crate) const fn binds_per_row(columns: ColumnSet) -> usize {
        (columns.len() + 1) * (T::KEY_COUNT + 1) + T::KEY_COUNT + 1
    }

    /// `UPDATE t SET a = CASE id WHEN ? THEN ? … END, … WHERE (id, version) IN ((?, ?), …)`
    fn walk_case<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        self.from.walk_ast(out.reborrow())?;
        out.push_sql(" SET ");
        let key = key_columns::<T>();
        list(written::<T>(self.columns), ", ", out, |index, out| {
            column::<T, DB>(index, out)?;
            out.push_sql(" = CASE");
            if let [single] = key[..] {
                out.push_sql(" ");
                column::<T, DB>(single, out)?;
            }
            for row in &self.rows {
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
        out.push_sql(" WHERE ");
        one_of::<T, DB, _>(&guard_columns::<T>(), &self.rows, out, |row, part, out| {
            row.bind_guard(part, out)
        })
    }

    /// `VALUES (?, ?, ?, ?), …`: per row the guard, then what is written.
    fn walk_values<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("(VALUES ");
        list(&self.rows, ", ", out, |row, out| {
            out.push_sql("(");
            for part in 0..=T::KEY_COUNT {
                row.bind_guard(part, out)?;
                out.push_sql(", ");
            }
            list(written::<T>(self.columns), ", ", out, |index, out| {
                row.bind_value(index, out)
            })?;
            out.push_sql(")");
            Ok(())
        })?;
        out.push_sql(") AS v");
        Ok(())
    }

    /// `UPDATE t SET a = v.column3, … FROM (VALUES …) AS v WHERE t.id = v.column1 AND …`
    fn walk_from_values<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.walk_set_from_v(out)?;
        self.walk_values(out)?;
        self.walk_where_v(T::KEY_COUNT + 1, out)
    }

    /// `WITH v AS (SELECT v.* FROM (VALUES …) AS v JOIN t ON … ORDER BY … FOR NO KEY UPDATE OF t)
    /// UPDATE t SET a = v.column3, … FROM v WHERE …`: the rows are locked in key order before any
    /// is written, so that two units that meet wait for each other instead of deadlocking. The
    /// update compares the versions again, with the rows as they are under the lock.
    fn walk_from_locked_values<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("WITH v AS MATERIALIZED (SELECT v.* FROM ");
        self.walk_values(out)?;
        out.push_sql(" JOIN ");
        self.from.walk_ast(out.reborrow())?;
        out.push_sql(" AS t ON ");
        list(0..T::KEY_COUNT, " AND ", out, |part, out| {
            out.push_sql("t.");
            column::<T, DB>(T::key_column(part), out)?;
            push_number(" = v.column", part + 1, out);
            Ok(())
        })?;
        out.push_sql(" ORDER BY ");
        list(0..T::KEY_COUNT, ", ", out, |part, out| {
            push_number("v.column", part + 1, out);
            Ok(())
        })?;
        out.push_sql(out.backend().syntax().lock_write);
        out.push_sql(" OF t) ");
        self.walk_set_from_v(out)?;
        out.push_sql("v");
        self.walk_where_v(T::KEY_COUNT + 1, out)
    }

    fn walk_set_from_v<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        self.from.walk_ast(out.reborrow())?;
        out.push_sql(" SET ");
        let values = written::<T>(self.columns).enumerate();
        list(values, ", ", out, |(position, index), out| {
            column::<T, DB>(index, out)?;
            push_number(" = v.column", T::KEY_COUNT + 2 + position, out);
            Ok(())
        })?;
        out.push_sql(" FROM ");
        Ok(())
    }

    fn walk_where_v<'b>(&'b self, parts: usize, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql(" WHERE ");
        list(
            guard_columns::<T>().into_iter().take(parts).enumerate(),
            " AND ",
            out,
            |(part, index), out| {
                qualified::<T, DB>(&self.from, index, out)?;
                push_number(" = v.column", part + 1, out);
                Ok(())
            },
        )
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

/// The columns that an update writes: the given ones and the version.
fn written<T: Versioned>(columns: ColumnSet) -> impl Iterator<Item = usize> {
    columns.with(T::VERSION_COLUMN).iter()
}

fn push_number<DB: Dialect>(text: &str, number: usize, out: &mut AstPass<'_, '_, DB>) {
    out.push_sql(text);
    out.push_sql(&number.to_string());
}
