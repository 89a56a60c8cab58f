//! Questions to a database about a table.

use std::sync::{Arc, OnceLock};

use diesel::QueryResult;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::Error;
use diesel::row::Row;
use diesel::sql_types::Untyped;

use super::own::OwnTables;
use super::target::Entity;
use crate::backend::Catalog;
use crate::backend::catalog::{Cell, CellType, Cells};

/// How the database behind a connection is asked, known once it was asked something. A
/// `#[derive(MultiConnection)]` enum knows only while it sends a statement which database it is.
pub(crate) type KnownCatalog = Arc<OnceLock<&'static Catalog>>;

/// A table by its name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TableName {
    /// As statements name it: quoted, with its schema if that is given.
    pub(crate) quoted: String,
    pub(crate) schema: Option<String>,
    pub(crate) table: String,
}

impl TableName {
    /// What was answered to [`Ask::name`]: the table, and its schema if that is given, without quotes.
    #[cfg(feature = "lease")]
    pub(crate) fn of_answer(rows: Vec<Cells>) -> QueryResult<String> {
        let name = rows.first().and_then(|row| row.text(0));
        let name = Self::parse(name.unwrap_or_default())?;
        Ok(match name.schema {
            Some(schema) => format!("{schema}.{}", name.table),
            None => name.table,
        })
    }

    /// Takes a quoted name apart.
    pub(crate) fn parse(quoted: &str) -> QueryResult<Self> {
        let mut parts = Vec::new();
        let mut rest = quoted.trim();
        loop {
            let (part, after) = identifier(rest).ok_or_else(|| no_name(quoted))?;
            parts.push(part);
            match after.strip_prefix('.') {
                Some(after) => rest = after,
                None if after.is_empty() => break,
                None => return Err(no_name(quoted)),
            }
        }
        let table = parts.pop().unwrap_or_default();
        let schema = parts.pop();
        if !parts.is_empty() {
            return Err(no_name(quoted));
        }
        Ok(Self {
            quoted: quoted.trim().to_owned(),
            schema,
            table,
        })
    }
}

/// The quoted identifier at the beginning, and what follows.
fn identifier(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|char| "\"`".contains(*char))?;
    let mut rest = &text[1..];
    let mut name = String::new();
    loop {
        let end = rest.find(quote)?;
        name.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix(quote) {
            Some(after) => {
                name.push(quote);
                rest = after;
            }
            None => return Some((name, rest)),
        }
    }
}

#[cold]
fn no_name(from: &str) -> Error {
    let problem = format!("`{from}` is not the name of a table, so its schema cannot be checked");
    Error::QueryBuilderError(problem.into())
}

/// A question about the table of an entity.
pub(crate) struct Ask<F> {
    from: F,
    catalog: KnownCatalog,
    text: Text,
    cells: &'static [CellType],
}

enum Text {
    /// `SELECT 'name'`: the name as the database's own quotes have it.
    Name,
    /// SQL with the names of a table in it, which are bound.
    About {
        sql: &'static str,
        quoted: Option<String>,
        schema: Option<String>,
        table: Option<String>,
        column: &'static str,
    },
}

impl<F> Ask<F> {
    /// Asks how statements name the table.
    pub(crate) fn name<T: Entity<DB, From = F>, DB: OwnTables>(catalog: &KnownCatalog) -> Self {
        Self {
            from: T::from_clause(),
            catalog: Arc::clone(catalog),
            text: Text::Name,
            cells: &[CellType::Text],
        }
    }

    /// Asks for something about the table; see [`Catalog`].
    pub(crate) fn about<T: Entity<DB, From = F>, DB: OwnTables>(
        catalog: &KnownCatalog,
        sql: &'static str,
        name: &TableName,
        cells: &'static [CellType],
    ) -> Self {
        Self {
            from: T::from_clause(),
            catalog: Arc::clone(catalog),
            text: Text::About {
                sql,
                quoted: Some(name.quoted.clone()),
                schema: name.schema.clone(),
                table: Some(name.table.clone()),
                column: "",
            },
            cells,
        }
    }

    /// The same about one of the columns.
    pub(crate) fn of_column(mut self, name: &'static str) -> Self {
        if let Text::About { column, .. } = &mut self.text {
            *column = name;
        }
        self
    }

    /// The types of the first columns of the answer.
    pub(crate) fn cells(&self) -> &'static [CellType] {
        self.cells
    }
}

impl<F: QueryFragment<DB>, DB: OwnTables> QueryFragment<DB> for Ask<F> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        // Once at the start of a program; SHOW and CREATE TABLE are nothing to keep prepared.
        out.unsafe_to_cache_prepared();
        let (mut sql, quoted, schema, table, column) = match &self.text {
            Text::Name => {
                let catalog = out.backend().syntax().catalog.ok_or_else(no_catalog)?;
                self.catalog.get_or_init(|| catalog);
                out.push_sql("SELECT ");
                out.push_sql(catalog.literal.0);
                self.from.walk_ast(out.reborrow())?;
                out.push_sql(catalog.literal.1);
                return Ok(());
            }
            Text::About {
                sql,
                quoted,
                schema,
                table,
                column,
            } => (*sql, quoted, schema, table, *column),
        };
        while let Some((before, (marker, after))) = split_at_marker(sql) {
            out.push_sql(before);
            match marker {
                "from" => self.from.walk_ast(out.reborrow())?,
                "in_schema" => {
                    if let Some(schema) = schema {
                        out.push_identifier(schema)?;
                        out.push_sql(".");
                    }
                }
                "column" => out.push_identifier(column)?,
                "name" => DB::bind_text(quoted, &mut out)?,
                "table" => DB::bind_text(table, &mut out)?,
                _ => DB::bind_text(schema, &mut out)?,
            }
            sql = after;
        }
        out.push_sql(sql);
        Ok(())
    }
}

fn split_at_marker(sql: &str) -> Option<(&str, (&str, &str))> {
    let (before, rest) = sql.split_once('{')?;
    Some((before, rest.split_once('}')?))
}

impl<F> Query for Ask<F> {
    type SqlType = Untyped;
}

impl<F> QueryId for Ask<F> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

/// Takes the values of these types out of a row.
pub(crate) fn read_cells<'a, DB: OwnTables>(
    row: &impl Row<'a, DB>,
    types: &[CellType],
) -> QueryResult<Cells> {
    let cells = types.iter().enumerate().map(|(index, cell)| match cell {
        CellType::Text => DB::text(row, index).map(Cell::Text),
        CellType::Number => DB::number(row, index).map(Cell::Number),
    });
    cells.collect::<QueryResult<_>>().map(Cells)
}

#[cold]
fn no_catalog() -> Error {
    let problem = "it is not known how to ask this database about its tables; hand \
                   `Dialect::syntax` on to the backend that is inside";
    Error::QueryBuilderError(problem.into())
}

#[cfg(test)]
mod tests {
    use super::TableName;

    #[test]
    fn a_name_is_taken_apart() {
        for (quoted, schema, table) in [
            ("`products`", None, "products"),
            (r#""second"."order""#, Some("second"), "order"),
            ("`a.b`.`c``d`", Some("a.b"), "c`d"),
            (r#""say ""hi""""#, None, r#"say "hi""#),
            ("`größe`", None, "größe"),
        ] {
            let name = TableName::parse(quoted).unwrap();
            assert_eq!(name.schema.as_deref(), schema, "{quoted}");
            assert_eq!((name.table.as_str(), name.quoted.as_str()), (table, quoted));
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for from in [
            "",
            "products",
            "`a` AS `b`",
            "`a`.`b`.`c`",
            "`a",
            "(SELECT 1)",
        ] {
            let error = TableName::parse(from).unwrap_err().to_string();
            assert!(error.contains("is not the name of a table"), "{error}");
        }
    }
}
