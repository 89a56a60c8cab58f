//! The SQL types that MySQL alone has.

use std::any::TypeId;

use diesel::sql_types::{BigInt, Datetime, Integer, SmallInt, TinyInt, Unsigned};

use crate::schema_check::{Declared, is};

pub(crate) fn declared(id: TypeId) -> Option<Declared> {
    let unsigned = |bits| Declared::Integer {
        bits,
        signed: false,
    };
    Some(match id {
        id if is::<Datetime>(id) => Declared::Datetime,
        id if is::<Unsigned<TinyInt>>(id) => unsigned(8),
        id if is::<Unsigned<SmallInt>>(id) => unsigned(16),
        id if is::<Unsigned<Integer>>(id) => unsigned(32),
        id if is::<Unsigned<BigInt>>(id) => unsigned(64),
        _ => return None,
    })
}
