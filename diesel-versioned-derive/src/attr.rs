//! The attributes that the derives read: a table for each place where one can stand.

mod guard;
mod role;
mod version;

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, LitStr, Meta, Path, Result, Token, Type, TypePath};

pub(crate) use self::guard::CheckKind;
pub(crate) use self::role::ColumnRole;
pub(crate) use self::version::{Precision, UuidKind};

use self::guard::CHECK;
use self::role::{OF_A_FIELD, VERSIONED_FIELD};
use self::version::VERSION;
use crate::column_name::ColumnName;
use crate::errors::Errors;
use crate::options::{Known, Unknown, after_equals, read_options, skip_rest, skip_value};

/// What an option was given, and its name in the user's code for messages.
pub(crate) struct Given<T> {
    pub(crate) name: Ident,
    pub(crate) value: T,
}

/// The attributes of the struct.
#[derive(Default)]
pub(crate) struct StructAttrs {
    pub(crate) table_name: Option<Given<Path>>,
    pub(crate) primary_key: Option<Given<Vec<Ident>>>,
    pub(crate) belongs_to: Vec<BelongsTo>,
    pub(crate) check_for_backend: Vec<TypePath>,
    /// Options that stood there already.
    repeated: Vec<Ident>,
    pub(crate) library: Option<Given<Path>>,
    /// The parents of `touches(…)`.
    pub(crate) touches: Option<Given<Vec<TypePath>>>,
    /// The columns of `merge(independent(…))`.
    pub(crate) independent: Option<Given<Vec<Ident>>>,
    /// What the guard compares where there is no version.
    pub(crate) check: Option<Given<CheckKind>>,
}

/// `belongs_to(Order, foreign_key = order_id)`
pub(crate) struct BelongsTo {
    pub(crate) parent: TypePath,
    pub(crate) foreign_key: Option<Ident>,
}

/// The attributes of one field.
#[derive(Default)]
pub(crate) struct FieldAttrs {
    pub(crate) version: Option<Attribute>,
    /// Options that stood there already.
    repeated: Vec<Ident>,
    pub(crate) initial: Option<Given<Expr>>,
    pub(crate) precision: Option<Given<Precision>>,
    pub(crate) uuid: Option<Given<UuidKind>>,
    pub(crate) wrap: Option<Given<()>>,
    /// `#[version(db)]`: the database makes the version.
    pub(crate) by_database: Option<Given<()>>,
    /// `#[version(group = …)]`: the group whose version this is.
    pub(crate) version_group: Option<Given<LitStr>>,
    /// `#[versioned(group = …)]`: the group that the column is in.
    pub(crate) group: Option<Given<LitStr>>,
    /// `#[versioned(unchecked)]`: no guard compares the column.
    pub(crate) unchecked: Option<Given<()>>,
    pub(crate) column_name: Option<Given<ColumnName>>,
    pub(crate) embed: Option<Given<()>>,
    pub(crate) serialize_as: Option<Given<Type>>,
    pub(crate) deserialize_as: Option<Given<Type>>,
    pub(crate) select_expression: Option<Given<()>>,
    pub(crate) skip_insertion: Option<Given<()>>,
    pub(crate) skip_update: Option<Given<()>>,
    /// `#[versioned(soft_delete(precision = "…"))]`
    pub(crate) mark_precision: Option<Given<Precision>>,
    /// What `#[versioned(…)]` says; a column has one role.
    pub(crate) roles: Vec<Given<ColumnRole>>,
}

/// `#[versioned(…)]` on the struct.
const VERSIONED: &[Known<StructAttrs>] = &[
    Known {
        name: "crate",
        form: "crate = \"path\"",
        read: |attrs, name, input| {
            input.parse::<Token![=]>()?;
            let value = if input.peek(LitStr) {
                input.parse::<LitStr>()?.parse_with(Path::parse_mod_style)?
            } else {
                input.call(Path::parse_mod_style)?
            };
            once(&mut attrs.library, &mut attrs.repeated, name, value)
        },
    },
    Known {
        name: "merge",
        form: "merge(independent(title, body))",
        read: |attrs, name, input| {
            let content;
            syn::parenthesized!(content in input);
            let columns = independent(&content);
            skip_rest(&content)?;
            once(&mut attrs.independent, &mut attrs.repeated, name, columns?)
        },
    },
    Known {
        name: "touches",
        form: "touches(Order)",
        read: |attrs, name, input| {
            let content;
            syn::parenthesized!(content in input);
            let parents = Punctuated::<TypePath, Token![,]>::parse_terminated(&content);
            skip_rest(&content)?;
            let parents = parents?.into_iter().collect();
            once(&mut attrs.touches, &mut attrs.repeated, name, parents)
        },
    },
    CHECK,
];

/// The names of what `#[versioned(…)]` on the struct says.
const OF_THE_STRUCT: &[&str] = &["crate", "merge", "touches", "check"];

/// `#[diesel(…)]` on the struct: what this derive reads of it.
const DIESEL_STRUCT: &[Known<StructAttrs>] = &[
    Known {
        name: "table_name",
        form: "table_name = products",
        read: |attrs, name, input| {
            let value = after_equals(input)?;
            once(&mut attrs.table_name, &mut attrs.repeated, name, value)
        },
    },
    Known {
        name: "primary_key",
        form: "primary_key(order_id, line)",
        read: |attrs, name, input| {
            let content;
            syn::parenthesized!(content in input);
            let columns =
                Punctuated::<Ident, Token![,]>::parse_terminated_with(&content, Ident::parse_any)?;
            attrs.primary_key = Some(Given {
                name,
                value: columns.into_iter().collect(),
            });
            Ok(())
        },
    },
    Known {
        name: "belongs_to",
        form: "belongs_to(Order)",
        read: |attrs, _, input| {
            let content;
            syn::parenthesized!(content in input);
            let parent = content.parse()?;
            let mut foreign_key = None;
            if content.peek(Token![,]) && content.peek3(Token![=]) {
                content.parse::<Token![,]>()?;
                let option = content.call(Ident::parse_any)?;
                if option == "foreign_key" {
                    content.parse::<Token![=]>()?;
                    foreign_key = Some(content.call(Ident::parse_any)?);
                }
            }
            attrs.belongs_to.push(BelongsTo {
                parent,
                foreign_key,
            });
            skip_rest(&content)
        },
    },
    Known {
        name: "check_for_backend",
        form: "check_for_backend(diesel::sqlite::Sqlite)",
        read: |attrs, _, input| {
            let content;
            syn::parenthesized!(content in input);
            if content.peek2(Token![=]) {
                // `disable = true`
                return skip_rest(&content);
            }
            let backends = Punctuated::<TypePath, Token![,]>::parse_terminated(&content)?;
            attrs.check_for_backend.extend(backends);
            Ok(())
        },
    },
];

/// `#[diesel(…)]` on a field: what this derive reads of it.
const DIESEL_FIELD: &[Known<FieldAttrs>] = &[
    Known {
        name: "column_name",
        form: "column_name = price",
        read: |attrs, name, input| {
            let value = after_equals(input)?;
            attrs.column_name = Some(Given { name, value });
            Ok(())
        },
    },
    Known {
        name: "embed",
        form: "embed",
        read: |attrs, name, _| flag(&mut attrs.embed, name),
    },
    Known {
        name: "serialize_as",
        form: "serialize_as = Type",
        read: |attrs, name, input| {
            let value = after_equals(input)?;
            attrs.serialize_as = Some(Given { name, value });
            Ok(())
        },
    },
    Known {
        name: "deserialize_as",
        form: "deserialize_as = Type",
        read: |attrs, name, input| {
            let value = after_equals(input)?;
            attrs.deserialize_as = Some(Given { name, value });
            Ok(())
        },
    },
    Known {
        name: "select_expression",
        form: "select_expression = products::name.is_not_null()",
        read: |attrs, name, input| {
            skip_value(input)?;
            flag(&mut attrs.select_expression, name)
        },
    },
    Known {
        name: "skip_insertion",
        form: "skip_insertion",
        read: |attrs, name, _| flag(&mut attrs.skip_insertion, name),
    },
    Known {
        name: "skip_update",
        form: "skip_update",
        read: |attrs, name, _| flag(&mut attrs.skip_update, name),
    },
];

impl StructAttrs {
    pub(crate) fn read(attributes: &[Attribute], errors: &Errors) -> Self {
        let mut attrs = Self::default();
        for attribute in attributes {
            let path = attribute.path();
            if path.is_ident("diesel") {
                read_options(attribute, DIESEL_STRUCT, Unknown::Skip, &mut attrs, errors);
            } else if path.is_ident("versioned") {
                let unknown = Unknown::Reject {
                    misplaced: OF_A_FIELD,
                    home: "a field",
                };
                read_options(attribute, VERSIONED, unknown, &mut attrs, errors);
            } else if path.is_ident("version") {
                errors.on(
                    attribute,
                    "`#[version]` is on the struct; move it to the field that holds the version",
                );
            }
        }
        report_repeated(&attrs.repeated, errors);
        attrs
    }
}

impl FieldAttrs {
    pub(crate) fn read(attributes: &[Attribute], errors: &Errors) -> Self {
        let mut attrs = Self::default();
        for attribute in attributes {
            let path = attribute.path();
            if path.is_ident("diesel") {
                read_options(attribute, DIESEL_FIELD, Unknown::Skip, &mut attrs, errors);
            } else if path.is_ident("version") {
                if attrs.version.is_some() {
                    errors.on(attribute, "`#[version]` stands twice; remove one");
                }
                if !matches!(attribute.meta, Meta::Path(_)) {
                    read_options(attribute, VERSION, Unknown::REJECT, &mut attrs, errors);
                }
                attrs.version = Some(attribute.clone());
            } else if path.is_ident("versioned") {
                let unknown = Unknown::Reject {
                    misplaced: OF_THE_STRUCT,
                    home: "the struct",
                };
                read_options(attribute, VERSIONED_FIELD, unknown, &mut attrs, errors);
            }
        }
        report_repeated(&attrs.repeated, errors);
        attrs
    }
}

impl FieldAttrs {
    /// What keeps a column out of guarded updates, by its name in the user's code.
    pub(crate) fn not_updated(&self) -> Option<&Ident> {
        let role = self.roles.first().map(|role| &role.name);
        role.or(self.skip_update.as_ref().map(|given| &given.name))
    }

    /// The options that a version cannot have, with their names in the user's code.
    pub(crate) fn not_for_a_version(&self) -> Vec<&Ident> {
        let flags = [
            &self.embed,
            &self.select_expression,
            &self.skip_insertion,
            &self.skip_update,
        ];
        let types = [&self.serialize_as, &self.deserialize_as];
        let flags = flags.into_iter().flatten().map(|given| &given.name);
        let types = types.into_iter().flatten().map(|given| &given.name);
        flags.chain(types).collect()
    }
}

/// Where a field is, for messages: its name or, in a tuple struct, its type.
pub(crate) fn field_span(field: &syn::Field) -> Span {
    match &field.ident {
        Some(ident) => ident.span(),
        None => field.ty.span(),
    }
}

/// `independent(title, body)`
fn independent(input: ParseStream<'_>) -> Result<Vec<Ident>> {
    let rule = input.call(Ident::parse_any)?;
    if rule != "independent" {
        let message = format!("unknown rule `{rule}` for merging");
        return Err(syn::Error::new(rule.span(), message));
    }
    let content;
    syn::parenthesized!(content in input);
    let columns = Punctuated::<Ident, Token![,]>::parse_terminated_with(&content, Ident::parse_any);
    skip_rest(&content)?;
    let columns = columns?;
    if !input.is_empty() {
        return Err(input.error("unexpected token"));
    }
    Ok(columns.into_iter().collect())
}

#[expect(clippy::unnecessary_wraps, reason = "the last call of a `read`")]
fn once<T>(
    slot: &mut Option<Given<T>>,
    repeated: &mut Vec<Ident>,
    name: Ident,
    value: T,
) -> Result<()> {
    if slot.is_some() {
        repeated.push(name);
    } else {
        *slot = Some(Given { name, value });
    }
    Ok(())
}

fn report_repeated(repeated: &[Ident], errors: &Errors) {
    for name in repeated {
        errors.on(name, format!("`{name}` stands twice; remove one"));
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the last call of a `read`")]
fn flag(slot: &mut Option<Given<()>>, name: Ident) -> Result<()> {
    *slot = Some(Given { name, value: () });
    Ok(())
}
