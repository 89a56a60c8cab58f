//! The rules of `#[versioned(touches(…))]`.

use quote::ToTokens;
use syn::TypePath;

use super::{Placed, placed};
use crate::attr::BelongsTo;
use crate::errors::Errors;
use crate::model::{Model, infer_foreign_key};

// #[diesel(belongs_to(Order))] #[versioned(touches(Basket))]
pub(super) fn check_touches<'a>(
    model: &'a Model<'a>,
    errors: &Errors,
) -> Vec<(&'a TypePath, Placed<'a>)> {
    let Some(given) = &model.attrs.touches else {
        return Vec::new();
    };
    if given.value.is_empty() {
        errors.on(
            &given.name,
            "it is not said what is touched; name a parent: `touches(Order)`",
        );
    }
    let parents = given.value.iter().enumerate();
    parents
        .filter_map(|(index, parent)| {
            let text = parent.to_token_stream().to_string();
            if given.value.iter().take(index).any(|other| other == parent) {
                errors.on(
                    parent,
                    format!("`{text}` stands twice among what is touched; remove one"),
                );
                return None;
            }
            let belongs_to = model.attrs.belongs_to.iter();
            let mut belongs_to = belongs_to.filter(|belongs_to| belongs_to.parent == *parent);
            let Some(first) = belongs_to.next() else {
                errors.on(
                    parent,
                    format!(
                        "it is not known by which column this row belongs to `{text}`; add \
                         `#[diesel(belongs_to({text}))]`"
                    ),
                );
                return None;
            };
            let foreign_key = foreign_key(first)?;
            let column = placed(model, |field| field.is_column(&foreign_key));
            if column.is_none() {
                errors.on(
                    parent,
                    format!(
                        "no field has the column `{foreign_key}`, by which this row belongs to \
                         `{text}`; name it: `belongs_to({text}, foreign_key = …)`"
                    ),
                );
            }
            Some((parent, column?))
        })
        .collect()
}

fn foreign_key(belongs_to: &BelongsTo) -> Option<syn::Ident> {
    match &belongs_to.foreign_key {
        Some(given) => Some(given.clone()),
        None => {
            let last = belongs_to.parent.path.segments.last()?;
            Some(infer_foreign_key(&last.ident))
        }
    }
}

// #[derive(VersionedPart)] #[versioned(touches(Order))] struct Size { … }
pub(super) fn check_no_touches(model: &Model<'_>, errors: &Errors) {
    if let Some(given) = &model.attrs.touches {
        errors.on(
            &given.name,
            "an embedded part belongs to nobody; move `touches` to the entity",
        );
    }
}
