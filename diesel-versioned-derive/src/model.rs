//! The model: a struct as a list of columns and embedded parts, not yet judged.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, Generics, Ident, Index, Member, Path, Type, parse_quote};

use crate::attr::{self, ColumnRole, FieldAttrs, StructAttrs};
use crate::column_name::ColumnName;
use crate::errors::Errors;

/// A struct with `#[derive(Versioned)]` or `#[derive(VersionedPart)]`.
pub(crate) struct Model<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) generics: &'a Generics,
    pub(crate) attrs: StructAttrs,
    /// Where the library is: `::diesel_versioned` unless `#[versioned(crate = "…")]`.
    pub(crate) library: Path,
    pub(crate) table: Path,
    /// The struct's own columns; their positions are those in this list.
    pub(crate) columns: Vec<Field<'a>>,
    /// Embedded parts; their columns follow the struct's own.
    pub(crate) parts: Vec<Field<'a>>,
    /// Fields that a query computes: never written.
    pub(crate) computed: Vec<Field<'a>>,
}

/// One field. The name of its column is empty where a field has none.
pub(crate) struct Field<'a> {
    pub(crate) member: Member,
    pub(crate) ty: &'a Type,
    pub(crate) attrs: FieldAttrs,
    pub(crate) column: Option<ColumnName>,
    /// The identifier of the column in `table!`.
    pub(crate) column_ident: Ident,
    pub(crate) span: Span,
}

impl<'a> Model<'a> {
    pub(crate) fn new(input: &'a DeriveInput, errors: &Errors) -> Self {
        let attrs = StructAttrs::read(&input.attrs, errors);
        let mut model = Self {
            ident: &input.ident,
            generics: &input.generics,
            library: match &attrs.library {
                Some(library) => library.value.clone(),
                None => parse_quote!(::diesel_versioned),
            },
            table: match &attrs.table_name {
                Some(table) => table.value.clone(),
                None => infer_table_name(&input.ident).into(),
            },
            attrs,
            columns: Vec::new(),
            parts: Vec::new(),
            computed: Vec::new(),
        };
        for (index, field) in fields(input).into_iter().flatten().enumerate() {
            let field = Field::new(index, field, errors);
            let list = if field.attrs.select_expression.is_some() {
                &mut model.computed
            } else if field.attrs.embed.is_some() {
                &mut model.parts
            } else {
                &mut model.columns
            };
            list.push(field);
        }
        model
    }

    /// All fields, whatever they are.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &Field<'a>> {
        let read_only = self.parts.iter().chain(&self.computed);
        self.columns.iter().chain(read_only)
    }

    /// The names of the primary key's columns, as Diesel's `Identifiable` has them.
    pub(crate) fn key_names(&self) -> Vec<Ident> {
        match &self.attrs.primary_key {
            Some(names) => names.value.clone(),
            None => vec![Ident::new("id", self.ident.span())],
        }
    }

    /// The position of the embedded part in the field of this name.
    pub(crate) fn part(&self, name: &Ident) -> Option<usize> {
        let is = |part: &Field<'_>| match &part.member {
            Member::Named(ident) => ident.unraw() == name.unraw(),
            Member::Unnamed(_) => false,
        };
        self.parts.iter().position(is)
    }

    /// The position of the column of this name.
    pub(crate) fn position(&self, name: &Ident) -> Option<usize> {
        self.columns.iter().position(|field| field.is_column(name))
    }
}

impl<'a> Field<'a> {
    fn new(index: usize, field: &'a syn::Field, errors: &Errors) -> Self {
        let attrs = FieldAttrs::read(&field.attrs, errors);
        let span = attr::field_span(field);
        let column = match (&attrs.column_name, &field.ident) {
            (Some(given), _) => Some(given.value.clone()),
            (None, Some(ident)) => Some(ColumnName::of(ident)),
            (None, None) => None,
        };
        let column_ident = column.as_ref().map(ColumnName::to_ident);
        let column_ident = column_ident.unwrap_or_else(|| Ok(Ident::new("_unnamed", span)));
        Self {
            member: match &field.ident {
                Some(ident) => Member::Named(ident.clone()),
                None => Member::Unnamed(Index {
                    index: u32::try_from(index).unwrap_or(u32::MAX),
                    span: field.ty.span(),
                }),
            },
            ty: &field.ty,
            attrs,
            column,
            column_ident: column_ident.unwrap_or_else(|error| {
                errors.add(error);
                Ident::new("_invalid", span)
            }),
            span,
        }
    }

    pub(crate) fn is_column(&self, name: &Ident) -> bool {
        let column = self.column.as_ref();
        column.is_some_and(|column| name.unraw() == column.as_str())
    }

    /// The type whose value is sent to the database.
    pub(crate) fn sent_type(&self) -> &Type {
        match &self.attrs.serialize_as {
            Some(given) => &given.value,
            None => self.ty,
        }
    }

    pub(crate) fn inserts(&self) -> bool {
        let left_out = matches!(
            self.role(),
            Some(ColumnRole::ReadOnly | ColumnRole::Generated)
        );
        self.attrs.skip_insertion.is_none() && self.attrs.by_database.is_none() && !left_out
    }

    /// Whether an update writes it under the guard.
    pub(crate) fn updates(&self) -> bool {
        self.attrs.skip_update.is_none() && self.role().is_none()
    }

    pub(crate) fn is_unguarded(&self) -> bool {
        self.role() == Some(ColumnRole::Unguarded)
    }

    pub(crate) fn is_generated(&self) -> bool {
        self.role() == Some(ColumnRole::Generated)
    }

    pub(crate) fn is_in_group(&self, group: &str) -> bool {
        let given = self.attrs.group.as_ref();
        given.is_some_and(|given| given.value.value() == group)
    }

    pub(crate) fn is_mark(&self) -> bool {
        self.role() == Some(ColumnRole::SoftDelete)
    }

    /// What is special about the column.
    fn role(&self) -> Option<ColumnRole> {
        self.attrs.roles.first().map(|role| role.value)
    }
}

/// The fields of a struct; `None` for everything that is no struct with fields.
pub(crate) fn fields(input: &DeriveInput) -> Option<&Fields> {
    match &input.data {
        Data::Struct(data) => Some(&data.fields).filter(|fields| !matches!(fields, Fields::Unit)),
        Data::Enum(_) | Data::Union(_) => None,
    }
}

/// The table of a struct without `table_name`: snake case and an `s`, as Diesel infers it.
fn infer_table_name(ident: &Ident) -> Ident {
    Ident::new(&format!("{}s", snake_case(ident)), ident.span())
}

/// The foreign key of a parent without `foreign_key`, as Diesel infers it.
pub(crate) fn infer_foreign_key(parent: &Ident) -> Ident {
    Ident::new(&format!("{}_id", snake_case(parent)), parent.span())
}

fn snake_case(ident: &Ident) -> String {
    let mut name = String::new();
    for (index, character) in ident.unraw().to_string().chars().enumerate() {
        if character.is_uppercase() && index > 0 {
            name.push('_');
        }
        name.extend(character.to_lowercase());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_name_is_inferred_as_diesel_infers_it() {
        let infer = |name: &str| infer_table_name(&Ident::new(name, Span::call_site())).to_string();
        assert_eq!(infer("Foo"), "foos");
        assert_eq!(infer("FooBarBaz"), "foo_bar_bazs");
        assert_eq!(infer("HTTPLog"), "h_t_t_p_logs");
        assert_eq!(infer("Über2Wert"), "über2_werts");
    }
}
