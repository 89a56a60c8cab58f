//! The rules of groups: `#[version(group = …)]`, `#[versioned(group = …)]`.

use syn::LitStr;

use super::Placed;
use crate::attr::Given;
use crate::errors::Errors;
use crate::model::{Field, Model};

/// As many as a tuple of versions may have parts.
const MOST: usize = 8;

pub(super) fn check_groups(
    model: &Model<'_>,
    key: &[Placed<'_>],
    versions: &[Placed<'_>],
    errors: &Errors,
) {
    let groups: Vec<&Given<LitStr>> = versions
        .iter()
        .filter_map(|version| version.field.attrs.version_group.as_ref())
        .collect();
    for version in versions {
        if version.field.attrs.version_group.is_none() && !groups.is_empty() {
            errors.on(
                &version.field.attrs.version,
                "other versions are those of groups, so this one needs a group too: \
                 `#[version(group = \"…\")]`",
            );
        }
    }
    for (index, group) in groups.iter().enumerate() {
        let name = group.value.value();
        if groups
            .iter()
            .take(index)
            .any(|other| other.value.value() == name)
        {
            errors.on(
                &group.value,
                format!("the group `{name}` has a version already; give this one another group"),
            );
        } else if !model
            .fields()
            .any(|field| field.is_in_group(&name) && field.updates())
        {
            errors.on(
                &group.value,
                format!(
                    "no column is in the group `{name}`; put `#[versioned(group = \"{name}\")]` on \
                     the fields that this version is to guard"
                ),
            );
        }
        if index == MOST {
            errors.on(
                &group.value,
                format!("an entity has at most {MOST} groups; let some of them share a version"),
            );
        }
    }
    let names: Vec<String> = groups
        .iter()
        .map(|group| format!("`{}`", group.value.value()))
        .collect();
    for field in &model.computed {
        check_not_computed(field, errors);
    }
    let columns = model.columns.iter().enumerate();
    let columns = columns.map(|(position, field)| (Some(position), field));
    let parts = model.parts.iter().map(|part| (None, part));
    for (position, field) in columns.chain(parts) {
        let is_key = key.iter().any(|part| Some(part.position) == position);
        check_field(field, is_key, &groups, &names, errors);
    }
}

fn check_field(
    field: &Field<'_>,
    is_key: bool,
    groups: &[&Given<LitStr>],
    names: &[String],
    errors: &Errors,
) {
    let is_version = field.attrs.version.is_some();
    let Some(given) = &field.attrs.group else {
        // #[version(group = "content")] version: i32, title: String
        if !groups.is_empty() && !is_version && !is_key && field.updates() {
            errors.at(
                field.span,
                format!(
                    "this column is in no group, so no version would guard it; put it into one of \
                     {}: `#[versioned(group = \"…\")]`",
                    names.join(", ")
                ),
            );
        }
        return;
    };
    let name = given.value.value();
    let problem = if is_version {
        "the group of a version stands in its own attribute: `#[version(group = \"…\")]`".to_owned()
    } else if is_key {
        "a key is never updated, so it is in no group; remove `group`".to_owned()
    } else if let Some(option) = field.attrs.not_updated() {
        format!(
            "no guarded update writes a column that is `{option}`, so it is in no group; remove one"
        )
    } else if groups.is_empty() {
        format!(
            "there are no groups here; give the version of this one its name: \
             `#[version(group = \"{name}\")]`"
        )
    } else if groups.iter().all(|group| group.value.value() != name) {
        format!(
            "no version has the group `{name}`; there is {}",
            names.join(", ")
        )
    } else {
        return;
    };
    errors.on(&given.value, problem);
}

// #[versioned(group = "content")] #[diesel(select_expression = …)] length: i64
fn check_not_computed(field: &Field<'_>, errors: &Errors) {
    if let Some(given) = &field.attrs.group {
        errors.on(
            &given.name,
            "a field that a query computes is never written; remove `group`",
        );
    }
}

// #[derive(VersionedPart)] struct Size { #[versioned(group = "content")] width: i32 }
pub(super) fn check_no_group(model: &Model<'_>, errors: &Errors) {
    for field in model.fields() {
        if let Some(given) = &field.attrs.group {
            errors.on(
                &given.name,
                "an embedded part is in a group as a whole; move `group` to the field of the part in \
                 the entity",
            );
        }
    }
}
