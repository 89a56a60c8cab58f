//! The rules of the roles, `#[versioned(…)]` on a field.

use super::Placed;
use crate::attr::ColumnRole;
use crate::errors::Errors;
use crate::model::{Field, Model};

pub(super) fn check_roles(model: &Model<'_>, errors: &Errors) {
    for field in model.fields() {
        check_one_role(field, errors);
        check_not_skipped(field, errors);
    }
    for field in &model.computed {
        check_not_computed(field, errors);
    }
}

// #[versioned(unguarded, read_only)] last_seen: i64
fn check_one_role(field: &Field<'_>, errors: &Errors) {
    let mut roles = field.attrs.roles.iter().map(|role| &role.name);
    let Some(first) = roles.next() else { return };
    for other in roles {
        errors.on(
            other,
            format!("a column has one role, and this one is `{first}`; remove one"),
        );
    }
}

// #[versioned(insert_only)] #[diesel(skip_update)] created_at: String
fn check_not_skipped(field: &Field<'_>, errors: &Errors) {
    let attrs = &field.attrs;
    let skip_insertion = attrs.skip_insertion.as_ref().map(|given| &given.name);
    let skip_update = attrs.skip_update.as_ref().map(|given| &given.name);
    for role in &attrs.roles {
        let name = &role.name;
        if let Some(skip) = skip_update {
            let problem = match role.value {
                ColumnRole::Unguarded => {
                    format!("`{name}` says how updates write a column, and `{skip}` that none does")
                }
                ColumnRole::ReadOnly
                | ColumnRole::InsertOnly
                | ColumnRole::Generated
                | ColumnRole::SoftDelete => {
                    format!("`{name}` keeps a column out of updates already")
                }
            };
            errors.on(skip, format!("{problem}; remove one"));
        }
        if let Some(skip) = skip_insertion {
            let problem = match role.value {
                // Inserts leave it to the database, other writes do not.
                ColumnRole::Unguarded | ColumnRole::SoftDelete => continue,
                ColumnRole::ReadOnly | ColumnRole::Generated => {
                    format!("`{name}` keeps a column out of inserts already; remove one")
                }
                ColumnRole::InsertOnly => format!(
                    "`{name}` leaves a column to inserts, and `{skip}` keeps it out of them; a \
                     column that is never written is `read_only`"
                ),
            };
            errors.on(skip, problem);
        }
    }
}

// #[versioned(unguarded)] #[diesel(select_expression = …)] in_stock: bool
fn check_not_computed(field: &Field<'_>, errors: &Errors) {
    for role in &field.attrs.roles {
        let name = &role.name;
        errors.on(
            name,
            format!("a field that a query computes is never written; remove `{name}`"),
        );
    }
}

// #[versioned(unguarded)] id: i32
pub(super) fn check_no_role_of_the_key(key: &[Placed<'_>], errors: &Errors) {
    for role in key.iter().flat_map(|part| &part.field.attrs.roles) {
        let name = &role.name;
        let instead = match role.value {
            ColumnRole::Unguarded | ColumnRole::InsertOnly => format!("remove `{name}`"),
            ColumnRole::SoftDelete => "give the mark a field of its own".to_owned(),
            ColumnRole::ReadOnly | ColumnRole::Generated => {
                "for one that the database makes write `#[diesel(skip_insertion)]`".to_owned()
            }
        };
        errors.on(
            name,
            format!("a key is never updated, whatever its role; {instead}"),
        );
    }
}

// #[version(db)] version: i32, #[versioned(unguarded)] last_seen: i64
pub(super) fn check_moved_by_all(model: &Model<'_>, versions: &[Placed<'_>], errors: &Errors) {
    let by_database = |version: &Placed<'_>| version.field.attrs.by_database.is_some();
    if !versions.iter().any(by_database) {
        return;
    }
    for field in model.fields().filter(|field| field.is_unguarded()) {
        for role in &field.attrs.roles {
            let name = &role.name;
            errors.on(
                name,
                format!(
                    "the database moves the version with every write, so a write of this column \
                     would be a conflict for others: remove `{name}`, or `db` from the version"
                ),
            );
        }
    }
}
