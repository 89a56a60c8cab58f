//! `precision`, `uuid` and `wrap` are written in another way, or together.

use diesel_versioned::Versioned;

diesel::table! {
    products (id) {
        id -> Integer,
        version -> Timestamp,
    }
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct Unknown {
    id: i32,
    #[version(precision = "nanos")]
    version: std::time::SystemTime,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct NoText {
    id: i32,
    #[version(precision = millis)]
    version: std::time::SystemTime,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct NoValue {
    id: i32,
    #[version(precision)]
    version: std::time::SystemTime,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct Twice {
    id: i32,
    #[version(precision = "millis", precision = "micros")]
    version: std::time::SystemTime,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct UnknownUuid {
    id: i32,
    #[version(uuid = "v1")]
    version: std::time::SystemTime,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct WrapWithValue {
    id: i32,
    #[version(wrap = true)]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct WrapAndPrecision {
    id: i32,
    #[version(wrap, precision = "millis")]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct All {
    id: i32,
    #[version(uuid = "v4", precision = "millis", wrap)]
    version: i32,
}

fn main() {}
