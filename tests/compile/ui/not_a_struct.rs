//! What has no fields is no row.

use diesel_versioned::{Versioned, VersionedPart};

diesel::table! {
    products (id) {
        id -> Integer,
        name -> Text,
        stock -> Nullable<Integer>,
        version -> Integer,
    }
}

#[derive(Clone, Versioned)]
enum Product {
    #[allow(dead_code)]
    One,
}

#[derive(Clone, Copy, Versioned)]
union Union {
    #[allow(dead_code)]
    id: i32,
}

#[derive(Clone, Versioned)]
struct Unit;

#[derive(Clone, VersionedPart)]
enum Part {
    #[allow(dead_code)]
    One,
}

fn main() {}
