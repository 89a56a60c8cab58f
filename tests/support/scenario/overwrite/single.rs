//! One conflict: what is written, what is recorded, what cannot be overwritten.

use std::time::{SystemTime, UNIX_EPOCH};

use diesel::RunQueryDsl;
use diesel_versioned::NotOverwritable;

use super::super::single::{row, sold_by_someone_else, stored_lamp};
use super::{anna, failure, met, recorded, records};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::{Account, Product, StockLevel};
use crate::support::scenario::outcome::conflict;
use crate::support::{TestBackend, TestDb};

#[test]
fn what_is_overwritten_is_recorded() {
    let db = TestDb::with_own_tables();
    let mut mine = stored_lamp(&db, 42);
    let conn = &mut db.connect();
    if let Some(far) = Conn::FAR_TIME_ZONE {
        diesel::sql_query(far).execute(conn).unwrap();
    }
    let name = "a \"lamp\" \\ of 'Aladdin's'\n\t🪔";
    let mut theirs = mine.clone();
    theirs.name = name.to_owned();
    theirs.stock = -7;
    theirs.save(conn).unwrap();

    mine.price_cents = 1_999;
    let conflict = conflict(mine.save(conn));
    let written = conflict
        .overwrite(conn, anna(), "price list\nof May")
        .unwrap();
    assert_eq!(
        written,
        Product {
            version: 3,
            ..mine.clone()
        }
    );
    assert_eq!(row(&db, 42), written);

    let first = |column| records(&db, column).remove(0);
    let record = first("name");
    assert_eq!(record.actor, "anna");
    assert_eq!(record.table_name, "products");
    assert_eq!(record.row_key, "42");
    assert_eq!(record.overwritten_version, "2");
    assert_eq!(record.new_version.as_deref(), Some("3"));
    assert_eq!(record.reason, "price list\nof May");
    assert_eq!(record.lost.as_deref(), Some(name));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let ago = i64::try_from(now.as_millis()).unwrap() - record.millis;
    assert!(ago.abs() < 600_000, "{ago} ms ago");

    assert_eq!(first("stock").lost.as_deref(), Some("-7"));
    assert_eq!(first("price_cents").lost.as_deref(), Some("2999"));
    assert_eq!(first("version").lost, None);
    assert_eq!(first("id").lost, None);
}

#[test]
fn what_does_not_differ_is_not_lost() {
    let db = TestDb::with_own_tables();
    met(&db)
        .overwrite(&mut db.connect(), anna(), "counted")
        .unwrap();
    assert_eq!(records(&db, "stock")[0].lost.as_deref(), Some("4"));
    assert_eq!(records(&db, "price_cents")[0].lost.as_deref(), Some("2999"));
    assert_eq!(records(&db, "name")[0].lost, None);
}

#[test]
fn what_is_equal_is_written_and_recorded_all_the_same() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let mut mine = stored_lamp(&db, 42);
    mine.clone().touch(conn).unwrap();
    let written = conflict(mine.save(conn))
        .overwrite(conn, anna(), "it is right as it is")
        .unwrap();
    assert_eq!((written.version, row(&db, 42)), (3, written.clone()));
    assert_eq!(recorded(&db).len(), 1);
    for column in ["name", "price_cents", "stock", "version"] {
        assert_eq!(records(&db, column)[0].lost, None);
    }
}

#[test]
fn keys_of_several_parts_and_nothing_are_recorded() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let mut mine = StockLevel {
        warehouse: 1,
        sku: "A-7".to_owned(),
        quantity: 3,
        version: 0,
    };
    mine.insert(conn).unwrap();
    let mut theirs = mine.clone();
    theirs.quantity = 4;
    theirs.save(conn).unwrap();
    conflict(mine.save(conn))
        .overwrite(conn, anna(), "counted")
        .unwrap();
    let record = records(&db, "quantity").remove(0);
    assert_eq!(record.table_name, "stock_levels");
    assert_eq!(record.row_key, r#"(1, "A-7")"#);
    assert_eq!(record.lost.as_deref(), Some("4"));

    let mut mine = Account {
        id: 1,
        email: "ada@example.org".to_owned(),
        nickname: Some("Ada".to_owned()),
        balance: i64::MAX,
        version: 0,
    };
    mine.insert(conn).unwrap();
    let mut theirs = mine.clone();
    theirs.nickname = None;
    theirs.save(conn).unwrap();
    mine.balance = i64::MIN;
    conflict(mine.save(conn))
        .overwrite(conn, anna(), "corrected")
        .unwrap();
    assert_eq!(records(&db, "nickname")[1].lost, None);
    let balance = i64::MAX.to_string();
    assert_eq!(records(&db, "balance")[1].lost, Some(balance));
}

#[test]
fn a_deletion_overwrites_by_deleting() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let mut mine = stored_lamp(&db, 42);
    let theirs = sold_by_someone_else(&db, 42);
    let conflict = conflict(mine.delete(conn));
    assert_eq!(
        conflict.overwrite(conn, anna(), "scrapped").unwrap(),
        theirs
    );
    assert_eq!(mine.reload(conn), Err(diesel::result::Error::NotFound));
    assert_eq!(
        recorded(&db),
        [("2".to_owned(), None, "scrapped".to_owned())]
    );
    // All of it is lost.
    for (column, lost) in [
        ("id", "42"),
        ("name", "Lamp"),
        ("stock", "4"),
        ("version", "2"),
    ] {
        assert_eq!(records(&db, column)[0].lost.as_deref(), Some(lost));
    }
}

#[test]
fn what_nobody_has_seen_is_the_next_conflict() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let seen = met(&db);
    let third = sold_by_someone_else(&db, 42);
    let error = failure(seen.overwrite(conn, anna(), "price list"));
    assert!(error.is_conflict() && !error.is_transient() && !error.is_retryable());
    assert_eq!(error.code(), "conflict.modified");
    let next = error.conflict().unwrap();
    assert_eq!((*next.expected(), next.actual()), (2, Some(&3)));
    assert_eq!(next.current(), Some(&third));
    assert_eq!(next.base(), seen.current(), "what was seen");
    assert_eq!(next.mine().price_cents, 1_999);
    assert_eq!(next.handle(), None);
    assert_eq!((row(&db, 42), recorded(&db)), (third, vec![]));

    let written = next.overwrite(conn, anna(), "seen too").unwrap();
    assert_eq!((written.version, written.price_cents), (4, 1_999));
    let recorded = recorded(&db);
    assert_eq!(recorded.len(), 1);
    assert_eq!(recorded[0].0, "3");
}

#[test]
fn a_row_that_has_gone_since_is_the_next_conflict() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let seen = met(&db);
    db.execute("DELETE FROM products");
    let error = failure(seen.overwrite(conn, anna(), "price list"));
    assert_eq!(
        (error.code(), error.is_conflict()),
        ("conflict.deleted", true)
    );

    // And that one cannot be overwritten: there is nothing.
    let next = error.conflict().unwrap();
    let error = failure(next.overwrite(conn, anna(), "price list"));
    assert_eq!(
        (error.code(), error.is_conflict()),
        ("conflict.deleted", false)
    );
    assert!(error.to_string().contains("insert it again"), "{error}");
    assert_eq!(recorded(&db), []);
}

#[test]
fn what_nobody_else_has_written_cannot_be_overwritten() {
    let db = TestDb::with_own_tables();
    let Some(refuse) = Conn::REFUSE_PRODUCT_UPDATES else {
        return;
    };
    let conn = &mut db.connect();
    let mut mine = stored_lamp(&db, 42);
    let seen = {
        sold_by_someone_else(&db, 42);
        conflict(mine.save(conn))
    };
    db.execute(refuse);
    mine.reload(conn).unwrap();
    mine.stock = 0;
    let error = failure(conflict(mine.save(conn)).overwrite(conn, anna(), "counted"));
    assert!(matches!(
        error,
        OverwriteError::Impossible {
            why: NotOverwritable::Refused,
            ..
        }
    ));
    assert_eq!(error.code(), "conflict.refused");

    // Held back now: a conflict of its own.
    let error = failure(seen.overwrite(conn, anna(), "counted"));
    assert_eq!(
        (error.code(), error.is_conflict()),
        ("conflict.refused", true)
    );
    assert_eq!(recorded(&db), []);
}

#[test]
fn without_a_reason_nothing_is_sent() {
    // Without the table too.
    let db = TestDb::new();
    let conn = &mut db.connect();
    let seen = met(&db);
    for reason in [" \n", "\0", &"a".repeat(1_001)] {
        let error = failure(seen.overwrite(conn, anna(), reason));
        assert_eq!(error.code(), "overwrite.reason");
    }
    assert_eq!(row(&db, 42).version, 2);
}

#[test]
fn a_version_without_a_successor_is_not_overwritten() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let mut mine = stored_lamp(&db, 42);
    db.execute("UPDATE products SET version = 2147483647");
    let error = failure(conflict(mine.save(conn)).overwrite(conn, anna(), "counted"));
    assert_eq!(error.code(), "version.exhausted");
    assert_eq!(recorded(&db), []);
}

#[test]
fn a_conflict_of_a_batch_is_overwritten_too() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let mut rows = [stored_lamp(&db, 1), stored_lamp(&db, 2)];
    sold_by_someone_else(&db, 2);
    rows[1].stock = 0;
    let error = Product::save_all(conn, &mut rows).unwrap_err();
    let conflict = error.conflicts().unwrap().of::<Product>().next().unwrap();
    let written = conflict.overwrite(conn, anna(), "counted").unwrap();
    assert_eq!((written.version, row(&db, 2)), (3, written.clone()));
}
