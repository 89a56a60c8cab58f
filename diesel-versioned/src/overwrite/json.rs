//! Values of columns as JSON, by their types: numbers, booleans, texts, nothing, lists of them;
//! anything else as the text of its `Debug`.

use std::any::Any;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::rc::Rc;
use std::sync::Arc;

use crate::shown::ColumnValue;

/// `{"column": value, …}`
pub(crate) fn object<'a>(columns: impl Iterator<Item = (&'a str, ColumnValue<'a>)>) -> String {
    let mut json = String::from("{");
    for (index, (column, value)) in columns.enumerate() {
        if index > 0 {
            json.push_str(", ");
        }
        push_text(column, &mut json);
        json.push_str(": ");
        match value.inner() {
            None => json.push_str("null"),
            Some(inner) if push_known(inner.typed, &mut json) => {}
            Some(inner) => push_text(&format!("{:?}", inner.shown), &mut json),
        }
    }
    json.push('}');
    json
}

/// A type that JSON has something for.
trait Json {
    fn push_to(&self, json: &mut String);
}

macro_rules! integers {
    ($($integer:ty),*) => {$(
        impl Json for $integer {
            fn push_to(&self, json: &mut String) {
                match i64::try_from(*self) {
                    Ok(number) => push_number(number, json),
                    // Not every database's JSON keeps the digits of greater ones.
                    Err(_) => push_text(&self.to_string(), json),
                }
            }
        }
    )*};
}

integers!(
    i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize
);

macro_rules! floats {
    ($($float:ty),*) => {$(
        impl Json for $float {
            fn push_to(&self, json: &mut String) {
                // The shortest text that is read as the same number.
                let text = format!("{self:?}");
                if self.is_finite() {
                    json.push_str(&text);
                } else {
                    push_text(&text, json);
                }
            }
        }
    )*};
}

floats!(f32, f64);

impl Json for bool {
    fn push_to(&self, json: &mut String) {
        json.push_str(if *self { "true" } else { "false" });
    }
}

impl Json for char {
    fn push_to(&self, json: &mut String) {
        push_text(self.encode_utf8(&mut [0; 4]), json);
    }
}

macro_rules! texts {
    ($($text:ty),*) => {$(
        impl Json for $text {
            fn push_to(&self, json: &mut String) {
                push_text(self, json);
            }
        }
    )*};
}

texts!(
    String,
    &'static str,
    Box<str>,
    Rc<str>,
    Arc<str>,
    Cow<'static, str>
);

impl<T: Json> Json for Option<T> {
    fn push_to(&self, json: &mut String) {
        match self {
            Some(value) => value.push_to(json),
            None => json.push_str("null"),
        }
    }
}

impl<T: Json> Json for Vec<T> {
    fn push_to(&self, json: &mut String) {
        json.push('[');
        for (index, value) in self.iter().enumerate() {
            if index > 0 {
                json.push_str(", ");
            }
            value.push_to(json);
        }
        json.push(']');
    }
}

/// Writes a value whose type is known here; `false` if it is not.
fn push_known(value: &dyn Any, json: &mut String) -> bool {
    macro_rules! one_of {
        ($($known:ty),* $(,)?) => {
            $(push_as::<$known>(value, json)
                || push_as::<Option<$known>>(value, json)
                || push_as::<Vec<$known>>(value, json)
                || push_as::<Vec<Option<$known>>>(value, json)
                || push_as::<Vec<Vec<$known>>>(value, json)
                ||)* false
        };
    }
    one_of!(
        String,
        i32,
        i64,
        bool,
        f64,
        i16,
        f32,
        u8,
        u32,
        u64,
        i8,
        i128,
        isize,
        u16,
        u128,
        usize,
        char,
        &'static str,
        Box<str>,
        Rc<str>,
        Arc<str>,
        Cow<'static, str>,
    )
}

fn push_as<T: Json + 'static>(value: &dyn Any, json: &mut String) -> bool {
    match value.downcast_ref::<T>() {
        Some(value) => {
            value.push_to(json);
            true
        }
        None => false,
    }
}

fn push_number(number: i64, json: &mut String) {
    // Writing to a text does not fail.
    write!(json, "{number}").ok();
}

/// Writes a text in quotes.
fn push_text(text: &str, json: &mut String) {
    json.push('"');
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            // PostgreSQL's JSONB cannot hold it.
            '\0' => json.push('\u{FFFD}'),
            '\u{1}'..='\u{1F}' => {
                write!(json, "\\u{:04x}", u32::from(character)).ok();
            }
            _ => json.push(character),
        }
    }
    json.push('"');
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::object;
    use crate::shown::{ColumnValue, ShowDebug as _, ShowHidden as _, Shown};

    fn json(value: ColumnValue<'_>) -> String {
        let json = object([("c", value)].into_iter());
        let parsed: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(parsed.as_object().unwrap().len(), 1, "{json}");
        json[r#"{"c": "#.len()..json.len() - 1].to_owned()
    }

    macro_rules! json {
        ($value:expr) => {
            json(Shown(&$value).value())
        };
    }

    #[test]
    fn numbers_and_booleans_are_what_they_are() {
        assert_eq!(json!(7), "7");
        assert_eq!(json!(i64::MIN), "-9223372036854775808");
        assert_eq!(json!(1.5), "1.5");
        assert_eq!(json!(0.1_f32), "0.1");
        assert_eq!(json!(1e300), "1e300");
        assert_eq!(json!(-0.0), "-0.0");
        assert_eq!(json!(true), "true");
    }

    #[test]
    fn what_json_cannot_hold_is_text() {
        assert_eq!(json!(f64::NAN), r#""NaN""#);
        assert_eq!(json!(f32::NEG_INFINITY), r#""-inf""#);
        assert_eq!(json!(u64::MAX), r#""18446744073709551615""#);
        assert_eq!(json!(Some(i128::MIN)), format!("\"{}\"", i128::MIN));
    }

    #[test]
    fn texts_are_escaped() {
        let text = "a\"b\\c\n\r\t\u{1}\u{7f}\u{2028}🦀/".to_owned();
        let json = json!(text);
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
        assert_eq!(json!("\0".to_owned()), "\"\u{FFFD}\"");
        assert_eq!(json!('"'), r#""\"""#);
        let column = object([("a\"b", Shown(&1).value())].into_iter());
        assert_eq!(column, r#"{"a\"b": 1}"#);
        assert_eq!(object([].into_iter()), "{}");
    }

    #[test]
    fn nothing_is_null_at_every_depth() {
        assert_eq!(json!(None::<i32>), "null");
        assert_eq!(json!(Some(7)), "7");
        assert_eq!(json!(Some("Some(7)".to_owned())), r#""Some(7)""#);
        assert_eq!(json!(None::<Option<i32>>), "null");
        assert_eq!(json!(Some(None::<i32>)), "null");
        assert_eq!(json!("None".to_owned()), r#""None""#);
    }

    #[test]
    fn lists_are_lists() {
        assert_eq!(json!(vec![0_u8, 255]), "[0, 255]");
        assert_eq!(json!(Vec::<i32>::new()), "[]");
        assert_eq!(
            json!(Some(vec![Some("a".to_owned()), None])),
            r#"["a", null]"#
        );
        assert_eq!(json!(vec![vec![1], vec![]]), "[[1], []]");
    }

    #[derive(Debug)]
    #[allow(dead_code, reason = "it is shown")]
    enum Discount {
        None,
        Percent(i32),
    }

    #[test]
    fn other_types_are_their_debug_text() {
        assert_eq!(json!(Discount::None), r#""None""#);
        assert_eq!(json!(Some(Discount::None)), r#""None""#);
        assert_eq!(json!(None::<Discount>), "null");
        assert_eq!(json!(Some(Discount::Percent(5))), r#""Percent(5)""#);
        assert_eq!(json!(BTreeMap::from([("a", 1)])), r#""{\"a\": 1}""#);
        assert_eq!(json!(()), r#""()""#);
    }

    struct Secret;

    #[test]
    fn a_type_without_debug_is_hidden() {
        assert_eq!(json!(Secret), r#""…""#);
        assert_eq!(json!(Some(Secret)), r#""…""#);
        assert_eq!(json!(None::<Secret>), r#""…""#);
    }
}
