//! What a version is, as far as its column has to know.

use std::fmt;

/// What the column of a version must be able to hold; see
/// [`VersionValue::shape`](crate::VersionValue::shape).
///
/// ```
/// use diesel_versioned::VersionValue;
/// use diesel_versioned::schema_check::Shape;
///
/// assert_eq!(i32::shape(), Shape::Integer { bits: 32, signed: true });
/// assert_eq!(i32::shape().to_string(), "an integer of 32 bits");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shape {
    /// An integer.
    Integer {
        /// How many bits it has, its sign among them.
        bits: u32,
        /// Whether it has a sign.
        signed: bool,
    },
    /// A time.
    Timestamp {
        /// How many digits of a second it has: 6 for microseconds.
        digits: u8,
    },
    /// A UUID.
    Uuid,
    /// `TRUE` or `FALSE`.
    Boolean,
    /// Bytes.
    Bytes {
        /// How many, if it is always as many.
        len: Option<u64>,
    },
    /// Something else: the type of the column is not checked.
    Other,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer { bits, signed: true } => write!(f, "an integer of {bits} bits"),
            Self::Integer { bits, .. } => write!(f, "an unsigned integer of {bits} bits"),
            Self::Timestamp { digits: 0 } => f.write_str("a time in seconds"),
            Self::Timestamp { digits } => {
                write!(f, "a time with {digits} digits of a second")
            }
            Self::Uuid => f.write_str("a UUID"),
            Self::Boolean => f.write_str("true or false"),
            Self::Bytes { len: Some(len) } => write!(f, "{len} bytes"),
            Self::Bytes { len: None } => f.write_str("bytes"),
            Self::Other => f.write_str("a type of its own"),
        }
    }
}
