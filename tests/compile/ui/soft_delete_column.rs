//! Columns that cannot hold the mark of deletion.

use std::time::SystemTime;

use diesel_versioned::Versioned;

diesel::table! {
    notes (id) {
        id -> Integer,
        deleted_at -> Timestamp,
        deleted -> Nullable<Bool>,
        version -> Integer,
    }
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
struct ByTime {
    id: i32,
    #[versioned(soft_delete)]
    deleted_at: Option<SystemTime>,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
struct ByBool {
    id: i32,
    #[versioned(soft_delete)]
    deleted: bool,
    #[version]
    version: i32,
}

fn main() {}
