//! The rules: what is wrong with a model is told here and in the files below, and nowhere else.

mod check;
mod group;
pub(crate) mod mark;
mod merge;
mod role;
mod touch;
mod version;

use syn::ext::IdentExt;
use syn::{Data, DeriveInput, GenericArgument, GenericParam, Ident, PathArguments, Type, TypePath};

use crate::errors::Errors;
use crate::model::{self, Field, Model};

/// An entity without a mistake: its key and its versions are known.
pub(crate) struct Entity<'a> {
    pub(crate) model: &'a Model<'a>,
    /// The key's columns, in the order of the key.
    pub(crate) key: Vec<Placed<'a>>,
    /// One; those of the groups; or none, where what was loaded is compared.
    pub(crate) versions: Vec<Placed<'a>>,
    /// The column that marks a row as deleted.
    pub(crate) mark: Option<Placed<'a>>,
    /// The entities that are touched, and the foreign keys.
    pub(crate) touches: Vec<(&'a TypePath, Placed<'a>)>,
}

/// A column and its position.
#[derive(Clone, Copy)]
pub(crate) struct Placed<'a> {
    pub(crate) position: usize,
    pub(crate) field: &'a Field<'a>,
}

/// Judges an entity. `None` if an error was found that leaves no key or no version.
pub(crate) fn entity<'a>(
    input: &DeriveInput,
    model: &'a Model<'a>,
    errors: &Errors,
) -> Option<Entity<'a>> {
    check_struct(input, "Versioned", errors)?;
    check_owned(model, errors);
    check_fields(model, errors);
    let key = check_key(model, errors);
    role::check_no_role_of_the_key(&key, errors);
    let versions = version::check_versions(model, &key, errors)?;
    role::check_moved_by_all(model, &versions, errors);
    group::check_groups(model, &key, &versions, errors);
    check::check_unchecked(model, &key, errors);
    merge::check_independent(model, &key, &versions, errors);
    let mark = mark::check_mark(model, errors);
    let touches = touch::check_touches(model, errors);
    Some(Entity {
        model,
        key,
        versions,
        mark,
        touches,
    })
}

/// Judges an embedded part.
pub(crate) fn part(input: &DeriveInput, model: &Model<'_>, errors: &Errors) -> Option<()> {
    check_struct(input, "VersionedPart", errors)?;
    check_owned(model, errors);
    check_fields(model, errors);
    version::check_no_version(model, errors);
    group::check_no_group(model, errors);
    check::check_no_check(model, errors);
    merge::check_no_merge(model, errors);
    mark::check_no_mark(model, errors);
    touch::check_no_touches(model, errors);
    Some(())
}

// #[derive(Versioned)]
// enum Product { A, B }
fn check_struct(input: &DeriveInput, derive: &str, errors: &Errors) -> Option<()> {
    if model::fields(input).is_some() {
        return Some(());
    }
    let kind = match &input.data {
        Data::Struct(_) => "a struct without fields",
        Data::Enum(_) => "an enum",
        Data::Union(_) => "a union",
    };
    let ident = &input.ident;
    errors.on(
        ident,
        format!(
            "`{ident}` is {kind}; derive `{derive}` on a struct with one field for each column"
        ),
    );
    None
}

// struct Product<'a> { id: i32, name: &'a str, #[version] version: i32 }
fn check_owned(model: &Model<'_>, errors: &Errors) {
    for param in &model.generics.params {
        if let GenericParam::Lifetime(lifetime) = param {
            errors.on(
                lifetime,
                format!(
                    "`{}` borrows; let it own its data and remove the lifetime, \
                     as in `String` for `&str`",
                    model.ident
                ),
            );
        }
    }
}

fn check_fields(model: &Model<'_>, errors: &Errors) {
    for field in &model.columns {
        check_column_name(field, errors);
    }
    check_distinct_columns(model, errors);
    for part in &model.parts {
        check_part(part, errors);
    }
    role::check_roles(model, errors);
}

// struct Product(i32, #[version] i32);
fn check_column_name(field: &Field<'_>, errors: &Errors) {
    if field.column.is_none() {
        errors.on(
            field.ty,
            "this field has no name; name its column: `#[diesel(column_name = …)]`",
        );
    }
}

// struct Product { id: i32, name: String, #[diesel(column_name = name)] title: String, … }
fn check_distinct_columns(model: &Model<'_>, errors: &Errors) {
    for (index, field) in model.columns.iter().enumerate() {
        let earlier = model.columns.iter().take(index);
        let column = field.column.as_ref();
        let same = |other: &Field<'_>| match (column, &other.column) {
            (Some(column), Some(other)) => column.as_str() == other.as_str(),
            _ => false,
        };
        if let (Some(column), true) = (column, earlier.into_iter().any(same)) {
            errors.at(
                column.span(),
                format!(
                    "column `{}` belongs to another field already; name this field's own: \
                     `#[diesel(column_name = …)]`",
                    column.as_str()
                ),
            );
        }
    }
}

// struct Product { id: i32, #[diesel(embed)] size: Option<Size>, … }
// struct Product { id: i32, #[diesel(embed, serialize_as = Other)] size: Size, … }
fn check_part(part: &Field<'_>, errors: &Errors) {
    if option_argument(part.ty).is_some() {
        errors.on(
            part.ty,
            "an embedded part cannot be optional; make its fields optional: \
             `#[diesel(embed)] part: Part`",
        );
    }
    if let Some(serialize_as) = &part.attrs.serialize_as {
        errors.on(
            &serialize_as.name,
            "an embedded part is not one value; put `serialize_as` on the fields of the part",
        );
    }
}

// struct Product { number: i32, #[version] version: i32 }
fn check_key<'a>(model: &'a Model<'a>, errors: &Errors) -> Vec<Placed<'a>> {
    let names = model.key_names();
    if let (true, Some(given)) = (names.is_empty(), &model.attrs.primary_key) {
        errors.on(
            &given.name,
            "the primary key has no column; name its columns: `primary_key(id)`",
        );
    }
    let mut key: Vec<Placed<'a>> = Vec::new();
    for name in &names {
        let Some(part) = placed(model, |field| field.is_column(name)) else {
            errors.on(name, missing_key(model, name));
            continue;
        };
        if key.iter().any(|other| other.position == part.position) {
            let message = format!("`{name}` stands twice in the primary key; remove one");
            errors.on(name, message);
        }
        key.push(part);
    }
    key
}

fn placed<'a>(model: &'a Model<'a>, is: impl Fn(&Field<'_>) -> bool) -> Option<Placed<'a>> {
    let mut columns = model.columns.iter().enumerate();
    let (position, field) = columns.find(|(_, field)| is(field))?;
    Some(Placed { position, field })
}

fn missing_key(model: &Model<'_>, name: &Ident) -> String {
    let name = name.unraw();
    if model.computed.iter().any(|field| field.is_column(&name)) {
        return format!(
            "`{name}` is computed by a query and cannot be the key; remove `select_expression`"
        );
    }
    if model.attrs.primary_key.is_none() {
        return format!(
            "no field has the column `{name}`; say which columns are the primary key: \
             `#[diesel(primary_key(…))]`"
        );
    }
    let columns: Vec<_> = model
        .columns
        .iter()
        .filter_map(|field| field.column.as_ref())
        .map(|column| format!("`{}`", column.as_str()))
        .collect();
    format!(
        "no field has the column `{name}`; name one of {}",
        columns.join(", ")
    )
}

/// The `T` of `Option<T>`, through the invisible groups that `macro_rules!` leaves.
pub(crate) fn option_argument(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Group(group) => option_argument(&group.elem),
        Type::Paren(paren) => option_argument(&paren.elem),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            match &last.arguments {
                PathArguments::AngleBracketed(arguments) if last.ident == "Option" => {
                    arguments.args.iter().find_map(|argument| match argument {
                        GenericArgument::Type(ty) => Some(ty),
                        _ => None,
                    })
                }
                _ => None,
            }
        }
        _ => None,
    }
}
