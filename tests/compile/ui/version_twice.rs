//! Two fields are the version.

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
    stock: i32,
    #[version(initial = 0)]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct Repeated {
    id: i32,
    #[version]
    #[version]
    version: i32,
}

fn main() {}
