//! A version of one's own around another one: all is asked of the one inside.

use std::fmt::Debug;

use super::{
    CountingVersion, Moment, NoVersion, Step, SteppingVersion, TimestampVersion, UuidVersion,
    VersionValue,
};
use crate::schema_check::Shape;

/// A type around a version, which is a version like that one; [`#[derive(VersionValue)]`](derive@crate::VersionValue)
/// implements it.
///
/// ```
/// use diesel_versioned::VersionValue;
/// use diesel_versioned::version::{Moment, VersionNewtype};
///
/// #[derive(Debug, Clone, PartialEq)]
/// struct Revision {
///     number: i32,
/// }
///
/// impl VersionNewtype for Revision {
///     type Inner = i32;
///
///     fn of(number: i32) -> Self {
///         Self { number }
///     }
///
///     fn inner(&self) -> &i32 {
///         &self.number
///     }
/// }
///
/// assert_eq!(Revision::of(7).next(&Moment::new())?, Revision::of(8));
/// # Ok::<_, diesel_versioned::version::NoVersion>(())
/// ```
pub trait VersionNewtype: Clone + PartialEq + Debug + Send + Sync + 'static {
    /// The version inside.
    type Inner: VersionValue;

    /// The type around a version.
    fn of(inner: Self::Inner) -> Self;

    /// The version inside.
    fn inner(&self) -> &Self::Inner;
}

#[diagnostic::do_not_recommend]
impl<T: VersionNewtype> VersionValue for T {
    const OF_TRANSACTION: bool = T::Inner::OF_TRANSACTION;

    fn initial(moment: &Moment) -> Result<Self, NoVersion> {
        T::Inner::initial(moment).map(T::of)
    }

    fn next(&self, moment: &Moment) -> Result<Self, NoVersion> {
        self.inner().next(moment).map(T::of)
    }

    fn to_text(&self) -> String {
        self.inner().to_text()
    }

    fn from_text(text: &str) -> Option<Self> {
        T::Inner::from_text(text).map(T::of)
    }

    fn shape() -> Shape {
        T::Inner::shape()
    }
}

#[diagnostic::do_not_recommend]
impl<T: VersionNewtype<Inner: SteppingVersion>> SteppingVersion for T {
    fn step(moment: &Moment) -> Result<Step<Self>, NoVersion> {
        Ok(T::Inner::step(moment)?.map(T::of))
    }
}

#[diagnostic::do_not_recommend]
impl<T: VersionNewtype<Inner: CountingVersion>> CountingVersion for T {}

#[diagnostic::do_not_recommend]
impl<T: VersionNewtype<Inner: TimestampVersion>> TimestampVersion for T {}

#[diagnostic::do_not_recommend]
impl<T: VersionNewtype<Inner: UuidVersion>> UuidVersion for T {}
