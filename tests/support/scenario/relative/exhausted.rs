//! Integers at their end, in writes that have not read them.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel_versioned::Versioned;

use crate::flavor::prelude::*;
use crate::support::entities::{Account, Product, StockLevel};
use crate::support::scenario::single::row;
use crate::support::schema::{accounts, products, products::stock as in_stock, stock_levels};
use crate::support::{TestBackend, TestDb};

#[test]
fn an_exhausted_version_is_an_error_and_nothing_is_written() {
    let db = TestDb::new();
    db.execute("INSERT INTO products VALUES (42, 'Lamp', 2999, 5, 2147483646)");
    db.execute("INSERT INTO accounts VALUES (7, 'ada@example.org', NULL, 0, 32767)");
    db.execute("INSERT INTO stock_levels VALUES (1, 'A-7', 3, 9223372036854775807)");
    let conn = &mut db.connect();
    let sell =
        |conn: &mut crate::Conn| Product::apply(conn, 42, in_stock.eq(in_stock - 1)).execute();
    sell(conn).unwrap();
    let last = row(&db, 42);
    assert_eq!((last.stock, last.version), (4, i32::MAX));
    let error = sell(conn).unwrap_err();
    assert_eq!(error.code(), "version.exhausted");
    assert_eq!(
        error.to_string(),
        "the version 2147483647 of `products` 42 is the greatest of its type; \
         widen the version column and the field"
    );

    let errors = [
        Account::apply(conn, 7_i64, accounts::balance.eq(1))
            .execute()
            .unwrap_err()
            .code(),
        StockLevel::apply(conn, (1, "A-7".to_owned()), stock_levels::quantity.eq(1))
            .execute()
            .unwrap_err()
            .code(),
    ];
    assert_eq!(errors, ["version.exhausted"; 2]);

    // Of many rows nothing is written if one of them is at its end, whatever the session takes.
    if let Some(lenient) = crate::Conn::LENIENT {
        conn.batch_execute(lenient).unwrap();
    }
    db.execute("INSERT INTO products VALUES (1, 'Lamp', 2999, 5, 1)");
    for written in [
        Product::update_where(in_stock.ge(0))
            .set(in_stock.eq(in_stock - 1))
            .execute(conn),
        diesel::update(products::table)
            .set((in_stock.eq(in_stock - 1), Product::bump()))
            .execute(conn),
        Account::update_where(accounts::balance.ge(0))
            .set(accounts::balance.eq(1))
            .execute(conn),
        StockLevel::update_where(stock_levels::quantity.ge(0))
            .set(stock_levels::quantity.eq(1))
            .execute(conn),
    ] {
        assert!(written.is_err(), "{written:?}");
    }
    assert_eq!(row(&db, 42), last);
    assert_eq!((row(&db, 1).stock, row(&db, 1).version), (5, 1));
}

/// A product whose version wraps.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = products)]
struct Wrapping {
    id: i32,
    name: String,
    price_cents: i64,
    stock: i32,
    #[version(wrap, initial = -3)]
    version: i32,
}

/// One that would start again at its end.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = products)]
struct Stuck {
    id: i32,
    name: String,
    price_cents: i64,
    stock: i32,
    #[version(wrap, initial = i32::MAX)]
    version: i32,
}

#[test]
fn one_that_wraps_starts_again() {
    let db = TestDb::new();
    db.execute("INSERT INTO products VALUES (42, 'Lamp', 2999, 5, 2147483646)");
    let conn = &mut db.connect();
    let mut seen = Vec::new();
    for _ in 0..3 {
        Wrapping::apply(conn, 42, in_stock.eq(in_stock - 1))
            .execute()
            .unwrap();
        seen.push(row(&db, 42).version);
    }
    assert_eq!(seen, [i32::MAX, -3, -2]);
    db.execute("UPDATE products SET version = 2147483647");
    let rows = Wrapping::update_where(in_stock.ge(0))
        .set(in_stock.eq(7))
        .execute(conn);
    assert_eq!((rows, row(&db, 42).version), (Ok(1), -3));
    db.execute("UPDATE products SET version = 2147483647");
    let error = Stuck::apply(conn, 42, in_stock.eq(1))
        .execute()
        .unwrap_err();
    assert_eq!(error.code(), "version.exhausted");
    assert_eq!(row(&db, 42).stock, 7);
}
