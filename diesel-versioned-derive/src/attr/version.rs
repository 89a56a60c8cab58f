//! The options of `#[version(…)]`.

use syn::parse::ParseStream;
use syn::{LitStr, Result};

use super::guard::VERSION_GROUP;
use super::{FieldAttrs, once};
use crate::options::{Known, after_equals, no_value};

/// `precision = "…"`: to what a timestamp is cut.
#[derive(Clone, Copy)]
pub(crate) enum Precision {
    Seconds,
    Millis,
    Micros,
}

/// `uuid = "…"`: which kind of UUID.
#[derive(Clone, Copy)]
pub(crate) enum UuidKind {
    V4,
    V7,
}

/// `#[version(…)]` on a field.
pub(super) const VERSION: &[Known<FieldAttrs>] = &[
    Known {
        name: "initial",
        form: "initial = 1",
        read: |attrs, name, input| {
            let value = after_equals(input)?;
            once(&mut attrs.initial, &mut attrs.repeated, name, value)
        },
    },
    Known {
        name: "db",
        form: "db",
        read: |attrs, name, input| {
            no_value(input)?;
            once(&mut attrs.by_database, &mut attrs.repeated, name, ())
        },
    },
    Known {
        name: "precision",
        form: "precision = \"millis\"",
        read: |attrs, name, input| {
            let value = precision(input)?;
            once(&mut attrs.precision, &mut attrs.repeated, name, value)
        },
    },
    Known {
        name: "uuid",
        form: "uuid = \"v4\"",
        read: |attrs, name, input| {
            let known = [("v4", UuidKind::V4), ("v7", UuidKind::V7)];
            let value = one_of("kind of UUID", &known, input)?;
            once(&mut attrs.uuid, &mut attrs.repeated, name, value)
        },
    },
    Known {
        name: "wrap",
        form: "wrap",
        read: |attrs, name, input| {
            no_value(input)?;
            once(&mut attrs.wrap, &mut attrs.repeated, name, ())
        },
    },
    VERSION_GROUP,
];

/// `= "millis"`
pub(super) fn precision(input: ParseStream<'_>) -> Result<Precision> {
    let known = [
        ("seconds", Precision::Seconds),
        ("millis", Precision::Millis),
        ("micros", Precision::Micros),
    ];
    one_of("precision", &known, input)
}

/// `= "word"`, one of a few words.
pub(super) fn one_of<T: Copy>(
    what: &str,
    known: &[(&str, T)],
    input: ParseStream<'_>,
) -> Result<T> {
    let word: LitStr = after_equals(input)?;
    let found = known.iter().find(|(name, _)| *name == word.value());
    found.map(|(_, value)| *value).ok_or_else(|| {
        let known = known.iter().map(|(name, _)| format!("`{name}`"));
        let known = known.collect::<Vec<_>>().join(", ");
        let message = format!("unknown {what} `{}`; there are {known}", word.value());
        syn::Error::new(word.span(), message)
    })
}
