//! Overwriting on purpose: what is recorded of it, and why it may fail. No connection.

mod actor;
mod error;
mod json;

pub(crate) use actor::reason;
pub use actor::{Actor, ActorError, ReasonError};
pub use error::{NotOverwritable, OverwriteError};

use std::any::Any;
use std::fmt;

use crate::columns::ColumnSet;
use crate::entity::Versioned;
use crate::statement::Own;
use crate::version::VersionValue;

/// The library's own record: the table `diesel_versioned_overwrites`, which the migrations of
/// `diesel_versioned::migrations` make. An [`Audit`](crate::Audit) of yours may call it and do more.
/// Nothing here ever removes a row from it. On a `#[derive(MultiConnection)]` enum with PostgreSQL in
/// it, hand [`syntax`](crate::Dialect::syntax) on: the column of JSON needs a cast there.
///
/// | column | what is in it |
/// | --- | --- |
/// | `written_at` | when, by the clock of the database: `TIMESTAMPTZ` on PostgreSQL, `DATETIME(6)` in UTC on MySQL and MariaDB, text in UTC with milliseconds on SQLite |
/// | `actor`, `reason` | who and why |
/// | `table_name`, `row_key` | the row; the key as `{:?}` shows it |
/// | `overwritten_version`, `new_version` | the versions as text; `new_version` is null if the row was deleted |
/// | `overwritten_values` | what is lost, a JSON object: [`Overwrite::overwritten_values`]; `JSONB` on PostgreSQL, `JSON` on MySQL and MariaDB, checked text on SQLite |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OverwriteTable;

/// A row that is being overwritten on purpose: by whom, why, and what is lost by it. An
/// [`Audit`](crate::Audit) is given it in the transaction that overwrites the row.
pub struct Overwrite {
    table: &'static str,
    key: String,
    actor: Actor,
    reason: String,
    overwritten_version: String,
    new_version: Option<String>,
    overwritten_values: String,
    overwritten: Box<dyn Any + Send + Sync>,
    written: Option<Box<dyn Any + Send + Sync>>,
}

impl Overwrite {
    /// `current` is overwritten by `mine`, which is `written` as it says, or is deleted.
    pub(crate) fn new<T: Versioned>(
        current: &T,
        mine: &T,
        written: Option<T>,
        actor: Actor,
        reason: String,
    ) -> Self {
        let lost = match &written {
            Some(_) => current
                .changed(mine)
                .and(T::UPDATABLE.without(T::UNGUARDED)),
            None => (0..T::COLUMN_COUNT).fold(ColumnSet::EMPTY, ColumnSet::with),
        };
        let values = lost
            .iter()
            .map(|index| (T::column(index).name, current.column_value(index)));
        Self {
            table: T::TABLE,
            key: format!("{:?}", mine.key()),
            actor,
            reason,
            overwritten_version: current.version().to_text(),
            new_version: written.as_ref().map(|written| written.version().to_text()),
            overwritten_values: json::object(values),
            overwritten: Box::new(current.clone()),
            written: written.map(|written| Box::new(written) as Box<dyn Any + Send + Sync>),
        }
    }

    /// The table of the row.
    pub fn table(&self) -> &'static str {
        self.table
    }

    /// The primary key, as text: what `{:?}` makes of it, as in messages.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Who does it.
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// Why.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// The version that is overwritten, as text: what [`VersionValue::to_text`] makes of it.
    pub fn overwritten_version(&self) -> &str {
        &self.overwritten_version
    }

    /// The version that the row gets, as text; `None` if it is deleted.
    pub fn new_version(&self) -> Option<&str> {
        self.new_version.as_deref()
    }

    /// The values that are lost, as a JSON object: column to value, for the columns that differ, for
    /// all of them if the row is deleted; `{}` if nothing differs.
    ///
    /// The types of the fields decide what becomes of a value:
    ///
    /// | field | JSON |
    /// | --- | --- |
    /// | integers that fit into 64 bits with a sign, floats | a number |
    /// | greater integers, `NaN`, infinity | the same as text |
    /// | `bool` | `true` or `false` |
    /// | `String`, `char`, `Box<str>`, `Arc<str>`, `Cow<'static, str>` | text; a NUL, which JSON on PostgreSQL cannot hold, becomes U+FFFD |
    /// | `None` | `null`, `Some` does not show |
    /// | `Vec` of these, `Vec<Option<…>>`, `Vec<Vec<…>>` | a list |
    /// | anything else | the text of its `Debug`; `…` if it has none |
    ///
    /// So a secret whose type has no `Debug` is not recorded. For values of other types as JSON of
    /// their own, write an [`Audit`](crate::Audit) that looks at
    /// [`overwritten`](Overwrite::overwritten).
    pub fn overwritten_values(&self) -> &str {
        &self.overwritten_values
    }

    /// The row as it stood, if it is a `T`.
    pub fn overwritten<T: Versioned>(&self) -> Option<&T> {
        self.overwritten.downcast_ref()
    }

    /// The row as it is written, at its new version; `None` if it is deleted, or no `T`.
    pub fn written<T: Versioned>(&self) -> Option<&T> {
        self.written.as_ref()?.downcast_ref()
    }

    /// The row of the library's own table.
    pub(crate) fn record(&self) -> Own {
        Own::new(
            "INSERT INTO diesel_versioned_overwrites (actor, table_name, row_key, \
             overwritten_version, new_version, overwritten_values, reason) VALUES (",
        )
        .text(self.actor.as_str().to_owned())
        .sql(", ")
        .text(self.table.to_owned())
        .sql(", ")
        .text(self.key.clone())
        .sql(", ")
        .text(self.overwritten_version.clone())
        .sql(", ")
        .text(self.new_version.clone())
        .sql(", ")
        .json(self.overwritten_values.clone())
        .sql(", ")
        .text(self.reason.clone())
        .sql(")")
    }
}

/// Without values and without the reason: they may be secrets.
impl fmt::Debug for Overwrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Overwrite")
            .field("table", &self.table)
            .field("key", &self.key)
            .field("actor", &self.actor)
            .field("overwritten_version", &self.overwritten_version)
            .field("new_version", &self.new_version)
            .finish_non_exhaustive()
    }
}
