//! A primary key that names what is no column, or a column twice, or nothing.

use diesel_versioned::Versioned;

diesel::table! {
    products (id) {
        id -> Integer,
        name -> Text,
        stock -> Nullable<Integer>,
        version -> Integer,
    }
}

#[derive(Clone, Versioned)]
#[diesel(primary_key(id, number))]
struct Product {
    id: i32,
    #[diesel(column_name = stock)]
    number: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products, primary_key(id, name, id))]
struct Twice {
    id: i32,
    name: String,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products, primary_key())]
struct Empty {
    id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products, primary_key(name))]
struct Computed {
    id: i32,
    #[diesel(select_expression = products::name.concat("!"))]
    name: String,
    #[version]
    version: i32,
}

fn main() {}
