//! Updates of many rows that were not read.

use diesel::prelude::*;

use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::{Customer, Product};
use crate::support::scenario::single::{row, stored_lamp};
use crate::support::schema::{customers, products};
use crate::support::{TestBackend, TestDb, race};

#[test]
fn only_the_rows_that_meet_the_condition_are_written() {
    let db = TestDb::new();
    let lamps: Vec<Product> = (1..=5).map(|id| stored_lamp(&db, id)).collect();
    let conn = &mut db.connect();
    let price = products::price_cents;
    let rows = Product::update_where(products::id.le(2).or(products::id.eq(5)))
        .set((price.eq(price * 2), products::name.eq("Sale")))
        .execute(conn);
    assert_eq!(rows, Ok(3));
    for lamp in lamps {
        let now = row(&db, lamp.id);
        if [1, 2, 5].contains(&lamp.id) {
            assert_eq!((now.price_cents, now.version), (5_998, 2));
            assert_eq!(now.name, "Sale");
        } else {
            assert_eq!(now, lamp);
        }
    }
    let none = Product::update_where(products::id.gt(100))
        .set(price.eq(0))
        .execute(conn);
    assert_eq!(none, Ok(0));
}

#[test]
fn a_bump_stands_wherever_a_changeset_does() {
    let db = TestDb::new();
    stored_lamp(&db, 1);
    let conn = &mut db.connect();
    diesel::update(products::table)
        .set(Product::bump())
        .execute(conn)
        .unwrap();
    diesel::update(products::table)
        .set((
            Product::bump(),
            products::stock.eq(9),
            products::name.eq("B"),
        ))
        .execute(conn)
        .unwrap();
    diesel::update(products::table.find(1))
        .set((products::stock.eq(8), Some(Product::bump())))
        .execute(conn)
        .unwrap();
    assert_eq!((row(&db, 1).stock, row(&db, 1).version), (8, 4));
    if Conn::NUMBERED_BINDS || Conn::IDENTIFIER_QUOTE == '`' {
        let shown = diesel::debug_query::<crate::Backend, _>(
            &diesel::update(customers::table).set((customers::city.eq("Oslo"), Customer::bump())),
        )
        .to_string();
        assert!(shown.contains("CASE WHEN"), "{shown}");
    }
}

#[test]
fn bulk_updates_that_meet_lose_nothing() {
    let db = TestDb::new();
    for id in 1..=30 {
        stored_lamp(&db, id);
    }
    let stock = products::stock;
    race(&db, 6, |number, conn| {
        for _ in 0..5 {
            // On InnoDB two may meet in a deadlock, which passes.
            loop {
                let written = if number % 2 == 0 {
                    Product::update_where(products::id.le(20))
                        .set(stock.eq(stock + 1))
                        .execute(conn)
                } else {
                    Product::update_where(products::id.gt(10))
                        .set(stock.eq(stock + 1))
                        .execute(conn)
                };
                match written {
                    Ok(rows) => break assert_eq!(rows, 20),
                    Err(error) => assert!(error.is_retryable(), "{error:?}"),
                }
            }
        }
    });
    for id in 1..=30 {
        let rounds = if (11..=20).contains(&id) { 30 } else { 15 };
        let now = row(&db, id);
        assert_eq!((now.stock, now.version), (5 + rounds, 1 + rounds));
    }
}
