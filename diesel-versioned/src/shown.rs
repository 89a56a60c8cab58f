//! The value of a column: for people by its `Debug` if it has one, `…` if not; for records as JSON.

use std::any::Any;
use std::fmt::{self, Debug};

/// The value of one column of an entity, as [`Versioned::column_value`] hands it out.
///
/// `{:?}` is that of the field, `…` where its type has no `Debug`.
///
/// [`Versioned::column_value`]: crate::Versioned::column_value
#[derive(Clone, Copy)]
pub struct ColumnValue<'a> {
    /// The field.
    shown: &'a dyn Debug,
    /// What is in it: the field itself, what is in an `Option`, or nothing.
    inner: Option<Inner<'a>>,
}

/// A value of whatever type.
#[derive(Clone, Copy)]
pub(crate) struct Inner<'a> {
    pub(crate) shown: &'a dyn Debug,
    pub(crate) typed: &'a dyn Any,
}

impl<'a> ColumnValue<'a> {
    pub(crate) fn inner(&self) -> Option<Inner<'a>> {
        self.inner
    }
}

impl Debug for ColumnValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shown.fmt(f)
    }
}

/// What stands for a value that has no `Debug`.
struct Hidden;

impl Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// The value of a column that is not known.
pub fn hidden(_column: usize) -> ColumnValue<'static> {
    of(&Hidden)
}

fn of<T: Debug + 'static>(value: &T) -> ColumnValue<'_> {
    ColumnValue {
        shown: value,
        inner: Some(Inner {
            shown: value,
            typed: value,
        }),
    }
}

/// A field's value. `Shown(&value).value()` takes the method of the type if the value is an
/// `Option` of something that has `Debug`, then that of [`ShowDebug`] if the value has `Debug`, and
/// otherwise that of [`ShowHidden`]; the compiler decides it where the type is known.
#[derive(Clone, Copy)]
pub struct Shown<'a, T>(pub &'a T);

impl<'a, T: Debug + 'static> Shown<'a, Option<T>> {
    /// The value, or that there is none.
    pub fn value(self) -> ColumnValue<'a> {
        ColumnValue {
            shown: self.0,
            inner: self.0.as_ref().and_then(|value| of(value).inner),
        }
    }
}

/// What [`Shown`] falls back to for what is no `Option`.
pub trait ShowDebug<'a> {
    /// The value itself.
    fn value(self) -> ColumnValue<'a>;
}

impl<'a, T: Debug + 'static> ShowDebug<'a> for Shown<'a, T> {
    fn value(self) -> ColumnValue<'a> {
        of(self.0)
    }
}

/// What [`Shown`] falls back to for what has no `Debug`.
pub trait ShowHidden<'a> {
    /// The `…` in place of the value.
    fn value(self) -> ColumnValue<'a>;
}

impl<'a, T> ShowHidden<'a> for &Shown<'a, T> {
    fn value(self) -> ColumnValue<'a> {
        hidden(0)
    }
}

#[cfg(test)]
mod tests {
    use super::{ColumnValue, ShowDebug as _, ShowHidden as _, Shown};

    struct Secret;

    #[allow(clippy::needless_borrow, reason = "as the derive writes it")]
    fn of_any<T>(value: &T) -> String {
        format!("{:?}", Shown(value).value())
    }

    #[test]
    fn a_value_without_debug_is_hidden() {
        assert_eq!(format!("{:?}", Shown(&"a").value()), r#""a""#);
        assert_eq!(format!("{:?}", Shown(&Some(7)).value()), "Some(7)");
        assert_eq!(format!("{:?}", Shown(&Secret).value()), "…");
        assert_eq!(format!("{:?}", Shown(&Some(Secret)).value()), "…");
        // Where it is not known whether there is one, there is none.
        assert_eq!(of_any(&7), "…");
    }

    #[test]
    fn what_is_in_an_option_is_told_from_nothing() {
        let inner =
            |value: ColumnValue<'_>| value.inner().map(|inner| format!("{:?}", inner.shown));
        assert_eq!(inner(Shown(&Some(7)).value()).as_deref(), Some("7"));
        assert_eq!(inner(Shown(&None::<i32>).value()), None);
        assert_eq!(inner(Shown(&7).value()).as_deref(), Some("7"));
        assert_eq!(inner(Shown(&None::<Secret>).value()).as_deref(), Some("…"));
    }
}
