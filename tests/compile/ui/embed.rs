//! Embedded fields that are no parts.

use diesel_versioned::{Versioned, VersionedPart};

diesel::table! {
    products (id) {
        id -> Integer,
        name -> Text,
        stock -> Nullable<Integer>,
        version -> Integer,
    }
}

#[derive(Clone, PartialEq)]
struct Plain {
    name: String,
}

#[derive(Clone, VersionedPart)]
#[diesel(table_name = products)]
struct Part {
    name: String,
}

#[derive(Clone, Versioned)]
struct Product {
    id: i32,
    #[diesel(embed)]
    part: Plain,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct Optional {
    id: i32,
    #[diesel(embed)]
    part: Option<Part>,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct Converted {
    id: i32,
    #[diesel(embed, serialize_as = String)]
    part: Part,
    #[version]
    version: i32,
}

fn main() {}
