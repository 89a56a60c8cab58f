//! `check_schema`: a unique index that takes for different what `=` takes for the same.

use diesel::prelude::*;

use super::findings_with;
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::TestBackend;

diesel::table! {
    tags (name, place) { name -> Text, place -> Integer, version -> Integer }
}

#[derive(Debug, Clone, Queryable, Selectable, Versioned)]
#[diesel(table_name = tags, primary_key(name))]
struct Tag {
    name: String,
    #[version]
    version: i32,
}

#[derive(Debug, Clone, Queryable, Selectable, Versioned)]
#[diesel(table_name = tags, primary_key(name, place))]
struct PlacedTag {
    name: String,
    place: i32,
    #[version]
    version: i32,
}

/// The table with a name of this type, and more SQL.
fn tags(name: &str, more: &str) -> String {
    let define = Conn::DEFINE_CASE_BLIND_TEXT;
    format!(
        "{define} CREATE TABLE tags (name {name} NOT NULL, place INTEGER NOT NULL, \
         version INTEGER NOT NULL DEFAULT 1); {more}"
    )
}

#[test]
fn an_index_that_compares_as_the_column_does_keeps_the_key_unique() {
    let blind = Conn::CASE_BLIND_TEXT;
    let index = "CREATE UNIQUE INDEX made_up ON tags (name)";
    let mut right = vec![
        tags(blind, index),
        tags("VARCHAR(32)", index),
        tags(&format!("{blind} PRIMARY KEY"), ""),
        tags(&format!("{blind} UNIQUE"), ""),
    ];
    for (name, other) in Conn::RIGHT_COLLATIONS {
        right.push(tags(
            name,
            &format!("CREATE UNIQUE INDEX made_up ON tags (name COLLATE {other})"),
        ));
    }
    for sql in right {
        assert_eq!(findings_with::<Tag>(&sql), [], "{sql}");
        assert_eq!(findings_with::<PlacedTag>(&sql), [], "{sql}");
    }
}

#[test]
fn an_index_that_keeps_apart_what_the_column_does_not_is_found() {
    for (name, other) in Conn::WRONG_COLLATIONS {
        let index = format!("CREATE UNIQUE INDEX made_up ON tags (name COLLATE {other})");
        let sql = tags(name, &index);
        let missing = [("schema.key_not_unique", None)];
        assert_eq!(findings_with::<Tag>(&sql), missing, "{sql}");
        assert_eq!(findings_with::<PlacedTag>(&sql), missing, "{sql}");
        let db = super::declared::database(&sql);
        let report = Tag::check_schema(&mut db.connect()).unwrap();
        assert!(report.to_string().contains("collation"), "{report}");

        // The other part of the key may be unique by itself, and one more index may be right.
        for more in ["place", "name", "place, name"] {
            let sql = format!("{sql}; CREATE UNIQUE INDEX more ON tags ({more})");
            assert_eq!(findings_with::<PlacedTag>(&sql), [], "{sql}");
        }
        let both = index.replace("(name", "(place, name");
        let sql = tags(name, &both);
        assert_eq!(findings_with::<PlacedTag>(&sql), missing, "{sql}");
    }
}
