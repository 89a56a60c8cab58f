//! The version is of a type that cannot be one.

use diesel_versioned::Versioned;

diesel::table! {
    products (id) {
        id -> Integer,
        done -> Bool,
        stock -> Nullable<Integer>,
        version -> Integer,
    }
}

#[derive(Clone, Versioned)]
struct Product {
    id: i32,
    #[version]
    done: bool,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct OwnType {
    id: i32,
    #[version]
    version: Revision,
}

#[derive(Clone, PartialEq)]
struct Revision(i32);

fn main() {}
