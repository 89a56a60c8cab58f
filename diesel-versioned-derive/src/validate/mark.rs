//! The rules of `#[versioned(soft_delete)]`.

use syn::Type;

use super::{Placed, placed};
use crate::attr::ColumnRole;
use crate::errors::Errors;
use crate::model::{Field, Model};

// #[versioned(soft_delete)] deleted_at: Option<…>, #[versioned(soft_delete)] gone: bool
pub(super) fn check_mark<'a>(model: &'a Model<'a>, errors: &Errors) -> Option<Placed<'a>> {
    let marks: Vec<_> = model.fields().filter(|field| field.is_mark()).collect();
    for field in &marks {
        check_mark_options(field, errors);
        if marks.len() > 1 {
            on_mark(
                field,
                "more than one field marks the row as deleted; keep `soft_delete` on one of them",
                errors,
            );
        }
    }
    for part in model.parts.iter().filter(|part| part.is_mark()) {
        on_mark(
            part,
            "an embedded part is not one column; put `soft_delete` on a field of the entity",
            errors,
        );
    }
    placed(model, |field| field.is_mark())
}

// #[versioned(soft_delete)] #[diesel(serialize_as = i32)] gone: bool
// #[versioned(soft_delete(precision = "seconds"))] gone: bool
fn check_mark_options(field: &Field<'_>, errors: &Errors) {
    let attrs = &field.attrs;
    let conversions = [&attrs.serialize_as, &attrs.deserialize_as];
    for conversion in conversions.into_iter().flatten() {
        let name = &conversion.name;
        errors.on(
            name,
            format!("the library alone writes the mark of deletion, as it is; remove `{name}`"),
        );
    }
    if let (Some(precision), true) = (&attrs.mark_precision, is_bool(field.ty)) {
        errors.on(
            &precision.name,
            "a `bool` has no precision; remove it, or mark the row by the `Option` of a timestamp",
        );
    }
}

pub(crate) fn is_bool(ty: &Type) -> bool {
    match ty {
        Type::Group(group) => is_bool(&group.elem),
        Type::Paren(paren) => is_bool(&paren.elem),
        Type::Path(path) => path.path.is_ident("bool"),
        _ => false,
    }
}

// #[derive(VersionedPart)] struct Dates { #[versioned(soft_delete)] deleted_at: Option<…> }
pub(super) fn check_no_mark(model: &Model<'_>, errors: &Errors) {
    for field in model.fields().filter(|field| field.is_mark()) {
        on_mark(
            field,
            "an embedded part is not deleted by itself; move `soft_delete` to a field of the entity",
            errors,
        );
    }
}

fn on_mark(field: &Field<'_>, message: &str, errors: &Errors) {
    for role in &field.attrs.roles {
        if role.value == ColumnRole::SoftDelete {
            errors.on(&role.name, message);
        }
    }
}
