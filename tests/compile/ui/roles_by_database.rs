//! What the database makes: generated columns and versions, where they are not theirs.

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

#[derive(Clone, Versioned)]
#[diesel(table_name = machines)]
struct Generated {
    #[versioned(generated)]
    id: i32,
    #[versioned(generated)]
    #[diesel(skip_insertion, skip_update)]
    name: String,
    #[versioned(generated, read_only)]
    last_seen: i64,
    #[version]
    #[versioned(generated)]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = machines)]
#[versioned(merge(independent(name, last_seen)))]
struct GeneratedMerged {
    id: i32,
    #[versioned(generated)]
    name: String,
    last_seen: i64,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = machines)]
struct Options {
    id: i32,
    #[version(db, initial = 7, wrap)]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = machines)]
struct Times {
    id: i32,
    #[version(precision = "millis", db)]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = machines)]
struct Uuids {
    id: i32,
    #[version(db, uuid = "v7")]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = machines)]
struct Value {
    id: i32,
    #[version(db = true)]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = machines)]
struct Moved {
    id: i32,
    #[versioned(unguarded)]
    last_seen: i64,
    #[version(db)]
    version: i32,
}

#[derive(Clone, Queryable, Selectable, VersionedPart)]
#[diesel(table_name = machines)]
struct Part {
    name: String,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = machines)]
struct MovedByPart {
    id: i32,
    #[diesel(embed)]
    #[versioned(unguarded)]
    part: Part,
    #[version(db)]
    version: i32,
}

fn main() {}
