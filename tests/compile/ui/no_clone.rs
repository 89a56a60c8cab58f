//! An entity that cannot be cloned.

use diesel_versioned::Versioned;

diesel::table! {
    products (id) {
        id -> Integer,
        name -> Text,
        stock -> Nullable<Integer>,
        version -> Integer,
    }
}

#[derive(Versioned)]
struct Product {
    id: i32,
    name: String,
    #[version]
    version: i32,
}

fn main() {}
