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
        }
    )*};
}

integer_version!(i16, i32, i64);
