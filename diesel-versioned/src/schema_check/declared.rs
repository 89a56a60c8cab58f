//! What `table!` says of a column, as far as it decides how a value is sent.

use std::any::TypeId;
use std::fmt;

use diesel::sql_types::{
    BigInt, Binary, Bool, Integer, Nullable, SmallInt, Text, Timestamp, TinyInt,
};

/// What `table!` says of the type of a column: values are sent as that, whatever the column is.
///
/// A `Nullable` is what is in it.
///
/// ```
/// use diesel::sql_types::{Integer, Nullable, Timestamp};
/// use diesel_versioned::schema_check::Declared;
///
/// assert_eq!(Declared::of::<Integer>(), Declared::Integer { bits: 32, signed: true });
/// assert_eq!(Declared::of::<Nullable<Timestamp>>(), Declared::Timestamp);
/// assert_eq!(Declared::of::<diesel_versioned::sql_types::Xid>(), Declared::Unknown);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Declared {
    /// `SmallInt`, `Integer`, `BigInt` and the like.
    Integer {
        /// How many bits it has, its sign among them.
        bits: u32,
        /// Whether it has a sign: not in `Unsigned`.
        signed: bool,
    },
    /// `Bool`
    Boolean,
    /// `Text`
    Text,
    /// `Binary`
    Bytes,
    /// `Uuid` of PostgreSQL
    Uuid,
    /// `Timestamp`
    Timestamp,
    /// `Timestamptz` of PostgreSQL, `TimestamptzSqlite`
    Timestamptz,
    /// `Datetime` of MySQL
    Datetime,
    /// Another one, such as a type of one's own: what is sent is not known.
    #[default]
    Unknown,
}

impl Declared {
    /// What is known of a SQL type.
    pub fn of<ST: 'static>() -> Self {
        let id = TypeId::of::<ST>();
        common(id)
            .or_else(|| crate::backend::declared(id))
            .unwrap_or_default()
    }

    pub(crate) const fn integer(bits: u32) -> Self {
        Self::Integer { bits, signed: true }
    }
}

/// The types that all of Diesel's backends have.
fn common(id: TypeId) -> Option<Declared> {
    Some(match id {
        id if is::<Bool>(id) => Declared::Boolean,
        id if is::<TinyInt>(id) => Declared::integer(8),
        id if is::<SmallInt>(id) => Declared::integer(16),
        id if is::<Integer>(id) => Declared::integer(32),
        id if is::<BigInt>(id) => Declared::integer(64),
        id if is::<Text>(id) => Declared::Text,
        id if is::<Binary>(id) => Declared::Bytes,
        id if is::<Timestamp>(id) => Declared::Timestamp,
        _ => return None,
    })
}

/// Whether a type is this one, or this one that may be NULL.
pub(crate) fn is<ST: 'static>(id: TypeId) -> bool {
    id == TypeId::of::<ST>() || id == TypeId::of::<Nullable<ST>>()
}

/// As in `table!`.
impl fmt::Display for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Integer { bits, signed } => {
                let name = match bits {
                    8 => "TinyInt",
                    16 => "SmallInt",
                    32 => "Integer",
                    _ => "BigInt",
                };
                return match signed {
                    true => f.write_str(name),
                    false => write!(f, "Unsigned<{name}>"),
                };
            }
            Self::Boolean => "Bool",
            Self::Text => "Text",
            Self::Bytes => "Binary",
            Self::Uuid => "Uuid",
            Self::Timestamp => "Timestamp",
            Self::Timestamptz => "Timestamptz",
            Self::Datetime => "Datetime",
            Self::Unknown => "a type of its own",
        };
        f.write_str(name)
    }
}
