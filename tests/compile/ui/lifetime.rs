//! An entity that borrows.

use diesel_versioned::{Versioned, VersionedPart};

diesel::table! {
    products (id) {
        id -> Integer,
        name -> Text,
        stock -> Nullable<Integer>,
        version -> Integer,
    }
}

#[derive(Clone, Versioned)]
struct Product<'a> {
    id: i32,
    name: &'a str,
    #[version]
    version: i32,
}

#[derive(Clone, VersionedPart)]
#[diesel(table_name = products)]
struct Part<'a> {
    name: &'a str,
}

fn main() {}
