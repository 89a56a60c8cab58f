//! A part that is to be merged column by column.

use diesel_versioned::{Versioned, VersionedPart};

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

#[derive(Clone, VersionedPart)]
#[diesel(table_name = articles)]
#[versioned(merge(independent(title, body)))]
struct Text {
    title: String,
    body: String,
}

#[derive(Clone, Versioned)]
#[versioned(merge(independent(words, title)))]
struct Article {
    id: i32,
    words: i32,
    #[diesel(embed)]
    text: Text,
    #[version]
    version: i32,
}

fn main() {}
