//! `UPDATE` of many rows by one statement, each with a guard of its own or none guarded.

use diesel::QueryResult;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};

use super::row::{Compared, Row};
use super::target::{Entity, column, equals, in_key_order, limit, list, marked, one_of, qualified};
use super::update::keep_a_column;
use super::versions::Versions;
use crate::backend::{BatchUpdateSyntax, Dialect};
use crate::columns::ColumnSet;

/// One statement that updates several rows, each with a guard of its own or none guarded.
pub(crate) struct UpdateMany<'a, T: Entity<DB>, DB: Dialect> {
    from: T::From,
    rows: Vec<Row<'a, T>>,
    /// How often the last row is said again, so that the sizes of statements stay few.
    padding: usize,
    /// What is written of each row.
    columns: Vec<usize>,
    /// What is compared of each row.
    compared: Vec<Compared>,
    /// The version columns that are compared.
    moving: ColumnSet,
    versions: Versions,
    restores: bool,
    limit: i64,
}

impl<'a, T: Entity<DB>, DB: Dialect> UpdateMany<'a, T, DB> {
    /// Writes some columns of each row, none for the versions alone, where those of a guard are as
    /// they are expected. The statement has room for `size` rows.
    pub(crate) fn new(
        rows: Vec<Row<'a, T>>,
        size: usize,
        columns: ColumnSet,
        guard: ColumnSet,
    ) -> Self {
        let moving = guard.and(T::VERSION_COLUMNS);
        let versions = Versions::of(&rows, moving);
        let columns = match versions {
            Versions::Each => columns.or(moving),
            _ => columns,
        };
        // The version is none of each row's if it is one for all.
        let compared = match versions {
            Versions::One => guard.without(moving),
            _ => guard,
        };
        Self {
            from: T::from_clause(),
            padding: size.saturating_sub(rows.len()),
            limit: limit(rows.len()),
            rows,
            columns: columns.iter().collect(),
            compared: Compared::guard::<T>(compared),
            moving,
            versions,
            restores: false,
        }
    }

    /// The rows may be marked as deleted.
    pub(crate) fn restoring(self, restores: bool) -> Self {
        Self { restores, ..self }
    }

    /// How many values a row binds at most, whatever the form.
    pub(crate) const fn binds_per_row(columns: ColumnSet, guard: ColumnSet) -> usize {
        let versions = guard.and(T::VERSION_COLUMNS).len();
        (columns.len() + versions) * (T::KEY_COUNT + 1) + T::KEY_COUNT + guard.len()
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
        let key = Compared::key::<T>();
        list(&self.columns, ", ", out, |&index, out| {
            column::<T, DB>(index, out)?;
            out.push_sql(" = CASE");
            if let [single] = key[..] {
                out.push_sql(" ");
                column::<T, DB>(single.column::<T>(), out)?;
            }
            for row in self.padded() {
                out.push_sql(" WHEN ");
                if let [single] = key[..] {
                    row.bind_guard(single, out)?;
                } else {
                    list(&key, " AND ", out, |&part, out| {
                        equals::<T, DB>(part, out, column::<T, DB>, |out| row.bind_guard(part, out))
                    })?;
                }
                out.push_sql(" THEN ");
                row.bind_value(index, out)?;
            }
            out.push_sql(" END");
            Ok(())
        })?;
        self.walk_set_version(out)?;
        out.push_sql(" WHERE ");
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
        one_of::<T, DB, _>(&self.compared, self.padded(), out, Row::bind_guard)?;
        out.push_sql(if parenthesized { ")" } else { "" });
        if self.rows.len() > 1 {
            in_key_order::<T, DB>(&self.limit, out)?;
        }
        Ok(())
    }

    /// `(VALUES (?, ?, ?), …) AS __dv`: per row the guard, then what is written.
    fn walk_values<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        // Few and plain calls: this runs three times for every row.
        let mut opening = "(VALUES (";
        for row in self.padded() {
            for &compared in &self.compared {
                out.push_sql(opening);
                opening = ", ";
                row.bind_guard(compared, out)?;
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
        let values = self.columns.iter().zip(self.compared.len() + 1..);
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
            Versions::NotWritten if self.columns.is_empty() => {
                return keep_a_column::<T, DB>(&self.from, out);
            }
            Versions::NotWritten => return Ok(()),
            Versions::One | Versions::OneNext | Versions::Few(_) => {}
        }
        if !self.columns.is_empty() {
            out.push_sql(", ");
        }
        list(self.moving.iter(), ", ", out, |version, out| {
            column::<T, DB>(version, out)?;
            out.push_sql(" = ");
            if let Versions::Few(pairs) = &self.versions {
                out.push_sql("CASE ");
                qualified::<T, DB>(&self.from, version, out)?;
                for row in pairs.iter().filter_map(|&pair| self.rows.get(pair)) {
                    out.push_sql(" WHEN ");
                    row.bind_guard(Compared::Version(version), out)?;
                    out.push_sql(" THEN ");
                    row.bind_value(version, out)?;
                }
                out.push_sql(" END");
            } else if let Some(row) = self.rows.first() {
                row.bind_value(version, out)?;
            }
            Ok(())
        })
    }

    /// `t.version = ?`, of the one version that all rows stand at.
    fn walk_version_is<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let Some(row) = self.rows.first() else {
            return Ok(());
        };
        list(self.moving.iter(), " AND ", out, |version, out| {
            qualified::<T, DB>(&self.from, version, out)?;
            out.push_sql(" = ");
            row.bind_guard(Compared::Version(version), out)
        })
    }

    fn walk_where_v<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql(" WHERE ");
        let compared = self.compared.iter().zip(1..);
        list(compared, " AND ", out, |(&compared, number), out| {
            let of_table =
                |index, out: &mut AstPass<'_, 'b, DB>| qualified::<T, DB>(&self.from, index, out);
            equals::<T, DB>(compared, out, of_table, |out| {
                push_number("__dv.column", number, out);
                Ok(())
            })
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

fn push_number<DB: Dialect>(text: &str, number: usize, out: &mut AstPass<'_, '_, DB>) {
    out.push_sql(text);
    out.push_sql(&number.to_string());
}
