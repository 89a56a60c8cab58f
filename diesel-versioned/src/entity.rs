//! The entity: what `#[derive(Versioned)]` tells about a struct, without a connection or a backend.

mod key;
mod part;

use std::any::TypeId;

use diesel::QueryResult;
use diesel::backend::Backend;
use diesel::query_builder::AstPass;

pub use key::{EntityKey, ForeignKey, IntoKey, ParentKey};
pub use part::{BindPart, VersionedPart};

use crate::columns::{Column, ColumnSet, Role};
use crate::guard::{Check, VersionGroup};
use crate::schema_check::{Declared, Shape};
use crate::shown::{ColumnValue, hidden};
use crate::soft_delete::MarkColumn;
#[cfg(doc)]
use crate::version::ByContent;
use crate::version::{Moment, NoVersion, VersionValue};

/// A struct that is one row of a versioned table. Implemented by
/// [`#[derive(Versioned)]`](derive@crate::Versioned).
///
/// It holds no connection and no backend: the calls that reach a database are in
/// [`VersionedDsl`](crate::VersionedDsl).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a versioned entity",
    label = "needs `#[derive(Versioned)]`",
    note = "add `#[derive(Versioned)]` to `{Self}` and `#[version]` to one of its fields"
)]
pub trait Versioned: CloneEntity + Send + Sync + 'static {
    /// Diesel's table.
    type Table: diesel::QuerySource + Copy + Send + Sync + 'static;

    /// The primary key: one field's type, or a tuple for a composite key.
    type Key: EntityKey;

    /// The type of the `#[version]` field; a tuple of the types of all of them where the columns are
    /// in [groups](Versioned::GROUPS); [`ByContent`] where there is none.
    type Version: VersionValue;

    /// The values of `serialize_as` fields, converted for one statement.
    type Converted: Send + Sync;

    /// The name of the table, as messages show it.
    const TABLE: &'static str;

    /// How many columns the entity has, those of embedded parts included.
    const COLUMN_COUNT: usize;

    /// How many columns the key has.
    const KEY_COUNT: usize;

    /// The version columns: one, or one of each of the [groups](Versioned::GROUPS), in the order of
    /// the parts of [`Versioned::Version`], or none.
    const VERSION_COLUMNS: ColumnSet;

    /// The groups that the columns are in, where they are: `#[version(group = …)]`.
    const GROUPS: &'static [VersionGroup] = &[];

    /// What the guard compares: `#[versioned(check = …)]`.
    const CHECK: Check = Check::Version;

    /// The columns that the guard may compare where there is no version.
    const CHECKED: ColumnSet = ColumnSet::EMPTY;

    /// Whether [`tag`](Versioned::tag) tells one state of the row from all others.
    const HAS_TAG: bool = matches!(Self::CHECK, Check::Version);

    /// The columns that an insert writes, the version's among them unless the database makes it.
    const INSERTABLE: ColumnSet;

    /// The columns that an update may write under the guard: never the key, never the version, never
    /// the mark of deletion, never one that is unguarded.
    const UPDATABLE: ColumnSet;

    /// The columns that are written without check and without a new version:
    /// `#[versioned(unguarded)]`.
    const UNGUARDED: ColumnSet = ColumnSet::EMPTY;

    /// The columns that the database makes with every write: `#[versioned(generated)]`.
    const GENERATED: ColumnSet = ColumnSet::EMPTY;

    /// The column that marks a row as deleted: `#[versioned(soft_delete)]`.
    const MARK: Option<MarkColumn> = None;

    /// Whether the database makes the version: `#[version(db)]`.
    const VERSION_BY_DATABASE: bool = false;

    /// Whether the version starts again after the last one: `#[version(wrap)]`.
    const VERSION_WRAPS: ColumnSet = ColumnSet::EMPTY;

    /// Whether something is read back after an update.
    const READS_BACK_UPDATE: bool = Self::VERSION_BY_DATABASE || !Self::GENERATED.is_empty();

    /// Whether an insert leaves columns to the database, which are read back after it.
    const READS_BACK_INSERT: bool = Self::INSERTABLE.len() < Self::COLUMN_COUNT;

    /// Whether the database makes the key, or a part of it.
    fn key_is_generated() -> bool {
        (0..Self::KEY_COUNT)
            .map(|part| Self::column(Self::key_column(part)).role)
            .any(|role| role == Role::Key { insert: false })
    }

    /// Diesel's table.
    fn table() -> Self::Table;

    /// The column at a position below [`Versioned::COLUMN_COUNT`].
    fn column(index: usize) -> Column;

    /// The position of one part of the key, in the order of [`Versioned::Key`].
    fn key_column(part: usize) -> usize;

    /// The primary key of this row.
    fn key(&self) -> Self::Key;

    /// The version that this copy was read at.
    fn version(&self) -> Self::Version;

    /// What a client brings back to say which state of the row it has read: the version as text, or a
    /// hash of what is in it. Without a meaning unless [`HAS_TAG`](Versioned::HAS_TAG).
    fn tag(&self) -> String {
        self.version().to_text()
    }

    /// The version columns in which two versions differ.
    fn versions_differ(one: &Self::Version, other: &Self::Version) -> ColumnSet {
        if one == other {
            ColumnSet::EMPTY
        } else {
            Self::VERSION_COLUMNS
        }
    }

    /// The version in one of the version columns as text, to be handed to a client that brings it
    /// back.
    fn version_text(&self, _column: usize) -> String {
        self.version().to_text()
    }

    /// Takes the version of one of the version columns from the text that
    /// [`version_text`](Versioned::version_text) made of it; returns whether it did make it of one.
    #[must_use]
    fn set_version_text(&mut self, _column: usize, text: &str) -> bool {
        let version = Self::Version::from_text(text);
        let known = version.is_some();
        if let Some(version) = version {
            self.set_version(version);
        }
        known
    }

    /// Takes the key of another entity.
    fn copy_key(&mut self, from: &Self);

    /// The key that `{:?}` has made this text of, where the database makes the key and its type
    /// can be read back.
    #[must_use]
    fn key_from_text(_text: &str) -> Option<Self::Key> {
        None
    }

    /// Replaces the version. The library calls it when a write is known to have happened.
    fn set_version(&mut self, version: Self::Version);

    /// The version of a row that is inserted at a moment: that of
    /// [`VersionValue::initial`] unless `#[version(initial = …)]` says otherwise.
    ///
    /// # Errors
    ///
    /// What the version's type says.
    fn initial_version(moment: &Moment) -> Result<Self::Version, NoVersion> {
        Self::Version::initial(moment)
    }

    /// The version that a write at a moment gives to this row: that of [`VersionValue::next`], as the
    /// options of `#[version(…)]` want it. Of several version columns only some move.
    ///
    /// # Errors
    ///
    /// What the version's type says.
    fn next_version(
        &self,
        moment: &Moment,
        _moving: ColumnSet,
    ) -> Result<Self::Version, NoVersion> {
        self.version().next(moment)
    }

    /// The moment as the options of one `#[version(…)]` want it: cut to a precision, for example.
    fn version_moment(moment: &Moment, _column: usize) -> Moment {
        moment.clone()
    }

    /// What a version column must be able to hold.
    fn version_shape(_column: usize) -> Shape {
        Self::Version::shape()
    }

    /// What `table!` says of a version column, or of that of the mark.
    fn declared(_column: usize) -> Declared {
        Declared::Unknown
    }

    /// The columns whose values differ from those of `base`, compared as Rust values; neither the
    /// key nor the version is among them.
    fn changed(&self, base: &Self) -> ColumnSet;

    /// Whether this copy is marked as deleted; never without `#[versioned(soft_delete)]`.
    fn is_deleted(&self) -> bool {
        false
    }

    /// Marks this copy as deleted at a moment, if it has a field for that. The library calls it on the
    /// copy that it writes.
    ///
    /// # Errors
    ///
    /// What the mark's type says.
    fn set_mark(&mut self, _moment: &Moment) -> Result<(), NoVersion> {
        Ok(())
    }

    /// Takes the mark from this copy. The library calls it when the row is known not to be deleted.
    fn remove_mark(&mut self) {}

    /// What the mark's column must be able to hold.
    fn mark_shape() -> Shape {
        Shape::Other
    }

    /// Takes the values of some columns from another entity: those of
    /// [`UNGUARDED`](Versioned::UNGUARDED) and [`GENERATED`](Versioned::GENERATED), and the
    /// [`MARK`](Versioned::MARK) of deletion, that are among them.
    fn take_columns(&mut self, _from: &Self, _columns: ColumnSet) {}

    /// The value of the column at a position below [`Versioned::COLUMN_COUNT`], to be shown to
    /// people; `…` if its type has no `Debug`.
    fn column_value(&self, index: usize) -> ColumnValue<'_> {
        hidden(index)
    }

    /// The values of `serialize_as` fields, converted.
    fn converted(&self) -> Self::Converted;

    /// Whether its writes move the versions of other rows on: `#[versioned(touches(…))]`.
    const TOUCHES: bool = false;

    /// The rows whose versions move on with this one: its parents, as its foreign keys say.
    fn touches(&self) -> Vec<ParentKey> {
        Vec::new()
    }

    /// The entity types of those rows.
    fn touched_types() -> Vec<TypeId> {
        Vec::new()
    }

    /// The entity types that `#[diesel(belongs_to(…))]` names: their rows are inserted before
    /// and deleted after those of this type.
    fn parents() -> Vec<TypeId> {
        Vec::new()
    }
}

/// Binds an entity's values for one backend. Implemented by the derive for every backend that
/// can hold the values.
pub trait Bind<DB: Backend>: Versioned {
    /// Binds the value of one column. `converted` is what [`Versioned::converted`] returned for
    /// this entity.
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

    /// Binds one part of a key.
    ///
    /// # Errors
    ///
    /// What Diesel reports when a value cannot be serialized.
    fn bind_key<'b>(
        key: &'b Self::Key,
        part: usize,
        out: &mut AstPass<'_, 'b, DB>,
    ) -> QueryResult<()>;

    /// Binds what a version has for one of the version columns.
    ///
    /// # Errors
    ///
    /// What Diesel reports when a value cannot be serialized.
    fn bind_version<'b>(
        version: &'b Self::Version,
        column: usize,
        out: &mut AstPass<'_, 'b, DB>,
    ) -> QueryResult<()>;
}

/// `Clone`, with a message that names the derive when it is missing.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is a versioned entity and must be `Clone`",
    label = "needs `#[derive(Clone)]`",
    note = "the state as it was loaded is kept beside the changed one: add `#[derive(Clone)]` to `{Self}`"
)]
pub trait CloneEntity: Clone {}

#[diagnostic::do_not_recommend]
impl<T: Clone> CloneEntity for T {}
