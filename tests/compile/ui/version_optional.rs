//! The version is an `Option`.

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
    #[version]
    version: Option<i32>,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct WithPath {
    id: i32,
    #[version]
    version: std::option::Option<i64>,
}

fn main() {}
