//! Names and keys that mislead: edited keys, other spellings, namesakes of what the library writes.

use diesel::prelude::*;
use diesel_versioned::prelude::*;

use super::{Unit, failure, product, shop, stocks};
use crate::support::TestDb;
use crate::support::entities::Product;

diesel::table! {
    v (id) {
        id -> Integer,
        amount -> Integer,
        version -> Integer,
    }
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = v)]
struct Namesake {
    id: i32,
    amount: i32,
    #[version]
    version: i32,
}

#[test]
fn a_table_may_be_called_as_what_a_batch_is() {
    let db = TestDb::new();
    db.execute(
        "CREATE TABLE v (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL, version INTEGER NOT NULL);
         INSERT INTO v VALUES (1, 0, 1), (2, 0, 1), (3, 0, 1)",
    );
    let conn = &mut db.connect();
    let mut rows: Vec<Namesake> = [1, 2, 3].map(|id| Namesake::find(conn, id).unwrap()).into();
    for row in &mut rows {
        row.amount = 5;
    }
    Namesake::save_all(conn, &mut rows).unwrap();
    for row in &rows {
        assert_eq!((row.amount, row.version), (5, 2));
        assert_eq!(Namesake::find(conn, row.id).unwrap(), *row);
    }
}

#[test]
fn a_key_that_is_the_only_change_is_invalid() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].id = 2;
    let error = failure(uow.commit(conn));
    assert!(matches!(error, CommitError::Invalid { .. }), "{error:?}");
    assert_eq!(stocks(conn), [(1, 10, 1), (2, 10, 1)]);
}

#[test]
fn an_entity_whose_key_was_edited_is_discarded_whole() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let edited: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[edited].id = 9;
    uow.discard(edited);
    let again: Handle<Product> = uow.find(conn, 1).unwrap();
    assert_eq!(uow.get(again), Some(&product(1)));
    uow[again].stock = 3;
    drop(uow.commit(conn).unwrap());
    assert_eq!(stocks(conn), [(1, 3, 2)]);
}
