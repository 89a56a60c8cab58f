//! The rules of `#[version]`.

use super::{Placed, option_argument};
use crate::attr::ColumnRole;
use crate::errors::Errors;
use crate::model::{Field, Model};

// struct Product { id: i32 }
// struct Product { id: i32, #[version] a: i32, #[version] b: i32 }
pub(super) fn check_versions<'a>(
    model: &'a Model<'a>,
    key: &[Placed<'_>],
    errors: &Errors,
) -> Option<Vec<Placed<'a>>> {
    let versions: Vec<_> = model
        .fields()
        .filter(|field| field.attrs.version.is_some())
        .collect();
    let in_groups = versions
        .iter()
        .any(|field| field.attrs.version_group.is_some());
    for field in &versions {
        check_version_type(field, errors);
        check_version_options(field, errors);
        check_made_by_database(field, errors);
        check_one_kind(field, errors);
        check_no_check(model, field, errors);
        if versions.len() > 1 && !in_groups {
            errors.on(
                &field.attrs.version,
                "more than one field is the version; keep `#[version]` on one of them, or give each \
                 a group of columns: `#[version(group = \"content\")]`",
            );
        }
    }
    if versions.is_empty() && model.attrs.check.is_none() {
        errors.on(
            model.ident,
            format!(
                "`{}` has no version; add `#[version]` to the field that holds it: \
                 `#[version] version: i32`; for a table without such a column let what was loaded \
                 be compared: `#[versioned(check = \"all\")]`",
                model.ident
            ),
        );
        return None;
    }
    let columns = model.columns.iter().enumerate();
    let placed = columns
        .filter(|(_, field)| field.attrs.version.is_some())
        .map(|(position, field)| Placed { position, field });
    let placed: Vec<_> = placed.collect();
    for version in &placed {
        check_version_is_no_key(*version, key, errors);
    }
    // The others are no columns, which was told.
    (placed.len() == versions.len()).then_some(placed)
}

// #[versioned(check = "all")] struct Product { id: i32, #[version] version: i32 }
fn check_no_check(model: &Model<'_>, field: &Field<'_>, errors: &Errors) {
    if let Some(check) = &model.attrs.check {
        errors.on(
            &field.attrs.version,
            format!(
                "`{}` is for tables without a version, and this field is one; remove one of them",
                check.name
            ),
        );
    }
}

// #[version] version: Option<i32>
fn check_version_type(field: &Field<'_>, errors: &Errors) {
    if let Some(inner) = option_argument(field.ty) {
        let inner = quote::quote!(#inner);
        errors.on(
            field.ty,
            format!(
                "a version cannot be NULL; make the column `NOT NULL` with a default of 1, \
                 and the field `{inner}`"
            ),
        );
    }
}

// #[version] #[diesel(skip_update)] version: i32
fn check_version_options(field: &Field<'_>, errors: &Errors) {
    for name in field.attrs.not_for_a_version() {
        errors.on(
            name,
            format!(
                "a version cannot have `{name}`: the library alone reads and writes it; remove \
                 `{name}`"
            ),
        );
    }
    for role in &field.attrs.roles {
        let name = &role.name;
        let instead = match role.value {
            ColumnRole::Unguarded | ColumnRole::InsertOnly => format!("remove `{name}`"),
            ColumnRole::SoftDelete => "give the mark a field of its own".to_owned(),
            ColumnRole::ReadOnly | ColumnRole::Generated => {
                "for one that the database makes write `#[version(db)]`".to_owned()
            }
        };
        errors.on(name, format!("the version has a role already; {instead}"));
    }
}

// #[version(db, initial = 7)] version: i32
fn check_made_by_database(field: &Field<'_>, errors: &Errors) {
    let attrs = &field.attrs;
    if attrs.by_database.is_none() {
        return;
    }
    let others = [
        attrs.initial.as_ref().map(|given| &given.name),
        attrs.wrap.as_ref().map(|given| &given.name),
        attrs.precision.as_ref().map(|given| &given.name),
        attrs.uuid.as_ref().map(|given| &given.name),
    ];
    if let Some(group) = &attrs.version_group {
        errors.on(
            &group.name,
            "the database moves a version with every write, whatever it is about, so it cannot be \
             that of a group; remove `db`, or `group`",
        );
    }
    for other in others.into_iter().flatten() {
        errors.on(
            other,
            format!(
                "`db` leaves the version to the database, and `{other}` says how it is made here; \
                 remove one"
            ),
        );
    }
}

// #[version(wrap, precision = "millis")] version: i32
fn check_one_kind(field: &Field<'_>, errors: &Errors) {
    let attrs = &field.attrs;
    let given = [
        attrs.wrap.as_ref().map(|given| (&given.name, "integers")),
        attrs
            .precision
            .as_ref()
            .map(|given| (&given.name, "timestamps")),
        attrs.uuid.as_ref().map(|given| (&given.name, "UUIDs")),
    ];
    let mut given = given.into_iter().flatten();
    let Some((first, of)) = given.next() else {
        return;
    };
    for (other, of_other) in given {
        errors.on(
            other,
            format!(
                "`{first}` is for {of} and `{other}` for {of_other}, and a version is one of them; \
                 remove one"
            ),
        );
    }
}

// #[version] id: i32
fn check_version_is_no_key(version: Placed<'_>, key: &[Placed<'_>], errors: &Errors) {
    if key.iter().any(|part| part.position == version.position) {
        errors.on(
            &version.field.attrs.version,
            "a key cannot be the version: a key never changes; give the version a field of its \
             own: `#[version] version: i32`",
        );
    }
}

// #[derive(VersionedPart)] struct Size { width: i32, #[version] version: i32 }
pub(super) fn check_no_version(model: &Model<'_>, errors: &Errors) {
    for field in model.fields() {
        if let Some(attribute) = &field.attrs.version {
            errors.on(
                attribute,
                "an embedded part has no version of its own; move `#[version]` to a field of the \
                 entity",
            );
        }
    }
}
