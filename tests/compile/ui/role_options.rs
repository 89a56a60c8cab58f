//! Roles that do not exist, are written in another way or stand on the struct.

use diesel_versioned::Versioned;

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
struct Unknown {
    id: i32,
    #[versioned(ungarded)]
    last_seen: i64,
    #[versioned]
    name: String,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = machines)]
struct Value {
    id: i32,
    #[versioned(unguarded = true)]
    last_seen: i64,
    #[versioned(read_only("always"))]
    name: String,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = machines)]
#[versioned(unguarded)]
struct OnTheStruct {
    id: i32,
    last_seen: i64,
    #[version]
    version: i32,
}

fn main() {}
