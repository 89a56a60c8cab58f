//! The derive beside all of Diesel's that a row can have.

use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel_versioned::Versioned;

diesel::table! {
    orders (id) {
        id -> Integer,
        version -> Integer,
    }
}

diesel::table! {
    lines (id) {
        id -> Integer,
        order_id -> Integer,
        text -> Nullable<Text>,
        version -> Integer,
    }
}

#[derive(Clone, Identifiable, Queryable, Selectable, Versioned)]
struct Order {
    id: i32,
    #[version]
    version: i32,
}

#[derive(
    Debug,
    Clone,
    PartialEq,
    Identifiable,
    AsChangeset,
    Insertable,
    Associations,
    QueryableByName,
    HasQuery,
    Versioned,
)]
#[diesel(table_name = lines, belongs_to(Order), treat_none_as_null = true)]
#[diesel(check_for_backend(diesel::sqlite::Sqlite))]
struct Line {
    id: i32,
    order_id: i32,
    #[diesel(sql_type = diesel::sql_types::Nullable<Text>, treat_none_as_default_value = false)]
    text: Option<String>,
    #[version]
    version: i32,
}

fn main() {
    let order = Order { id: 1, version: 1 };
    let line = Line {
        id: 2,
        order_id: order.key(),
        text: None,
        version: 1,
    };
    assert_eq!(line.key(), 2);
    assert!(line.text.is_none());
}
