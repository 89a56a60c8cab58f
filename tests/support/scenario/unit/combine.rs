//! Several wishes for one row: each pair has one result and never conflicts with itself.

use diesel_versioned::Operation;

use super::{Unit, conflicts, kinds, one, product, sell, shop, stocks};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::Product;

/// Commits; what was done to which version.
fn operations(uow: &mut Unit, conn: &mut Conn) -> Vec<(Operation, Option<String>)> {
    let done = uow.commit(conn).unwrap();
    done.iter()
        .map(|change| (change.operation(), change.new_version().map(str::to_owned)))
        .collect()
}

#[test]
fn rule_14_delete_and_insert_of_one_key_replaces_the_row() {
    let (_db, mut conn, mut uow, old) = one();
    uow.delete(old);
    let new = uow
        .insert(Product {
            stock: 1,
            version: 44,
            ..product(1)
        })
        .unwrap();
    assert_eq!(uow.find::<Product>(&mut conn, 1).unwrap(), new);
    let listed = operations(&mut uow, &mut conn);
    assert_eq!(
        listed,
        [
            (Operation::Delete, None),
            (Operation::Insert, Some("1".into()))
        ]
    );
    assert_eq!(stocks(&mut conn), [(1, 1, 1)]);
    assert_eq!(uow.get(old), None);
    assert_eq!((uow[new].stock, uow[new].version), (1, 1));
    // The new one is tracked like any other.
    uow[new].stock = 2;
    assert_eq!(
        operations(&mut uow, &mut conn),
        [(Operation::Update, Some("2".into()))]
    );
}

#[test]
fn delete_and_insert_is_guarded_by_the_old_version() {
    let (db, mut conn, mut uow, old) = one();
    uow.delete(old);
    let new = uow.insert(product(1)).unwrap();
    sell(&db, 1, 7);
    for _ in 0..2 {
        let lost = conflicts(uow.commit(&mut conn));
        assert_eq!(
            kinds(&lost),
            [("products", "1".into(), ConflictKind::Modified)]
        );
    }
    assert_eq!(stocks(&mut conn), [(1, 7, 2)]);
    assert_eq!(uow.handle(1), Some(new));
}

#[test]
fn what_was_to_replace_a_row_in_conflict_is_discarded_with_it() {
    let (db, mut conn, mut uow, old) = one();
    uow.delete(old);
    let new = uow.insert(product(1)).unwrap();
    let child = uow.insert_with(new, |new| product(new.id + 1)).unwrap();
    let other = uow.insert(product(9)).unwrap();
    sell(&db, 1, 7);
    let lost = conflicts(uow.commit(&mut conn));
    uow.discard(&lost);
    assert_eq!(
        (uow.get(old), uow.get(new), uow.get(child)),
        (None, None, None)
    );
    assert_eq!(
        operations(&mut uow, &mut conn),
        [(Operation::Insert, Some("1".into()))]
    );
    assert_eq!(stocks(&mut conn), [(1, 7, 2), (9, 10, 1)]);
    assert_eq!(uow[other].version, 1);
    assert_eq!(
        uow.find::<Product>(&mut conn, 1)
            .map(|again| uow[again].stock),
        Ok(7)
    );
}

#[test]
fn an_insert_that_takes_a_deleted_key_gives_it_back() {
    let (_db, mut conn, mut uow, old) = one();
    uow.delete(old);
    let new = uow.insert(product(1)).unwrap();
    uow.delete(new);
    assert_eq!(uow.handle::<Product>(1), None);
    assert!(uow.attach(product(1)).is_err(), "the unit deletes it");
    let again = uow.insert(product(1)).unwrap();
    uow.discard(again);
    assert_eq!(operations(&mut uow, &mut conn), [(Operation::Delete, None)]);
    assert_eq!(stocks(&mut conn), []);
}

#[test]
fn rule_14_insert_and_delete_is_nothing() {
    let (_db, mut conn, mut uow, _) = one();
    let new = uow.insert(product(2)).unwrap();
    uow.delete(new);
    assert_eq!(uow.get(new), None);
    assert_eq!(operations(&mut uow, &mut conn), []);
    assert_eq!(stocks(&mut conn), [(1, 10, 1)]);
    uow.insert(product(2)).unwrap();
}

#[test]
fn rule_14_touch_and_change_is_one_step() {
    let (_db, mut conn, mut uow, handle) = one();
    uow.touch(handle);
    uow[handle].stock = 3;
    uow.touch(handle);
    assert_eq!(
        operations(&mut uow, &mut conn),
        [(Operation::Update, Some("2".into()))]
    );
    assert_eq!(stocks(&mut conn), [(1, 3, 2)]);
}

#[test]
fn touch_and_a_form_is_one_step() {
    let db = shop(1);
    let mut conn = db.connect();
    let mut uow = Unit::new();
    let handle = uow.save(product(1)).unwrap();
    uow.touch(handle);
    uow.expect_unchanged(handle);
    assert_eq!(
        operations(&mut uow, &mut conn),
        [(Operation::Update, Some("2".into()))]
    );
}

#[test]
fn touch_and_insert_is_an_insert() {
    let (_db, mut conn, mut uow, _) = one();
    let new = uow.insert(product(2)).unwrap();
    uow.touch(new);
    uow.expect_unchanged(new);
    assert_eq!(
        operations(&mut uow, &mut conn),
        [(Operation::Insert, Some("1".into()))]
    );
    assert!(!uow.is_dirty(new));
    assert_eq!(operations(&mut uow, &mut conn), []);
}

#[test]
fn touch_and_delete_is_a_delete() {
    let (_db, mut conn, mut uow, handle) = one();
    uow.touch(handle);
    uow.delete(handle);
    uow.delete(handle);
    assert_eq!(operations(&mut uow, &mut conn), [(Operation::Delete, None)]);
}

#[test]
fn change_and_delete_is_a_delete_under_the_old_version() {
    let (_db, mut conn, mut uow, handle) = one();
    uow[handle].stock = 3;
    uow.delete(handle);
    assert_eq!(operations(&mut uow, &mut conn), [(Operation::Delete, None)]);
    assert_eq!(stocks(&mut conn), []);
}

#[test]
fn rule_14_expect_unchanged_and_change_is_a_change() {
    let (_db, mut conn, mut uow, handle) = one();
    uow.expect_unchanged(handle);
    uow[handle].stock = 3;
    uow.expect_unchanged(handle);
    assert_eq!(
        operations(&mut uow, &mut conn),
        [(Operation::Update, Some("2".into()))]
    );
}

#[test]
fn rule_14_expect_unchanged_and_delete_is_a_delete() {
    let (db, mut conn, mut uow, handle) = one();
    uow.expect_unchanged(handle);
    uow.delete(handle);
    sell(&db, 1, 4);
    let lost = conflicts(uow.commit(&mut conn));
    assert_eq!(lost.len(), 1, "one row, one conflict");
    db.execute("UPDATE products SET version = 1");
    assert_eq!(operations(&mut uow, &mut conn), [(Operation::Delete, None)]);
}

#[test]
fn one_row_in_conflict_is_one_conflict_whatever_was_wished_for() {
    let (db, mut conn, mut uow, handle) = one();
    uow.touch(handle);
    uow.expect_unchanged(handle);
    uow[handle].stock = 3;
    sell(&db, 1, 4);
    assert_eq!(conflicts(uow.commit(&mut conn)).len(), 1);
}
