//! The course of a check: which question comes next, and what the answers come to.

use std::marker::PhantomData;
use std::mem;

use diesel::QueryResult;
use diesel::result::Error;

use super::SchemaReport;
use super::compare::{Expected, compare};
use super::found::FoundTable;
use crate::backend::Catalog;
use crate::backend::catalog::{Cells, KeyPart, Lookup, TableKind, Unlisted};
use crate::database_error;
use crate::entity::Versioned;
use crate::statement::{Ask, Entity, KnownCatalog, OwnTables, TableName};

/// A check of the table of `T`. Execution asks the questions and tells the answers.
pub(crate) struct Inspection<T> {
    catalog: KnownCatalog,
    step: Step,
    name: TableName,
    kind: Option<TableKind>,
    table: Option<FoundTable>,
    /// The columns of the key whose collations are asked for.
    collated: Vec<&'static str>,
    /// How many rows an update counted that changed nothing, or why that is not known.
    counted: Option<Result<usize, String>>,
    entity: PhantomData<fn() -> T>,
}

/// What is asked next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Name,
    Locate,
    Kind,
    Columns,
    Keys,
    /// Asks for the collations of one column after the other.
    Collations(usize),
    /// Makes the table in which found rows are tried, one statement after the other.
    Prepare(usize),
    Try,
    CleanUp,
    Done,
}

/// What is asked, and how it is answered.
pub(crate) enum Question<F> {
    /// By rows, to [`Inspection::tell_rows`].
    Rows(Ask<F>),
    /// By how many rows were touched, to [`Inspection::tell_count`].
    Count(Ask<F>),
}

impl<T: Versioned> Inspection<T> {
    pub(crate) fn new() -> Self {
        Self {
            catalog: KnownCatalog::default(),
            step: Step::Name,
            name: TableName::default(),
            kind: None,
            table: None,
            collated: Vec::new(),
            counted: None,
            entity: PhantomData,
        }
    }

    /// The next question; `None` at the end.
    pub(crate) fn next<DB: OwnTables>(&self) -> Option<Question<T::From>>
    where
        T: Entity<DB>,
    {
        let Some(catalog) = self.catalog.get() else {
            return Some(Question::Rows(Ask::name::<T, DB>(&self.catalog)));
        };
        let rows =
            |sql, cells| Question::Rows(Ask::about::<T, DB>(&self.catalog, sql, &self.name, cells));
        let count = |sql| Question::Count(Ask::about::<T, DB>(&self.catalog, sql, &self.name, &[]));
        let found_rows = catalog.found_rows.as_ref();
        Some(match self.step {
            Step::Name => return None,
            Step::Locate => rows(catalog.locate?, TEXT),
            Step::Kind => rows(catalog.kind.sql, catalog.kind.cells),
            Step::Columns => rows(catalog.columns.sql, catalog.columns.cells),
            Step::Keys => rows(catalog.keys.sql, catalog.keys.cells),
            Step::Collations(index) => {
                let lookup = catalog.collations.as_ref()?;
                let ask = Ask::about::<T, DB>(&self.catalog, lookup.sql, &self.name, lookup.cells);
                Question::Rows(ask.of_column(self.collated.get(index)?))
            }
            Step::Prepare(index) => count(found_rows?.before.get(index)?),
            Step::Try => count(found_rows?.update),
            Step::CleanUp => count(found_rows?.after),
            Step::Done => return None,
        })
    }

    /// Takes the answer to a question that is answered by rows.
    pub(crate) fn tell_rows(&mut self, rows: QueryResult<Vec<Cells>>) -> QueryResult<()> {
        let first_text =
            |rows: &[Cells]| rows.first().and_then(|row| row.text(0).map(str::to_owned));
        let Some(catalog) = self.catalog.get().copied() else {
            // The question was not even sent.
            return rows.and(Err(Error::NotFound));
        };
        self.step = match self.step {
            Step::Name => {
                self.name = TableName::parse(&first_text(&rows?).unwrap_or_default())?;
                match catalog.locate {
                    Some(_) => Step::Locate,
                    None => Step::Kind,
                }
            }
            Step::Locate => match first_text(&rows?) {
                Some(schema) => {
                    self.name.schema = Some(schema);
                    Step::Kind
                }
                None => after_table(catalog),
            },
            Step::Kind => {
                self.kind = read(&catalog.kind, &rows?).into_iter().next();
                match (self.kind, catalog.unlisted) {
                    (None, Unlisted::Missing) => after_table(catalog),
                    _ => Step::Columns,
                }
            }
            Step::Columns => match (rows, self.kind, catalog.unlisted) {
                (Err(error), None, Unlisted::Temporary) if is_answer(&error) => {
                    after_table(catalog)
                }
                (rows, kind, unlisted) => {
                    self.table = Some(FoundTable {
                        kind: kind.unwrap_or(match unlisted {
                            Unlisted::Other => TableKind::Other,
                            Unlisted::Missing | Unlisted::Temporary => TableKind::Table,
                        }),
                        columns: read(&catalog.columns, &rows?),
                        keys: Vec::new(),
                    });
                    Step::Keys
                }
            },
            Step::Collations(index) => {
                let weaker = match (&catalog.collations, rows) {
                    (Some(lookup), Ok(rows)) => read(lookup, &rows),
                    // Of a collation that the connection does not have nothing is known.
                    (_, Err(error)) if !is_answer(&error) => return Err(error),
                    _ => Vec::new(),
                };
                if let (Some(table), Some(column)) = (&mut self.table, self.collated.get(index)) {
                    table.trust(catalog, column, &weaker);
                }
                self.after_keys(catalog, index + 1)
            }
            _ => {
                let keys = group(read(&catalog.keys, &rows?));
                if let Some(table) = &mut self.table {
                    table.keys = keys;
                    self.collated = table.collated::<T>(catalog);
                }
                self.after_keys(catalog, 0)
            }
        };
        Ok(())
    }

    /// What comes when the keys are known, and the collations of so many columns.
    fn after_keys(&self, catalog: &Catalog, asked: usize) -> Step {
        if asked < self.collated.len() {
            Step::Collations(asked)
        } else {
            after_table(catalog)
        }
    }

    /// Takes the answer to a question that is answered by a count.
    pub(crate) fn tell_count(&mut self, count: QueryResult<usize>) -> QueryResult<()> {
        let count = match count {
            Err(error) if !may_be_missed(&error) => return Err(error),
            count => count.map_err(|error| error.to_string()),
        };
        let steps = self
            .catalog
            .get()
            .and_then(|catalog| catalog.found_rows.as_ref());
        let last = steps.map_or(0, |steps| steps.before.len().saturating_sub(1));
        self.step = match (self.step, count) {
            (Step::Prepare(index), Ok(_)) if index < last => Step::Prepare(index + 1),
            (Step::Prepare(_), Ok(_)) => Step::Try,
            (Step::Prepare(_), Err(why)) => {
                self.counted = Some(Err(why));
                Step::CleanUp
            }
            (Step::Try, count) => {
                self.counted = Some(count);
                Step::CleanUp
            }
            // A table that stays is the session's own, and the next check removes it.
            _ => Step::Done,
        };
        Ok(())
    }

    /// What was found.
    pub(crate) fn report(mut self) -> SchemaReport {
        let Some(catalog) = self.catalog.get() else {
            return SchemaReport::default();
        };
        let table = mem::take(&mut self.table);
        compare(
            &Expected::of::<T>(),
            catalog,
            table.as_ref(),
            self.counted.as_ref(),
        )
    }
}

/// The type of the answer to where a table is.
const TEXT: &[crate::backend::catalog::CellType] = &[crate::backend::catalog::CellType::Text];

/// What comes when nothing more is to be asked about the table.
fn after_table(catalog: &Catalog) -> Step {
    match catalog.found_rows {
        Some(_) => Step::Prepare(0),
        None => Step::Done,
    }
}

/// Whether an error is the server's answer to the statement, and would be the same again.
fn is_answer(error: &Error) -> bool {
    matches!(error, Error::DatabaseError(..)) && database_error::code(error) == "database"
}

/// Whether what is to be tried is then not known, and the rest is.
fn may_be_missed(error: &Error) -> bool {
    matches!(error, Error::DatabaseError(..))
        && database_error::code(error) != "connection.closed"
        && !database_error::is_transient(error)
}

fn read<R>(lookup: &Lookup<R>, rows: &[Cells]) -> Vec<R> {
    rows.iter().filter_map(lookup.read).collect()
}

/// The parts of each key.
fn group(parts: Vec<KeyPart>) -> Vec<Vec<KeyPart>> {
    let mut keys: Vec<Vec<KeyPart>> = Vec::new();
    for part in parts {
        match keys.last_mut() {
            Some(key) if key.iter().all(|other| other.key == part.key) => key.push(part),
            _ => keys.push(vec![part]),
        }
    }
    keys
}
