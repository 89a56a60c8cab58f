//! The SQL of each statement, as it is sent.

use diesel::Connection;

use super::{as_sent, conflict, lamp, stored_lamp};
use crate::flavor::prelude::*;
use crate::support::entities::{Document, Order, Product, StockLevel};
use crate::support::{Queries, TestBackend, TestDb};

const COLUMNS: &str = r#""products"."id", "products"."name", "products"."price_cents", "products"."stock", "products"."version""#;

/// What is sent for each of the commands on one product.
fn sent(work: impl FnOnce(&mut crate::Conn, &mut Product)) -> Vec<String> {
    let db = TestDb::new();
    let mut product = stored_lamp(&db, 42);
    let conn = &mut db.connect();
    let queries = Queries::of(conn);
    work(conn, &mut product);
    queries.take()
}

#[test]
fn select() {
    assert_eq!(
        sent(|conn, _| drop(Product::find(conn, 42).unwrap())),
        [as_sent(&format!(
            r#"SELECT {COLUMNS} FROM "products" WHERE "id" = ?"#
        ))]
    );
}

#[test]
fn insert() {
    assert_eq!(
        sent(|conn, _| lamp(43).insert(conn).unwrap()),
        [as_sent(
            r#"INSERT INTO "products" ("id", "name", "price_cents", "stock", "version") VALUES (?, ?, ?, ?, ?)"#
        )]
    );
}

#[test]
fn rule_04_the_guard_is_inside_the_update() {
    assert_eq!(
        sent(|conn, lamp| lamp.save(conn).unwrap()),
        [as_sent(
            r#"UPDATE "products" SET "name" = ?, "price_cents" = ?, "stock" = ?, "version" = ? WHERE "id" = ? AND "version" = ?"#
        )]
    );
}

#[test]
fn rule_04_the_guard_is_inside_the_touch() {
    assert_eq!(
        sent(|conn, lamp| lamp.touch(conn).unwrap()),
        [as_sent(
            r#"UPDATE "products" SET "version" = ? WHERE "id" = ? AND "version" = ?"#
        )]
    );
}

#[test]
fn rule_04_the_guard_is_inside_the_delete() {
    assert_eq!(
        sent(|conn, lamp| lamp.delete(conn).unwrap()),
        [as_sent(
            r#"DELETE FROM "products" WHERE "id" = ? AND "version" = ?"#
        )]
    );
}

#[test]
fn rule_09_the_classifying_read_locks_where_a_snapshot_would_lie() {
    let statements = sent(|conn, lamp| {
        lamp.version = 9;
        conflict(lamp.save(conn));
    });
    let lock = crate::Conn::LOCK_CURRENT;
    assert_eq!(
        statements[1..],
        [as_sent(&format!(
            r#"SELECT {COLUMNS} FROM "products" WHERE "id" = ?{lock}"#
        ))]
    );
}

#[test]
fn every_part_of_a_composite_key_is_in_the_guard() {
    let db = TestDb::new();
    db.execute("INSERT INTO stock_levels VALUES (1, 'A-7', 3, 1)");
    let conn = &mut db.connect();
    let mut level = StockLevel::find(conn, (1, "A-7".to_owned())).unwrap();
    let queries = Queries::of(conn);
    level.save(conn).unwrap();
    level.delete(conn).unwrap();
    assert_eq!(
        queries.take(),
        [
            as_sent(
                r#"UPDATE "stock_levels" SET "quantity" = ?, "version" = ? WHERE "warehouse" = ? AND "sku" = ? AND "version" = ?"#
            ),
            as_sent(
                r#"DELETE FROM "stock_levels" WHERE "warehouse" = ? AND "sku" = ? AND "version" = ?"#
            ),
        ]
    );
}

#[test]
fn renamed_columns_go_by_their_names_in_the_database() {
    let db = TestDb::new();
    db.execute("INSERT INTO documents VALUES (1, 'Terms', 'legal', 3, NULL, 1)");
    let conn = &mut db.connect();
    let mut document = Document::find(conn, 1).unwrap();
    let queries = Queries::of(conn);
    document.save(conn).unwrap();
    assert_eq!(
        queries.take(),
        [as_sent(
            r#"UPDATE "documents" SET "title" = ?, "type" = ?, "order" = ?, "body" = ?, "lock_version" = ? WHERE "id" = ? AND "lock_version" = ?"#
        )]
    );
}

#[test]
fn a_generated_key_is_read_back_in_the_same_statement_or_transaction() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let queries = Queries::of(conn);
    let mut order = Order {
        id: 0,
        customer: "Ada".to_owned(),
        total_cents: 1,
        version: 0,
    };
    order.insert(conn).unwrap();
    let insert = r#"INSERT INTO "orders" ("customer", "total_cents", "version") VALUES (?, ?, ?)"#;
    let columns =
        r#""orders"."id", "orders"."customer", "orders"."total_cents", "orders"."version""#;
    let expected = if crate::Conn::LONE_INSERT_RETURNS {
        vec![format!("{insert} RETURNING {columns}")]
    } else {
        vec![
            "BEGIN".to_owned(),
            "DO LAST_INSERT_ID(0)".to_owned(),
            insert.to_owned(),
            format!(r#"SELECT {columns} FROM "orders" WHERE "id" = LAST_INSERT_ID()"#),
            "COMMIT".to_owned(),
        ]
    };
    let expected: Vec<String> = expected.iter().map(|sql| as_sent(sql)).collect();
    assert_eq!(queries.take(), expected);
}

#[test]
fn save_is_prepared_once_per_connection() {
    use diesel::connection::InstrumentationEvent;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    let db = TestDb::new();
    let (mut one, mut other) = (stored_lamp(&db, 1), stored_lamp(&db, 2));
    let conn = &mut db.connect();
    let prepared = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&prepared);
    conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
        if matches!(event, InstrumentationEvent::CacheQuery { .. }) {
            counter.fetch_add(1, Ordering::SeqCst);
        }
    });
    for _ in 0..3 {
        one.save(conn).unwrap();
        other.save(conn).unwrap();
    }
    assert_eq!(prepared.load(Ordering::SeqCst), 1);
}

#[test]
fn statements_of_two_entity_types_are_not_mixed_up() {
    let db = TestDb::new();
    let mut lamp = stored_lamp(&db, 1);
    db.execute("INSERT INTO documents VALUES (1, 'Terms', 'legal', 3, NULL, 1)");
    let conn = &mut db.connect();
    let mut document = Document::find(conn, 1).unwrap();
    for _ in 0..2 {
        lamp.save(conn).unwrap();
        document.save(conn).unwrap();
        assert_eq!(Product::find(conn, 1).unwrap(), lamp);
        assert_eq!(Document::find(conn, 1).unwrap(), document);
    }
    assert_eq!((lamp.version, document.lock_version), (3, 3));
}
