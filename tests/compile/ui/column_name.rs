//! Names that no column can have.

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
    #[diesel(column_name = "name of it")]
    name: String,
    #[diesel(column_name = "self")]
    stock: Option<i32>,
    #[diesel(column_name = 1)]
    #[version]
    version: i32,
}

fn main() {}
