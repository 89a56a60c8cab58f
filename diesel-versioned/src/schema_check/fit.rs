//! Whether a column takes what it is sent, and gives it back as it was.

use super::{Declared, Shape};
use crate::backend::Catalog;
use crate::backend::catalog::{Stored, Takes};

/// What a column is beside what is sent to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    Fits,
    OtherType,
    /// `table!` should say this instead.
    Declare(&'static str),
    Narrow,
    Coarse,
}

/// `shape` is what a value is, `declared` as what it is sent.
pub(super) fn fit(shape: Shape, declared: Declared, stored: Stored, catalog: &Catalog) -> Fit {
    if shape == Shape::Other || stored == Stored::Anything {
        return Fit::Fits;
    }
    if declared == Declared::Unknown {
        return keep(shape, stored, catalog.exact_integers);
    }
    match (catalog.takes)(declared, stored) {
        Takes::No => Fit::OtherType,
        Takes::IfDeclared(name) => Fit::Declare(name),
        Takes::Yes => {
            let exact_integers = catalog.exact_integers;
            keep(
                sent(shape, declared, exact_integers),
                stored,
                exact_integers,
            )
        }
    }
}

/// What a value is when it is sent: a time may be kept in an integer, a UUID as text.
fn sent(shape: Shape, declared: Declared, exact_integers: bool) -> Shape {
    use Declared::{
        Boolean, Bytes, Datetime, Integer, Text, Timestamp, Timestamptz, Unknown, Uuid,
    };
    match (declared, shape) {
        (Integer { .. }, Shape::Integer { .. }) if !exact_integers => shape,
        (Unknown, _)
        | (Bytes, Shape::Bytes { .. } | Shape::Uuid)
        | (Timestamp | Timestamptz | Datetime, Shape::Timestamp { .. }) => shape,
        (Integer { bits, signed }, _) => Shape::Integer { bits, signed },
        (Boolean, _) => Shape::Boolean,
        (Text, _) => Shape::Other,
        (Bytes, _) => Shape::Bytes { len: None },
        (Uuid, _) => Shape::Uuid,
        (Timestamp | Timestamptz | Datetime, _) => Shape::Timestamp { digits: 0 },
    }
}

fn keep(sent: Shape, stored: Stored, exact_integers: bool) -> Fit {
    // How many bits a number that is not negative may have.
    let magnitude = |bits: u32, signed: bool| bits.saturating_sub(u32::from(signed));
    match (sent, stored) {
        (Shape::Other, _)
        | (_, Stored::Anything | Stored::Foreign)
        | (Shape::Uuid, Stored::Uuid)
        | (Shape::Boolean, Stored::Boolean) => Fit::Fits,
        // As databases without such a type keep it.
        (Shape::Boolean, Stored::Integer { .. }) if !exact_integers => Fit::Fits,
        (
            Shape::Integer { bits, signed },
            Stored::Integer {
                bits: has,
                signed: has_sign,
            },
        ) => {
            let (needs, has) = (magnitude(bits, signed), magnitude(has.into(), has_sign));
            if has < needs {
                Fit::Narrow
            } else if has > needs && exact_integers {
                Fit::OtherType
            } else {
                Fit::Fits
            }
        }
        (Shape::Timestamp { digits }, Stored::Timestamp { digits: has, .. }) if has < digits => {
            Fit::Coarse
        }
        // As SQLite keeps times, and types of one's own may keep them and UUIDs.
        (Shape::Timestamp { .. }, Stored::Timestamp { .. } | Stored::Text)
        | (Shape::Uuid, Stored::Text) => Fit::Fits,
        (Shape::Uuid, Stored::Bytes { most, padded }) => bytes(Some(16), most, padded),
        (Shape::Bytes { len }, Stored::Bytes { most, padded }) => bytes(len, most, padded),
        _ => Fit::OtherType,
    }
}

/// What is shorter than a column that pads comes back longer, and is another version.
fn bytes(len: Option<u64>, most: Option<u64>, padded: bool) -> Fit {
    match (len, most) {
        (Some(len), Some(most)) if len > most => Fit::Narrow,
        (Some(len), Some(most)) if padded && len < most => Fit::OtherType,
        _ => Fit::Fits,
    }
}

#[cfg(test)]
mod tests {
    use super::{Fit, keep, sent};
    use crate::backend::catalog::Stored;
    use crate::schema_check::{Declared, Shape};

    #[test]
    fn an_integer_fits_what_holds_all_of_it() {
        let integer = |bits, signed| Shape::Integer { bits, signed };
        let stored = |bits, signed| Stored::Integer { bits, signed };
        for (version, column, expected, exact) in [
            (integer(32, true), stored(32, true), Fit::Fits, Fit::Fits),
            (
                integer(32, true),
                stored(16, true),
                Fit::Narrow,
                Fit::Narrow,
            ),
            (
                integer(32, true),
                stored(64, true),
                Fit::Fits,
                Fit::OtherType,
            ),
            // Versions are not negative.
            (
                integer(32, true),
                stored(32, false),
                Fit::Fits,
                Fit::OtherType,
            ),
            (
                integer(32, false),
                stored(32, true),
                Fit::Narrow,
                Fit::Narrow,
            ),
            (integer(64, false), stored(64, false), Fit::Fits, Fit::Fits),
            (
                integer(32, true),
                stored(24, false),
                Fit::Narrow,
                Fit::Narrow,
            ),
        ] {
            assert_eq!(
                keep(version, column, false),
                expected,
                "{version:?} {column:?}"
            );
            assert_eq!(keep(version, column, true), exact, "{version:?} {column:?}");
        }
    }

    #[test]
    fn what_is_not_known_fits() {
        for version in [
            Shape::Integer {
                bits: 32,
                signed: true,
            },
            Shape::Timestamp { digits: 6 },
            Shape::Uuid,
            Shape::Bytes { len: None },
            Shape::Other,
        ] {
            assert_eq!(keep(version, Stored::Anything, true), Fit::Fits);
            assert_eq!(keep(Shape::Other, Stored::Other, true), Fit::Fits);
            let other = keep(version, Stored::Other, true);
            assert_eq!(other == Fit::OtherType, version != Shape::Other);
        }
    }

    #[test]
    fn times_uuids_and_bytes_come_back_as_they_were() {
        let digits = |digits| Stored::Timestamp {
            digits,
            zoned: false,
        };
        let bytes = |most, padded| Stored::Bytes { most, padded };
        let token = |len| Shape::Bytes { len };
        for (version, column, expected) in [
            (Shape::Timestamp { digits: 3 }, digits(0), Fit::Coarse),
            (Shape::Timestamp { digits: 3 }, digits(3), Fit::Fits),
            (Shape::Timestamp { digits: 3 }, digits(6), Fit::Fits),
            (Shape::Timestamp { digits: 3 }, Stored::Text, Fit::Fits),
            (Shape::Timestamp { digits: 3 }, Stored::Uuid, Fit::OtherType),
            (Shape::Uuid, Stored::Uuid, Fit::Fits),
            (Shape::Uuid, bytes(Some(16), true), Fit::Fits),
            (Shape::Uuid, bytes(Some(17), true), Fit::OtherType),
            (Shape::Uuid, bytes(Some(8), false), Fit::Narrow),
            (token(Some(8)), bytes(None, false), Fit::Fits),
            (token(Some(8)), bytes(Some(16), false), Fit::Fits),
            (token(Some(8)), bytes(Some(16), true), Fit::OtherType),
            (token(None), bytes(Some(16), true), Fit::Fits),
            (token(None), Stored::Text, Fit::OtherType),
        ] {
            assert_eq!(
                keep(version, column, true),
                expected,
                "{version:?} {column:?}"
            );
        }
    }

    #[test]
    fn a_value_is_sent_as_what_is_declared() {
        let integer = |bits| Shape::Integer { bits, signed: true };
        let time = Shape::Timestamp { digits: 3 };
        for (declared, shape, expected) in [
            (Declared::integer(64), time, integer(64)),
            (Declared::Datetime, time, time),
            (Declared::Bytes, Shape::Uuid, Shape::Uuid),
            (Declared::Bytes, time, Shape::Bytes { len: None }),
            (Declared::Text, Shape::Uuid, Shape::Other),
            (Declared::Unknown, time, time),
        ] {
            assert_eq!(
                sent(shape, declared, true),
                expected,
                "{declared:?} {shape:?}"
            );
        }
        for (exact, expected) in [(true, integer(64)), (false, integer(32))] {
            assert_eq!(sent(integer(32), Declared::integer(64), exact), expected);
        }
    }
}
