//! Options of `#[version]` that do not exist or are written in another way.

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
    #[version(start = 1)]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct NoValue {
    id: i32,
    #[version(initial)]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct NoEquals {
    id: i32,
    #[version(initial(1))]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct NoList {
    id: i32,
    #[version = 1]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct NoComma {
    id: i32,
    #[version(initial = 1; other)]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct Twice {
    id: i32,
    #[version(initial = 1, initial = 2)]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct FunctionNotCalled {
    id: i32,
    #[version(initial = first)]
    version: i32,
}

fn first() -> i32 {
    1
}

fn main() {}
