//! A field whose changes cannot be seen.

use diesel_versioned::Versioned;

diesel::table! {
    products (id) {
        id -> Integer,
        name -> Text,
        stock -> Nullable<Integer>,
        version -> Integer,
    }
}

#[derive(Debug, Clone)]
struct Name(String);

#[derive(Clone, Versioned)]
struct Product {
    id: i32,
    name: Name,
    #[version]
    version: i32,
}

fn main() {}
