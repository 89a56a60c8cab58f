//! An entity without a rule for merging, where one is asked for.

use diesel_versioned::prelude::*;

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
struct Article {
    id: i32,
    title: String,
    #[version]
    version: i32,
}

fn merged<T: Merge>(conflict: &Conflict<T>) -> Result<T, Unmergeable> {
    conflict.resolve(T::merge)
}

fn main() {
    let _ = merged::<Article>;
    let _ = |conflict: &Conflict<Article>| conflict.resolve(Article::merge);
}
