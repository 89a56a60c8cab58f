//! The rules of what is compared without a version: `check = …` and `unchecked`.

use super::Placed;
use crate::attr::CheckKind;
use crate::errors::Errors;
use crate::model::Model;

pub(super) fn check_unchecked(model: &Model<'_>, key: &[Placed<'_>], errors: &Errors) {
    for (position, field) in model.fields().enumerate() {
        let Some(given) = &field.attrs.unchecked else {
            continue;
        };
        let name = &given.name;
        // The struct's own columns are the first of all fields.
        let is_key = key.iter().any(|part| part.position == position);
        let problem = if model.attrs.check.is_none() {
            format!(
                "`{name}` leaves a column out of `#[versioned(check = …)]`, and here a version is \
                 compared; remove `{name}`"
            )
        } else if is_key {
            format!("the key is compared in any case; remove `{name}`")
        } else if field.attrs.select_expression.is_some() {
            format!("a field that a query computes is never compared; remove `{name}`")
        } else if field.is_unguarded() {
            format!("an unguarded column is never compared; remove `{name}`")
        } else {
            continue;
        };
        errors.on(name, problem);
    }
}

// #[derive(VersionedPart)] #[versioned(check = "all")] struct Size { … }
pub(super) fn check_no_check(model: &Model<'_>, errors: &Errors) {
    let check = model.attrs.check.as_ref();
    // A part tells what of it is hashed.
    if let Some(given) = check.filter(|check| check.value != CheckKind::Hash) {
        errors.on(
            &given.name,
            "an embedded part is compared as the entity says; move `check` to the entity",
        );
    }
}
