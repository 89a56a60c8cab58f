//! What has no fields is no row.

use diesel_versioned::{VersionValue, Versioned, VersionedPart};

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

#[derive(Debug, Clone, PartialEq, VersionValue)]
struct Two(i32, i32);

#[derive(Debug, Clone, PartialEq, VersionValue)]
enum OneOf {
    #[allow(dead_code)]
    This(i32),
}

#[derive(Debug, Clone, PartialEq, VersionValue)]
struct NoVersion {
    name: String,
}

#[derive(Debug, Clone, PartialEq, VersionValue)]
struct Borrowed<'a>(&'a str);

#[derive(Debug, Clone, PartialEq, VersionValue)]
#[versioned(other)]
struct Other(i32);

#[derive(VersionValue)]
struct Bare(i32);

fn main() {}
