//! Types that cannot mark a row as deleted.

use std::time::SystemTime;

use diesel_versioned::Versioned;

diesel::table! {
    notes (id) {
        id -> Integer,
        deleted_at -> Nullable<Timestamp>,
        version -> Integer,
    }
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
struct NoOption {
    id: i32,
    #[versioned(soft_delete)]
    deleted_at: SystemTime,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
struct NoTime {
    id: i32,
    #[versioned(soft_delete)]
    deleted_at: Option<String>,
    #[version]
    version: i32,
}

fn main() {}
