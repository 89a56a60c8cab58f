//! The part: a struct that is embedded in an entity, without a connection or a backend.

use diesel::QueryResult;
use diesel::backend::Backend;
use diesel::query_builder::AstPass;

#[cfg(doc)]
use super::Bind;
use crate::columns::{Column, ColumnSet};
use crate::shown::{ColumnValue, hidden};

/// A struct that is a part of an entity, `#[diesel(embed)]`. Implemented by
/// [`#[derive(VersionedPart)]`](derive@crate::VersionedPart).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be embedded in a versioned entity",
    label = "needs `#[derive(VersionedPart)]`",
    note = "add `#[derive(VersionedPart)]` to `{Self}`, with the entity's `#[diesel(table_name = …)]`"
)]
pub trait VersionedPart {
    /// The values of `serialize_as` fields, converted for one statement.
    type Converted: Send + Sync;

    /// How many columns the part has.
    const COLUMN_COUNT: usize;

    /// The columns that an insert writes.
    const INSERTABLE: ColumnSet;

    /// The columns that an update may write under the guard.
    const UPDATABLE: ColumnSet;

    /// The columns that are written without check and without a new version.
    const UNGUARDED: ColumnSet = ColumnSet::EMPTY;

    /// The columns that the database makes with every write.
    const GENERATED: ColumnSet = ColumnSet::EMPTY;

    /// The columns that no guard compares: `#[versioned(unchecked)]`.
    const UNCHECKED: ColumnSet = ColumnSet::EMPTY;

    /// The columns that no guard can compare for certain, those that are unchecked aside.
    const INEXACT: ColumnSet = ColumnSet::EMPTY;

    /// The column at a position below [`VersionedPart::COLUMN_COUNT`].
    fn column(index: usize) -> Column;

    /// The columns whose values differ from those of `base`.
    fn changed(&self, base: &Self) -> ColumnSet;

    /// Takes the values of some columns from another part; what stands behind the part's own is
    /// not among them.
    fn take_columns(&mut self, _from: &Self, _columns: ColumnSet) {}

    /// The value of the column at a position below [`VersionedPart::COLUMN_COUNT`], to be shown to
    /// people; `…` if its type has no `Debug`.
    fn column_value(&self, index: usize) -> ColumnValue<'_> {
        hidden(index)
    }

    /// The values of `serialize_as` fields, converted.
    fn converted(&self) -> Self::Converted;
}

/// Binds a part's values for one backend; see [`Bind`].
pub trait BindPart<DB: Backend>: VersionedPart {
    /// Binds the value of one column.
    ///
    /// # Errors
    ///
    /// What Diesel reports when a value cannot be serialized.
    fn bind<'b>(
        &'b self,
        converted: &'b Self::Converted,
        column: usize,
        out: &mut AstPass<'_, 'b, DB>,
    ) -> QueryResult<()>;
}
