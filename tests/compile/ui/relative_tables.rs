//! A relative update of one entity names the columns of another one's table.

use diesel::prelude::*;
use diesel_versioned::prelude::*;

diesel::table! {
    products (id) { id -> Integer, stock -> Integer, version -> Integer }
}

diesel::table! {
    orders (id) { id -> Integer, total -> Integer, version -> Integer }
}

#[derive(Debug, Clone, Queryable, Selectable, Versioned)]
struct Product {
    id: i32,
    stock: i32,
    #[version]
    version: i32,
}

fn sets(conn: &mut SqliteConnection) {
    let _ = Product::apply(conn, 42, orders::total.eq(1));
}

fn bumps() {
    let _ = diesel::update(orders::table).set((orders::total.eq(1), Product::bump()));
}

fn filters() {
    let _ = Product::update_where(orders::total.eq(1));
}

fn no_condition() {
    let _ = Product::update_where(products::stock + 1);
}

fn no_key(conn: &mut SqliteConnection) {
    let _ = Product::apply(conn, "42", products::stock.eq(1));
}

fn main() {}
