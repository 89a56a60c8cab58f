//! All mistakes of a struct are told in one go.

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
#[diesel(primary_key(number))]
#[versioned(krate = "diesel_versioned")]
struct Product<'a> {
    name: &'a str,
    #[diesel(column_name = name)]
    title: String,
    #[version(start = 1)]
    #[diesel(skip_update)]
    version: Option<i32>,
    #[version]
    other: i32,
}

fn main() {}
