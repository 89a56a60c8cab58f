//! What a statement needs of an entity on one backend, and the SQL pieces that all of them share.

use std::iter;

use diesel::QueryResult;
use diesel::backend::Backend;
use diesel::deserialize::FromSqlRow;
use diesel::expression::{Expression, Selectable};
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::query_source::QuerySource;
use diesel::result::Error;
use diesel::row::Row as DatabaseRow;
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, HasSqlType};

use super::row::Compared;
use crate::backend::{Dialect, TupleSyntax};
use crate::entity::{Bind, Versioned};

/// An entity that one backend can write and read: it derives `Versioned`, its values can be
/// bound, and it is `Selectable` and `Queryable`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written to and read from the database `{DB}`",
    label = "needs `#[derive(Versioned, Selectable, Queryable)]`",
    note = "derive `Queryable, Selectable, Versioned` on `{Self}`",
    note = "if it does already, a field's type does not fit its column on this database: add \
            `#[diesel(check_for_backend({DB}))]` to see which"
)]
pub trait Entity<DB: Backend>: Bind<DB> {
    /// The table in FROM.
    #[doc(hidden)]
    type From: QueryFragment<DB> + Send;

    /// The selected columns.
    #[doc(hidden)]
    type Selection: QueryFragment<DB>;

    /// The SQL type of the selected columns.
    #[doc(hidden)]
    type SqlType;

    #[doc(hidden)]
    fn from_clause() -> Self::From;

    #[doc(hidden)]
    fn selection() -> Self::Selection;

    #[doc(hidden)]
    fn bind_limit<'b>(limit: &'b i64, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()>;

    #[doc(hidden)]
    fn from_row<'a>(row: &impl DatabaseRow<'a, DB>) -> QueryResult<Self>;
}

#[diagnostic::do_not_recommend]
impl<T, DB> Entity<DB> for T
where
    DB: Backend,
    T: Bind<DB> + Selectable<DB>,
    T: FromSqlRow<<<T as Selectable<DB>>::SelectExpression as Expression>::SqlType, DB>,
    <T as Selectable<DB>>::SelectExpression: QueryFragment<DB>,
    <T::Table as QuerySource>::FromClause: QueryFragment<DB> + Send,
    DB: HasSqlType<BigInt>,
    i64: ToSql<BigInt, DB>,
{
    type From = <T::Table as QuerySource>::FromClause;
    type Selection = <T as Selectable<DB>>::SelectExpression;
    type SqlType = <Self::Selection as Expression>::SqlType;

    fn from_clause() -> Self::From {
        T::table().from_clause()
    }

    fn selection() -> Self::Selection {
        T::construct_selection()
    }

    fn bind_limit<'b>(limit: &'b i64, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_bind_param::<BigInt, i64>(limit)
    }

    fn from_row<'a>(row: &impl DatabaseRow<'a, DB>) -> QueryResult<Self> {
        T::build_from_row(row).map_err(Error::DeserializationError)
    }
}

/// Writes `name` of the column at `index`, quoted.
pub(super) fn column<T: Versioned, DB: Backend>(
    index: usize,
    out: &mut AstPass<'_, '_, DB>,
) -> QueryResult<()> {
    out.push_identifier(T::column(index).name)
}

/// Writes `table.name` of the column at `index`, quoted.
pub(super) fn qualified<'b, T: Versioned, DB: Backend>(
    from: &'b impl QueryFragment<DB>,
    index: usize,
    out: &mut AstPass<'_, 'b, DB>,
) -> QueryResult<()> {
    from.walk_ast(out.reborrow())?;
    out.push_sql(".");
    column::<T, DB>(index, out)
}

/// Writes that a row is marked as deleted, or that it is not; nothing where there is no mark.
/// `qualify` names the table.
pub(super) fn marked<'b, T: Entity<DB>, DB: Backend>(
    deleted: bool,
    (opening, closing): (&str, &str),
    qualify: Option<&'b T::From>,
    out: &mut AstPass<'_, 'b, DB>,
) -> QueryResult<()> {
    let Some(mark) = T::MARK else {
        return Ok(());
    };
    out.push_sql(opening);
    match qualify {
        Some(from) => qualified::<T, DB>(from, mark.index, out)?,
        None => column::<T, DB>(mark.index, out)?,
    }
    out.push_sql(mark.says(deleted));
    out.push_sql(closing);
    Ok(())
}

/// Writes a list, `separator` between its items.
pub(super) fn list<'b, DB: Backend, I: IntoIterator>(
    items: I,
    separator: &str,
    out: &mut AstPass<'_, 'b, DB>,
    mut write: impl FnMut(I::Item, &mut AstPass<'_, 'b, DB>) -> QueryResult<()>,
) -> QueryResult<()> {
    for (position, item) in items.into_iter().enumerate() {
        if position > 0 {
            out.push_sql(separator);
        }
        write(item, out)?;
    }
    Ok(())
}

/// Writes that a column has a value: `a = ?`. What was loaded is compared so that NULL is equal to
/// NULL, and text to no other text, whatever the collation.
pub(super) fn equals<'b, T: Versioned, DB: Dialect>(
    compared: Compared,
    out: &mut AstPass<'_, 'b, DB>,
    column: impl FnOnce(usize, &mut AstPass<'_, 'b, DB>) -> QueryResult<()>,
    value: impl FnOnce(&mut AstPass<'_, 'b, DB>) -> QueryResult<()>,
) -> QueryResult<()> {
    let index = compared.column::<T>();
    if !matches!(compared, Compared::Content(_)) {
        column(index, out)?;
        out.push_sql(" = ");
        return value(out);
    }
    let syntax = out.backend().syntax();
    let [begin, is, end] = syntax.null_safe;
    let (before, after) = if T::column(index).is_text {
        syntax.exact_text
    } else {
        ("", "")
    };
    out.push_sql(begin);
    out.push_sql(before);
    column(index, out)?;
    out.push_sql(after);
    out.push_sql(is);
    out.push_sql(before);
    value(out)?;
    out.push_sql(after);
    out.push_sql(end);
    Ok(())
}

/// Writes that columns have one of several tuples of values: `a = ? AND b = ?` for one, the
/// backend's form for more.
pub(super) fn one_of<'b, T: Entity<DB>, DB: Dialect, R: 'b>(
    columns: &[Compared],
    rows: impl IntoIterator<Item = &'b R>,
    out: &mut AstPass<'_, 'b, DB>,
    bind: impl Fn(&'b R, Compared, &mut AstPass<'_, 'b, DB>) -> QueryResult<()>,
) -> QueryResult<()> {
    let all_equal = |row: &'b R, out: &mut AstPass<'_, 'b, DB>| {
        list(columns, " AND ", out, |&compared, out| {
            equals::<T, DB>(compared, out, column::<T, DB>, |out| {
                bind(row, compared, out)
            })
        })
    };
    let mut rows = rows.into_iter().peekable();
    let Some(first) = rows.next() else {
        return Ok(());
    };
    if rows.peek().is_none() {
        return all_equal(first, out);
    }
    let rows = iter::once(first).chain(rows);
    let any_content = columns
        .iter()
        .any(|compared| matches!(compared, Compared::Content(_)));
    if let (&[single], false) = (columns, any_content) {
        column::<T, DB>(single.column::<T>(), out)?;
        out.push_sql(" IN (");
        list(rows, ", ", out, |row, out| bind(row, single, out))?;
        out.push_sql(")");
        return Ok(());
    }
    // No tuple is equal to one with a NULL in it.
    let tuples = match out.backend().syntax().tuples {
        _ if any_content => TupleSyntax::Or,
        tuples => tuples,
    };
    let opening = match tuples {
        TupleSyntax::Or => {
            out.push_sql("(");
            list(rows, ") OR (", out, all_equal)?;
            out.push_sql(")");
            return Ok(());
        }
        TupleSyntax::In => ") IN (",
        TupleSyntax::InValues => ") IN (VALUES ",
    };
    out.push_sql("(");
    list(columns, ", ", out, |compared, out| {
        column::<T, DB>(compared.column::<T>(), out)
    })?;
    out.push_sql(opening);
    list(rows, ", ", out, |row, out| {
        out.push_sql("(");
        list(columns, ", ", out, |&compared, out| {
            bind(row, compared, out)
        })?;
        out.push_sql(")");
        Ok(())
    })?;
    out.push_sql(")");
    Ok(())
}

/// The most rows that a statement about `rows` of them may write: one more, so that it shows when
/// a key is not unique.
pub(super) fn limit(rows: usize) -> i64 {
    i64::try_from(rows).map_or(i64::MAX, |rows| rows.saturating_add(1))
}

/// Writes ` ORDER BY` the key and ` LIMIT`, where the backend wants a write of several rows to end
/// in it.
pub(super) fn in_key_order<'b, T: Entity<DB>, DB: Dialect>(
    limit: &'b i64,
    out: &mut AstPass<'_, 'b, DB>,
) -> QueryResult<()> {
    if !out.backend().syntax().ordered_writes {
        return Ok(());
    }
    order_by_key::<T, DB>(out)?;
    out.push_sql(" LIMIT ");
    T::bind_limit(limit, out)
}

/// The positions of the key's columns.
pub(super) fn key_columns<T: Versioned>() -> Vec<usize> {
    (0..T::KEY_COUNT).map(T::key_column).collect()
}

/// Writes ` ORDER BY` the key.
pub(super) fn order_by_key<T: Versioned, DB: Backend>(
    out: &mut AstPass<'_, '_, DB>,
) -> QueryResult<()> {
    out.push_sql(" ORDER BY ");
    list(key_columns::<T>(), ", ", out, |index, out| {
        column::<T, DB>(index, out)
    })
}
