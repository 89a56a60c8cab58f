//! A unit is used again: after success clean and at the new versions, after failure dirty and at
//! the old ones.

use super::{Unit, conflicts, failure, product, sell, shop, stocks};
use crate::flavor::prelude::*;
use crate::support::entities::{Order, Product};

#[test]
fn rule_03_after_success_a_unit_is_clean_and_at_the_new_versions() {
    let db = shop(3);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let changed: Handle<Product> = uow.find(conn, 1).unwrap();
    let touched: Handle<Product> = uow.find(conn, 2).unwrap();
    let form = uow.save(product(3)).unwrap();
    let inserted = uow.insert(product(4)).unwrap();
    let generated = uow
        .insert(Order {
            id: 0,
            customer: "Ada".into(),
            total_cents: 0,
            version: 0,
        })
        .unwrap();
    uow[changed].stock = 3;
    uow.touch(touched);
    assert_eq!(uow.commit(conn).unwrap().len(), 5);
    for handle in [changed, touched, form, inserted] {
        assert!(!uow.is_dirty(handle));
        assert_eq!(uow.base(handle), Some(&uow[handle]));
    }
    assert!(!uow.is_dirty(generated));
    assert!(uow.commit(conn).unwrap().is_empty());

    for handle in [changed, touched, form, inserted] {
        uow[handle].stock = 0;
    }
    uow[generated].total_cents = 5;
    assert_eq!(uow.commit(conn).unwrap().len(), 5);
    assert_eq!(stocks(conn), [(1, 0, 3), (2, 0, 3), (3, 0, 3), (4, 0, 2)]);
    let stands = Order::find(conn, uow[generated].id).unwrap();
    assert_eq!((stands.total_cents, stands.version), (5, 2));
}

#[test]
fn rule_03_after_failure_a_unit_is_dirty_and_commits_when_the_reason_is_gone() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let changed: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[changed].stock = 3;
    let inserted = uow
        .insert_with(changed, |parent| Product {
            stock: parent.stock + 1,
            ..product(2)
        })
        .unwrap();
    let error = failure(uow.commit(conn));
    assert_eq!(error.code(), "constraint.unique");
    assert_eq!(uow.get(inserted), None, "it was never made");
    db.execute("DELETE FROM products WHERE id = 2");
    uow[changed].stock = 4;
    assert_eq!(uow.commit(conn).unwrap().len(), 2);
    assert_eq!(stocks(conn), [(1, 4, 2), (2, 5, 1)]);
    assert_eq!(uow[inserted].stock, 5);
}

#[test]
fn a_unit_that_lost_is_brought_up_to_date_and_committed() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let stale: Handle<Product> = uow.find(conn, 1).unwrap();
    let fine: Handle<Product> = uow.find(conn, 2).unwrap();
    uow[stale].stock -= 3;
    uow[fine].stock += 3;
    sell(&db, 1, 8);
    let lost = conflicts(uow.commit(conn));
    uow.discard(&lost);
    let fresh: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[fresh].stock -= 3;
    assert_eq!(uow.commit(conn).unwrap().len(), 2);
    assert_eq!(stocks(conn), [(1, 5, 3), (2, 13, 2)]);
}

#[test]
fn what_a_unit_wrote_conflicts_with_a_later_writer_as_usual() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 3;
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    sell(&db, 1, 2);
    uow[handle].stock = 1;
    let lost = conflicts(uow.commit(conn));
    let conflict = lost.of::<Product>().next().unwrap();
    assert_eq!((*conflict.expected(), conflict.actual()), (2, Some(&3)));
    assert_eq!(conflict.base().map(|base| base.stock), Some(3));
}
