//! What the code that the derive writes refers to. Not part of the public interface.

pub use diesel;
// By these names also where the user's crate has no prelude.
pub use std::any::TypeId;
pub use std::clone::Clone;
pub use std::cmp::PartialEq;
pub use std::convert::Into;
pub use std::fmt::Debug;
pub use std::marker::{Send, Sync};
pub use std::option::Option;
pub use std::result::Result::{self, Ok};
pub use std::string::String;
pub use std::vec::Vec;

use diesel::QueryResult;
use diesel::expression::Expression;
use diesel::query_builder::AstPass;
use diesel::result::Error;
use diesel::sql_types::{SqlType, is_nullable};

pub use crate::comparison::{Comparison, Probe};
pub use crate::key_text::{KeyText, NoKeyText};
pub use crate::merge::{independent, take_unmerged};
pub use crate::shown::{ShowDebug, ShowHidden, Shown, hidden};

use crate::columns::{Column, ColumnSet, Role};
use crate::entity::Versioned;
use crate::guard::Check;
use crate::version::{NoVersion, VersionValue};

/// Writes the code of `#[versioned(check = "hash")]`.
#[cfg(feature = "hash")]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_hash {
    ($($code:tt)*) => { $($code)* };
}

/// Tells which feature `#[versioned(check = "hash")]` needs.
#[cfg(not(feature = "hash"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_hash {
    ($($code:tt)*) => {
        ::core::compile_error!(
            "`check = \"hash\"` needs the feature `hash` of diesel-versioned: \
             `diesel-versioned = { features = [\"hash\"] }`"
        );
    };
}

/// The SQL type of a column.
pub type SqlTypeOf<C> = <C as Expression>::SqlType;

/// The pass that a generated `bind` writes to.
pub type Pass<'a, 'b, DB> = AstPass<'a, 'b, DB>;

/// The SQL type of a version column.
#[diagnostic::on_unimplemented(
    message = "a version column must be `NOT NULL`, this one is `{Self}`",
    label = "nullable in the `table!`",
    note = "make the column `NOT NULL`, with a default for the rows that stand there already: \
            `UPDATE … SET version = 1 WHERE version IS NULL`, then `ALTER TABLE … SET NOT NULL`"
)]
pub trait VersionSqlType {}

#[diagnostic::do_not_recommend]
impl<ST: SqlType<IsNull = is_nullable::NotNull>> VersionSqlType for ST {}

/// Compiles if the column of a version is `NOT NULL`.
pub const fn assert_version_column<C>()
where
    C: Expression,
    C::SqlType: VersionSqlType,
{
}

/// The SQL type of a column that marks rows as deleted by an `M`.
#[diagnostic::on_unimplemented(
    message = "a column of the type `{Self}` cannot hold a mark of deletion that is a `{M}`",
    label = "the `table!` says `{Self}`",
    note = "an `Option` of a timestamp is over a column that may be NULL: `deleted_at -> Nullable<Timestamp>`",
    note = "a `bool` is over one that may not: `is_deleted -> Bool`"
)]
pub trait MarkSqlType<M> {}

#[diagnostic::do_not_recommend]
impl<ST: SqlType<IsNull = is_nullable::NotNull>> MarkSqlType<bool> for ST {}

#[diagnostic::do_not_recommend]
impl<ST: SqlType<IsNull = is_nullable::IsNullable>, V> MarkSqlType<Option<V>> for ST {}

/// Compiles if the column can hold the mark.
pub const fn assert_mark_column<C, M>()
where
    C: Expression,
    C::SqlType: MarkSqlType<M>,
{
}

/// Compiles if the version of this entity can be made here.
pub const fn assert_made_here<T: Versioned>() {
    assert!(
        !T::Version::OF_TRANSACTION,
        "only the database makes this version: write `#[version(db)]`"
    );
}

/// The next version of one that wraps: after the last the initial one.
///
/// # Errors
///
/// What the version's type says, except that it is exhausted.
pub fn wrapping<V>(
    next: Result<V, NoVersion>,
    initial: impl FnOnce() -> Result<V, NoVersion>,
) -> Result<V, NoVersion> {
    match next {
        Err(NoVersion::Exhausted) => initial(),
        next => next,
    }
}

/// Compiles if this parent has a version that can move on with its children.
pub const fn assert_touchable<P: Versioned>() {
    assert!(
        matches!(P::CHECK, Check::Version),
        "an entity without a version cannot be touched: there is nothing that could move on with its \
         children; give the parent a `#[version]`, or remove `touches`"
    );
}

/// Compiles if a guard can compare the values of a column for certain.
pub const fn assert_exact(is_exact: bool) {
    assert!(
        is_exact,
        "a `REAL` or JSON column need not come back as it was written, so it cannot be compared: put \
         `#[versioned(unchecked)]` on the field; it is written then, and not guarded"
    );
}

/// The columns of a part that an entity lets its guard compare.
pub const fn exact_part(count: usize, inexact: ColumnSet) -> ColumnSet {
    assert!(
        inexact.is_empty(),
        "a part of this entity has a `REAL` or JSON column, which need not come back as it was \
         written, so it cannot be compared: put `#[versioned(unchecked)]` on the field; it is written \
         then, and not guarded"
    );
    part_columns(0, count)
}

/// The content hash of an entity as text.
#[cfg(feature = "hash")]
pub fn hash_text<T: crate::hash::ContentHashed>(entity: &T) -> String {
    entity.content_hash().to_string()
}

/// The number of an entity's columns, if [`ColumnSet`] can hold them.
pub const fn column_count(count: usize) -> usize {
    assert!(
        count <= ColumnSet::CAPACITY,
        "an entity has at most 128 columns, as a Diesel table has"
    );
    count
}

/// The set of these columns.
pub const fn column_set(mut columns: &[usize]) -> ColumnSet {
    let mut set = ColumnSet::EMPTY;
    while let [first, rest @ ..] = columns {
        set = set.with(*first);
        columns = rest;
    }
    set
}

/// The set of the columns of a part.
pub const fn part_columns(offset: usize, count: usize) -> ColumnSet {
    let mut set = ColumnSet::EMPTY;
    let mut column = 0;
    while column < count {
        set = set.with(offset + column);
        column += 1;
    }
    set
}

/// The unguarded columns of an entity whose version the database makes: there must be none.
pub const fn no_unguarded(columns: ColumnSet) -> ColumnSet {
    assert!(
        columns.is_empty(),
        "a part of this entity has an `unguarded` column, but the database moves the version with \
         every write, so a write of that column would be a conflict for others: remove `unguarded`, \
         or `db` from the version"
    );
    columns
}

/// A column of an embedded part, of which the entity says something as a whole.
pub const fn part_column(column: Column, whole: Role) -> Column {
    let role = match (column.role, whole) {
        (Role::Generated, _) | (_, Role::Generated) => Role::Generated,
        (
            Role::Data { insert, update },
            Role::Data {
                insert: inserts,
                update: updates,
            },
        ) => Role::Data {
            insert: insert && inserts,
            update: update && updates,
        },
        (
            Role::Unguarded { insert },
            Role::Data {
                insert: inserts,
                update: false,
            },
        )
        | (
            Role::Data {
                insert,
                update: false,
            },
            Role::Unguarded { insert: inserts },
        ) => Role::Data {
            insert: insert && inserts,
            update: false,
        },
        (
            Role::Unguarded { insert },
            Role::Unguarded { insert: inserts }
            | Role::Data {
                insert: inserts, ..
            },
        )
        | (Role::Data { insert, .. }, Role::Unguarded { insert: inserts }) => Role::Unguarded {
            insert: insert && inserts,
        },
        (role, _) => role,
    };
    Column { role, ..column }
}

/// The item at a position that the derive has counted.
///
/// # Panics
///
/// As an index does, if there is no such item.
pub fn at<T: Copy>(items: &[T], index: usize) -> T {
    items[index]
}

/// A list of these items; `vec!` where there is no prelude.
pub fn vec<T, const N: usize>(items: [T; N]) -> Vec<T> {
    items.into()
}

/// What `bind` answers for a column that the entity does not have.
///
/// # Errors
///
/// Always.
#[cold]
pub fn no_column(column: usize) -> QueryResult<()> {
    let message = format!("the entity has no column {column}");
    Err(Error::QueryBuilderError(message.into()))
}
