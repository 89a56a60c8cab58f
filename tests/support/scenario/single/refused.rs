//! The row stands at the expected version, and still the database did not write it.

use std::sync::Arc;

use diesel::connection::SimpleConnection;

use super::{Write, after_statement, conflict, lamp, row, stored_lamp};
use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::{TestBackend, TestDb};

/// The write is refused, and nothing has changed anywhere.
fn assert_refused(db: &TestDb, conn: &mut crate::Conn, mine: &mut Product, write: Write) {
    let (before, stands) = (mine.clone(), row(db, mine.id));
    for _ in 0..2 {
        let error = write(mine, conn).unwrap_err();
        assert_eq!(error.code(), "conflict.refused");
        assert!(error.is_conflict() && !error.is_transient());
        let conflict = error.conflict().unwrap();
        assert_eq!(conflict.kind(), ConflictKind::Refused);
        assert_eq!((*conflict.expected(), conflict.actual()), (1, Some(&1)));
        assert_eq!(conflict.current(), Some(&stands));
        assert_eq!(*mine, before);
        assert_eq!(row(db, mine.id), stands);
    }
}

#[test]
fn rule_08_a_trigger_that_skips_updates_refuses() {
    let db = TestDb::new();
    let Some(refuse) = crate::Conn::REFUSE_PRODUCT_UPDATES else {
        return;
    };
    let mut mine = stored_lamp(&db, 42);
    db.execute(refuse);
    mine.stock = 0;
    let conn = &mut db.connect();
    assert_refused(&db, conn, &mut mine, Product::save);
    assert_refused(&db, conn, &mut mine, Product::touch);

    // Under one that is refused, another that is only stale is told apart.
    let mut stale = Product { version: 9, ..mine };
    assert_eq!(conflict(stale.save(conn)).kind(), ConflictKind::Modified);
}

#[test]
fn rule_08_a_trigger_that_skips_deletes_refuses() {
    let db = TestDb::new();
    let Some(refuse) = crate::Conn::REFUSE_PRODUCT_DELETES else {
        return;
    };
    let mut mine = stored_lamp(&db, 42);
    db.execute(refuse);
    assert_refused(&db, &mut db.connect(), &mut mine, Product::delete);
}

#[test]
fn rule_08_a_trigger_that_skips_inserts_refuses() {
    let db = TestDb::new();
    let Some(refuse) = crate::Conn::REFUSE_PRODUCT_INSERTS else {
        return;
    };
    db.execute(refuse);
    let conn = &mut db.connect();
    let mut new = Product {
        version: 7,
        ..lamp(42)
    };
    let conflict = conflict(new.insert(conn));
    assert_eq!(conflict.kind(), ConflictKind::Refused);
    assert_eq!((*conflict.expected(), conflict.current()), (1, None));
    assert_eq!(
        new,
        Product {
            version: 7,
            ..lamp(42)
        }
    );
    assert_eq!(
        Product::find(conn, 42),
        Err(diesel::result::Error::NotFound)
    );
}

#[test]
fn rule_08_a_view_that_drops_updates_refuses() {
    let db = TestDb::new();
    let Some(view) = crate::Conn::DROP_PRODUCT_UPDATES_BY_A_VIEW else {
        return;
    };
    let mut mine = stored_lamp(&db, 42);
    db.execute(view);
    mine.stock = 0;
    assert_refused(&db, &mut db.connect(), &mut mine, Product::save);
}

#[test]
fn rule_08_row_level_security_refuses() {
    let db = TestDb::new();
    let Some(policy) = crate::Conn::MAY_ONLY_SEE_PRODUCTS else {
        return;
    };
    let mut mine = stored_lamp(&db, 42);
    let conn = &mut db.connect();
    conn.batch_execute(policy).unwrap();
    mine.stock = 0;
    assert_refused(&db, conn, &mut mine, Product::save);
}

#[test]
fn rule_08_a_batch_names_the_rows_that_were_refused() {
    let db = TestDb::new();
    let Some(refuse) = crate::Conn::REFUSE_PRODUCT_UPDATES else {
        return;
    };
    let mut mine = [stored_lamp(&db, 1), stored_lamp(&db, 2)];
    db.execute(refuse);
    let error = Product::save_all(&mut db.connect(), &mut mine).unwrap_err();
    assert_eq!(error.code(), "conflict.refused");
    let refused: Vec<_> = error.conflicts().unwrap().of::<Product>().collect();
    // Not all of them need be named: the first that was held back ends the commit.
    assert!(!refused.is_empty());
    assert!(
        refused
            .iter()
            .all(|conflict| conflict.kind() == ConflictKind::Refused)
    );
    assert_eq!(mine, [row(&db, 1), row(&db, 2)]);
}

/// On every backend, those without triggers that skip among them: a row that was not there when
/// the write looked for it and stands at the expected version when the conflict is classified.
#[test]
fn rule_08_a_row_that_comes_back_at_the_expected_version_is_refused_not_written() {
    let db = Arc::new(TestDb::new());
    let mut mine = stored_lamp(&db, 42);
    db.execute("DELETE FROM products");
    mine.stock = 0;
    let before = mine.clone();
    let conn = &mut db.connect();
    let other = Arc::clone(&db);
    after_statement(conn, "UPDATE", move || drop(stored_lamp(&other, 42)));
    let conflict = conflict(mine.save(conn));
    assert_eq!(conflict.kind(), ConflictKind::Refused);
    assert_eq!(mine, before);
    assert_eq!(row(&db, 42).stock, 5);
    // It was a coincidence: now it is there to be written.
    mine.save(conn).unwrap();
    assert_eq!(row(&db, 42), mine);
}

#[test]
fn a_trigger_that_fails_is_a_database_error() {
    let db = TestDb::new();
    let mut mine = stored_lamp(&db, 42);
    db.execute(crate::Conn::FAIL_PRODUCT_UPDATES);
    mine.stock = 0;
    let before = mine.clone();
    let error = mine.save(&mut db.connect()).unwrap_err();
    let SaveError::Database(source) = &error else {
        panic!("{error:?}");
    };
    assert!(source.to_string().contains("not today"), "{source}");
    assert!(!error.is_conflict() && !error.is_transient());
    assert_eq!(mine, before);
    assert_eq!(row(&db, 42).stock, 5);
}

#[test]
fn a_trigger_that_writes_other_rows_does_not_disturb_the_count() {
    let db = TestDb::new();
    db.execute(crate::Conn::MOVE_CUSTOMERS_AFTER_PRODUCT_UPDATES);
    db.execute(
        "INSERT INTO customers VALUES (1, 'Ada', 'a', 'London', 1), (2, 'Grace', 'b', 'Rome', 1), \
         (3, 'Mary', 'c', 'Bath', 1)",
    );
    let mut mine = [stored_lamp(&db, 1), stored_lamp(&db, 2)];
    let conn = &mut db.connect();
    let mut stale = mine[0].clone();
    mine[0].save(conn).unwrap();
    mine[0].touch(conn).unwrap();
    Product::save_all(conn, &mut mine).unwrap();
    assert_eq!((mine[0].version, mine[1].version), (4, 2));
    assert_eq!(mine, [row(&db, 1), row(&db, 2)]);
    // Customers are not written by a write that is lost, whose count is not that of the trigger.
    assert_eq!(conflict(stale.save(conn)).kind(), ConflictKind::Modified);
    let customer = crate::support::entities::Customer::find(conn, 2).unwrap();
    assert_eq!(customer.address.city, "Paris");
}
