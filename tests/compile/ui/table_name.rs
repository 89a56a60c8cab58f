//! A table that is written in another way, or twice.

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
#[diesel(table_name = "products")]
struct Product {
    id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products, table_name = products)]
struct Twice {
    id: i32,
    #[version]
    version: i32,
}

fn main() {}
