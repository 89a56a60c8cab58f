//! The same, where the call is a method of a value.

use diesel::prelude::*;
use diesel_versioned::prelude::*;

diesel::table! {
    products (id) {
        id -> Integer,
        name -> Text,
        version -> Integer,
    }
}

#[derive(Debug, Clone, Versioned)]
#[diesel(table_name = products)]
struct Product {
    id: i32,
    name: String,
    #[version]
    version: i32,
}

fn rename(conn: &mut SqliteConnection, product: &mut Product) {
    let _ = product.save(conn);
}

fn main() {
    let _ = rename;
}
