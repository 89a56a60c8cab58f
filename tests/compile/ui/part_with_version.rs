//! A part that has a version.

use diesel_versioned::{Versioned, VersionedPart};

diesel::table! {
    products (id) {
        id -> Integer,
        name -> Text,
        stock -> Nullable<Integer>,
        version -> Integer,
    }
}

#[derive(Clone, VersionedPart)]
#[diesel(table_name = products)]
struct Part {
    name: String,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
struct Product {
    id: i32,
    #[diesel(embed)]
    part: Part,
    #[version]
    version: i32,
}

fn main() {}
