//! Parents that cannot be touched.

use diesel_versioned::{Versioned, VersionedPart};

diesel::table! {
    orders (id) { id -> Integer, version -> Integer }
}

diesel::table! {
    lines (id) {
        id -> Integer,
        order_id -> Integer,
        basket_id -> Integer,
        version -> Integer,
    }
}

#[derive(Clone, Versioned)]
struct Order {
    id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = lines)]
#[versioned(touches(Order))]
struct NoParent {
    id: i32,
    order_id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = lines, belongs_to(Order))]
#[versioned(touches(Order))]
struct NoField {
    id: i32,
    basket_id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = lines, belongs_to(Order, foreign_key = cart_id))]
#[versioned(touches(Order))]
struct NoForeignKey {
    id: i32,
    order_id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = lines, belongs_to(Order))]
#[versioned(touches(Order, Order))]
struct Twice {
    id: i32,
    order_id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = lines, belongs_to(Order))]
#[versioned(touches())]
struct Nobody {
    id: i32,
    order_id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = lines, belongs_to(Order))]
#[versioned(touches)]
struct Unsaid {
    id: i32,
    order_id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = lines)]
struct OnAField {
    id: i32,
    #[versioned(touches(Order))]
    order_id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, VersionedPart)]
#[diesel(table_name = lines, belongs_to(Order))]
#[versioned(touches(Order))]
struct Part {
    order_id: i32,
}

fn main() {}
