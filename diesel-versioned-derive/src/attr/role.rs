//! The roles that a column can have: `#[versioned(…)]` on a field.

use syn::parse::ParseStream;
use syn::{Ident, Result, Token};

use super::guard::{GROUP, UNCHECKED};
use super::{FieldAttrs, Given};
use crate::options::Known;

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
    GROUP,
    UNCHECKED,
];

/// The names of what `#[versioned(…)]` on a field says.
pub(super) const OF_A_FIELD: &[&str] = &[
    "unguarded",
    "read_only",
    "insert_only",
    "generated",
    "group",
    "unchecked",
];

fn role(
    attrs: &mut FieldAttrs,
    name: Ident,
    value: ColumnRole,
    input: ParseStream<'_>,
) -> Result<()> {
    if input.peek(Token![=]) {
        return Err(input.error("there is nothing to choose"));
    }
    if attrs.roles.iter().any(|role| role.value == value) {
        attrs.repeated.push(name);
    } else {
        attrs.roles.push(Given { name, value });
    }
    Ok(())
}
