//! The version has options that would let something else read or write it.

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
    #[diesel(skip_insertion, skip_update)]
    #[diesel(serialize_as = i32, deserialize_as = i64)]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct Computed {
    id: i32,
    #[version]
    #[diesel(select_expression = products::version + 1)]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct Embedded {
    id: i32,
    #[version]
    #[diesel(embed)]
    version: i32,
}

fn main() {}
