//! All that was found.

use std::fmt;

use super::{SchemaFinding, Severity};

/// All that is wrong with a table, or with several: reports can be put together.
///
/// `Display` is one line for each finding.
///
/// ```
/// # use diesel::connection::SimpleConnection;
/// # use diesel::prelude::*;
/// # use diesel_versioned::prelude::*;
/// # diesel::table! { products (id) { id -> Integer, version -> Integer } }
/// # diesel::table! { orders (id) { id -> Integer, version -> Integer } }
/// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// # #[diesel(table_name = products)]
/// # struct Product { id: i32, #[version] version: i32 }
/// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// # #[diesel(table_name = orders)]
/// # struct Order { id: i32, #[version] version: i32 }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, version INTEGER NOT NULL)")?;
/// let mut report = Product::check_schema(&mut conn)?;
/// report.extend(Order::check_schema(&mut conn)?);
/// for finding in &report {
///     eprintln!("{finding}");
/// }
/// let codes: Vec<_> = report.iter().map(|finding| (finding.table(), finding.code())).collect();
/// assert_eq!(
///     codes,
///     [("products", "schema.default_missing"), ("orders", "schema.table_missing")]
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SchemaReport {
    findings: Vec<SchemaFinding>,
}

/// A table is not what its entity says: what [`SchemaReport::into_result`] makes of a report.
/// `Display` is one line for each finding that is an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", Lines(.report.errors()))]
pub struct SchemaError {
    report: SchemaReport,
}

impl SchemaReport {
    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// How many findings there are.
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// The findings, table by table.
    pub fn iter(&self) -> std::slice::Iter<'_, SchemaFinding> {
        self.findings.iter()
    }

    /// The findings because of which writes will fail, or updates may be lost.
    pub fn errors(&self) -> impl Iterator<Item = &SchemaFinding> + Clone {
        self.of(Severity::Error)
    }

    /// The findings with which the library's writes work.
    pub fn warnings(&self) -> impl Iterator<Item = &SchemaFinding> + Clone {
        self.of(Severity::Warning)
    }

    fn of(&self, severity: Severity) -> impl Iterator<Item = &SchemaFinding> + Clone {
        let of = move |finding: &&SchemaFinding| finding.severity() == severity;
        self.iter().filter(of)
    }

    /// The report, with nothing but warnings in it.
    ///
    /// # Errors
    ///
    /// [`SchemaError`] if one of the findings is an [error](Severity::Error).
    pub fn into_result(self) -> Result<Self, SchemaError> {
        if self.errors().next().is_none() {
            Ok(self)
        } else {
            Err(SchemaError { report: self })
        }
    }
}

impl SchemaError {
    /// All that was found, warnings as well.
    pub fn report(&self) -> &SchemaReport {
        &self.report
    }

    /// A stable name for programs: that of the first finding that is an error.
    pub fn code(&self) -> &'static str {
        self.report
            .errors()
            .next()
            .map_or("schema", SchemaFinding::code)
    }
}

impl fmt::Display for SchemaReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Lines(self.iter()).fmt(f)
    }
}

/// One line for each.
struct Lines<I>(I);

impl<'a, I: Iterator<Item = &'a SchemaFinding> + Clone> fmt::Display for Lines<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, finding) in self.0.clone().enumerate() {
            if position > 0 {
                f.write_str("\n")?;
            }
            finding.fmt(f)?;
        }
        Ok(())
    }
}

impl FromIterator<SchemaFinding> for SchemaReport {
    fn from_iter<I: IntoIterator<Item = SchemaFinding>>(findings: I) -> Self {
        Self {
            findings: findings.into_iter().collect(),
        }
    }
}

impl Extend<SchemaFinding> for SchemaReport {
    fn extend<I: IntoIterator<Item = SchemaFinding>>(&mut self, findings: I) {
        self.findings.extend(findings);
    }
}

impl IntoIterator for SchemaReport {
    type Item = SchemaFinding;
    type IntoIter = std::vec::IntoIter<SchemaFinding>;

    fn into_iter(self) -> Self::IntoIter {
        self.findings.into_iter()
    }
}

impl<'a> IntoIterator for &'a SchemaReport {
    type Item = &'a SchemaFinding;
    type IntoIter = std::slice::Iter<'a, SchemaFinding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
