//! What a commit says it did; hooks and the closures that belong to the unit.

use std::sync::mpsc;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel_versioned::Operation;

use super::{Unit, failure, product, sell, shop, stocks};
use crate::flavor::prelude::*;
use crate::support::entities::{Account, Order, Product};
use crate::support::schema::products;

/// Table, key, operation, old and new version.
pub(super) type Change = (
    &'static str,
    String,
    Operation,
    Option<String>,
    Option<String>,
);

pub(super) fn changes(done: &Committed) -> Vec<Change> {
    done.iter()
        .map(|change| {
            (
                change.table(),
                change.key().to_owned(),
                change.operation(),
                change.old_version().map(str::to_owned),
                change.new_version().map(str::to_owned),
            )
        })
        .collect()
}

#[test]
fn committed_lists_every_row_with_its_versions() {
    let db = shop(4);
    db.execute("UPDATE products SET version = 6 WHERE id = 2");
    db.execute("INSERT INTO accounts VALUES (7, 'a@b.c', NULL, 5, 3)");
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let changed: Handle<Product> = uow.find(conn, 2).unwrap();
    let touched: Handle<Product> = uow.find(conn, 3).unwrap();
    let deleted: Handle<Product> = uow.find(conn, 4).unwrap();
    let checked: Handle<Product> = uow.find(conn, 1).unwrap();
    let account: Handle<Account> = uow.find(conn, 7_i64).unwrap();
    uow.insert(product(9)).unwrap();
    let order = uow
        .insert(Order {
            id: 0,
            customer: "Ada".into(),
            total_cents: 1,
            version: 77,
        })
        .unwrap();
    uow[changed].stock = 1;
    uow.touch(touched);
    uow.delete(deleted);
    uow.expect_unchanged(checked);
    uow[account].balance += 1;

    let done = uow.commit(conn).unwrap();
    let (some, order_id) = (|text: &str| Some(text.to_owned()), uow[order].id);
    let mut listed = changes(&done);
    listed.sort_by_key(|change| (change.0, change.1.clone()));
    assert_eq!(
        listed,
        [
            (
                "accounts",
                "7".into(),
                Operation::Update,
                some("3"),
                some("4")
            ),
            (
                "orders",
                order_id.to_string(),
                Operation::Insert,
                None,
                some("1")
            ),
            (
                "products",
                "2".into(),
                Operation::Update,
                some("6"),
                some("7")
            ),
            (
                "products",
                "3".into(),
                Operation::Touch,
                some("1"),
                some("2")
            ),
            ("products", "4".into(), Operation::Delete, some("1"), None),
            ("products", "9".into(), Operation::Insert, None, some("1")),
        ]
    );
    assert_eq!(
        (done.len(), done.is_empty(), done.is_nested()),
        (6, false, false)
    );
    assert_eq!(
        stocks(conn),
        [(1, 10, 1), (2, 1, 7), (3, 10, 2), (9, 10, 1)]
    );
}

#[test]
fn also_runs_after_the_writes_in_the_same_transaction() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 4;
    uow.also(|conn| {
        assert_eq!(stocks(conn), [(1, 4, 2)]);
        conn.batch_execute("INSERT INTO products VALUES (50, 'journal', 0, 0, 1)")
    });
    uow.also(|conn| {
        // In the order in which they were given.
        let found: i64 = products::table
            .filter(products::id.eq(50))
            .count()
            .get_result(conn)?;
        assert_eq!(found, 1);
        Err(diesel::result::Error::RollbackTransaction)
    });
    failure(uow.commit(conn));
    assert_eq!(stocks(conn), [(1, 10, 1)], "its rows went with the unit's");
}

#[test]
fn also_alone_is_a_unit() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    uow.also(|conn| conn.batch_execute("UPDATE products SET stock = 0"));
    let done = uow.commit(conn).unwrap();
    assert!(done.is_empty());
    assert_eq!(stocks(conn), [(1, 0, 1)]);
}

#[test]
fn also_runs_again_with_the_next_attempt_and_is_gone_after_success() {
    let db = shop(1);
    let conn = &mut db.connect();
    let (sender, runs) = mpsc::channel();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 4;
    let mut attempt = 0;
    uow.also(move |_| {
        attempt += 1;
        sender.send(attempt).unwrap();
        if attempt == 1 {
            return Err(diesel::result::Error::RollbackTransaction);
        }
        Ok(())
    });
    failure(uow.commit(conn));
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    uow[handle].stock = 3;
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    assert_eq!(runs.try_iter().collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn also_does_not_run_for_a_unit_in_conflict() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 4;
    uow.also(|_| panic!("the unit has lost"));
    sell(&db, 1, 9);
    assert!(failure(uow.commit(conn)).is_conflict());
}

#[test]
fn hooks_run_once_and_only_when_the_unit_is_durable() {
    let db = shop(1);
    let conn = &mut db.connect();
    let (sender, runs) = mpsc::channel();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 4;
    let url = db.url().to_owned();
    uow.after_commit(move |done| {
        // Another connection sees it already.
        let mut other = <crate::Conn as Connection>::establish(&url).unwrap();
        sender.send((done.len(), stocks(&mut other))).unwrap();
    });
    sell(&db, 1, 9);
    assert!(failure(uow.commit(conn)).is_conflict());
    assert_eq!(runs.try_iter().count(), 0);

    db.execute("UPDATE products SET version = 1");
    let mut done = uow.commit(conn).unwrap();
    done.run_hooks();
    uow[handle].stock = 5;
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    assert_eq!(runs.try_iter().collect::<Vec<_>>(), [(1, vec![(1, 4, 2)])]);
}

#[test]
fn a_hook_that_panics_leaves_the_unit_committed() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 4;
    uow.after_commit(|_| panic!("on purpose"));
    let run = std::panic::AssertUnwindSafe(|| drop(uow.commit(conn)));
    std::panic::catch_unwind(run).unwrap_err();
    assert_eq!(stocks(conn), [(1, 4, 2)]);
    assert_eq!((uow[handle].version, uow.is_dirty(handle)), (2, false));
    uow[handle].stock = 5;
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
}
