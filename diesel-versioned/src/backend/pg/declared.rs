//! The SQL types that PostgreSQL alone has.

use std::any::TypeId;

use diesel::sql_types::{Timestamptz, Uuid};

use crate::schema_check::{Declared, is};

pub(crate) fn declared(id: TypeId) -> Option<Declared> {
    Some(match id {
        id if is::<Timestamptz>(id) => Declared::Timestamptz,
        id if is::<Uuid>(id) => Declared::Uuid,
        _ => return None,
    })
}
