//! A field that a derived merge cannot copy.

use diesel_versioned::Versioned;

diesel::table! {
    articles (id) {
        id -> Integer,
        title -> Text,
        body -> Text,
        words -> Integer,
        created_at -> Text,
        version -> Integer,
    }
}

#[derive(Debug, PartialEq)]
struct Title(String);

#[derive(Versioned)]
#[versioned(merge(independent(title, body)))]
#[diesel(table_name = articles)]
struct Article {
    id: i32,
    #[diesel(serialize_as = String)]
    title: Title,
    body: String,
    #[version]
    version: i32,
}

impl Clone for Article {
    fn clone(&self) -> Self {
        unimplemented!()
    }
}

fn main() {}
