//! The initial version is not of the type of the version.

use diesel_versioned::Versioned;

diesel::table! {
    products (id) {
        id -> Integer,
        name -> Text,
        stock -> Nullable<Integer>,
        version -> Integer,
    }
}

#[derive(Clone, Versioned)]
struct Product {
    id: i32,
    #[version(initial = "one")]
    version: i32,
}

fn main() {}
