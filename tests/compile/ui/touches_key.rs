//! A foreign key that is not the parent's key, and a parent that is no entity.

use diesel_versioned::Versioned;

diesel::table! {
    orders (id) { id -> Integer, version -> Integer }
}

diesel::table! {
    lines (id) {
        id -> Integer,
        order_id -> Text,
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
#[diesel(table_name = lines, belongs_to(Order))]
#[versioned(touches(Order))]
struct Line {
    id: i32,
    order_id: String,
    #[version]
    version: i32,
}

struct Basket;

#[derive(Clone, Versioned)]
#[diesel(table_name = lines, belongs_to(Basket))]
#[versioned(touches(Basket))]
struct OfABasket {
    id: i32,
    basket_id: i32,
    #[version]
    version: i32,
}

fn main() {}
