//! `INSERT` of one row and of many, with and without what the database made.

use diesel::QueryResult;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::Error;

use super::row::{Next, Row};
use super::target::{Entity, column, key_columns, list};
use crate::backend::Dialect;
use crate::columns::{Column, Role};

/// `INSERT INTO t (…) VALUES (…), …`; every row gets its initial version, whatever its field holds, or
/// the one that the database makes.
pub(crate) struct Insert<'a, T: Entity<DB>, DB: Dialect> {
    from: T::From,
    rows: Vec<Row<'a, T>>,
    /// Whether a row whose key is taken is skipped, where the backend can.
    skips_taken: bool,
}

impl<'a, T: Entity<DB>, DB: Dialect> Insert<'a, T, DB> {
    /// Inserts each of the entities, with its initial version.
    pub(crate) fn new(entities: impl IntoIterator<Item = (&'a T, Next<T::Version>)>) -> Self {
        Self {
            from: T::from_clause(),
            rows: entities
                .into_iter()
                .map(|(entity, initial)| Row::new(entity, initial))
                .collect(),
            skips_taken: false,
        }
    }

    /// The same, and rows whose key is taken are skipped where the backend can.
    pub(crate) fn skipping_taken(self, skips_taken: bool) -> Self {
        Self {
            skips_taken,
            ..self
        }
    }

    /// How many values a row binds.
    pub(crate) const BINDS_PER_ROW: usize = T::INSERTABLE.len();
}

impl<T: Entity<DB>, DB: Dialect> QueryFragment<DB> for Insert<'_, T, DB> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        if T::INSERTABLE.is_empty() {
            let problem = format!(
                "an insert into `{}` has no column to write; let the entity have one that it writes",
                T::TABLE
            );
            return Err(Error::QueryBuilderError(problem.into()));
        }
        out.push_sql("INSERT INTO ");
        self.from.walk_ast(out.reborrow())?;
        out.push_sql(" (");
        list(T::INSERTABLE.iter(), ", ", &mut out, |index, out| {
            column::<T, DB>(index, out)
        })?;
        out.push_sql(") VALUES ");
        list(&self.rows, ", ", &mut out, |row, out| {
            out.push_sql("(");
            list(T::INSERTABLE.iter(), ", ", out, |index, out| {
                row.bind_value(index, out)
            })?;
            out.push_sql(")");
            Ok(())
        })?;
        if self.skips_taken && out.backend().syntax().skips_taken_keys {
            out.push_sql(" ON CONFLICT (");
            list(key_columns::<T>(), ", ", &mut out, |index, out| {
                column::<T, DB>(index, out)
            })?;
            out.push_sql(") DO NOTHING");
        }
        Ok(())
    }
}

impl<T: Entity<DB>, DB: Dialect> QueryId for Insert<'_, T, DB> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

/// `SELECT … WHERE id = LAST_INSERT_ID()`, or as the backend calls it: the row that this
/// connection inserted last, for servers without `RETURNING`. Parts of the key that the insert
/// wrote are bound.
pub(crate) struct LastInserted<T: Entity<DB>, DB: Dialect> {
    from: T::From,
    selection: T::Selection,
    key: T::Key,
}

impl<T: Entity<DB>, DB: Dialect> LastInserted<T, DB> {
    /// The row that `entity` was inserted as.
    pub(crate) fn new(entity: &T) -> Self {
        Self {
            from: T::from_clause(),
            selection: T::selection(),
            key: entity.key(),
        }
    }
}

impl<T: Entity<DB>, DB: Dialect> QueryFragment<DB> for LastInserted<T, DB> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("SELECT ");
        self.selection.walk_ast(out.reborrow())?;
        out.push_sql(" FROM ");
        self.from.walk_ast(out.reborrow())?;
        out.push_sql(" WHERE ");
        list(0..T::KEY_COUNT, " AND ", &mut out, |part, out| {
            let index = T::key_column(part);
            column::<T, DB>(index, out)?;
            out.push_sql(" = ");
            if generated(T::column(index)) {
                let last_inserted = out.backend().syntax().last_inserted;
                out.push_sql(last_inserted);
                Ok(())
            } else {
                T::bind_key(&self.key, part, out)
            }
        })
    }
}

impl<T: Entity<DB>, DB: Dialect> Query for LastInserted<T, DB> {
    type SqlType = T::SqlType;
}

impl<T: Entity<DB>, DB: Dialect> QueryId for LastInserted<T, DB> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

fn generated(column: Column) -> bool {
    matches!(column.role, Role::Key { insert: false })
}
