//! The assignments of a program's own, `stock = stock - 3`, are looked at before they are sent.

use diesel::QueryResult;
use diesel::backend::Backend;
use diesel::query_builder::{QueryBuilder, QueryFragment};
use diesel::result::Error;

use crate::columns::{ColumnSet, Role};
use crate::entity::Versioned;

/// A database whose SQL can be read before it is sent.
#[diagnostic::on_unimplemented(
    message = "on a connection of the backend `{Self}` it cannot be told which columns a relative \
               update writes",
    label = "not Diesel's own backend",
    note = "a `#[derive(MultiConnection)]` enum knows its database only while it sends: `match` on \
            the enum and use the connection inside, or write `diesel::update(…).set((…, Product::bump()))`"
)]
pub trait Readable: Backend<QueryBuilder: Default> + Default {}

#[diagnostic::do_not_recommend]
impl<DB: Backend<QueryBuilder: Default> + Default> Readable for DB {}

/// What is assigned to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Assigned {
    /// The columns of the entity.
    pub(crate) columns: ColumnSet,
    /// Whether the table has others that are assigned to.
    pub(crate) others: bool,
}

/// What is assigned to. Fails if that is nothing, or a column of the key, the version or the mark of deletion.
pub(crate) fn check_assigned<T, DB, S>(set: &S) -> QueryResult<Assigned>
where
    T: Versioned,
    DB: Readable,
    S: QueryFragment<DB>,
{
    let mut sql = DB::QueryBuilder::default();
    set.to_sql(&mut sql, &DB::default())?;
    let sql = sql.finish();
    if sql.trim().is_empty() {
        return Err(refuse(format!(
            "an update of `{}` sets nothing; set a column, or use `touch` to move the version alone",
            T::TABLE
        )));
    }
    let mut columns = ColumnSet::EMPTY;
    let mut others = targets(&sql).count();
    for index in 0..T::COLUMN_COUNT {
        let column = T::column(index);
        let mut name = DB::QueryBuilder::default();
        name.push_identifier(column.name)?;
        let name = name.finish();
        let known = targets(&sql).filter(|target| target.starts_with(&name));
        match known.count() {
            0 => continue,
            known => others = others.saturating_sub(known),
        }
        let what = match column.role {
            Role::Version => "the version, which moves by itself",
            Role::SoftDelete { .. } => "the mark of deletion, which `delete` and `restore` write",
            Role::Key { .. } => "the key, by which the row is known",
            Role::Unguarded { .. } | Role::Generated | Role::Data { .. } => {
                columns = columns.with(index);
                continue;
            }
        };
        return Err(refuse(format!(
            "an update of `{}` sets `{}`, {what}; take it out of the assignments",
            T::TABLE,
            column.name
        )));
    }
    Ok(Assigned {
        columns,
        others: others > 0,
    })
}

#[cold]
fn refuse(problem: String) -> Error {
    Error::QueryBuilderError(problem.into())
}

/// What stands at the beginning of each assignment of a list, `a = …, b = …`.
fn targets(sql: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    let mut quote = None;
    let starts = sql.char_indices().filter_map(move |(at, char)| {
        match (quote, char) {
            (Some(open), _) if open == char => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(char),
            (None, '(' | '[') => depth += 1,
            (None, ')' | ']') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => return Some(at + 1),
            (None, _) => {}
        }
        None
    });
    std::iter::once(0)
        .chain(starts)
        .filter_map(move |at| Some(sql.get(at..)?.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::targets;

    #[test]
    fn a_target_is_what_an_assignment_begins_with() {
        let sql = r#""a" = f("b", 'x, "c" = 1'), "t"[$1] = (SELECT 1, 2), `d` = 'it''s, `e` = 2'"#;
        let found: Vec<&str> = targets(sql)
            .map(|target| target.split(' ').next().unwrap_or_default())
            .collect();
        assert_eq!(found, [r#""a""#, r#""t"[$1]"#, "`d`"]);
    }
}
