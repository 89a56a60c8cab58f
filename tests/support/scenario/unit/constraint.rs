//! Constraints: the loser of a race must not see a misleading violation.

use std::error::Error as _;

use diesel::connection::{Connection, SimpleConnection};
use diesel::result::{DatabaseErrorKind, Error};

use super::{Unit, conflicts, depth, failure, kinds, product, sell, shop, stocks};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::TestBackend;
use crate::support::entities::{Account, OrderLine, Product};

fn account(id: i64, email: &str) -> Account {
    Account {
        id,
        email: email.into(),
        nickname: None,
        balance: 0,
        version: 0,
    }
}

#[track_caller]
fn assert_unique(source: &Error) {
    assert!(
        matches!(
            source,
            Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _)
        ),
        "{source:?}"
    );
}

#[test]
fn a_violation_names_the_entity_where_that_is_known() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    uow.insert(product(1)).unwrap();
    let error = failure(uow.commit(conn));
    assert_eq!(error.code(), "constraint.unique");
    assert!(error.to_string().contains("`products` 1"), "{error}");
    let CommitError::Database { source, entity, .. } = error else {
        panic!("{error:?}")
    };
    assert_unique(&source);
    let entity = entity.unwrap();
    assert_eq!(
        (entity.table, entity.key.as_deref()),
        ("products", Some("1"))
    );
}

#[test]
fn a_violation_in_a_batch_names_the_table() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    for id in [3, 1, 2] {
        uow.insert(product(id)).unwrap();
    }
    match failure(uow.commit(conn)) {
        CommitError::Database { source, entity, .. } => {
            assert_unique(&source);
            assert_eq!(entity.map(|entity| entity.table), Some("products"));
        }
        error => panic!("{error:?}"),
    }
    assert_eq!(stocks(conn), [(1, 10, 1)]);
    assert_eq!(depth(conn), 0);
}

#[test]
fn rule_12_a_violation_in_a_batch_insert_while_a_row_is_stale_is_the_conflict() {
    let db = shop(2);
    db.execute("INSERT INTO accounts VALUES (1, 'taken@b.c', NULL, 5, 1)");
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let stale: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[stale].stock = 3;
    for (id, email) in [(2, "x"), (3, "taken@b.c"), (4, "y")] {
        uow.insert(account(id, email)).unwrap();
    }
    sell(&db, 1, 9);
    let lost = conflicts(uow.commit(conn));
    assert_eq!(
        kinds(&lost),
        [("products", "1".into(), ConflictKind::Modified)]
    );
    let source = lost.source().unwrap().downcast_ref::<Error>().unwrap();
    assert_unique(source);
    assert!(lost.of::<Product>().next().unwrap().source().is_some());
    assert_eq!(depth(conn), 0);
}

#[test]
fn a_violation_before_the_stale_row_is_written_is_the_conflict_too() {
    // The accounts are written first: the violation strikes before any guard is asked.
    let db = shop(1);
    db.execute("INSERT INTO accounts VALUES (1, 'taken@b.c', NULL, 5, 1), (2, 'x', NULL, 5, 1)");
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let stale: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[stale].stock = 3;
    let violator: Handle<Account> = uow.find(conn, 2_i64).unwrap();
    uow[violator].email = "taken@b.c".into();
    sell(&db, 1, 9);
    let lost = conflicts(uow.commit(conn));
    assert_eq!(
        kinds(&lost),
        [("products", "1".into(), ConflictKind::Modified)]
    );
    assert!(lost.source().is_some());

    uow.discard(&lost);
    assert_eq!(failure(uow.commit(conn)).code(), "constraint.unique");
    uow[violator].email = "free@b.c".into();
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
}

#[test]
fn a_second_insert_of_what_someone_else_replaced_is_the_conflict() {
    // I replace row 1; someone has deleted it and put another in its place.
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let old: Handle<Product> = uow.find(conn, 1).unwrap();
    uow.delete(old);
    uow.insert(Product {
        stock: 4,
        ..product(1)
    })
    .unwrap();
    db.execute("DELETE FROM products WHERE id = 1");
    db.execute("INSERT INTO products VALUES (1, 'theirs', 1, 1, 5)");
    let lost = conflicts(uow.commit(conn));
    assert_eq!(
        kinds(&lost),
        [("products", "1".into(), ConflictKind::Modified)]
    );
    assert_eq!(stocks(conn), [(1, 1, 5)]);
}

#[test]
fn a_foreign_key_violation_is_a_database_error() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    uow.insert(OrderLine {
        id: 0,
        order_id: 77,
        product_id: 1,
        quantity: 1,
        version: 0,
    })
    .unwrap();
    let error = failure(uow.commit(conn));
    assert_eq!(error.code(), "constraint.foreign_key");
    assert_eq!(depth(conn), 0);
}

/// Makes a deferred constraint fail at COMMIT: the unit inserts a line of an order that is not
/// there. `None` where constraints cannot be deferred.
fn with_a_violation_at_commit(uow: &mut Unit) -> Option<()> {
    let defer = Conn::DEFER_FOREIGN_KEYS?;
    uow.also(move |conn| {
        conn.batch_execute(defer)?;
        conn.batch_execute("INSERT INTO order_lines VALUES (1, 77, 1, 1, 1)")
    });
    Some(())
}

#[test]
fn rule_15_a_deferred_constraint_that_fails_at_commit_restores_everything() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let changed: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[changed].stock = 3;
    let inserted = uow.insert(product(8)).unwrap();
    uow.after_commit(|_| panic!("it is not committed"));
    if with_a_violation_at_commit(&mut uow).is_none() {
        return;
    }
    for _ in 0..2 {
        let error = failure(uow.commit(conn));
        assert_eq!(error.code(), "constraint.foreign_key", "{error:?}");
        assert!(matches!(error, CommitError::Database { .. }));
        assert_eq!((uow[changed].version, uow[inserted].version), (1, 1));
        assert_eq!(uow.base(changed), Some(&product(1)));
        assert!(uow.is_dirty(changed) && uow.is_dirty(inserted));
        assert_eq!(depth(conn), 0);
        assert_eq!(stocks(conn), [(1, 10, 1), (2, 10, 1)]);
    }
    // The connection takes other work.
    let mut other = Unit::new();
    let handle: Handle<Product> = other.find(conn, 1).unwrap();
    other.touch(handle);
    assert_eq!(other.commit(conn).unwrap().len(), 1);
}

#[test]
fn a_deferred_constraint_of_a_nested_unit_fails_with_the_caller() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let changed: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[changed].stock = 3;
    if with_a_violation_at_commit(&mut uow).is_none() {
        return;
    }
    let mut done = None;
    let result = conn.transaction(|conn| {
        done = Some(uow.commit(conn).unwrap());
        Ok::<_, Error>(())
    });
    assert!(result.is_err());
    done.unwrap().undo(&mut uow).unwrap();
    assert_eq!((uow[changed].version, uow.is_dirty(changed)), (1, true));
    assert_eq!(stocks(conn), [(1, 10, 1)]);
}

#[test]
fn an_error_that_also_swallows_does_not_pass_for_success() {
    // Where an error aborts the transaction, COMMIT is a rollback that reports no error.
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let changed: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[changed].stock = 3;
    uow.also(|conn| {
        conn.batch_execute("INSERT INTO products VALUES (1, 'twice', 0, 0, 1)")
            .ok();
        Ok(())
    });
    match uow.commit(conn) {
        Ok(done) => {
            assert_eq!((done.len(), uow[changed].version), (1, 2));
            assert_eq!(stocks(conn), [(1, 3, 2)]);
        }
        Err(error) => {
            assert!(matches!(error, CommitError::Database { .. }), "{error:?}");
            assert_eq!((uow[changed].version, uow.is_dirty(changed)), (1, true));
            assert_eq!(stocks(conn), [(1, 10, 1)]);
        }
    }
    assert_eq!(depth(conn), 0);
}
