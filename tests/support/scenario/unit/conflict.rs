//! Conflicts: every one of the unit, typed, with the three states that a decision needs.

use super::{Unit, conflicts, failure, kinds, product, sell, shop, stocks};
use crate::flavor::prelude::*;
use crate::support::TestDb;
use crate::support::entities::{Account, Product, StockLevel};

const MODIFIED: ConflictKind = ConflictKind::Modified;
const DELETED: ConflictKind = ConflictKind::Deleted;

#[test]
fn rule_12_every_conflict_of_every_type_is_reported() {
    let db = shop(6);
    db.execute("INSERT INTO accounts VALUES (7, 'a@b.c', NULL, 5, 3), (8, 'd@e.f', NULL, 5, 3)");
    db.execute("INSERT INTO stock_levels VALUES (1, 'A', 5, 1), (1, 'B', 5, 1)");
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let products = [6, 5, 4, 3, 2, 1].map(|id| uow.find::<Product>(conn, id).unwrap());
    let [
        _deleted_there,
        deleted_here,
        touched,
        checked,
        changed,
        fine,
    ] = products;
    for handle in [products[0], changed, fine] {
        uow[handle].stock = 1;
    }
    uow.delete(deleted_here);
    uow.touch(touched);
    uow.expect_unchanged(checked);
    let account: Handle<Account> = uow.find(conn, 7_i64).unwrap();
    uow[account].balance = 0;
    let level: Handle<StockLevel> = uow.find(conn, (1, "A".to_owned())).unwrap();
    uow[level].quantity = 0;
    let fine_too: Handle<StockLevel> = uow.find(conn, (1, "B".to_owned())).unwrap();
    uow.touch(fine_too);

    for id in 2..=5 {
        sell(&db, id, 100 + id);
    }
    db.execute("DELETE FROM products WHERE id = 6");
    db.execute("UPDATE accounts SET balance = 9, version = 4");
    db.execute("DELETE FROM stock_levels WHERE sku = 'A'");

    let lost = conflicts(uow.commit(conn));
    assert_eq!(
        kinds(&lost),
        [
            ("products", "2".into(), MODIFIED),
            ("products", "3".into(), MODIFIED),
            ("products", "4".into(), MODIFIED),
            ("products", "5".into(), MODIFIED),
            ("products", "6".into(), DELETED),
            ("accounts", "7".into(), MODIFIED),
            ("stock_levels", "(1, \"A\")".into(), DELETED),
        ]
    );
    assert_eq!(lost.len(), 7);
    assert_eq!(lost.of::<Product>().count(), 5);
    assert_eq!(lost.of::<Account>().count(), 1);
    assert_eq!(lost.of::<StockLevel>().count(), 1);
    let account = lost.of::<Account>().next().unwrap();
    assert_eq!((*account.expected(), account.actual()), (3, Some(&4)));
    // Nothing is written, of the rows without a conflict neither.
    assert_eq!(
        stocks(conn),
        [
            (1, 10, 1),
            (2, 102, 2),
            (3, 103, 2),
            (4, 104, 2),
            (5, 105, 2)
        ]
    );
}

#[test]
fn a_conflict_holds_base_mine_and_current() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 3;
    uow[handle].name = "mine".into();
    db.execute("UPDATE products SET stock = 4, price_cents = 5, version = 2");
    let lost = conflicts(uow.commit(conn));
    let conflict = lost.of::<Product>().next().unwrap();
    let mine = Product {
        stock: 3,
        name: "mine".into(),
        ..product(1)
    };
    let theirs = Product {
        stock: 4,
        price_cents: 5,
        version: 2,
        ..product(1)
    };
    assert_eq!(conflict.kind(), MODIFIED);
    assert_eq!((conflict.table(), conflict.key()), ("products", &1));
    assert_eq!((*conflict.expected(), conflict.actual()), (1, Some(&2)));
    assert_eq!(conflict.base(), Some(&product(1)));
    assert_eq!(conflict.mine(), &mine);
    assert_eq!(conflict.current(), Some(&theirs));
    let changes = conflict.changes();
    assert_eq!(changes.mine().collect::<Vec<_>>(), ["name", "stock"]);
    assert_eq!(
        changes.theirs().collect::<Vec<_>>(),
        ["price_cents", "stock"]
    );
    assert_eq!(changes.both().collect::<Vec<_>>(), ["stock"]);
    assert_eq!(changes.unattributed().count(), 0);
}

#[test]
fn a_conflict_is_an_error_with_a_stable_name_that_says_what_to_do() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    for id in [1, 2] {
        let handle: Handle<Product> = uow.find(conn, id).unwrap();
        uow.touch(handle);
    }
    sell(&db, 1, 0);
    db.execute("DELETE FROM products WHERE id = 2");
    let error = failure(uow.commit(conn));
    assert!(error.is_conflict());
    assert!(!error.is_transient());
    assert_eq!(error.code(), "conflict.modified");
    assert_eq!(error.conflicts().map(Conflicts::len), Some(2));
    let text = error.to_string();
    for part in ["`products` 1", "reload it", "1 more conflict"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(std::error::Error::source(&error).is_none());
}

#[test]
fn the_same_stale_unit_conflicts_again() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let stale: Handle<Product> = uow.find(conn, 1).unwrap();
    let fine: Handle<Product> = uow.find(conn, 2).unwrap();
    uow[stale].stock = 1;
    uow[fine].stock = 1;
    sell(&db, 1, 5);
    for _ in 0..3 {
        let lost = conflicts(uow.commit(conn));
        assert_eq!(kinds(&lost), [("products", "1".into(), MODIFIED)]);
        assert_eq!((uow[stale].version, uow[fine].version), (1, 1));
        assert!(uow.is_dirty(stale) && uow.is_dirty(fine));
    }
    assert_eq!(stocks(conn), [(1, 5, 2), (2, 10, 1)]);
}

#[test]
fn what_conflicted_is_discarded_and_the_rest_committed() {
    let db = shop(4);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handles = [1, 2, 3, 4].map(|id| uow.find::<Product>(conn, id).unwrap());
    for handle in handles {
        uow[handle].stock = 1;
    }
    sell(&db, 2, 5);
    db.execute("DELETE FROM products WHERE id = 3");
    let lost = conflicts(uow.commit(conn));
    uow.discard(&lost);
    assert_eq!(uow.len(), 2);
    assert_eq!((uow.get(handles[1]), uow.get(handles[2])), (None, None));
    assert_eq!(uow.commit(conn).unwrap().len(), 2);
    assert_eq!(stocks(conn), [(1, 1, 2), (2, 5, 2), (4, 1, 2)]);
    // The row is free again.
    let again: Handle<Product> = uow.find(conn, 2).unwrap();
    assert_eq!((uow[again].stock, uow[again].version), (5, 2));
}

#[test]
fn a_discarded_entity_is_not_written() {
    let db = shop(5);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handles = [1, 2, 3, 4].map(|id| uow.find::<Product>(conn, id).unwrap());
    uow[handles[0]].stock = 0;
    uow.delete(handles[1]);
    uow.touch(handles[2]);
    uow.expect_unchanged(handles[3]);
    let inserted = uow.insert(product(9)).unwrap();
    sell(&db, 4, 1);
    for handle in handles {
        uow.discard(handle);
    }
    uow.discard(inserted);
    assert!(uow.is_empty());
    assert!(uow.commit(conn).unwrap().is_empty());
    assert_eq!(stocks(conn).len(), 5);
}

#[test]
fn an_expected_row_that_has_moved_or_gone_stops_the_unit() {
    let db = shop(4);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    for id in [1, 2, 3] {
        let read: Handle<Product> = uow.find(conn, id).unwrap();
        uow.expect_unchanged(read);
    }
    let changed: Handle<Product> = uow.find(conn, 4).unwrap();
    uow[changed].stock = 1;
    sell(&db, 2, 1);
    db.execute("DELETE FROM products WHERE id = 3");
    let lost = conflicts(uow.commit(conn));
    assert_eq!(
        kinds(&lost),
        [
            ("products", "2".into(), MODIFIED),
            ("products", "3".into(), DELETED),
        ]
    );
    assert_eq!(stocks(conn)[2], (4, 10, 1));
}

#[test]
fn a_unit_that_only_expects_is_a_check() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let read: Handle<Product> = uow.find(conn, 1).unwrap();
    uow.expect_unchanged(read);
    assert!(uow.commit(conn).unwrap().is_empty());
    uow.expect_unchanged(read);
    sell(&db, 1, 1);
    let lost = conflicts(uow.commit(conn));
    assert_eq!(kinds(&lost), [("products", "1".into(), MODIFIED)]);
}

#[test]
fn a_key_that_was_changed_after_it_joined_is_invalid() {
    let db = shop(2);
    let conn = &mut db.connect();
    for how in 0..3 {
        let mut uow = Unit::new();
        let handle = match how {
            0 => uow.attach(product(1)),
            1 => uow.save(product(1)),
            _ => uow.insert(product(3)),
        }
        .unwrap();
        uow[handle].id = 2;
        uow[handle].stock = 0;
        match failure(uow.commit(conn)) {
            CommitError::Invalid { table, key, .. } => {
                assert_eq!((table, key.as_str()), ("products", "2"));
            }
            error => panic!("{how}: {error:?}"),
        }
        assert_eq!(stocks(conn), [(1, 10, 1), (2, 10, 1)]);
    }
}

#[test]
fn an_exhausted_version_is_an_error_before_anything_is_sent() {
    let db = TestDb::new();
    db.execute("INSERT INTO accounts VALUES (1, 'a@b.c', NULL, 5, 32766), (2, 'd', NULL, 5, 1)");
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handles = [1_i64, 2].map(|id| uow.find::<Account>(conn, id).unwrap());
    for handle in handles {
        uow[handle].balance += 1;
    }
    assert_eq!(uow.commit(conn).unwrap().len(), 2);
    assert_eq!(uow[handles[0]].version, i16::MAX);
    for handle in handles {
        uow[handle].balance += 1;
    }
    let queries = crate::support::Queries::of(conn);
    let error = failure(uow.commit(conn));
    assert_eq!(error.code(), "version.exhausted");
    match error {
        CommitError::VersionExhausted {
            table,
            key,
            version,
            ..
        } => assert_eq!((table, &*key, &*version), ("accounts", "1", "32767")),
        error => panic!("{error:?}"),
    }
    assert_eq!(queries.count(), 0, "{:?}", queries.take());
    let stands = Account::find(conn, 2_i64).unwrap();
    assert_eq!((stands.balance, stands.version), (6, 2));
    // Such a row can still be deleted.
    uow.discard(handles[1]);
    uow.delete(handles[0]);
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
}

#[test]
fn a_key_that_is_not_unique_is_an_error_of_its_own() {
    let db = TestDb::empty();
    db.execute(
        "CREATE TABLE products (id INTEGER NOT NULL, name VARCHAR(20) NOT NULL, \
         price_cents BIGINT NOT NULL, stock INTEGER NOT NULL, version INTEGER NOT NULL)",
    );
    db.execute("INSERT INTO products VALUES (1, 'a', 1, 1, 1), (1, 'b', 1, 1, 1)");
    let conn = &mut db.connect();
    for delete in [false, true] {
        let mut uow = Unit::new();
        let handle: Handle<Product> = uow.find(conn, 1).unwrap();
        if delete {
            uow.delete(handle);
        } else {
            uow.touch(handle);
        }
        let error = failure(uow.commit(conn));
        assert_eq!(error.code(), "key.not_unique");
        match error {
            CommitError::NotUnique {
                table, meant, rows, ..
            } => assert_eq!((table, meant, rows), ("products", 1, 2)),
            error => panic!("{error:?}"),
        }
        assert_eq!(stocks(conn), [(1, 1, 1), (1, 1, 1)]);
    }
}
