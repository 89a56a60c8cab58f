//! How a database is asked about a table, and what it answers: values for each backend.

use std::ptr;

use crate::schema_check::Declared;

/// How a database is asked about its tables; [`Sqlite`, `Pg` and `Mysql`](super::Dialect) have one.
///
/// In its SQL `{from}` is the table as statements name it, `{in_schema}` the quoted schema with a dot
/// or nothing, `{column}` the quoted name of a column, `{name}`, `{schema}` and `{table}` are bound: the
/// table as statements name it, its schema or NULL, and its name alone.
#[derive(Debug)]
pub struct Catalog {
    /// What a text that is no value begins and ends with.
    pub(crate) literal: (&'static str, &'static str),
    /// Finds the schema in which the database finds the table, where `{schema}` has to be known.
    pub(crate) locate: Option<&'static str>,
    /// Asks whether a table has constraints that can be asked for.
    pub(crate) kind: Lookup<TableKind>,
    /// What a table is for which that has no answer.
    pub(crate) unlisted: Unlisted,
    /// Asks for the columns.
    pub(crate) columns: Lookup<FoundColumn>,
    /// Asks for the columns of all unique keys, each key's beside each other.
    pub(crate) keys: Lookup<KeyPart>,
    /// Asks by which collations a unique key keeps apart what `=` takes for the same in a column,
    /// where those of all keys are told; where there is none, only such collations are told.
    pub(crate) collations: Option<Lookup<String>>,
    /// Whether names that differ in case only name the same column.
    pub(crate) folds_case: bool,
    /// Whether a column takes what is sent as what `table!` says of it, and gives it back.
    pub(crate) takes: fn(Declared, Stored) -> Takes,
    /// Whether an integer is read only from a column of exactly its width.
    pub(crate) exact_integers: bool,
    /// Tries what the count of an update counts, where connections differ in it.
    pub(crate) found_rows: Option<FoundRows>,
}

impl Catalog {
    /// Whether two names name the same column.
    pub(crate) fn same_name(&self, one: &str, other: &str) -> bool {
        one == other || self.folds_case && one.to_lowercase() == other.to_lowercase()
    }
}

/// There is one of each backend.
impl PartialEq for Catalog {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self, other)
    }
}

impl Eq for Catalog {}

/// A question about a table, and how a row of its answer is read.
#[derive(Debug)]
pub(crate) struct Lookup<R> {
    pub(crate) sql: &'static str,
    /// The types of the first columns of the answer.
    pub(crate) cells: &'static [CellType],
    pub(crate) read: fn(&Cells) -> Option<R>,
}

/// The type of a value in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellType {
    Text,
    Number,
}

/// A row of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Cells(pub(crate) Vec<Cell>);

/// A value in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cell {
    Text(Option<String>),
    Number(Option<i64>),
}

impl Cells {
    /// The text at a position; `None` for NULL.
    pub(crate) fn text(&self, index: usize) -> Option<&str> {
        match self.0.get(index) {
            Some(Cell::Text(text)) => text.as_deref(),
            _ => None,
        }
    }

    /// Whether the number at a position is there and is not 0.
    pub(crate) fn is_true(&self, index: usize) -> bool {
        matches!(self.0.get(index), Some(Cell::Number(Some(number))) if *number != 0)
    }
}

/// What a name in FROM may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TableKind {
    /// A table.
    Table,
    /// A view, or a table whose rows are kept elsewhere: its constraints are not known.
    Other,
}

impl TableKind {
    /// Reads `table`, or anything else.
    pub(crate) fn read(cells: &Cells) -> Option<Self> {
        Some(match cells.text(0)? {
            "table" => Self::Table,
            _ => Self::Other,
        })
    }
}

/// What a table is that the database does not list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unlisted {
    /// There is none.
    Missing,
    /// A temporary one if its columns can be asked for, otherwise there is none.
    Temporary,
    /// There is one, as was found out before.
    Other,
}

/// A column as the database has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundColumn {
    pub(crate) name: String,
    /// Its type, as the database shows it.
    pub(crate) type_name: String,
    pub(crate) stored: Stored,
    pub(crate) nullable: bool,
    /// Whether an insert that does not name the column gives it a value.
    pub(crate) has_default: bool,
}

/// A column of a unique key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeyPart {
    pub(crate) key: String,
    /// `None` for an expression.
    pub(crate) column: Option<String>,
    /// The collation by which it compares, if that may not be how `=` does; see
    /// [`Catalog::collations`].
    pub(crate) collation: Option<String>,
}

impl KeyPart {
    /// Reads the name of a key, that of a column, and that of a collation.
    pub(crate) fn read(cells: &Cells) -> Option<Self> {
        Some(Self {
            key: cells.text(0)?.to_owned(),
            column: cells.text(1).map(str::to_owned),
            collation: cells.text(2).map(str::to_owned),
        })
    }
}

/// Whether a column takes what it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    Yes,
    No,
    /// If `table!` says this of it.
    IfDeclared(&'static str),
}

/// What a column can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stored {
    Integer {
        bits: u8,
        signed: bool,
    },
    /// With so many digits of a second.
    Timestamp {
        digits: u8,
        /// Converted from and to the time zone of the session.
        zoned: bool,
    },
    Uuid,
    /// `TRUE` or `FALSE`, by a type of its own.
    Boolean,
    /// So many bytes at most, or exactly.
    Bytes {
        most: Option<u64>,
        padded: bool,
    },
    Text,
    /// Whatever is written.
    Anything,
    /// What no type of Diesel's is sent as that a version has; a type of one's own may be.
    Foreign,
    /// Nothing that a version is made of.
    Other,
}

impl Stored {
    pub(crate) const fn integer(bits: u8) -> Self {
        Self::Integer { bits, signed: true }
    }
}

/// A type as the database shows it: `timestamp(3) with time zone` is `timestamp`, `Some(3)`,
/// ` with time zone`.
pub(crate) fn type_parts(type_name: &str) -> (&str, Option<u64>, &str) {
    let end = type_name
        .find(|char: char| char == '(' || char.is_whitespace())
        .unwrap_or(type_name.len());
    let (word, rest) = type_name.split_at(end);
    match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((argument, rest)) => (word, argument.trim().parse().ok(), rest),
        None => (word, None, rest),
    }
}

/// A time with the digits of a second that a type has by its argument, or else by default.
pub(crate) fn timestamp(argument: Option<u64>, default: u8, zoned: bool) -> Stored {
    let digits = argument.and_then(|digits| u8::try_from(digits).ok());
    Stored::Timestamp {
        digits: digits.unwrap_or(default),
        zoned,
    }
}

/// An update that changes nothing, of a table of the session's own.
#[derive(Debug)]
pub(crate) struct FoundRows {
    /// Make the table, one after the other.
    pub(crate) before: &'static [&'static str],
    /// Matches one row and changes none.
    pub(crate) update: &'static str,
    /// Removes the table.
    pub(crate) after: &'static str,
}

#[cfg(test)]
mod tests {
    use super::type_parts;

    #[test]
    fn a_type_is_taken_apart() {
        for (type_name, parts) in [
            ("integer", ("integer", None, "")),
            ("int(11) unsigned", ("int", Some(11), " unsigned")),
            ("int unsigned", ("int", None, " unsigned")),
            (
                "timestamp(3) with time zone",
                ("timestamp", Some(3), " with time zone"),
            ),
            ("enum('a','b')", ("enum", None, "")),
            ("", ("", None, "")),
        ] {
            assert_eq!(type_parts(type_name), parts);
        }
    }
}
