//! A parent without a version has nothing that could move on.

use diesel_versioned::Versioned;

diesel::table! {
    orders (id) { id -> Integer, customer -> Text }
}

diesel::table! {
    lines (id) { id -> Integer, order_id -> Integer, version -> Integer }
}

#[derive(Clone, Versioned)]
#[versioned(check = "all")]
struct Order {
    id: i32,
    customer: String,
}

#[derive(Clone, Versioned)]
#[diesel(belongs_to(Order))]
#[versioned(touches(Order))]
struct Line {
    id: i32,
    order_id: i32,
    #[version]
    version: i32,
}

fn main() {}
