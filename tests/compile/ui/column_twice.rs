//! Two fields write one column.

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
    name: String,
    #[diesel(column_name = name)]
    title: String,
    #[version]
    version: i32,
}

fn main() {}
