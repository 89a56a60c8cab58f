//! Columns that need not come back as they were written cannot be compared.

use diesel_versioned::{Versioned, VersionedPart};

diesel::table! {
    samples (id) {
        id -> Integer,
        weight -> Double,
        height -> Float,
        width -> Nullable<Float>,
        data -> Jsonb,
    }
}

#[derive(Clone, PartialEq, Debug)]
struct Data;

#[derive(Clone, Versioned)]
#[diesel(table_name = samples)]
#[versioned(check = "all")]
struct Sample {
    id: i32,
    weight: f64,
    height: f32,
    width: Option<f32>,
    #[versioned(unchecked)]
    data: Data,
}

#[derive(Clone, PartialEq, VersionedPart)]
#[diesel(table_name = samples)]
struct Size {
    height: f32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = samples)]
#[versioned(check = "changed")]
struct Sized {
    id: i32,
    #[diesel(embed)]
    size: Size,
}

fn main() {}
