//! What the code that the derive writes refers to. Not part of the public interface.

pub use diesel;

use diesel::expression::Expression;
use diesel::query_builder::AstPass;
use diesel::sql_types::{SqlType, is_nullable};

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
