//! Marks of deletion where none can be, and what goes with no mark.

use std::time::SystemTime;

use diesel_versioned::{Versioned, VersionedPart};

diesel::table! {
    notes (id) {
        id -> Integer,
        text -> Text,
        deleted -> Bool,
        deleted_at -> Nullable<Timestamp>,
        version -> Integer,
    }
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
struct TwoMarks {
    id: i32,
    #[versioned(soft_delete)]
    deleted: bool,
    #[versioned(soft_delete)]
    deleted_at: Option<SystemTime>,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
struct OtherRole {
    id: i32,
    #[versioned(generated, soft_delete)]
    deleted: bool,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
struct ReadOnly {
    id: i32,
    #[versioned(soft_delete, read_only)]
    deleted: bool,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
struct Unguarded {
    id: i32,
    #[versioned(soft_delete, unguarded)]
    deleted: bool,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes, primary_key(deleted))]
struct Key {
    #[versioned(soft_delete)]
    deleted: bool,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
struct Version {
    id: i32,
    #[version]
    #[versioned(soft_delete)]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
struct Skipped {
    id: i32,
    #[versioned(soft_delete)]
    #[diesel(skip_update)]
    deleted: bool,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
struct Computed {
    id: i32,
    #[versioned(soft_delete)]
    #[diesel(select_expression = notes::deleted_at.is_not_null())]
    deleted: bool,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
struct Converted {
    id: i32,
    #[versioned(soft_delete)]
    #[diesel(serialize_as = bool)]
    deleted: bool,
    #[version]
    version: i32,
}

#[derive(Clone, VersionedPart)]
#[diesel(table_name = notes)]
struct Part {
    #[versioned(soft_delete)]
    deleted: bool,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
struct Whole {
    id: i32,
    #[diesel(embed)]
    #[versioned(soft_delete)]
    part: Part,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
#[versioned(merge(independent(text, deleted)))]
struct Merged {
    id: i32,
    text: String,
    #[versioned(soft_delete)]
    deleted: bool,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
struct Options {
    id: i32,
    #[versioned(soft_delete(precision = "millis"))]
    deleted: bool,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
struct UnknownPrecision {
    id: i32,
    #[versioned(soft_delete(precision = "days"))]
    deleted_at: Option<SystemTime>,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
struct UnknownOption {
    id: i32,
    #[versioned(soft_delete(by = "time"))]
    deleted_at: Option<SystemTime>,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
struct MoreOptions {
    id: i32,
    #[versioned(soft_delete(precision = "millis", by = "time"))]
    deleted_at: Option<SystemTime>,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes)]
struct TrailingComma {
    id: i32,
    #[versioned(soft_delete(precision = "millis",))]
    deleted_at: Option<SystemTime>,
    #[version]
    version: i32,
}

fn main() {}
