//! The version: the value that must not have moved since a row was read.

use std::fmt::Debug;

/// A type that can be the `#[version]` of an entity.
///
/// A version is compared with the one in the database by the guard (`WHERE version = ?`) and
/// replaced by [`next`](VersionValue::next) in the same statement. Implemented for `i16`, `i32`
/// and `i64`.
///
/// ```
/// use diesel_versioned::VersionValue;
///
/// assert_eq!(i32::initial(), 1);
/// assert_eq!(7_i32.next(), Some(8));
/// assert_eq!(i32::MAX.next(), None, "an exhausted version never wraps");
/// assert_eq!(i32::from_text(&7_i32.to_text()), Some(7));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a version",
    label = "not a version type",
    note = "a `#[version]` field is an `i16`, `i32` or `i64` over a `NOT NULL` integer column"
)]
pub trait VersionValue: Clone + PartialEq + Debug + Send + Sync + 'static {
    /// The version of a row that was just inserted.
    fn initial() -> Self;

    /// The version that follows this one, or `None` when the type has no more.
    #[must_use]
    fn next(&self) -> Option<Self>;

    /// The version as text, to be handed to a client that brings it back.
    fn to_text(&self) -> String;

    /// The version that [`to_text`](VersionValue::to_text) made this text of; `None` if it made it
    /// of none, `007` for example.
    #[must_use]
    fn from_text(text: &str) -> Option<Self>;
}

macro_rules! integer_version {
    ($($integer:ty),*) => {$(
        impl VersionValue for $integer {
            fn initial() -> Self {
                1
            }

            fn next(&self) -> Option<Self> {
                self.checked_add(1)
            }

            fn to_text(&self) -> String {
                self.to_string()
            }

            fn from_text(text: &str) -> Option<Self> {
                text.parse().ok().filter(|version: &Self| version.to_text() == text)
            }
        }
    )*};
}

integer_version!(i16, i32, i64);

#[cfg(test)]
mod tests {
    use super::VersionValue;

    #[test]
    fn only_the_text_of_a_version_is_read_back() {
        for version in [i32::MIN, -1, 0, 1, 7, i32::MAX] {
            assert_eq!(i32::from_text(&version.to_text()), Some(version));
        }
        for text in ["", "007", "+7", " 7", "7.0", "2147483648", "seven"] {
            assert_eq!(i32::from_text(text), None, "{text}");
        }
    }
}
