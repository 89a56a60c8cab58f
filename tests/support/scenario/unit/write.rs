//! What a commit sends: what was changed and nothing else, in one transaction.

use diesel::prelude::*;

use super::{Unit, conflicts, product, sell, shop, stocks};
use crate::flavor::prelude::*;
use crate::support::entities::{Account, Product};
use crate::support::schema::products;
use crate::support::{Queries, TestDb};

#[test]
fn rule_10_only_changed_columns_are_written() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 7;
    // A column that the unit did not read as changed is not written back.
    db.execute("UPDATE products SET name = 'renamed past the version' WHERE id = 1");
    let queries = Queries::of(conn);
    let done = uow.commit(conn).unwrap();
    assert_eq!(done.len(), 1);
    let updates: Vec<String> = queries
        .take()
        .into_iter()
        .filter(|text| text.contains("UPDATE") && text.contains("SET"))
        .collect();
    assert_eq!(updates.len(), 1, "{updates:?}");
    assert!(updates[0].contains("stock"), "{updates:?}");
    assert!(!updates[0].contains("price_cents"), "{updates:?}");
    let row: Product = products::table.first(conn).unwrap();
    assert_eq!(row.name, "renamed past the version");
    assert_eq!((row.stock, row.version), (7, 2));
}

#[test]
fn rule_10_nothing_changed_sends_nothing() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let read: Handle<Product> = uow.find(conn, 1).unwrap();
    let written_back: Handle<Product> = uow.find(conn, 2).unwrap();
    uow[written_back].stock = 99;
    uow[written_back].stock = 10;
    assert!(!uow.is_dirty(read) && !uow.is_dirty(written_back));
    let queries = Queries::of(conn);
    let done = uow.commit(conn).unwrap();
    assert!(done.is_empty());
    assert_eq!(queries.take(), Vec::<String>::new());
    assert_eq!(stocks(conn), [(1, 10, 1), (2, 10, 1)]);
    assert_eq!((uow[read].version, uow[written_back].version), (1, 1));
}

#[test]
fn an_empty_unit_sends_nothing_and_runs_its_hooks() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let (sender, receiver) = std::sync::mpsc::channel();
    let mut uow = Unit::new();
    uow.after_commit(move |done| sender.send(done.len()).unwrap());
    let queries = Queries::of(conn);
    let done = uow.commit(conn).unwrap();
    assert!(done.is_empty() && !done.is_nested());
    assert_eq!(queries.take(), Vec::<String>::new());
    assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [0]);
}

#[test]
fn none_is_written_as_null() {
    let db = TestDb::new();
    db.execute("INSERT INTO accounts VALUES (1, 'a@b.c', 'nick', 5, 1)");
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Account> = uow.find(conn, 1_i64).unwrap();
    uow[handle].nickname = None;
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    let stands = Account::find(conn, 1_i64).unwrap();
    assert_eq!((stands.nickname, stands.version), (None, 2));
}

#[test]
fn a_form_writes_the_whole_row_under_its_own_version() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let form = Product {
        name: "from a form".into(),
        ..product(1)
    };
    let handle = uow.save(form.clone()).unwrap();
    assert!(uow.is_dirty(handle));
    assert_eq!(uow.base(handle), None);
    let queries = Queries::of(conn);
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    let texts = queries.take().join("\n");
    for column in ["name", "price_cents", "stock"] {
        assert!(texts.contains(column), "{texts}");
    }
    assert_eq!(
        uow[handle],
        Product {
            version: 2,
            ..form.clone()
        }
    );
    assert!(!uow.is_dirty(handle), "it is tracked from here on");

    // The same form again brings its old version back, and is guarded by it.
    let mut again = Unit::new();
    again.save(form).unwrap();
    let lost = conflicts(again.commit(conn));
    let conflict = lost.of::<Product>().next().unwrap();
    assert_eq!((*conflict.expected(), conflict.actual()), (1, Some(&2)));
    assert_eq!(conflict.base(), None);
}

#[test]
fn the_version_field_is_never_written_from_user_data() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let lower: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[lower].version = 7;
    assert!(!uow.is_dirty(lower), "a version alone is no change");
    uow[lower].stock = 3;
    let lost = conflicts(uow.commit(conn));
    let conflict = lost.of::<Product>().next().unwrap();
    assert_eq!((*conflict.expected(), conflict.actual()), (7, Some(&1)));
    assert_eq!(stocks(conn), [(1, 10, 1), (2, 10, 1)]);
}

#[test]
fn a_touch_writes_the_version_alone() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow.touch(handle);
    uow.touch(handle);
    assert!(uow.is_dirty(handle));
    let queries = Queries::of(conn);
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    let texts = queries.take().join("\n");
    assert!(
        !texts.contains("stock") || !texts.contains("SET `stock`"),
        "{texts}"
    );
    assert_eq!(stocks(conn), [(1, 10, 2)]);
    assert_eq!(uow[handle].version, 2);
    assert!(!uow.is_dirty(handle), "touched once, not forever");
}

#[test]
fn rule_16_a_unit_is_one_transaction() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    for id in [1, 2] {
        let handle: Handle<Product> = uow.find(conn, id).unwrap();
        uow[handle].stock = id;
    }
    let queries = Queries::of(conn);
    assert_eq!(uow.commit(conn).unwrap().len(), 2);
    let texts = queries.take();
    assert_eq!(texts.first().map(String::as_str), Some("BEGIN"));
    assert_eq!(texts.last().map(String::as_str), Some("COMMIT"));
    let commits = texts.iter().filter(|text| *text == "COMMIT").count();
    assert_eq!(commits, 1, "{texts:?}");
}

#[test]
fn an_expected_row_that_has_not_moved_is_not_written() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let read: Handle<Product> = uow.find(conn, 1).unwrap();
    let changed: Handle<Product> = uow.find(conn, 2).unwrap();
    uow.expect_unchanged(read);
    uow[changed].stock = 1;
    assert!(!uow.is_dirty(read), "it would not be written");
    let done = uow.commit(conn).unwrap();
    assert_eq!(done.len(), 1);
    assert_eq!(stocks(conn), [(1, 10, 1), (2, 1, 2)]);

    // The expectation was of that commit, not of the next one.
    sell(&db, 1, 3);
    uow[changed].stock = 2;
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
}
