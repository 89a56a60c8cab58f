//! The table is not in scope.

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
struct Article {
    id: i32,
    #[version]
    version: i32,
}

fn main() {}
