//! One thing that is wrong with a table.

use std::fmt;

use super::Shape;

/// One thing that is wrong with a table; `Display` says it in one line, and what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaFinding {
    table: &'static str,
    column: Option<&'static str>,
    problem: Problem,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// There is no such table, or the user may not see it.
    TableMissing,
    /// There is no such column, or the user may not see it.
    ColumnMissing,
    /// The version may be NULL: no guard matches such a row.
    VersionNullable,
    /// The version's column is of another type.
    VersionType {
        /// What the version is.
        version: Shape,
        /// The type of the column, as the database shows it.
        found: String,
        /// What `table!` has to say instead, if that is what is wrong.
        declare: Option<&'static str>,
    },
    /// The version's column ends before the type of the version does.
    VersionNarrow {
        /// What the version is.
        version: Shape,
        /// The type of the column, as the database shows it.
        found: String,
    },
    /// The version's column keeps fewer digits of a second than the version has: what is read back
    /// is another version.
    VersionPrecision {
        /// What the version is.
        version: Shape,
        /// The type of the column, as the database shows it.
        found: String,
    },
    /// The column that marks rows as deleted by a time cannot be NULL, which is what it has for all
    /// others.
    MarkNotNull,
    /// The column that marks rows as deleted by `TRUE` may be NULL: such a row is neither deleted nor
    /// not.
    MarkNullable,
    /// The column that marks rows as deleted is of another type.
    MarkType {
        /// What the mark is.
        mark: Shape,
        /// The type of the column, as the database shows it.
        found: String,
        /// What `table!` has to say instead, if that is what is wrong.
        declare: Option<&'static str>,
    },
    /// The column that marks rows as deleted keeps fewer digits of a second than the mark has.
    MarkPrecision {
        /// What the mark is.
        mark: Shape,
        /// The type of the column, as the database shows it.
        found: String,
    },
    /// The database does not keep the key unique: neither a primary key nor a unique index has
    /// columns of the key alone, and takes for the same what `=` does.
    KeyNotUnique {
        /// The columns of the key.
        key: Vec<&'static str>,
        /// The collation of a unique index that has such columns, and keeps apart what `=` does not.
        collation: Option<String>,
    },
    /// The version has no DEFAULT: rows of writers who do not know of it fail, or have none.
    DefaultMissing,
    /// The connection counts the rows that an update has changed, not those that it has matched.
    FoundRows,
    /// Something cannot be found out.
    NotChecked {
        /// What, and why.
        why: String,
    },
}

/// What follows from a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// The library's writes work.
    Warning,
    /// Writes will fail, or updates may be lost.
    Error,
}

impl SchemaFinding {
    pub(super) fn new(table: &'static str, problem: Problem) -> Self {
        Self {
            table,
            column: None,
            problem,
        }
    }

    pub(super) fn of_column(table: &'static str, column: &'static str, problem: Problem) -> Self {
        Self {
            column: Some(column),
            ..Self::new(table, problem)
        }
    }

    /// The name of the table.
    pub fn table(&self) -> &'static str {
        self.table
    }

    /// The name of the column, if the finding is about one.
    pub fn column(&self) -> Option<&'static str> {
        self.column
    }

    /// What is wrong.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// What follows from it.
    pub fn severity(&self) -> Severity {
        match self.problem {
            Problem::DefaultMissing | Problem::NotChecked { .. } => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// A stable name for programs; the [module](crate::schema_check) lists them.
    pub fn code(&self) -> &'static str {
        match self.problem {
            Problem::TableMissing => "schema.table_missing",
            Problem::ColumnMissing => "schema.column_missing",
            Problem::VersionNullable => "schema.version_nullable",
            Problem::VersionType { .. } => "schema.version_type",
            Problem::VersionNarrow { .. } => "schema.version_narrow",
            Problem::VersionPrecision { .. } => "schema.version_precision",
            Problem::MarkNotNull => "schema.mark_not_null",
            Problem::MarkNullable => "schema.mark_nullable",
            Problem::MarkType { .. } => "schema.mark_type",
            Problem::MarkPrecision { .. } => "schema.mark_precision",
            Problem::KeyNotUnique { .. } => "schema.key_not_unique",
            Problem::DefaultMissing => "schema.default_missing",
            Problem::FoundRows => "schema.found_rows",
            Problem::NotChecked { .. } => "schema.not_checked",
        }
    }
}

impl fmt::Display for SchemaFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.table)?;
        if let Some(column) = self.column {
            write!(f, ".`{column}`")?;
        }
        f.write_str(": ")?;
        match &self.problem {
            Problem::TableMissing => f.write_str(
                "there is no such table, or this user may not see it; run the migrations, grant \
                 access, or name its schema in `table!`",
            ),
            Problem::ColumnMissing => f.write_str(
                "there is no such column, or this user may not see it; run the migrations, or \
                 take it out of the entity",
            ),
            Problem::VersionNullable => f.write_str(
                "the version may be NULL, and a row without a version can never be saved; give \
                 those rows one and make the column NOT NULL",
            ),
            Problem::VersionType {
                declare: Some(declare),
                found,
                ..
            }
            | Problem::MarkType {
                declare: Some(declare),
                found,
                ..
            } => write!(
                f,
                "`table!` says another type of time than that of the column, which is `{found}`, so \
                 times are sent that the database takes for other ones, or for NULL; write \
                 `{declare}` in `table!`"
            ),
            Problem::VersionType { version, found, .. } => write!(
                f,
                "the version is {version} and the column `{found}`; change the type of one of them"
            ),
            Problem::VersionNarrow { version, found } => write!(
                f,
                "the version is {version}, more than the column can hold, which is `{found}`; \
                 make it wider"
            ),
            Problem::VersionPrecision { version, found } => write!(
                f,
                "the version is {version}, more than the column keeps, which is `{found}`: every \
                 save would conflict; give the column, or the version, the other one's precision"
            ),
            Problem::MarkNotNull => f.write_str(
                "rows that are not deleted have NULL in it, and it is NOT NULL; drop that, or mark \
                 them by a `bool`",
            ),
            Problem::MarkNullable => f.write_str(
                "a row with NULL in it is neither deleted nor not, so it is never found; set it to \
                 FALSE and make the column NOT NULL",
            ),
            Problem::MarkType { mark, found, .. } => write!(
                f,
                "the mark of deletion is {mark} and the column `{found}`; change the type of one of \
                 them"
            ),
            Problem::MarkPrecision { mark, found } => write!(
                f,
                "the mark of deletion is {mark}, more than the column keeps, which is `{found}`; give \
                 the column, or `soft_delete(precision = …)`, the other one's precision"
            ),
            Problem::KeyNotUnique {
                key,
                collation: Some(collation),
            } => write!(
                f,
                "a unique index has ({}) by the collation `{collation}` and keeps apart what `=` \
                 takes for the same by that of the column, so a write could reach several rows; add \
                 one by the collation of the column",
                key.join(", ")
            ),
            Problem::KeyNotUnique { key, .. } => write!(
                f,
                "no primary key and no unique index keeps ({}) unique, so a write could reach \
                 several rows; add one on these columns",
                key.join(", ")
            ),
            Problem::DefaultMissing => f.write_str(
                "the version has no DEFAULT, so inserts that do not name it fail or make rows \
                 without a version; add `DEFAULT 1`, or what the first version is",
            ),
            Problem::FoundRows => f.write_str(
                "this connection counts changed rows, not matched ones, so a write can look like \
                 a conflict; connect with CLIENT_FOUND_ROWS, as Diesel does",
            ),
            Problem::NotChecked { why } => f.write_str(why),
        }
    }
}
