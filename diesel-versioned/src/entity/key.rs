//! Keys: what they must be able to do, what can be given as one, and those of parents.

use std::any::{Any, TypeId};
use std::fmt::{self, Debug};
use std::hash::Hash;

use super::Versioned;

/// What a primary key must be able to do: be compared, hashed, ordered (writes are sent in key
/// order, so that two units that meet wait for each other instead of deadlocking) and shown in messages.
///
/// The database compares keys by its own rules. Where it does not tell `a` from `A`, as under `NOCASE`,
/// a row is found and written by any spelling of its key. A copy in memory keeps the spelling that the
/// program gave it, whatever is written by it; one that is read has the spelling of the row. In a unit
/// two spellings are two entities.
///
/// ```
/// # use diesel::connection::SimpleConnection;
/// # use diesel::prelude::*;
/// # use diesel_versioned::prelude::*;
/// # diesel::table! {
/// #     products (sku) { sku -> Text, stock -> Integer, version -> Integer }
/// # }
/// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// # #[diesel(table_name = products, primary_key(sku))]
/// # struct Product { sku: String, stock: i32, #[version] version: i32 }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// conn.batch_execute(
///     "CREATE TABLE products (sku TEXT COLLATE NOCASE PRIMARY KEY, stock INTEGER NOT NULL,
///         version INTEGER NOT NULL);
///      INSERT INTO products VALUES ('Tea', 10, 1)",
/// )?;
/// let mut form = Product { sku: "TEA".to_owned(), stock: 7, version: 1 };
/// form.save(&mut conn)?;
/// assert_eq!((&*form.sku, form.version), ("TEA", 2));
/// assert_eq!(Product::find(&mut conn, "tea")?.sku, "Tea");
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the primary key of a versioned entity",
    label = "not a key type",
    note = "derive `Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord` on the type of the key field"
)]
pub trait EntityKey: Clone + Eq + Hash + Ord + Debug + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<K: Clone + Eq + Hash + Ord + Debug + Send + Sync + 'static> EntityKey for K {}

/// What can be given as a key: the key itself, a reference to it, or a `&str` for a `String`.
///
/// ```
/// use diesel_versioned::IntoKey;
///
/// fn key<K>(key: impl IntoKey<K>) -> K { key.into_key() }
///
/// assert_eq!(key::<i64>(42), 42);
/// assert_eq!(key::<i64>(&42), 42);
/// assert_eq!(key::<String>("A-7"), "A-7");
/// assert_eq!(key::<(i32, i32)>((1, 2)), (1, 2));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the key of this entity: that is a `{K}`",
    label = "not a `{K}`",
    note = "give the type of the `primary_key` field, a tuple of them for a composite key, or `&str` for a `String`"
)]
pub trait IntoKey<K> {
    /// The key.
    fn into_key(self) -> K;
}

impl<K> IntoKey<K> for K {
    fn into_key(self) -> K {
        self
    }
}

impl<K: Clone> IntoKey<K> for &K {
    fn into_key(self) -> K {
        self.clone()
    }
}

impl IntoKey<String> for &str {
    fn into_key(self) -> String {
        self.to_owned()
    }
}

/// The key of a row whose version moves on with that of a child; see [`Versioned::touches`].
pub struct ParentKey {
    pub(crate) entity: TypeId,
    pub(crate) table: &'static str,
    pub(crate) key: Box<dyn Any>,
    pub(crate) text: String,
}

impl ParentKey {
    /// What a foreign key says of its parent; nothing if it is NULL. The derive calls it.
    pub fn of<P: Versioned>(foreign_key: impl ForeignKey<P::Key>) -> Option<Self> {
        let key = foreign_key.into_parent_key()?;
        Some(Self {
            entity: TypeId::of::<P>(),
            table: P::TABLE,
            text: format!("{key:?}"),
            key: Box::new(key),
        })
    }
}

impl Debug for ParentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParentKey")
            .field("table", &self.table)
            .field("key", &self.text)
            .finish_non_exhaustive()
    }
}

/// A foreign key that says which row with a key of the type `K` is the parent: the key, or an
/// `Option` of it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no foreign key of a parent whose key is a `{K}`",
    label = "not a `{K}`",
    note = "`touches` goes through the field that `belongs_to` names: let it have the type of the parent's \
            key, or an `Option` of that"
)]
pub trait ForeignKey<K> {
    /// The parent's key; `None` for NULL.
    fn into_parent_key(self) -> Option<K>;
}

#[diagnostic::do_not_recommend]
impl<K> ForeignKey<K> for K {
    fn into_parent_key(self) -> Option<K> {
        Some(self)
    }
}

#[diagnostic::do_not_recommend]
impl<K> ForeignKey<K> for Option<K> {
    fn into_parent_key(self) -> Option<K> {
        self
    }
}
