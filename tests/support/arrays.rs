//! Arrays of texts: they are compared to the letter too, whatever the collation.

use diesel::prelude::*;
use diesel_versioned::Versioned;

use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::{TestBackend, TestDb};

diesel::table! {
    labelled (id) {
        id -> Integer,
        labels -> Array<Text>,
        others -> Nullable<Array<Nullable<Text>>>,
        count -> Integer,
    }
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = labelled)]
#[versioned(check = "all")]
struct Labelled {
    id: i32,
    labels: Vec<String>,
    others: Option<Vec<Option<String>>>,
    count: i32,
}

#[test]
fn another_spelling_in_an_array_is_a_change() {
    let db = TestDb::empty();
    let define = Conn::DEFINE_CASE_BLIND_TEXT;
    db.execute(&format!(
        "{define} CREATE TABLE labelled (
             id INTEGER PRIMARY KEY, labels TEXT[] COLLATE case_blind NOT NULL,
             others TEXT[] COLLATE case_blind, count INTEGER NOT NULL)"
    ));
    db.execute(
        "INSERT INTO labelled VALUES (1, '{tea}', NULL, 0), (2, '{}', '{}', 0),
             (3, '{\"NULL\"}', '{NULL}', 0), (4, '{\"a,b\"}', '{\"\"}', 0)",
    );
    let conn = &mut db.connect();
    let mut uow = UnitOfWork::<Conn>::new();
    let rows = [1, 2, 3, 4].map(|id| uow.find::<Labelled>(conn, id).unwrap());
    for row in rows {
        uow[row].count = 1;
    }
    assert_eq!(uow.commit(conn).unwrap().len(), 4);

    let changes = [
        "labels = '{Tea}' WHERE id = 1",
        "others = NULL WHERE id = 2",
        "others = '{\"NULL\"}' WHERE id = 3",
        "labels = '{a,b}' WHERE id = 4",
    ];
    for (change, row) in changes.into_iter().zip(rows) {
        db.execute(&format!("UPDATE labelled SET {change}"));
        uow[row].count = 2;
        // Each alone: what is lost because of another row says nothing.
        let error = uow.commit(conn).unwrap_err();
        let lost = error.conflicts().unwrap_or_else(|| panic!("{error:?}"));
        let kinds: Vec<_> = lost.iter().map(|lost| lost.kind()).collect();
        assert_eq!(kinds, [ConflictKind::Modified], "{change}");
        uow.discard(lost);
    }
}
