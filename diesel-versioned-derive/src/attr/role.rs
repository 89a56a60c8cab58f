//! The roles that a column can have: `#[versioned(…)]` on a field.

use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Ident, Result, Token};

use super::guard::{GROUP, UNCHECKED};
use super::version::precision;
use super::{FieldAttrs, Given};
use crate::options::{Known, no_value, skip_rest};

/// What is special about a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnRole {
    /// Bookkeeping: written without check and without a new version.
    Unguarded,
    /// Written by nobody here.
    ReadOnly,
    /// Written by an insert alone.
    InsertOnly,
    /// Made by the database with every write.
    Generated,
    /// Marks the row as deleted.
    SoftDelete,
}

/// `#[versioned(…)]` on a field.
pub(super) const VERSIONED_FIELD: &[Known<FieldAttrs>] = &[
    Known {
        name: "unguarded",
        form: "unguarded",
        read: |attrs, name, input| role(attrs, name, ColumnRole::Unguarded, input),
    },
    Known {
        name: "read_only",
        form: "read_only",
        read: |attrs, name, input| role(attrs, name, ColumnRole::ReadOnly, input),
    },
    Known {
        name: "insert_only",
        form: "insert_only",
        read: |attrs, name, input| role(attrs, name, ColumnRole::InsertOnly, input),
    },
    Known {
        name: "generated",
        form: "generated",
        read: |attrs, name, input| role(attrs, name, ColumnRole::Generated, input),
    },
    Known {
        name: "soft_delete",
        form: "soft_delete(precision = \"millis\")",
        read: |attrs, name, input| {
            if input.peek(syn::token::Paren) {
                let content;
                syn::parenthesized!(content in input);
                let option = content.call(Ident::parse_any)?;
                if option != "precision" {
                    let message = format!("unknown option `{option}` of `{name}`");
                    skip_rest(&content)?;
                    return Err(syn::Error::new(option.span(), message));
                }
                let precision = precision(&content);
                content.parse::<Option<Token![,]>>()?;
                let more = (!content.is_empty()).then(|| content.span());
                skip_rest(&content)?;
                attrs.mark_precision = Some(Given {
                    name: option,
                    value: precision?,
                });
                if let Some(span) = more {
                    let message = format!("`precision` is the only option of `{name}`");
                    return Err(syn::Error::new(span, message));
                }
            }
            role(attrs, name, ColumnRole::SoftDelete, input)
        },
    },
    GROUP,
    UNCHECKED,
];

/// The names of what `#[versioned(…)]` on a field says.
pub(super) const OF_A_FIELD: &[&str] = &[
    "unguarded",
    "read_only",
    "insert_only",
    "generated",
    "soft_delete",
    "group",
    "unchecked",
];

fn role(
    attrs: &mut FieldAttrs,
    name: Ident,
    value: ColumnRole,
    input: ParseStream<'_>,
) -> Result<()> {
    no_value(input)?;
    if attrs.roles.iter().any(|role| role.value == value) {
        attrs.repeated.push(name);
    } else {
        attrs.roles.push(Given { name, value });
    }
    Ok(())
}
