//! The entity that every benchmark writes: four columns and a version.

use diesel::prelude::*;
use diesel_versioned::prelude::*;

diesel::table! {
    /// What is sold.
    products (id) {
        id -> Integer,
        name -> Text,
        price_cents -> BigInt,
        stock -> Integer,
        reserved -> Integer,
        version -> Integer,
    }
}

/// A row of `products`. The derives of Diesel are for its own ways of writing.
#[derive(Debug, Clone, Queryable, Selectable, Insertable, Versioned)]
#[diesel(table_name = products)]
pub struct Product {
    /// The key, which the caller makes.
    pub id: i32,
    /// Some twenty bytes.
    pub name: String,
    /// A price.
    pub price_cents: i64,
    /// A count.
    pub stock: i32,
    /// Another count.
    pub reserved: i32,
    /// The version.
    #[version]
    pub version: i32,
}

impl Product {
    /// A new row.
    pub fn new(id: i32) -> Self {
        Self {
            id,
            name: format!("A product, number {id:07}"),
            price_cents: 1_000 + i64::from(id),
            stock: 100,
            reserved: 0,
            version: 1,
        }
    }

    /// Changes each of the four columns, and allocates nothing.
    pub fn change(&mut self) {
        let other = if self.name.starts_with('A') { "B" } else { "A" };
        self.name.replace_range(..1, other);
        self.price_cents += 1;
        self.stock += 1;
        self.reserved += 1;
    }
}
