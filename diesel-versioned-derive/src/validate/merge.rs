//! The rules of `merge(independent(…))`.

use syn::ext::IdentExt;
use syn::{Ident, Member};

use super::Placed;
use crate::errors::Errors;
use crate::model::{Field, Model};

// #[versioned(merge(independent(title, id, titel)))]
pub(super) fn check_independent(
    model: &Model<'_>,
    key: &[Placed<'_>],
    versions: &[Placed<'_>],
    errors: &Errors,
) {
    let Some(given) = &model.attrs.independent else {
        return;
    };
    let columns = &given.value;
    if columns.len() < 2 {
        errors.on(
            &given.name,
            "columns are independent of each other; name two or more: \
             `merge(independent(title, body))`",
        );
    }
    for (index, name) in columns.iter().enumerate() {
        let is_earlier = |other: &Ident| other.unraw() == name.unraw();
        if columns.iter().take(index).any(is_earlier) {
            errors.on(
                name,
                format!(
                    "`{}` stands twice among the independent columns; remove one",
                    name.unraw()
                ),
            );
        } else if let Some(problem) = not_independent(model, key, versions, name) {
            errors.on(name, problem);
        }
    }
}

/// Why a name cannot stand among the independent columns.
fn not_independent(
    model: &Model<'_>,
    key: &[Placed<'_>],
    versions: &[Placed<'_>],
    name: &Ident,
) -> Option<String> {
    let name = name.unraw();
    let not_guarded = |field: &Field<'_>| match field.attrs.not_updated() {
        Some(option) if field.is_unguarded() => Some(format!(
            "`{name}` is `{option}`: merging takes mine if I changed it, otherwise theirs; remove \
             it here"
        )),
        Some(option) => Some(format!(
            "`{name}` has `{option}`, so merging takes what stands there; remove it here"
        )),
        None => None,
    };
    if let Some(position) = model.position(&name) {
        return if key.iter().any(|part| part.position == position) {
            Some(format!(
                "`{name}` is the key, which never changes; remove it here"
            ))
        } else if versions.iter().any(|version| version.position == position) {
            Some(format!(
                "`{name}` is the version, which merging sets by itself; remove it here"
            ))
        } else {
            not_guarded(model.columns.get(position)?)
        };
    }
    if let Some(part) = model.part(&name).and_then(|part| model.parts.get(part)) {
        return not_guarded(part);
    }
    if model.computed.iter().any(|field| field.is_column(&name)) {
        return Some(format!(
            "`{name}` is computed by a query and never written; remove it here"
        ));
    }
    let columns = model.columns.iter().enumerate();
    let columns = columns.filter(|(position, field)| {
        let is_key = key.iter().any(|part| part.position == *position);
        let is_version = field.attrs.version.is_some();
        !is_key && !is_version && field.updates()
    });
    let columns = columns.filter_map(|(_, field)| Some(field.column.as_ref()?.as_str().to_owned()));
    let parts = model.parts.iter().filter(|part| part.updates());
    let parts = parts.filter_map(|part| match &part.member {
        Member::Named(ident) => Some(ident.unraw().to_string()),
        Member::Unnamed(_) => None,
    });
    let names: Vec<_> = columns
        .chain(parts)
        .map(|name| format!("`{name}`"))
        .collect();
    Some(format!(
        "no field has the column `{name}`; name those of {}",
        names.join(", ")
    ))
}

// #[derive(VersionedPart)] #[versioned(merge(independent(width, height)))] struct Size { … }
pub(super) fn check_no_merge(model: &Model<'_>, errors: &Errors) {
    if let Some(given) = &model.attrs.independent {
        errors.on(
            &given.name,
            "an embedded part is merged as one value; move `merge` to the entity and name the \
             field of the part",
        );
    }
}
