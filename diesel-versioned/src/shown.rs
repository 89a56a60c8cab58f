//! A value for people: by its `Debug` if it has one, `…` if not.

use std::fmt::{self, Debug};

/// What stands for a value that has no `Debug`.
struct Hidden;

impl Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// The value of a column that is not known.
pub fn hidden(_column: usize) -> &'static dyn Debug {
    &Hidden
}

/// A field's value. `Shown(&value).value()` takes the method of the type if the value has `Debug`,
/// and otherwise that of [`ShowHidden`]; the compiler decides it where the type is known.
#[derive(Clone, Copy)]
pub struct Shown<'a, T>(pub &'a T);

impl<'a, T: Debug> Shown<'a, T> {
    /// The value itself.
    pub fn value(self) -> &'a dyn Debug {
        self.0
    }
}

/// What [`Shown`] falls back to.
pub trait ShowHidden<'a> {
    /// The `…` in place of the value.
    fn value(self) -> &'a dyn Debug;
}

impl<'a, T> ShowHidden<'a> for Shown<'a, T> {
    fn value(self) -> &'a dyn Debug {
        &Hidden
    }
}

#[cfg(test)]
mod tests {
    use super::{ShowHidden as _, Shown};

    struct Secret;

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
}
