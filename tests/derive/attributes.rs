//! Diesel's attributes that change what is written, and those that are for other derives.

use diesel::prelude::*;
use diesel_versioned::version::Moment;
use diesel_versioned::{Column, Role, Versioned};

use crate::{DATA, KEY, columns, names};

diesel::table! {
    notes (id) {
        id -> Integer,
        title -> Text,
        body -> Nullable<Text>,
        created_at -> Text,
        rank -> Integer,
        version -> Integer,
    }
}

#[derive(Clone, PartialEq, Debug)]
struct Title(String);

struct UpperCase(String);

impl From<Title> for UpperCase {
    fn from(title: Title) -> Self {
        Self(title.0.to_uppercase())
    }
}

impl<ST, DB> diesel::serialize::ToSql<ST, DB> for UpperCase
where
    DB: diesel::backend::Backend,
    String: diesel::serialize::ToSql<ST, DB>,
{
    fn to_sql<'b>(
        &'b self,
        out: &mut diesel::serialize::Output<'b, '_, DB>,
    ) -> diesel::serialize::Result {
        self.0.to_sql(out)
    }
}

impl std::fmt::Debug for UpperCase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[derive(Clone, Versioned)]
#[diesel(table_name = notes, check_for_backend(diesel::sqlite::Sqlite), treat_none_as_null = true)]
struct Note {
    id: i32,
    #[diesel(serialize_as = UpperCase, deserialize_as = String)]
    title: Title,
    #[diesel(
        select_expression = notes::body.is_not_null(),
        select_expression_type = diesel::dsl::Or<notes::body, notes::title>,
        skip_update
    )]
    has_body: bool,
    #[diesel(skip_insertion, skip_update)]
    created_at: String,
    #[diesel(skip_update)]
    rank: i32,
    #[version(initial = 100)]
    version: i32,
}

fn note() -> Note {
    Note {
        id: 1,
        title: Title("a".to_owned()),
        has_body: false,
        created_at: String::new(),
        rank: 1,
        version: 1,
    }
}

#[test]
fn skip_insertion_and_skip_update_are_roles() {
    let skips = |insert, update| Role::Data { insert, update };
    assert_eq!(
        columns::<Note>(),
        [
            Column::new("id", KEY),
            Column::new("title", DATA),
            Column::new("created_at", skips(false, false)),
            Column::new("rank", skips(true, false)),
            Column::new("version", Role::Version),
        ]
    );
    assert_eq!(
        names::<Note>(Note::INSERTABLE),
        ["id", "title", "rank", "version"]
    );
    assert_eq!(names::<Note>(Note::UPDATABLE), ["title"]);
    const { assert!(Note::READS_BACK_INSERT) };
}

#[test]
fn what_a_query_computes_is_no_column_and_no_change() {
    let base = note();
    let mut mine = base.clone();
    mine.has_body = true;
    assert!(mine.changed(&base).is_empty());
}

#[test]
fn serialize_as_is_compared_as_the_field_and_sent_as_the_other_type() {
    let base = note();
    let mut mine = base.clone();
    mine.title = Title("b".to_owned());
    assert_eq!(names::<Note>(mine.changed(&base)), ["title"]);
    let (UpperCase(title),) = mine.converted();
    assert_eq!(title, "B");
}

#[test]
fn the_initial_version_is_what_the_option_says() {
    assert_eq!(Note::initial_version(&Moment::new()).ok(), Some(100));
}

// Every derive of Diesel that can stand beside ours, and every key that ours does not read.
#[derive(
    Debug,
    Clone,
    Queryable,
    Selectable,
    Identifiable,
    AsChangeset,
    Insertable,
    QueryableByName,
    Versioned,
)]
#[diesel(table_name = notes, treat_none_as_null = true, treat_none_as_default_value = false)]
#[diesel(check_for_backend(diesel::sqlite::Sqlite))]
struct Beside {
    id: i32,
    #[diesel(sql_type = diesel::sql_types::Text)]
    title: String,
    #[diesel(
        treat_none_as_null = true,
        treat_none_as_default_value = false,
        skip_update
    )]
    body: Option<String>,
    #[version]
    version: i32,
}

#[test]
fn the_keys_of_other_derives_are_skipped() {
    let row = Beside {
        id: 1,
        title: String::new(),
        body: None,
        version: 1,
    };
    assert_eq!(row.key(), *row.id());
    assert_eq!(names::<Beside>(Beside::UPDATABLE), ["title"]);
}

#[derive(Clone, HasQuery, Versioned)]
#[diesel(table_name = notes, base_query = notes::table.order_by((notes::id, notes::rank)))]
#[diesel(base_query_type = diesel::dsl::OrderBy<notes::table, (notes::id, notes::rank)>)]
struct WithQuery {
    id: i32,
    #[version]
    version: i32,
}

#[test]
fn a_base_query_is_skipped() {
    assert_eq!(WithQuery { id: 3, version: 1 }.key(), 3);
}

#[cfg_attr(all(), derive(Clone, Versioned), diesel(table_name = notes))]
struct Conditional {
    id: i32,
    #[cfg(any())]
    absent: Absent,
    #[cfg_attr(all(), version(initial = 5))]
    #[cfg_attr(all(), diesel(column_name = rank))]
    order: i32,
}

#[test]
fn conditional_attributes_and_fields_are_resolved_first() {
    let row = Conditional { id: 1, order: 2 };
    assert_eq!((row.key(), row.version()), (1, 2));
    assert_eq!(Conditional::column(1), Column::new("rank", Role::Version));
    assert_eq!(Conditional::initial_version(&Moment::new()).ok(), Some(5));
}
