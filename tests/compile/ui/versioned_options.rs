//! Options of `#[versioned]` that do not exist or are written in another way.

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
#[versioned(krate = "diesel_versioned")]
struct Product {
    id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
#[versioned]
struct NoList {
    id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
#[versioned(crate = 1)]
struct NoPath {
    id: i32,
    #[version]
    version: i32,
}

fn main() {}
