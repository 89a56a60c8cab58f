//! A field that does not become what `serialize_as` says.

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
    #[diesel(serialize_as = Vec<bool>)]
    name: bool,
    #[version]
    version: i32,
}

fn main() {}
