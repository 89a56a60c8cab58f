//! Attributes that stand in the wrong place.

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
#[version]
struct Product {
    id: i32,
    #[versioned(crate = "diesel_versioned")]
    #[version]
    version: i32,
}

fn main() {}
