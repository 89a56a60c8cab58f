//! The SQL types that SQLite alone has.

use std::any::TypeId;

use diesel::sql_types::TimestamptzSqlite;

use crate::schema_check::{Declared, is};

pub(crate) fn declared(id: TypeId) -> Option<Declared> {
    is::<TimestamptzSqlite>(id).then_some(Declared::Timestamptz)
}
