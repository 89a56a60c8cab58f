//! Set-based writes: few statements for many rows, each row under its own guard.

use diesel::prelude::*;

use super::{Unit, conflicts, kinds, product, shop, stocks};
use crate::flavor::prelude::*;
use crate::support::entities::{Product, StockLevel};
use crate::support::schema::{products, stock_levels};
use crate::support::{Queries, TestDb};

fn attach_all(uow: &mut Unit, conn: &mut crate::Conn) -> Vec<Handle<Product>> {
    let rows: Vec<Product> = products::table.order(products::id).load(conn).unwrap();
    uow.attach_all(rows).unwrap()
}

#[test]
fn ten_thousand_rows_take_few_statements() {
    let db = shop(10_000);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handles = attach_all(&mut uow, conn);
    for (number, &handle) in (100..).zip(&handles) {
        uow[handle].stock = number;
    }
    let queries = Queries::of(conn);
    assert_eq!(uow.commit(conn).unwrap().len(), 10_000);
    assert!(queries.count() <= 170, "{} statements", queries.count());
    let expected: Vec<_> = (1..=10_000).map(|id| (id, id + 99, 2)).collect();
    assert_eq!(stocks(conn), expected);

    for &handle in &handles {
        uow.delete(handle);
    }
    queries.take();
    assert_eq!(uow.commit(conn).unwrap().len(), 10_000);
    assert!(queries.count() <= 50, "{} statements", queries.count());
    assert_eq!(stocks(conn), []);

    for id in 1..=10_000 {
        uow.insert(product(id)).unwrap();
    }
    queries.take();
    assert_eq!(uow.commit(conn).unwrap().len(), 10_000);
    assert!(queries.count() <= 50, "{} statements", queries.count());
    assert_eq!(stocks(conn).len(), 10_000);
}

#[test]
fn each_set_of_changed_columns_is_written_by_itself() {
    let db = shop(400);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handles = attach_all(&mut uow, conn);
    for (number, &handle) in (0..).zip(&handles) {
        match number % 4 {
            0 => uow[handle].stock = number,
            1 => uow[handle].price_cents = i64::from(number),
            2 => {
                uow[handle].name = format!("new {number}");
                uow[handle].stock = -number;
            }
            _ => uow.touch(handle),
        }
    }
    let queries = Queries::of(conn);
    assert_eq!(uow.commit(conn).unwrap().len(), 400);
    assert!(queries.count() <= 40, "{} statements", queries.count());
    let rows: Vec<Product> = products::table.order(products::id).load(conn).unwrap();
    for (number, (row, &handle)) in (0..).zip(rows.iter().zip(&handles)) {
        let mut expected = Product {
            version: 2,
            ..product(number + 1)
        };
        match number % 4 {
            0 => expected.stock = number,
            1 => expected.price_cents = i64::from(number),
            2 => {
                expected.name = format!("new {number}");
                expected.stock = -number;
            }
            _ => {}
        }
        assert_eq!(row, &expected);
        assert_eq!(uow[handle], expected);
    }
}

#[test]
fn rows_at_many_versions_are_guarded_each_by_its_own() {
    let db = shop(300);
    db.execute("UPDATE products SET version = id");
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    for handle in attach_all(&mut uow, conn) {
        uow[handle].stock = 0;
    }
    // Were one version compared with another's row, these would pass.
    db.execute("UPDATE products SET version = 8 WHERE id = 7");
    db.execute("UPDATE products SET version = 7 WHERE id = 8");
    let lost = conflicts(uow.commit(conn));
    assert_eq!(
        kinds(&lost),
        [
            ("products", "7".into(), ConflictKind::Modified),
            ("products", "8".into(), ConflictKind::Modified)
        ]
    );
    uow.discard(&lost);
    assert_eq!(uow.commit(conn).unwrap().len(), 298);
    for (id, stock, version) in stocks(conn) {
        let expected = match id {
            7 => (10, 8),
            8 => (10, 7),
            _ => (0, id + 1),
        };
        assert_eq!((stock, version), expected, "{id}");
    }
}

#[test]
fn composite_keys_are_batched() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let mut handles = Vec::new();
    for warehouse in 1..=20 {
        for sku in ["A", "B", "C", "D", "E"] {
            let level = StockLevel {
                warehouse,
                sku: sku.into(),
                quantity: 0,
                version: 0,
            };
            handles.push(uow.insert(level).unwrap());
        }
    }
    assert_eq!(uow.commit(conn).unwrap().len(), 100);
    for (number, &handle) in (0..).zip(&handles) {
        uow[handle].quantity = number + 1;
    }
    db.execute("UPDATE stock_levels SET version = 9 WHERE warehouse = 3 AND sku = 'D'");
    let lost = conflicts(uow.commit(conn));
    assert_eq!(
        kinds(&lost),
        [("stock_levels", "(3, \"D\")".into(), ConflictKind::Modified)]
    );
    uow.discard(&lost);
    let queries = Queries::of(conn);
    assert_eq!(uow.commit(conn).unwrap().len(), 99);
    assert!(queries.count() <= 15, "{} statements", queries.count());
    let rows: Vec<StockLevel> = stock_levels::table
        .order((stock_levels::warehouse, stock_levels::sku))
        .load(conn)
        .unwrap();
    for (number, row) in (0..).zip(rows) {
        let expected = match number {
            13 => (0, 9),
            _ => (number + 1, 2),
        };
        assert_eq!((row.quantity, row.version), expected);
    }
    for &handle in &handles {
        if uow.get(handle).is_some() {
            uow.delete(handle);
        }
    }
    assert_eq!(uow.commit(conn).unwrap().len(), 99);
}

#[test]
fn a_thousand_rows_with_foreign_writers_in_between() {
    let db = shop(1_000);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    for handle in attach_all(&mut uow, conn) {
        uow[handle].stock = 1;
    }
    db.execute("UPDATE products SET version = version + 1 WHERE id IN (1, 500, 1000)");
    db.execute("DELETE FROM products WHERE id IN (2, 999)");
    let lost = conflicts(uow.commit(conn));
    let (modified, deleted) = (ConflictKind::Modified, ConflictKind::Deleted);
    assert_eq!(
        kinds(&lost),
        [
            ("products", "1".into(), modified),
            ("products", "2".into(), deleted),
            ("products", "500".into(), modified),
            ("products", "999".into(), deleted),
            ("products", "1000".into(), modified),
        ]
    );
    let touched = products::table.filter(products::stock.eq(1));
    assert_eq!(touched.count().get_result::<i64>(conn), Ok(0));
    uow.discard(&lost);
    assert_eq!(uow.commit(conn).unwrap().len(), 995);
    assert_eq!(touched.count().get_result::<i64>(conn), Ok(995));
}
