//! A tuple struct whose fields do not name their columns.

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
struct Product(
    #[diesel(column_name = id)] i32,
    String,
    #[version] i32,
);

fn main() {}
