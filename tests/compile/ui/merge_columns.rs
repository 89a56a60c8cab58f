//! Independent columns that are none, or cannot be merged, or stand twice.

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

#[derive(Clone, Versioned)]
#[versioned(merge(independent(title, boddy, kind)))]
struct Article {
    id: i32,
    title: String,
    body: String,
    #[diesel(column_name = words)]
    kind: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = articles)]
#[versioned(merge(independent(id, title, version)))]
struct KeyAndVersion {
    id: i32,
    title: String,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = articles)]
#[versioned(merge(independent(title, body, r#title)))]
struct Twice {
    id: i32,
    title: String,
    body: String,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = articles)]
#[versioned(merge(independent(title, created_at, words)))]
struct NeverWritten {
    id: i32,
    title: String,
    #[diesel(skip_update)]
    created_at: String,
    #[diesel(select_expression = articles::words.assume_not_null())]
    words: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = articles)]
#[versioned(merge(independent(title)))]
struct One {
    id: i32,
    title: String,
    #[version]
    version: i32,
}

fn main() {}
