//! An entity that is read must say which columns it selects.

use diesel::prelude::*;
use diesel_versioned::prelude::*;

diesel::table! {
    products (id) {
        id -> Integer,
        name -> Text,
        version -> Integer,
    }
}

#[derive(Clone, Queryable, Versioned)]
struct Product {
    id: i32,
    name: String,
    #[version]
    version: i32,
}

fn run(conn: &mut SqliteConnection) -> QueryResult<Product> {
    Product::find(conn, 42)
}

fn main() {
    let _ = run;
}
