//! What the guard compares: `#[versioned(check = …)]` on the struct, and on fields what is in a group
//! and what is left out.

use syn::parse::ParseStream;
use syn::{LitStr, Result};

use super::version::one_of;
use super::{FieldAttrs, StructAttrs, once};
use crate::options::{Known, after_equals, no_value};

/// `check = "…"`: what is compared where there is no version.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckKind {
    /// The columns that are written.
    Changed,
    /// All columns.
    All,
    /// All columns, and they have a hash.
    Hash,
}

pub(super) const CHECK: Known<StructAttrs> = Known {
    name: "check",
    form: "check = \"all\"",
    read: |attrs, name, input| {
        let known = [
            ("changed", CheckKind::Changed),
            ("all", CheckKind::All),
            ("hash", CheckKind::Hash),
        ];
        let value = one_of("check", &known, input)?;
        once(&mut attrs.check, &mut attrs.repeated, name, value)
    },
};

pub(super) const GROUP: Known<FieldAttrs> = Known {
    name: "group",
    form: "group = \"content\"",
    read: |attrs, name, input| {
        let value = group_name(input)?;
        once(&mut attrs.group, &mut attrs.repeated, name, value)
    },
};

pub(super) const VERSION_GROUP: Known<FieldAttrs> = Known {
    name: "group",
    form: "group = \"content\"",
    read: |attrs, name, input| {
        let value = group_name(input)?;
        once(&mut attrs.version_group, &mut attrs.repeated, name, value)
    },
};

pub(super) const UNCHECKED: Known<FieldAttrs> = Known {
    name: "unchecked",
    form: "unchecked",
    read: |attrs, name, input| {
        no_value(input)?;
        once(&mut attrs.unchecked, &mut attrs.repeated, name, ())
    },
};

/// `= "content"`
fn group_name(input: ParseStream<'_>) -> Result<LitStr> {
    let name: LitStr = after_equals(input)?;
    if name.value().trim().is_empty() {
        return Err(syn::Error::new(name.span(), "a group has a name"));
    }
    Ok(name)
}
