//! The derive macros, documented here, where their examples run.

/// Makes a struct a versioned entity: one row of a table, with a version that guards its writes.
///
/// Mark the field that holds the version with `#[version]`: an `i16`, `i32` or `i64` over a
/// `NOT NULL` integer column. The struct also needs `Clone`, and to be read it needs Diesel's
/// `Queryable` and `Selectable`. Every other field needs `PartialEq`, which tells whether it was
/// changed.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::{ColumnSet, Versioned};
///
/// diesel::table! {
///     products (id) {
///         id -> Integer,
///         name -> Text,
///         price_cents -> BigInt,
///         version -> Integer,
///     }
/// }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// struct Product {
///     id: i32,
///     name: String,
///     price_cents: i64,
///     #[version]
///     version: i32,
/// }
///
/// let base = Product { id: 42, name: "plum".to_owned(), price_cents: 120, version: 7 };
/// let mut mine = base.clone();
/// mine.price_cents = 99;
/// assert_eq!((mine.key(), *mine.version()), (42, 7));
/// assert_eq!(mine.changed(&base), ColumnSet::EMPTY.with(2));
/// ```
///
/// # Attributes of this derive
///
/// | attribute | where | meaning |
/// | --- | --- | --- |
/// | `#[version]` | a field | the field holds the version |
/// | `#[version(initial = 100)]` | a field | a new row has this version instead of 1 |
/// | `#[versioned(crate = "path")]` | the struct | where the library is, if not at `::diesel_versioned` |
///
/// # Attributes of Diesel
///
/// They mean what they mean to Diesel's derives. All others are skipped.
///
/// | attribute | where | meaning |
/// | --- | --- | --- |
/// | `table_name = path` | the struct | the table; without it the struct's name in snake case and an `s` |
/// | `primary_key(a, b)` | the struct | the columns of the key, in the order of [`find`]'s tuple; without it `id` |
/// | `belongs_to(Parent)` | the struct | rows of `Parent` are inserted before and deleted after those of this entity |
/// | `check_for_backend(DB)` | the struct | a field that the backend cannot store is an error at the field |
/// | `column_name = name` | a field | the column, if it is named otherwise; needed in tuple structs |
/// | `embed` | a field | the columns of a part, which derives [`VersionedPart`] |
/// | `serialize_as = Type` | a field | is converted before it is written; a key has this type |
/// | `skip_insertion` | a field | is left to the database by an insert and read back after it |
/// | `skip_update` | a field | is never updated |
/// | `select_expression = …` | a field | is computed by the query and never written |
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::{Role, Versioned};
///
/// diesel::table! {
///     lines (order_id, number) {
///         order_id -> Integer,
///         number -> Integer,
///         amount -> Integer,
///         created_at -> Text,
///         revision -> BigInt,
///     }
/// }
///
/// #[derive(Clone, Versioned)]
/// #[diesel(table_name = lines, primary_key(order_id, number))]
/// struct Line {
///     order_id: i32,
///     number: i32,
///     amount: i32,
///     #[diesel(skip_insertion, skip_update)]
///     created_at: String,
///     #[version(initial = 0)]
///     #[diesel(column_name = revision)]
///     version: i64,
/// }
///
/// let line = Line { order_id: 7, number: 1, amount: 5, created_at: String::new(), version: 0 };
/// assert_eq!(line.key(), (7, 1));
/// assert_eq!(Line::column(3).role, Role::Data { insert: false, update: false });
/// assert_eq!(Line::column(4).name, "revision");
/// assert_eq!(Line::initial_version(), 0);
/// ```
///
/// # When the compiler complains
///
/// - *`X` is a versioned entity and must be `Clone`*: add `Clone` to its derives; the state as it
///   was loaded is kept beside the changed one.
/// - *can't compare `X` with `X`*, at a field: add `PartialEq` to the derives of the field's type.
/// - *`X` doesn't implement `Debug`*, at a field: Diesel's `ToSql` asks for it.
/// - *the trait bound `X: ToSql<…>` is not satisfied*: the type of a field does not fit the SQL
///   type of its column. With `#[diesel(check_for_backend(…))]` it is reported at the field.
///
/// [`find`]: crate::VersionedDsl::find
pub use diesel_versioned_derive::Versioned;

/// Makes a struct a part of a versioned entity, which has it in a field with `#[diesel(embed)]`.
///
/// It takes the attributes of [`Versioned`](derive@Versioned), a key and a version aside. The
/// columns of a part follow the entity's own.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::{Versioned, VersionedPart};
///
/// diesel::table! {
///     parcels (id) {
///         id -> Integer,
///         width -> Integer,
///         height -> Integer,
///         version -> Integer,
///     }
/// }
///
/// #[derive(Clone, Queryable, Selectable, VersionedPart)]
/// #[diesel(table_name = parcels)]
/// struct Size {
///     width: i32,
///     height: i32,
/// }
///
/// #[derive(Clone, Queryable, Selectable, Versioned)]
/// struct Parcel {
///     id: i32,
///     #[diesel(embed)]
///     size: Size,
///     #[version]
///     version: i32,
/// }
///
/// let base = Parcel { id: 1, size: Size { width: 30, height: 20 }, version: 1 };
/// let mut mine = base.clone();
/// mine.size.height = 25;
/// let changed = mine.changed(&base).iter().map(|index| Parcel::column(index).name);
/// assert_eq!(changed.collect::<Vec<_>>(), ["height"]);
/// ```
pub use diesel_versioned_derive::VersionedPart;
