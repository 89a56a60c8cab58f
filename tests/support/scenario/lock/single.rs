//! A lock of one row, or of some.

use diesel::prelude::*;

use super::{in_transaction, one_after_the_other, shop};
use crate::flavor::prelude::*;
use crate::support::entities::{Product, StockLevel};
use crate::support::{Queries, TestDb};

const WAYS: [(Lock, Wait); 4] = [
    (Lock::Update, Wait::Block),
    (Lock::Update, Wait::NoWait),
    (Lock::Share, Wait::Block),
    (Lock::Share, Wait::NoWait),
];

#[test]
fn outside_of_a_transaction_nothing_is_sent() {
    let db = shop(1);
    let conn = &mut db.connect();
    let loaded = Product::find(conn, 1).unwrap();
    let queries = Queries::of(conn);
    let errors = [
        Product::lock(conn, 1, Lock::Update, Wait::Block).unwrap_err(),
        Product::lock_all(conn, [1], Lock::Share, Wait::NoWait).unwrap_err(),
        loaded
            .lock_loaded(conn, Lock::Update, Wait::Block)
            .unwrap_err(),
    ];
    for error in errors {
        assert_eq!(error.code(), "lock.no_transaction");
        assert!(!error.is_transient() && !error.is_retryable());
        assert!(matches!(
            error,
            SaveError::Lock(LockError::NoTransaction { table: "products" })
        ));
        assert!(error.to_string().contains("conn.transaction"), "{error}");
    }
    let mut uow = UnitOfWork::new();
    let error = uow
        .lock::<Product>(conn, 1, Lock::Update, Wait::Block)
        .unwrap_err();
    assert_eq!(error.code(), "lock.no_transaction");
    assert!(uow.is_empty());
    assert_eq!(queries.take(), Vec::<String>::new());
}

#[test]
fn it_reads_the_row_and_the_guard_holds() {
    let db = shop(2);
    let conn = &mut db.connect();
    for (round, (lock, wait)) in (0..).zip(WAYS) {
        in_transaction(conn, |conn| {
            let mut locked = Product::lock(conn, 1, lock, wait)?;
            assert_eq!((locked.stock, locked.version), (10 + round, 1 + round));
            locked.stock += 1;
            locked.save(conn)
        })
        .unwrap();
    }
    assert_eq!(Product::find(conn, 1).unwrap().stock, 14);
    assert_eq!(Product::find(conn, 2).unwrap().version, 1);
}

#[test]
fn it_waits_for_the_writer_before_it_and_sees_what_that_has_written() {
    let db = shop(1);
    for (lock, wait) in [WAYS[0], WAYS[2]] {
        db.execute("UPDATE products SET stock = 10, version = 1");
        let ((), seen) = one_after_the_other(
            |has_locked| {
                db.connect()
                    .transaction::<_, SaveError<Product>, _>(|conn| {
                        let mut mine = Product::lock(conn, 1, Lock::Update, Wait::Block)?;
                        has_locked();
                        mine.stock = 3;
                        mine.save(conn)
                    })
                    .unwrap();
            },
            || in_transaction(&mut db.connect(), |conn| Product::lock(conn, 1, lock, wait)),
        );
        let seen = seen.unwrap();
        assert_eq!((seen.stock, seen.version), (3, 2));
    }
}

#[test]
fn a_row_that_is_not_there_is_not_found() {
    let db = shop(2);
    let conn = &mut db.connect();
    for (lock, wait) in WAYS {
        let error = in_transaction(conn, |conn| Product::lock(conn, 7, lock, wait)).unwrap_err();
        assert_eq!(error.code(), "row.not_found", "{error:?}");
        assert!(!error.is_transient());
        assert_eq!(
            error.to_string(),
            "`products` 7 cannot be locked: there is no such row"
        );
        let error = in_transaction(conn, |conn| Product::lock_all(conn, [2, 7, 1], lock, wait))
            .unwrap_err();
        let SaveError::Lock(LockError::NotFound { entity }) = error else {
            panic!("{error:?}");
        };
        assert_eq!(entity.key.as_deref(), Some("7"));
    }
}

#[test]
fn rows_come_as_they_were_asked_for() {
    let db = shop(3);
    let conn = &mut db.connect();
    let ids = |conn: &mut crate::Conn, keys: &[i32]| -> Vec<i32> {
        let rows = in_transaction(conn, |conn| {
            Product::lock_all(conn, keys, Lock::Update, Wait::Block)
        });
        rows.unwrap().iter().map(|product| product.id).collect()
    };
    assert_eq!(ids(conn, &[3, 1, 2]), [3, 1, 2]);
    assert_eq!(ids(conn, &[2, 1, 2]), [2, 1, 2]);
    assert_eq!(ids(conn, &[]), [0; 0]);
}

#[test]
fn composite_keys_and_many_rows() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let keys: Vec<(i32, String)> = (0..1_100).map(|n| (n % 7, format!("S{n:04}"))).collect();
    let mut levels: Vec<StockLevel> = keys
        .iter()
        .map(|(warehouse, sku)| StockLevel {
            warehouse: *warehouse,
            sku: sku.clone(),
            quantity: 1,
            version: 0,
        })
        .collect();
    let mut uow = UnitOfWork::new();
    for level in levels.drain(..) {
        uow.insert(level).unwrap();
    }
    uow.commit(conn).unwrap();
    let rows = in_transaction(conn, |conn| {
        StockLevel::lock_all(conn, keys.clone(), Lock::Update, Wait::Block)
    })
    .unwrap();
    let found: Vec<(i32, String)> = rows
        .into_iter()
        .map(|row| (row.warehouse, row.sku))
        .collect();
    assert_eq!(found, keys);
}
