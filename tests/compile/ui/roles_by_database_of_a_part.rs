//! A version that every write moves, and a part with bookkeeping.

use diesel::prelude::*;
use diesel_versioned::{Versioned, VersionedPart};

diesel::table! {
    machines (id) {
        id -> Integer,
        name -> Text,
        last_seen -> BigInt,
        version -> Integer,
    }
}

#[derive(Clone, Queryable, Selectable, VersionedPart)]
#[diesel(table_name = machines)]
struct Part {
    #[versioned(unguarded)]
    last_seen: i64,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = machines)]
struct Moved {
    id: i32,
    #[diesel(embed)]
    part: Part,
    #[version(db)]
    version: i32,
}

fn main() {}
