//! The key is not `id`, and nothing says what it is.

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
    number: i32,
    #[version]
    version: i32,
}

fn main() {}
