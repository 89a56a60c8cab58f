//! How a value is written before it is hashed: by its kind, the same on every database.

use std::borrow::Cow;
#[cfg(any(feature = "chrono", feature = "time"))]
use std::fmt::Write;

/// A value that can be part of a content hash.
///
/// Implemented for integers, `bool`, `f64`, `String`, `Vec<u8>` and `[u8; N]`, for `Option`, `Vec`, `Box`
/// and `Cow` of these, and with their features for the times of `chrono` and `time`, `Uuid`, and `std`'s
/// `SystemTime`, which is with `time`. For a type of your own, write the value that stands for it; it must always be the same.
///
/// ```
/// use diesel_versioned::hash::{ContentValue, ContentWriter};
///
/// #[derive(Debug, Clone, Copy, PartialEq)]
/// enum Color { Red, Green }
///
/// impl ContentValue for Color {
///     fn write(&self, out: &mut ContentWriter) {
///         match self {
///             Self::Red => "red".write(out),
///             Self::Green => "green".write(out),
///         }
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be part of a content hash",
    label = "no `ContentValue`",
    note = "implement `diesel_versioned::hash::ContentValue` for a type of your own, or leave the column \
            out: `#[versioned(unchecked)]`",
    note = "times and UUIDs need the features `chrono`, `time` or `uuid`"
)]
pub trait ContentValue {
    /// Writes the value.
    fn write(&self, out: &mut ContentWriter);
}

/// What values are written to; see [the kinds](super#the-algorithm).
#[derive(Debug, Default)]
pub struct ContentWriter(String);

impl ContentWriter {
    /// Writes NULL.
    pub fn null(&mut self) {
        self.0.push('n');
    }

    /// Writes a truth value.
    pub fn bool(&mut self, value: bool) {
        self.0.push_str(if value { "b1" } else { "b0" });
    }

    /// Writes a whole number.
    pub fn integer(&mut self, value: i128) {
        self.0.push('i');
        self.0.push_str(&value.to_string());
    }

    /// Writes a floating-point number.
    pub fn double(&mut self, value: f64) {
        let value = if value.is_nan() {
            f64::NAN
        } else if value == 0.0 {
            0.0
        } else {
            value
        };
        self.0.push('f');
        self.hexadecimal(&value.to_bits().to_be_bytes());
    }

    /// Writes a text.
    pub fn text(&mut self, value: &str) {
        self.length('s', value.len());
        self.0.push_str(value);
    }

    /// Writes bytes.
    pub fn bytes(&mut self, value: &[u8]) {
        self.length('x', value.len());
        self.hexadecimal(value);
    }

    /// Writes how many items of a list follow.
    pub fn list(&mut self, items: usize) {
        self.length('l', items);
    }

    #[cfg(feature = "uuid")]
    fn uuid(&mut self, value: &[u8; 16]) {
        self.0.push('u');
        self.hexadecimal(value);
    }

    fn length(&mut self, kind: char, length: usize) {
        self.0.push(kind);
        self.0.push_str(&length.to_string());
        self.0.push(':');
    }

    fn hexadecimal(&mut self, bytes: &[u8]) {
        const DIGITS: [char; 16] = [
            '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f',
        ];
        for byte in bytes {
            for digit in [byte >> 4, byte & 15] {
                self.0.extend(DIGITS.get(usize::from(digit)));
            }
        }
    }

    /// Writes a date, a time of day or both. A text never refuses to be written to.
    #[cfg(any(feature = "chrono", feature = "time"))]
    fn moment(&mut self, text: std::fmt::Arguments<'_>) {
        if self.0.write_fmt(text).is_err() {
            self.null();
        }
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

macro_rules! integers {
    ($($type:ty)+) => {
        $(
            impl ContentValue for $type {
                fn write(&self, out: &mut ContentWriter) {
                    out.integer((*self).into());
                }
            }
        )+
    };
}

integers!(i8 i16 i32 i64 u16 u32 u64);

impl ContentValue for bool {
    fn write(&self, out: &mut ContentWriter) {
        out.bool(*self);
    }
}

impl ContentValue for f64 {
    fn write(&self, out: &mut ContentWriter) {
        out.double(*self);
    }
}

impl ContentValue for str {
    fn write(&self, out: &mut ContentWriter) {
        out.text(self);
    }
}

impl ContentValue for String {
    fn write(&self, out: &mut ContentWriter) {
        out.text(self);
    }
}

impl ContentValue for Vec<u8> {
    fn write(&self, out: &mut ContentWriter) {
        out.bytes(self);
    }
}

impl<const N: usize> ContentValue for [u8; N] {
    fn write(&self, out: &mut ContentWriter) {
        out.bytes(self);
    }
}

impl<V: ContentValue> ContentValue for Option<V> {
    fn write(&self, out: &mut ContentWriter) {
        match self {
            Some(value) => value.write(out),
            None => out.null(),
        }
    }
}

impl<V: ContentValue> ContentValue for Vec<V> {
    fn write(&self, out: &mut ContentWriter) {
        out.list(self.len());
        for item in self {
            item.write(out);
        }
    }
}

impl<V: ContentValue + ?Sized> ContentValue for Box<V> {
    fn write(&self, out: &mut ContentWriter) {
        (**self).write(out);
    }
}

impl<V: ContentValue + ToOwned + ?Sized> ContentValue for Cow<'_, V> {
    fn write(&self, out: &mut ContentWriter) {
        (**self).write(out);
    }
}

#[cfg(feature = "uuid")]
impl ContentValue for uuid::Uuid {
    fn write(&self, out: &mut ContentWriter) {
        out.uuid(self.as_bytes());
    }
}

#[cfg(feature = "chrono")]
mod of_chrono {
    use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Timelike};

    use super::{ContentValue, ContentWriter};

    impl ContentValue for NaiveDate {
        fn write(&self, out: &mut ContentWriter) {
            let (year, month, day) = (self.year(), self.month(), self.day());
            out.moment(format_args!("d{year:04}-{month:02}-{day:02}"));
        }
    }

    impl ContentValue for NaiveTime {
        fn write(&self, out: &mut ContentWriter) {
            let (hour, minute, second) = (self.hour(), self.minute(), self.second());
            let nano = self.nanosecond();
            out.moment(format_args!("h{hour:02}:{minute:02}:{second:02}.{nano:09}"));
        }
    }

    impl ContentValue for NaiveDateTime {
        fn write(&self, out: &mut ContentWriter) {
            let (year, month, day) = (self.year(), self.month(), self.day());
            let (hour, minute, second) = (self.hour(), self.minute(), self.second());
            let nano = self.nanosecond();
            out.moment(format_args!(
                "t{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{nano:09}"
            ));
        }
    }

    impl<Z: TimeZone> ContentValue for DateTime<Z> {
        fn write(&self, out: &mut ContentWriter) {
            self.naive_utc().write(out);
        }
    }
}

#[cfg(feature = "time")]
mod of_time {
    use std::time::SystemTime;

    use time::{Date, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset};

    use super::{ContentValue, ContentWriter};

    impl ContentValue for Date {
        fn write(&self, out: &mut ContentWriter) {
            let (year, month, day) = (self.year(), u8::from(self.month()), self.day());
            out.moment(format_args!("d{year:04}-{month:02}-{day:02}"));
        }
    }

    impl ContentValue for Time {
        fn write(&self, out: &mut ContentWriter) {
            let (hour, minute, second, nano) = self.as_hms_nano();
            out.moment(format_args!("h{hour:02}:{minute:02}:{second:02}.{nano:09}"));
        }
    }

    impl ContentValue for PrimitiveDateTime {
        fn write(&self, out: &mut ContentWriter) {
            let (year, month, day) = (self.year(), u8::from(self.month()), self.day());
            let (hour, minute, second, nano) = self.as_hms_nano();
            out.moment(format_args!(
                "t{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{nano:09}"
            ));
        }
    }

    impl ContentValue for OffsetDateTime {
        fn write(&self, out: &mut ContentWriter) {
            let utc = self.to_offset(UtcOffset::UTC);
            PrimitiveDateTime::new(utc.date(), utc.time()).write(out);
        }
    }

    impl ContentValue for SystemTime {
        fn write(&self, out: &mut ContentWriter) {
            OffsetDateTime::from(*self).write(out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ContentValue, ContentWriter};

    fn written(value: &(impl ContentValue + ?Sized)) -> String {
        let mut out = ContentWriter::default();
        value.write(&mut out);
        out.finish()
    }

    #[test]
    fn each_kind_is_written_as_the_documentation_says() {
        assert_eq!(written(&None::<String>), "n");
        assert_eq!(written(&Some(true)), "b1");
        assert_eq!(written(&-42_i16), "i-42");
        assert_eq!(written(&u64::MAX), "i18446744073709551615");
        assert_eq!(written(&1.0), "f3ff0000000000000");
        assert_eq!(written(&-0.0), written(&0.0));
        assert_eq!(written(&-f64::NAN), written(&f64::NAN));
        assert_eq!(written("Chai"), "s4:Chai");
        assert_eq!(written(&vec![0xca_u8, 0xfe]), "x2:cafe");
        assert_eq!(written(&vec![1, 2]), "l2:i1i2");
        assert_eq!(written(&Box::<str>::from("")), "s0:");
    }

    #[cfg(feature = "chrono")]
    #[test]
    fn times_of_chrono_are_written_to_the_nanosecond_in_utc() {
        let day = chrono::NaiveDate::from_ymd_opt(2026, 11, 30);
        let time = chrono::NaiveTime::from_hms_nano_opt(8, 30, 0, 7);
        assert_eq!(written(&day), "d2026-11-30");
        assert_eq!(written(&time), "h08:30:00.000000007");
        let both = day.zip(time).map(|(day, time)| day.and_time(time));
        assert_eq!(written(&both), "t2026-11-30T08:30:00.000000007");
        let zone = chrono::FixedOffset::east_opt(3600);
        let there = both
            .zip(zone)
            .map(|(both, zone)| both.and_utc().with_timezone(&zone));
        assert_eq!(written(&there), written(&both));
    }

    #[cfg(all(feature = "time", feature = "chrono"))]
    #[test]
    fn a_time_is_written_alike_whichever_crate_it_is_of() {
        use std::time::{Duration, SystemTime};

        let system = SystemTime::UNIX_EPOCH + Duration::new(1_790_000_000, 123_456_000);
        let time = time::OffsetDateTime::from(system);
        let chrono = chrono::DateTime::<chrono::Utc>::from(system);
        assert_eq!(written(&system), written(&time));
        assert_eq!(written(&time), written(&chrono));
        assert_eq!(written(&time.date()), written(&chrono.date_naive()));
        assert_eq!(written(&time.time()), written(&chrono.time()));
    }

    #[cfg(feature = "uuid")]
    #[test]
    fn a_uuid_is_written_by_its_digits() {
        let uuid = uuid::Uuid::from_u128(0x67e5_5044_10b1_426f_9247_bb68_0e5f_e0c8);
        assert_eq!(written(&uuid), "u67e5504410b1426f9247bb680e5fe0c8");
    }
}
