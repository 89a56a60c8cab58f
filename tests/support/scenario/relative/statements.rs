//! The SQL of each statement, as it is sent.

use diesel::prelude::*;

use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::scenario::single::{as_sent, lamp, stored_lamp};
use crate::support::schema::products::stock;
use crate::support::{Queries, TestBackend, TestDb};

fn sent(work: impl FnOnce(&mut Conn, &mut Product)) -> Vec<String> {
    let db = TestDb::new();
    let mut product = stored_lamp(&db, 42);
    let conn = &mut db.connect();
    let queries = Queries::of(conn);
    work(conn, &mut product);
    queries.take()
}

#[test]
fn a_relative_update() {
    let sold = sent(|conn, _| {
        Product::apply(conn, 42, stock.eq(stock - 3))
            .filter(stock.ge(3))
            .execute()
            .unwrap();
    });
    assert_eq!(
        sold,
        [as_sent(
            r#"UPDATE "products" SET "stock" = ("products"."stock" - ?), "version" = "products"."version" + 1 WHERE "id" = ? AND (("products"."stock" >= ?)) AND "products"."version" < ?"#
        )]
    );
}

#[test]
fn a_bulk_update() {
    let sold = sent(|conn, _| {
        Product::update_where(stock.ge(3))
            .set(stock.eq(stock - 3))
            .execute(conn)
            .unwrap();
    });
    let (lock, bind, or_fail, condition) = if Conn::NUMBERED_BINDS {
        (
            r#"WITH __dv AS MATERIALIZED (SELECT "id" FROM "products" WHERE ("products"."stock" >= ?) ORDER BY "id" FOR NO KEY UPDATE) "#,
            "?",
            "",
            r#"("id") IN (SELECT * FROM __dv)"#,
        )
    } else {
        let or_fail = match Conn::LOCK_CURRENT {
            "" => "",
            _ => r#" ELSE 18446744073709551615 + "products"."version""#,
        };
        ("", "?", or_fail, r#"("products"."stock" >= ?)"#)
    };
    assert_eq!(
        sold,
        [as_sent(&format!(
            r#"{lock}UPDATE "products" SET "stock" = ("products"."stock" - {bind}), "version" = CASE WHEN "products"."version" < {bind} THEN "products"."version" + 1{or_fail} END WHERE {condition}"#
        ))]
    );
}

#[test]
fn an_upsert_is_an_insert_or_that_and_a_save() {
    let (insert, skip) = match Conn::LOCK_CURRENT {
        "" => ("INSERT", r#" ON CONFLICT ("id") DO NOTHING"#),
        _ => ("INSERT", ""),
    };
    let insert = as_sent(&format!(
        r#"{insert} INTO "products" ("id", "name", "price_cents", "stock", "version") VALUES (?, ?, ?, ?, ?){skip}"#
    ));
    assert_eq!(
        sent(|conn, _| lamp(43).insert_or_save(conn).unwrap()),
        std::slice::from_ref(&insert)
    );
    let save = as_sent(
        r#"UPDATE "products" SET "name" = ?, "price_cents" = ?, "stock" = ?, "version" = ? WHERE "id" = ? AND "version" = ?"#,
    );
    assert_eq!(
        sent(|conn, lamp| lamp.insert_or_save(conn).unwrap()),
        [insert, save]
    );
}
