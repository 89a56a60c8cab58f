//! Rules for merging that do not exist or are written in another way.

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
#[versioned(merge)]
struct Article {
    id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = articles)]
#[versioned(merge())]
struct NoRule {
    id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = articles)]
#[versioned(merge(mine))]
struct OtherRule {
    id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = articles)]
#[versioned(merge(independent = title))]
struct Equals {
    id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = articles)]
#[versioned(merge(independent("title", "body")))]
struct Strings {
    id: i32,
    #[version]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = articles)]
#[versioned(merge(independent(title, body)), merge(independent(title, words)))]
struct Twice {
    id: i32,
    title: String,
    body: String,
    words: i32,
    #[version]
    version: i32,
}

fn main() {}
