//! A relative update on a connection that knows its database only while it sends.

use diesel::prelude::*;
use diesel_versioned::Dialect;
use diesel_versioned::prelude::*;

diesel::table! {
    products (id) { id -> Integer, stock -> Integer, version -> Integer }
}

#[derive(diesel::MultiConnection)]
pub enum AnyConnection {
    Sqlite(SqliteConnection),
}

impl Dialect for MultiBackend {}

#[derive(Debug, Clone, Queryable, Selectable, Versioned)]
struct Product {
    id: i32,
    stock: i32,
    #[version]
    version: i32,
}

fn one(conn: &mut AnyConnection) {
    let _ = Product::apply(conn, 42, products::stock.eq(products::stock - 1)).execute();
}

fn many(conn: &mut AnyConnection) {
    let all = Product::update_where(products::stock.gt(0));
    let _ = all.set(products::stock.eq(0)).execute(conn);
}

fn main() {}
