//! The version: the value that must not have moved since a row was read, and the kinds of it.
//!
//! [`which_version`](crate::which_version) says which to take.

#[cfg(feature = "chrono")]
mod chrono;
mod integer;
mod moment;
mod newtype;
mod step;
#[cfg(feature = "time")]
mod time;
mod timestamp;
#[cfg(feature = "uuid")]
mod token;
mod tuple;
#[cfg(feature = "uuid")]
mod uuid;

use std::error::Error;
use std::fmt::{self, Debug};

pub use crate::soft_delete::DeletionMark;
pub use moment::{Moment, Precision};
pub use newtype::VersionNewtype;
pub(crate) use step::{By, How, TimeText};
pub use step::{Step, SteppingVersion};
#[cfg(feature = "uuid")]
pub use token::Token;

use crate::schema_check::Shape;

/// A type that can be the `#[version]` of an entity.
///
/// A version is compared with the one in the database by the guard (`WHERE version = ?`) and
/// replaced by [`next`](VersionValue::next) in the same statement. How it is bound is Diesel's
/// matter: the type is `ToSql` for the type of its column.
///
/// | kind | types | feature |
/// | --- | --- | --- |
/// | integers | `i16`, `i32`, `i64`; `u32` and `u64` on MySQL and MariaDB | |
/// | timestamps | `SystemTime`, on PostgreSQL | |
/// | | `chrono::NaiveDateTime`; `chrono::DateTime<Utc>`, not on MySQL | `chrono` |
/// | | `time::PrimitiveDateTime`, `time::OffsetDateTime` | `time` |
/// | tokens | `Vec<u8>`, [`Token`](crate::version); `uuid::Uuid` on PostgreSQL | `uuid` |
/// | the transaction | `pg::Xid`, on PostgreSQL: `xmin` | `postgres` |
///
/// [`which_version`](crate::which_version) says which to take.
///
/// ```
/// use diesel_versioned::VersionValue;
/// use diesel_versioned::version::{Moment, NoVersion};
///
/// let moment = Moment::new();
/// assert_eq!(i32::initial(&moment)?, 1);
/// assert_eq!(7_i32.next(&moment)?, 8);
/// assert!(matches!(i32::MAX.next(&moment), Err(NoVersion::Exhausted)));
/// assert_eq!(i32::from_text(&7_i32.to_text()), Some(7));
/// # Ok::<(), NoVersion>(())
/// ```
///
/// # A type of your own
///
/// [`#[derive(VersionValue)]`](derive@crate::VersionValue) makes a type around a version one like it, or
/// implement the trait, and [`SteppingVersion`] for writes that have not read the version. What Diesel needs
/// is what it always needs.
///
/// ```
/// use diesel::backend::Backend;
/// use diesel::deserialize::{self, FromSql, FromSqlRow};
/// use diesel::expression::AsExpression;
/// use diesel::prelude::*;
/// use diesel::serialize::{self, Output, ToSql};
/// use diesel::sql_types::Integer;
/// use diesel_versioned::prelude::*;
///
/// #[derive(Debug, Clone, Copy, PartialEq, AsExpression, FromSqlRow, VersionValue)]
/// #[diesel(sql_type = Integer)]
/// struct Revision(i32);
///
/// impl<DB: Backend> ToSql<Integer, DB> for Revision
/// where
///     i32: ToSql<Integer, DB>,
/// {
///     fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
///         self.0.to_sql(out)
///     }
/// }
///
/// impl<DB: Backend> FromSql<Integer, DB> for Revision
/// where
///     i32: FromSql<Integer, DB>,
/// {
///     fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<Self> {
///         i32::from_sql(bytes).map(Self)
///     }
/// }
///
/// diesel::table! {
///     products (id) { id -> Integer, name -> Text, revision -> Integer }
/// }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// struct Product { id: i32, name: String, #[version] revision: Revision }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use diesel::connection::SimpleConnection;
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
/// #     revision INTEGER NOT NULL); INSERT INTO products VALUES (42, 'Chai', 7)")?;
/// let mut product = Product::find(&mut conn, 42)?;
/// product.save(&mut conn)?;
/// assert_eq!(product.revision, Revision(8));
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a version",
    label = "not a version type",
    note = "a `#[version]` field is an integer (`i32`, `i64`, …), a timestamp of `chrono` or `time`, a \
            `Uuid` or bytes, over a `NOT NULL` column",
    note = "timestamps and tokens need the feature of diesel-versioned that is called like their \
            crate: `chrono`, `time`, `uuid`",
    note = "derive `VersionValue` for a type of your own around one of these, or implement it"
)]
pub trait VersionValue: Clone + PartialEq + Debug + Send + Sync + 'static {
    /// Whether it is the number of the transaction that wrote the row: the database alone makes it,
    /// so that it takes `#[version(db)]`, and all writes of one transaction have the same.
    const OF_TRANSACTION: bool = false;

    /// The version of a row that is inserted at a moment.
    ///
    /// # Errors
    ///
    /// [`NoVersion::Failed`] if what it is made of is not to be had, randomness for example.
    fn initial(moment: &Moment) -> Result<Self, NoVersion>;

    /// The version that follows this one, in a write at a moment. It must differ from this one, and
    /// should from all that came before.
    ///
    /// # Errors
    ///
    /// [`NoVersion::Exhausted`] if the type has no more, and as [`initial`](VersionValue::initial).
    fn next(&self, moment: &Moment) -> Result<Self, NoVersion>;

    /// The version as text, to be handed to a client that brings it back.
    fn to_text(&self) -> String;

    /// The version that [`to_text`](VersionValue::to_text) made this text of; `None` if it made it
    /// of none, `007` for example.
    #[must_use]
    fn from_text(text: &str) -> Option<Self>;

    /// What a column must be able to hold, so that
    /// [`check_schema`](crate::VersionedDsl::check_schema) can tell whether it can. Not checked
    /// unless a type says it.
    fn shape() -> Shape {
        Shape::Other
    }
}

/// In place of a version, of an entity that has none: the guard compares what was loaded. See
/// [`#[versioned(check = …)]`](derive@crate::Versioned#no-version).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ByContent;

impl Debug for ByContent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("as it was loaded")
    }
}

#[diagnostic::do_not_recommend]
impl VersionValue for ByContent {
    fn initial(_: &Moment) -> Result<Self, NoVersion> {
        Ok(Self)
    }

    fn next(&self, _: &Moment) -> Result<Self, NoVersion> {
        Err(NoVersion::NoColumn)
    }

    /// Empty: it tells nothing of the row.
    fn to_text(&self) -> String {
        String::new()
    }

    fn from_text(text: &str) -> Option<Self> {
        text.is_empty().then_some(Self)
    }
}

#[diagnostic::do_not_recommend]
impl SteppingVersion for ByContent {
    /// Never asked: there is no version column.
    fn step(_: &Moment) -> Result<Step<Self>, NoVersion> {
        Err(NoVersion::NoColumn)
    }
}

/// A version that counts, so that [`#[version(wrap)]`](derive@crate::Versioned) can let it start
/// again: the integers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not count, so it cannot wrap",
    label = "not an integer",
    note = "`#[version(wrap)]` is for integers; remove `wrap`",
    note = "derive `VersionValue` for a type of your own around an integer"
)]
pub trait CountingVersion: VersionValue {}

/// A version that is a time, so that [`#[version(precision = …)]`](derive@crate::Versioned) can cut
/// it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no timestamp, so it has no precision",
    label = "not a timestamp",
    note = "`#[version(precision = …)]` is for timestamps; remove `precision`",
    note = "derive `VersionValue` for a type of your own around a timestamp"
)]
pub trait TimestampVersion: VersionValue {}

/// A version that is a UUID, so that [`#[version(uuid = …)]`](derive@crate::Versioned) can say which
/// kind of UUID.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no UUID",
    label = "not a UUID",
    note = "`#[version(uuid = …)]` is for `Uuid`; remove `uuid`",
    note = "derive `VersionValue` for a type of your own around a `Uuid`"
)]
pub trait UuidVersion: VersionValue {}

/// Why there is no version for a row.
///
/// ```
/// use diesel_versioned::VersionValue;
/// use diesel_versioned::version::{Moment, NoVersion};
///
/// let error = i64::MAX.next(&Moment::new()).unwrap_err();
/// assert!(error.to_string().starts_with("no version follows this one"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoVersion {
    /// The version is the greatest of its type.
    #[error("no version follows this one; widen the type, or let it wrap")]
    Exhausted,

    /// The entity has no version ([`#[versioned(check = …)]`](derive@crate::Versioned#no-version)), so
    /// a write that does not know what was loaded has nothing to be guarded by.
    #[error(
        "there is no version column, so a write must know what was loaded: give it to `save_changes`, \
         or take the entity from the unit of work that found or attached it, and change it there; \
         nothing can be touched, use `expect_unchanged`"
    )]
    NoColumn,

    /// The next version is equal to the one before it, so that it would guard nothing: `next`
    /// returned its own value, or a version that wraps starts again at its greatest value.
    #[error("the next version is the same as the one before; `next` must return another value")]
    Unmoved,

    /// The database was to make the version ([`#[version(db)]`](derive@crate::Versioned)), and after
    /// the write it is the same as before, so that it guards nothing. The write is taken back.
    #[error(
        "the database did not move the version with the write, which is taken back; give the table \
         a trigger or an ON UPDATE that moves it with every write, with a clock that is finer than \
         two writes are apart"
    )]
    NotMoved,

    /// What the version is made of is not to be had, randomness for example.
    #[error("what the version is made of is not to be had; the source says why")]
    Failed(#[source] Box<dyn Error + Send + Sync>),
}

impl NoVersion {
    /// The version could not be made, for a reason of your own.
    ///
    /// ```
    /// use std::error::Error;
    /// use diesel_versioned::version::NoVersion;
    ///
    /// let error = NoVersion::failed("the counter's file is gone");
    /// assert_eq!(error.source().map(ToString::to_string).as_deref(), Some("the counter's file is gone"));
    /// ```
    pub fn failed(why: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Failed(why.into())
    }
}
