//! Roles of columns that contradict each other, or what Diesel is told of the column.

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
struct TwoRoles {
    id: i32,
    #[versioned(unguarded, read_only)]
    last_seen: i64,
    #[versioned(insert_only)]
    #[versioned(unguarded)]
    name: String,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = machines)]
struct Twice {
    id: i32,
    #[versioned(unguarded, unguarded)]
    last_seen: i64,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = machines)]
struct Skipped {
    id: i32,
    #[versioned(unguarded)]
    #[diesel(skip_update)]
    last_seen: i64,
    #[versioned(read_only)]
    #[diesel(skip_insertion, skip_update)]
    name: String,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = machines)]
struct InsertedBySkipping {
    id: i32,
    #[versioned(insert_only)]
    #[diesel(skip_insertion)]
    name: String,
    #[versioned(insert_only)]
    #[diesel(skip_update)]
    last_seen: i64,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = machines)]
struct Keys {
    #[versioned(unguarded)]
    id: i32,
    #[version]
    #[versioned(insert_only)]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = machines)]
struct DatabaseKey {
    #[versioned(read_only)]
    id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = machines)]
struct Computed {
    id: i32,
    #[versioned(unguarded)]
    #[diesel(select_expression = machines::last_seen.gt(0))]
    seen: bool,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = machines)]
#[versioned(merge(independent(name, last_seen)))]
struct Merged {
    id: i32,
    #[versioned(read_only)]
    name: String,
    #[versioned(unguarded)]
    last_seen: i64,
    #[version]
    version: i32,
}

#[derive(Clone, VersionedPart)]
#[diesel(table_name = machines)]
struct Part {
    #[versioned(unguarded, insert_only)]
    last_seen: i64,
}

fn main() {}
