//! `save_all`: a slice, set-based, all or none.

use diesel::prelude::*;

use super::{lamp, row, stored_lamp};
use crate::flavor::prelude::*;
use crate::support::entities::{Account, Product, StockLevel};
use crate::support::schema::products;
use crate::support::{Queries, TestDb};

/// This many lamps, stored at version 1, that differ from one another.
fn stored(db: &TestDb, count: i32) -> Vec<Product> {
    let rows: Vec<_> = (1..=count)
        .map(|id| format!("({id}, 'Lamp', {}, 5, 1)", 1_000 + id))
        .collect();
    db.execute(&format!("INSERT INTO products VALUES {}", rows.join(", ")));
    all(db)
}

fn all(db: &TestDb) -> Vec<Product> {
    products::table
        .order(products::id)
        .select(Product::as_select())
        .load(&mut db.connect())
        .unwrap()
}

#[test]
fn a_slice_of_any_length_is_saved() {
    for count in [1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 100, 1_000] {
        let db = TestDb::new();
        let mut rows = stored(&db, count);
        let bystander = Product {
            id: count + 1,
            version: 1,
            ..lamp(0)
        };
        bystander.clone().insert(&mut db.connect()).unwrap();
        for row in &mut rows {
            row.name = format!("Lamp {}", row.id);
            row.price_cents = i64::from(row.id) * 7;
            row.stock = -row.id;
        }
        rows.reverse();
        let mut expected = rows.clone();
        let conn = &mut db.connect();
        Product::save_all(conn, &mut rows).unwrap();
        for row in &mut expected {
            row.version = 2;
        }
        assert_eq!(rows, expected, "{count}: rule 1, after the commit");
        expected.reverse();
        expected.push(bystander);
        assert_eq!(all(&db), expected, "{count}");

        // And again, from what is in memory.
        Product::save_all(conn, &mut rows).unwrap();
        assert!(rows.iter().all(|row| row.version == 3), "{count}");
        assert!(
            all(&db)[..rows.len()].iter().all(|row| row.version == 3),
            "{count}"
        );
    }
}

#[test]
fn a_batch_is_one_transaction_of_few_statements() {
    let db = TestDb::new();
    let mut rows = stored(&db, 1_000);
    let conn = &mut db.connect();
    let queries = Queries::of(conn);
    Product::save_all(conn, &mut rows).unwrap();
    let sent = queries.take();
    let updates = sent.iter().filter(|sql| sql.contains("UPDATE ")).count();
    assert!(updates <= 24, "{updates} updates of 1,000 rows");
    assert_eq!(sent.iter().filter(|sql| *sql == "COMMIT").count(), 1);
    assert!(sent.len() <= updates + 3, "{}", sent.len());
    assert!(sent.iter().all(|sql| !sql.contains("SELECT \"products\"")));
}

#[test]
fn rule_04_every_row_of_a_batch_is_guarded_by_its_own_version() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut rows = stored(&db, 20);
    for (row, saves) in rows.iter_mut().zip(0..) {
        for _ in 0..saves {
            row.save(conn).unwrap();
        }
    }
    // The versions of two rows exchanged: each of the values is some row's, and none its own.
    let (one, other) = (rows[4].version, rows[5].version);
    rows[4].version = other;
    rows[5].version = one;
    let before = rows.clone();
    let stands = all(&db);
    let error = Product::save_all(conn, &mut rows).unwrap_err();
    let found: Vec<_> = error
        .conflicts()
        .unwrap()
        .of::<Product>()
        .map(|conflict| {
            (
                *conflict.key(),
                *conflict.expected(),
                conflict.actual().copied(),
            )
        })
        .collect();
    assert_eq!(found, [(5, other, Some(one)), (6, one, Some(other))]);
    assert_eq!(rows, before);
    assert_eq!(all(&db), stands);
}

#[test]
fn a_batch_with_conflicts_writes_nothing_and_reports_every_one() {
    for count in [3, 8, 17, 100, 1_000] {
        let db = TestDb::new();
        let mut rows = stored(&db, count);
        let (first, middle, last) = (1, count / 2 + 1, count);
        db.execute(&format!(
            "UPDATE products SET stock = 0, version = 2 WHERE id IN ({first}, {last})"
        ));
        db.execute(&format!("DELETE FROM products WHERE id = {middle}"));
        for row in &mut rows {
            row.name = "Mine".to_owned();
        }
        let before = rows.clone();
        let stands = all(&db);
        let conn = &mut db.connect();
        for _ in 0..2 {
            let error = Product::save_all(conn, &mut rows).unwrap_err();
            let conflicts = error.conflicts().unwrap_or_else(|| panic!("{error:?}"));
            let found: Vec<_> = conflicts
                .of::<Product>()
                .map(|conflict| {
                    assert_eq!(
                        *conflict.mine(),
                        before[usize::try_from(*conflict.key() - 1).unwrap()]
                    );
                    (*conflict.key(), conflict.kind(), conflict.actual().copied())
                })
                .collect();
            let mut expected = vec![
                (first, ConflictKind::Modified, Some(2)),
                (middle, ConflictKind::Deleted, None),
                (last, ConflictKind::Modified, Some(2)),
            ];
            expected.dedup();
            assert_eq!(found, expected, "{count}");
            assert_eq!(conflicts.len(), expected.len());
            assert_eq!(rows, before, "{count}: rule 1");
            assert_eq!(all(&db), stands, "{count}: all or none");
        }
    }
}

#[test]
fn rule_03_a_batch_can_be_saved_after_its_conflicts_are_resolved() {
    let db = TestDb::new();
    let mut rows = stored(&db, 10);
    db.execute("UPDATE products SET stock = 0, version = 2 WHERE id = 7");
    let conn = &mut db.connect();
    Product::save_all(conn, &mut rows).unwrap_err();
    rows[6].reload(conn).unwrap();
    Product::save_all(conn, &mut rows).unwrap();
    assert_eq!(rows[6].version, 3);
    assert_eq!(all(&db), rows);
}

#[test]
fn the_same_row_twice_in_a_slice_is_turned_down() {
    let db = TestDb::new();
    let one = stored_lamp(&db, 1);
    let mut rows = [one.clone(), stored_lamp(&db, 2), one];
    rows[0].stock = 1;
    rows[2].stock = 2;
    let before = rows.clone();
    let conn = &mut db.connect();
    let queries = Queries::of(conn);
    let error = Product::save_all(conn, &mut rows).unwrap_err();
    assert!(matches!(error, CommitError::Invalid { .. }), "{error:?}");
    assert_eq!(
        error.to_string(),
        "`products` 1 cannot be written: the slice holds this row twice; save each row once"
    );
    assert!(!error.is_conflict() && !error.is_transient());
    assert_eq!(queries.count(), 0);
    assert_eq!(rows, before);
    assert_eq!(row(&db, 2).version, 1);
}

#[test]
fn an_empty_slice_is_no_work() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let queries = Queries::of(conn);
    Product::save_all(conn, &mut []).unwrap();
    assert_eq!(queries.take(), Vec::<String>::new());
}

#[test]
fn rule_10_a_batch_writes_every_writable_column() {
    let db = TestDb::new();
    let mut rows = stored(&db, 3);
    let before = rows.clone();
    db.execute("UPDATE products SET name = 'Torch', price_cents = 1, stock = 99");
    Product::save_all(&mut db.connect(), &mut rows).unwrap();
    for (row, before) in rows.iter().zip(before) {
        assert_eq!(
            *row,
            Product {
                version: 2,
                ..before
            }
        );
    }
    assert_eq!(all(&db), rows);
}

#[test]
fn composite_keys_go_in_batches() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut levels = Vec::new();
    for warehouse in 1..=7 {
        for sku in ["a", "b", "it's"] {
            let mut level = StockLevel {
                warehouse,
                sku: sku.to_owned(),
                quantity: warehouse,
                version: 0,
            };
            level.insert(conn).unwrap();
            levels.push(level);
        }
    }
    for level in &mut levels {
        level.quantity += 100;
    }
    StockLevel::save_all(conn, &mut levels).unwrap();
    for level in &levels {
        assert_eq!(level.version, 2);
        assert_eq!(StockLevel::find(conn, level.key()).unwrap(), *level);
    }
    levels[4].clone().delete(conn).unwrap();
    levels[9].clone().touch(conn).unwrap();
    let error = StockLevel::save_all(conn, &mut levels).unwrap_err();
    let keys: Vec<_> = error
        .conflicts()
        .unwrap()
        .of::<StockLevel>()
        .map(|conflict| conflict.key().clone())
        .collect();
    assert_eq!(keys, [(2, "b".to_owned()), (4, "a".to_owned())]);
}

#[test]
fn nulls_and_values_go_in_one_batch() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    for first_is_null in [true, false] {
        db.execute("DELETE FROM accounts");
        let mut accounts: Vec<Account> = (0..9)
            .map(|id| Account {
                id,
                email: format!("{id}@example.org"),
                nickname: Some("old".to_owned()),
                balance: 0,
                version: 0,
            })
            .collect();
        for account in &mut accounts {
            account.insert(conn).unwrap();
            let null = (account.id % 2 == 0) == first_is_null;
            account.nickname = (!null).then(|| format!("n{}", account.id));
        }
        Account::save_all(conn, &mut accounts).unwrap();
        for account in &accounts {
            assert_eq!(Account::find(conn, account.id).unwrap(), *account);
        }
        // All of one column NULL: nothing tells its type but the column.
        for account in &mut accounts {
            account.nickname = None;
        }
        Account::save_all(conn, &mut accounts).unwrap();
        for account in &accounts {
            assert_eq!(Account::find(conn, account.id).unwrap(), *account);
        }
    }
}
