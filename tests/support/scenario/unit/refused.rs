//! Rows that stand at the expected version and still are not written: a trigger, a rule.

use diesel::connection::SimpleConnection;

use super::{Unit, conflicts, depth, kinds, product, sell, shop, stocks};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::capabilities::Write;
use crate::support::entities::{Order, OrderLine, Product};
use crate::support::{TestBackend, TestDb};

const REFUSED: ConflictKind = ConflictKind::Refused;

/// A shop whose database ignores one kind of write to some rows of a table, if it can.
fn refusing(count: i32, write: Write, table: &str, rows: &str) -> Option<(TestDb, Conn)> {
    let db = shop(count);
    db.execute(&Conn::refuse_rows(write, table, rows)?);
    let conn = db.connect();
    Some((db, conn))
}

#[test]
fn one_refused_update_of_a_hundred_is_named_exactly() {
    let Some((_db, mut conn)) = refusing(100, Write::Update, "products", "OLD.id = 37") else {
        return;
    };
    let mut uow = Unit::new();
    for id in 1..=100 {
        let handle: Handle<Product> = uow.find(&mut conn, id).unwrap();
        uow[handle].stock = 1;
    }
    for _ in 0..2 {
        let lost = conflicts(uow.commit(&mut conn));
        assert_eq!(kinds(&lost), [("products", "37".into(), REFUSED)]);
        assert_eq!(lost.code(), "conflict.refused");
        let conflict = lost.of::<Product>().next().unwrap();
        assert_eq!((*conflict.expected(), conflict.actual()), (1, Some(&1)));
        assert_eq!(conflict.current(), Some(&product(37)));
        assert_eq!(conflict.mine().stock, 1);
        assert_eq!(depth(&mut conn), 0);
        assert_eq!(stocks(&mut conn), stocks_of(100));
    }
    let lost = conflicts(uow.commit(&mut conn));
    uow.discard(&lost);
    assert_eq!(uow.commit(&mut conn).unwrap().len(), 99);
}

fn stocks_of(count: i32) -> Vec<(i32, i32, i32)> {
    (1..=count).map(|id| (id, 10, 1)).collect()
}

#[test]
fn refused_deletes_are_named_exactly() {
    let Some((_db, mut conn)) = refusing(20, Write::Delete, "products", "OLD.id IN (3, 9)") else {
        return;
    };
    let mut uow = Unit::new();
    for id in 1..=20 {
        let handle: Handle<Product> = uow.find(&mut conn, id).unwrap();
        uow.delete(handle);
    }
    let lost = conflicts(uow.commit(&mut conn));
    assert_eq!(
        kinds(&lost),
        [
            ("products", "3".into(), REFUSED),
            ("products", "9".into(), REFUSED)
        ]
    );
    assert_eq!(stocks(&mut conn), stocks_of(20));
}

#[test]
fn refused_inserts_are_named_exactly() {
    let Some((_db, mut conn)) = refusing(1, Write::Insert, "products", "NEW.id = 5") else {
        return;
    };
    let mut uow = Unit::new();
    for id in 2..=9 {
        uow.insert(product(id)).unwrap();
    }
    let lost = conflicts(uow.commit(&mut conn));
    assert_eq!(kinds(&lost), [("products", "5".into(), REFUSED)]);
    let conflict = lost.of::<Product>().next().unwrap();
    assert_eq!((*conflict.expected(), conflict.actual()), (1, None));
    assert_eq!(stocks(&mut conn), stocks_of(1));
    uow.discard(&lost);
    assert_eq!(uow.commit(&mut conn).unwrap().len(), 7);
}

#[test]
fn a_refused_row_with_a_generated_key_is_told_by_its_content() {
    let rows = "NEW.customer = 'unwanted'";
    let Some((_db, mut conn)) = refusing(1, Write::Insert, "orders", rows) else {
        return;
    };
    let mut uow = Unit::new();
    for customer in ["Ada", "unwanted", "Bob"] {
        uow.insert(Order {
            id: 0,
            customer: customer.into(),
            total_cents: 0,
            version: 0,
        })
        .unwrap();
    }
    let lost = conflicts(uow.commit(&mut conn));
    let refused: Vec<&str> = lost
        .of::<Order>()
        .map(|conflict| conflict.mine().customer.as_str())
        .collect();
    assert_eq!((lost.len(), refused), (1, vec!["unwanted"]));
    assert_eq!(lost.code(), "conflict.refused");
}

#[test]
fn a_refused_child_of_a_new_parent_is_named() {
    let rows = "NEW.quantity = 2";
    let Some((_db, mut conn)) = refusing(1, Write::Insert, "order_lines", rows) else {
        return;
    };
    let mut uow = Unit::new();
    let parent = uow
        .insert(Order {
            id: 0,
            customer: "Ada".into(),
            total_cents: 0,
            version: 0,
        })
        .unwrap();
    for quantity in 1..=3 {
        uow.insert_with(parent, move |order| OrderLine {
            id: 0,
            order_id: order.id,
            product_id: 1,
            quantity,
            version: 0,
        })
        .unwrap();
    }
    let lost = conflicts(uow.commit(&mut conn));
    let refused: Vec<i32> = lost
        .of::<OrderLine>()
        .map(|conflict| conflict.mine().quantity)
        .collect();
    assert_eq!((lost.len(), refused), (1, vec![2]));
    uow.discard(&lost);
    assert_eq!(uow.commit(&mut conn).unwrap().len(), 3);
}

#[test]
fn refused_and_stale_rows_of_one_batch_are_told_apart() {
    let Some((db, mut conn)) = refusing(100, Write::Update, "products", "OLD.id = 37") else {
        return;
    };
    let mut uow = Unit::new();
    for id in 1..=100 {
        let handle: Handle<Product> = uow.find(&mut conn, id).unwrap();
        uow[handle].stock = 1;
    }
    sell(&db, 50, 3);
    db.execute("DELETE FROM products WHERE id = 51");
    let lost = conflicts(uow.commit(&mut conn));
    assert_eq!(
        kinds(&lost),
        [
            ("products", "37".into(), REFUSED),
            ("products", "50".into(), ConflictKind::Modified),
            ("products", "51".into(), ConflictKind::Deleted),
        ]
    );
}

#[test]
fn a_refused_row_inside_a_callers_transaction_is_named() {
    let Some((_db, mut conn)) = refusing(4, Write::Update, "products", "OLD.id = 2") else {
        return;
    };
    let mut uow = Unit::new();
    for id in 1..=4 {
        let handle: Handle<Product> = uow.find(&mut conn, id).unwrap();
        uow.touch(handle);
    }
    diesel::Connection::transaction::<(), diesel::result::Error, _>(&mut conn, |conn| {
        conn.batch_execute("INSERT INTO products VALUES (50, 'before', 0, 10, 1)")?;
        let lost = conflicts(uow.commit(conn));
        assert_eq!(kinds(&lost), [("products", "2".into(), REFUSED)]);
        Ok(())
    })
    .unwrap();
    assert_eq!(stocks(&mut conn).len(), 5);
}

#[test]
fn a_refused_delete_is_not_mistaken_for_a_violation() {
    // The row that was to be replaced stays, so the insert finds its key taken.
    let Some((_db, mut conn)) = refusing(2, Write::Delete, "products", "OLD.id = 1") else {
        return;
    };
    let mut uow = Unit::new();
    let old: Handle<Product> = uow.find(&mut conn, 1).unwrap();
    uow.delete(old);
    uow.insert(product(1)).unwrap();
    let lost = conflicts(uow.commit(&mut conn));
    assert_eq!(kinds(&lost), [("products", "1".into(), REFUSED)]);
}

#[test]
fn what_was_in_the_way_and_is_gone_is_no_conflict() {
    let Some(refuse_one) = Conn::REFUSE_ONE_PRODUCT_UPDATE else {
        return;
    };
    let db = shop(3);
    db.execute(refuse_one);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handles = [1, 2, 3].map(|id| uow.find::<Product>(conn, id).unwrap());
    for handle in handles {
        uow[handle].stock = 3;
    }
    assert_eq!(uow.commit(conn).unwrap().len(), 3);
    assert_eq!(stocks(conn), [(1, 3, 2), (2, 3, 2), (3, 3, 2)]);
}
