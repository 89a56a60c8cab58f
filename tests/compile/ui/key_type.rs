//! A key that has no order.

use diesel_versioned::Versioned;

diesel::table! {
    products (id) {
        id -> Integer,
        name -> Text,
        stock -> Nullable<Integer>,
        version -> Integer,
    }
}

#[derive(Clone, PartialEq, Debug)]
struct Sku(String);

#[derive(Clone, Versioned)]
#[diesel(primary_key(name))]
struct Product {
    name: Sku,
    #[version]
    version: i32,
}

fn main() {}
