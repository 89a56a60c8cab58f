//! No field is the version; the calls below bring no message of their own.

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
}

fn key(product: &Product) -> i32 {
    product.key()
}

fn main() {}
