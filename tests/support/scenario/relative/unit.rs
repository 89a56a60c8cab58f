//! Relative updates as parts of a unit.

use diesel::Connection;
use diesel::prelude::*;
use diesel::result::Error::RollbackTransaction;

use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::scenario::single::{lamp, row, stored_lamp};
use crate::support::schema::{products, products::stock};
use crate::support::{Queries, TestDb, race};

type Unit = UnitOfWork<Conn>;

/// Three of the lamp with this number are sold, if there are so many.
fn sell(uow: &mut Unit, id: i32) {
    uow.apply(Product::relative(id, stock.eq(stock - 3)).filter(stock.ge(3)))
        .unwrap();
}

#[test]
fn it_is_written_with_the_unit_or_nothing_is() {
    let db = TestDb::new();
    let mine = stored_lamp(&db, 42);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let new = uow.insert(lamp(1)).unwrap();
    sell(&mut uow, 42);
    sell(&mut uow, 42);
    let before = uow[new].clone();
    let error = uow.commit(conn).unwrap_err();
    assert_eq!(error.code(), "apply.condition");
    assert!(!error.is_transient() && !error.is_retryable());
    match error.apply_error::<Product>() {
        // As the unit's own first sale had left it.
        Some(ApplyError::ConditionFailed { current }) => {
            assert_eq!((current.stock, current.version), (2, 2));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!((row(&db, 42), &uow[new]), (mine, &before));
    assert!(Product::find(conn, 1).is_err());

    // With more of them the same unit succeeds, and its updates are gone then.
    db.execute("UPDATE products SET stock = 6, version = 7");
    uow.commit(conn).unwrap();
    assert_eq!((row(&db, 42).stock, row(&db, 42).version), (0, 9));
    assert_eq!(row(&db, 1), uow[new]);
    uow.commit(conn).unwrap();
    assert_eq!(row(&db, 42).version, 9);
}

#[test]
fn a_copy_that_the_unit_tracks_is_stale_then_and_loses_nothing() {
    let db = TestDb::new();
    for id in [1, 2] {
        stored_lamp(&db, id);
    }
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let changed: Handle<Product> = uow.find(conn, 1).unwrap();
    let unchanged: Handle<Product> = uow.find(conn, 2).unwrap();
    uow[changed].name = "Torch".to_owned();
    for id in [1, 2] {
        sell(&mut uow, id);
    }
    uow.commit(conn).unwrap();
    // Both are written: mine under its guard, then the update.
    let now = row(&db, 1);
    assert_eq!((now.name.as_str(), now.stock, now.version), ("Torch", 2, 3));
    assert_eq!((uow[changed].stock, uow[changed].version), (5, 2));
    assert_eq!((row(&db, 2).stock, row(&db, 2).version), (2, 2));
    assert_eq!((uow[unchanged].stock, uow[unchanged].version), (5, 1));

    for handle in [changed, unchanged] {
        let before = row(&db, uow[handle].id);
        let mut uow = Unit::new();
        let stale = uow
            .attach(Product {
                version: before.version - 1,
                ..before.clone()
            })
            .unwrap();
        uow.touch(stale);
        assert_eq!(uow.commit(conn).unwrap_err().code(), "conflict.modified");
        assert_eq!(row(&db, before.id), before);
    }
    uow[changed].stock = 100;
    uow[unchanged].stock = 100;
    let error = uow.commit(conn).unwrap_err();
    assert_eq!(error.conflicts().map(Conflicts::len), Some(2));
    assert_eq!(row(&db, 1), now);

    // A copy that was stale before is a conflict, and the update is not written either.
    let mut other = Unit::new();
    let stale = other.attach(uow[changed].clone()).unwrap();
    other.touch(stale);
    sell(&mut other, 2);
    assert!(other.commit(conn).unwrap_err().conflicts().is_some());
    assert_eq!(row(&db, 2).version, 2);
}

#[test]
fn a_row_that_the_unit_inserts_or_deletes() {
    let db = TestDb::new();
    let mine = stored_lamp(&db, 42);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    uow.insert(lamp(1)).unwrap();
    sell(&mut uow, 1);
    uow.commit(conn).unwrap();
    assert_eq!((row(&db, 1).stock, row(&db, 1).version), (2, 2));

    let mut uow = Unit::new();
    let gone: Handle<Product> = uow.find(conn, 42).unwrap();
    uow.delete(gone);
    sell(&mut uow, 42);
    let error = uow.commit(conn).unwrap_err();
    assert_eq!(error.code(), "apply.gone");
    assert!(matches!(
        error.apply_error::<Product>(),
        Some(ApplyError::Gone { .. })
    ));
    assert_eq!(row(&db, 42), mine);
}

#[test]
fn after_the_callers_rollback_nothing_is_written_and_memory_is_as_it_was() {
    let db = TestDb::new();
    let mine = stored_lamp(&db, 42);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 42).unwrap();
    uow[handle].name = "Torch".to_owned();
    sell(&mut uow, 42);
    let mut done = None;
    let failed = conn.transaction(|conn| {
        done = Some(uow.commit(conn).unwrap());
        assert_eq!(Product::find(conn, 42).unwrap().version, 3);
        QueryResult::<()>::Err(RollbackTransaction)
    });
    assert_eq!(failed, Err(RollbackTransaction));
    done.unwrap().undo(&mut uow).unwrap();
    assert_eq!(row(&db, 42), mine);
    assert_eq!(uow[handle].version, 1);
    assert!(uow.is_dirty(handle));
    uow.commit(conn).unwrap();
    assert_eq!(row(&db, 42).name, "Torch");
}

#[test]
fn of_units_at_once_no_update_is_lost() {
    let db = TestDb::new();
    db.execute("INSERT INTO products VALUES (42, 'Lamp', 2999, 20, 1)");
    let sold = race(&db, 8, |number, conn| {
        let mut uow = Unit::new();
        uow.insert(lamp(i32::try_from(number).unwrap())).unwrap();
        sell(&mut uow, 42);
        uow.commit(conn).map(drop)
    });
    let lost: Vec<_> = sold.iter().filter_map(|sold| sold.as_ref().err()).collect();
    assert_eq!(lost.len(), 2, "{lost:?}");
    for error in lost {
        assert_eq!(error.code(), "apply.condition", "{error:?}");
    }
    assert_eq!((row(&db, 42).stock, row(&db, 42).version), (2, 7));
    let conn = &mut db.connect();
    assert_eq!(products::table.count().get_result(conn), Ok(7_i64));
}

#[test]
fn what_may_not_be_set_is_told_at_once() {
    let db = TestDb::new();
    stored_lamp(&db, 42);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let refused = uow.apply(Product::relative(42, products::version.eq(9)));
    assert!(
        matches!(refused, Err(ApplyError::Database(_))),
        "{refused:?}"
    );
    let queries = Queries::of(conn);
    uow.commit(conn).unwrap();
    assert_eq!(queries.take(), Vec::<String>::new());
}
