//! The version: its types, its end.

use super::{conflict, lamp, row};
use crate::flavor::prelude::*;
use crate::support::entities::{Account, Product, StockLevel};
use crate::support::{Queries, TestDb};

fn account(id: i64) -> Account {
    Account {
        id,
        email: format!("{id}@example.org"),
        nickname: None,
        balance: 0,
        version: 0,
    }
}

#[test]
fn a_smallint_version_counts() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut mine = account(7);
    mine.insert(conn).unwrap();
    let mut stale = mine.clone();
    mine.save(conn).unwrap();
    mine.touch(conn).unwrap();
    assert_eq!((mine.version, Account::find(conn, 7).unwrap()), (3, mine));
    assert_eq!(conflict(stale.save(conn)).actual(), Some(&3_i16));
}

#[test]
fn a_bigint_version_counts_beyond_an_integer() {
    let db = TestDb::new();
    let before = i64::from(i32::MAX);
    db.execute(&format!(
        "INSERT INTO stock_levels VALUES (1, 'A-7', 3, {before})"
    ));
    let conn = &mut db.connect();
    let mut mine = StockLevel::find(conn, (1, "A-7".to_owned())).unwrap();
    let mut stale = mine.clone();
    mine.save(conn).unwrap();
    assert_eq!(mine.version, before + 1);
    mine.touch(conn).unwrap();
    StockLevel::save_all(conn, std::slice::from_mut(&mut mine)).unwrap();
    assert_eq!(mine.version, before + 3);
    assert_eq!(conflict(stale.save(conn)).actual(), Some(&(before + 3)));
}

#[test]
fn rule_05_the_next_version_follows_the_expected_one_and_is_bound() {
    let db = TestDb::new();
    db.execute("INSERT INTO products VALUES (42, 'Lamp', 2999, 5, -7)");
    let conn = &mut db.connect();
    let mut mine = Product::find(conn, 42).unwrap();
    let queries = Queries::of(conn);
    mine.save(conn).unwrap();
    assert_eq!((mine.version, row(&db, 42).version), (-6, -6));
    mine.touch(conn).unwrap();
    Product::save_all(conn, std::slice::from_mut(&mut mine)).unwrap();
    assert_eq!((mine.version, row(&db, 42).version), (-4, -4));
    for sql in queries.take() {
        assert!(!sql.contains('+'), "the database counts: {sql}");
    }
}

#[test]
fn rule_05_the_last_version_can_be_reached() {
    let db = TestDb::new();
    db.execute("INSERT INTO products VALUES (42, 'Lamp', 2999, 5, 2147483646)");
    let conn = &mut db.connect();
    let mut last = Product::find(conn, 42).unwrap();
    last.save(conn).unwrap();
    assert_eq!((last.version, row(&db, 42).version), (i32::MAX, i32::MAX));
}

/// Neither `save` nor `touch` nor `save_all` sends anything or changes anything.
macro_rules! exhausted {
    ($($name:ident: $insert:expr, $entity:ty, $key:expr, $version:expr, $shown:expr;)*) => {$(
        #[test]
        fn $name() {
            let db = TestDb::new();
            db.execute($insert);
            let conn = &mut db.connect();
            let mut last = <$entity>::find(conn, $key).unwrap();
            assert_eq!(last.version(), $version);
            let before = last.clone();
            let queries = Queries::of(conn);
            for error in [last.save(conn).unwrap_err(), last.touch(conn).unwrap_err()] {
                assert!(matches!(error, SaveError::VersionExhausted { .. }), "{error:?}");
                assert_eq!(error.code(), "version.exhausted");
                assert!(!error.is_conflict() && !error.is_transient());
                assert_eq!(error.to_string(), $shown);
            }
            let error = <$entity>::save_all(conn, std::slice::from_mut(&mut last)).unwrap_err();
            assert!(matches!(error, CommitError::VersionExhausted { .. }), "{error:?}");
            assert_eq!((error.code(), error.to_string().as_str()), ("version.exhausted", $shown));
            assert_eq!(queries.take(), Vec::<String>::new(), "something was sent");
            assert_eq!(last, before);
            assert_eq!(<$entity>::find(conn, $key).unwrap(), before);
            // Nothing follows a delete.
            last.delete(conn).unwrap();
        }
    )*};
}

exhausted! {
    rule_05_an_exhausted_i16_does_not_wrap:
        "INSERT INTO accounts VALUES (7, 'ada@example.org', NULL, 0, 32767)",
        Account, 7_i64, i16::MAX,
        "the version 32767 of `accounts` 7 is the greatest of its type; \
         widen the version column and the field";
    rule_05_an_exhausted_i32_does_not_wrap:
        "INSERT INTO products VALUES (42, 'Lamp', 2999, 5, 2147483647)",
        Product, 42, i32::MAX,
        "the version 2147483647 of `products` 42 is the greatest of its type; \
         widen the version column and the field";
    rule_05_an_exhausted_i64_does_not_wrap:
        "INSERT INTO stock_levels VALUES (1, 'A-7', 3, 9223372036854775807)",
        StockLevel, (1, "A-7".to_owned()), i64::MAX,
        "the version 9223372036854775807 of `stock_levels` (1, \"A-7\") is the greatest of its \
         type; widen the version column and the field";
}

#[test]
fn rule_05_one_exhausted_row_holds_back_the_batch() {
    let db = TestDb::new();
    db.execute("INSERT INTO products VALUES (1, 'Lamp', 2999, 5, 1), (2, 'Lamp', 2999, 5, 2147483647), (3, 'Lamp', 2999, 5, 1)");
    let conn = &mut db.connect();
    let mut rows: Vec<Product> = (1..=3).map(|id| Product::find(conn, id).unwrap()).collect();
    for row in &mut rows {
        row.stock = 0;
    }
    let before = rows.clone();
    let error = Product::save_all(conn, &mut rows).unwrap_err();
    assert!(
        matches!(error, CommitError::VersionExhausted { .. }),
        "{error:?}"
    );
    assert_eq!(rows, before);
    for id in [1, 2, 3] {
        assert_eq!(row(&db, id).stock, lamp(id).stock);
    }
}
