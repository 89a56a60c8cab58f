//! Groups of columns, and what makes no sense of them.

use diesel_versioned::{Versioned, VersionedPart};

diesel::table! {
    documents (id) {
        id -> Integer,
        title -> Text,
        body -> Text,
        readers -> Text,
        seen -> Integer,
        content_version -> Integer,
        access_version -> Integer,
    }
}

/// A column that no version would guard.
#[derive(Clone, Versioned)]
#[diesel(table_name = documents)]
struct Forgotten {
    id: i32,
    #[versioned(group = "content")]
    title: String,
    body: String,
    #[versioned(group = "access")]
    readers: String,
    #[version(group = "content")]
    content_version: i32,
    #[version(group = "access")]
    access_version: i32,
}

/// Groups that do not fit together.
#[derive(Clone, Versioned)]
#[diesel(table_name = documents)]
struct Unknown {
    #[versioned(group = "content")]
    id: i32,
    #[versioned(group = "contents")]
    title: String,
    #[versioned(group = "content")]
    body: String,
    #[versioned(unguarded, group = "content")]
    seen: i32,
    #[versioned(group = "content")]
    #[version(group = "content")]
    content_version: i32,
    #[version(group = "access")]
    access_version: i32,
}

/// Versions without a group, and two of one.
#[derive(Clone, Versioned)]
#[diesel(table_name = documents)]
struct Versions {
    id: i32,
    #[versioned(group = "content")]
    title: String,
    #[version(group = "content")]
    content_version: i32,
    #[version(group = "content")]
    access_version: i32,
    #[version]
    seen: i32,
}

/// A group without a version of its own.
#[derive(Clone, Versioned)]
#[diesel(table_name = documents)]
struct None {
    id: i32,
    #[versioned(group = "content")]
    title: String,
    #[version]
    content_version: i32,
}

/// The database does not know of groups.
#[derive(Clone, Versioned)]
#[diesel(table_name = documents)]
struct ByDatabase {
    id: i32,
    #[versioned(group = "content")]
    title: String,
    #[version(db, group = "content")]
    content_version: i32,
}

/// How a group is written.
#[derive(Clone, Versioned)]
#[diesel(table_name = documents)]
struct Written {
    id: i32,
    #[versioned(group)]
    title: String,
    #[versioned(group = content)]
    body: String,
    #[versioned(group = " ")]
    readers: String,
    #[version(group = "content", group = "access")]
    content_version: i32,
}

/// A part is in a group as a whole.
#[derive(Clone, VersionedPart)]
#[diesel(table_name = documents)]
struct Part {
    #[versioned(group = "content")]
    title: String,
}

fn main() {}
