//! Fields of types that their columns do not take, with `check_for_backend`.

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
#[diesel(check_for_backend(diesel::sqlite::Sqlite))]
struct Product {
    id: i32,
    name: i64,
    stock: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products, check_for_backend(disable = true))]
struct NotChecked {
    id: i32,
    name: i64,
    #[version]
    version: i32,
}

fn main() {}
