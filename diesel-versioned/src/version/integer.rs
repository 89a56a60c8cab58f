//! Integers: they count.

use super::{CountingVersion, Moment, NoVersion, Step, SteppingVersion, VersionValue};
use crate::schema_check::Shape;

macro_rules! integer_version {
    ($($integer:ty),*) => {$(
        impl VersionValue for $integer {
            fn initial(_: &Moment) -> Result<Self, NoVersion> {
                Ok(1)
            }

            fn next(&self, _: &Moment) -> Result<Self, NoVersion> {
                self.checked_add(1).ok_or(NoVersion::Exhausted)
            }

            fn to_text(&self) -> String {
                self.to_string()
            }

            fn from_text(text: &str) -> Option<Self> {
                text.parse().ok().filter(|version: &Self| version.to_text() == text)
            }

            fn shape() -> Shape {
                Shape::Integer { bits: Self::BITS, signed: Self::MIN != 0 }
            }
        }

        impl CountingVersion for $integer {}

        impl SteppingVersion for $integer {
            fn step(_: &Moment) -> Result<Step<Self>, NoVersion> {
                Ok(Step::counting(Self::MAX))
            }
        }
    )*};
}

integer_version!(i16, i32, i64, u32, u64);

#[cfg(test)]
mod tests {
    use super::super::{Moment, NoVersion, VersionValue};

    #[test]
    fn only_the_text_of_a_version_is_read_back() {
        for version in [i32::MIN, -1, 0, 1, 7, i32::MAX] {
            assert_eq!(i32::from_text(&version.to_text()), Some(version));
        }
        for text in ["", "007", "+7", " 7", "7.0", "2147483648", "seven"] {
            assert_eq!(i32::from_text(text), None, "{text}");
        }
    }

    #[test]
    fn each_type_ends_at_its_maximum() {
        fn ends<V: VersionValue>(max: V, one_less: V) {
            let moment = Moment::new();
            assert_eq!(one_less.next(&moment).ok(), Some(max.clone()));
            assert!(matches!(max.next(&moment), Err(NoVersion::Exhausted)));
            assert_eq!(V::from_text(&max.to_text()), Some(max));
        }
        ends(i16::MAX, i16::MAX - 1);
        ends(i32::MAX, i32::MAX - 1);
        ends(i64::MAX, i64::MAX - 1);
        ends(u32::MAX, u32::MAX - 1);
        ends(u64::MAX, u64::MAX - 1);
    }
}
