//! Locks of a unit: what it has already is compared and never replaced.

use super::{in_transaction, one_after_the_other, shop};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::scenario::unit::{product, sell, stocks};

type Unit = UnitOfWork<Conn>;

#[test]
fn a_row_is_locked_and_taken_in() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    in_transaction(conn, |conn| {
        let handle: Handle<Product> = uow.lock(conn, 2, Lock::Update, Wait::Block)?;
        assert_eq!((uow[handle].id, uow.is_dirty(handle)), (2, false));
        uow[handle].stock = 1;
        // Again: it is the same, and what was changed is kept.
        assert_eq!(uow.lock(conn, 2, Lock::Update, Wait::NoWait)?, handle);
        assert_eq!(uow[handle].stock, 1);
        let handles = uow.lock_all::<Product, _>(conn, [2, 1, 2], Lock::Share, Wait::Block)?;
        assert_eq!((handles[0], handles[2]), (handle, handle));
        assert_eq!(uow[handles[1]].id, 1);
        uow.commit(conn).map(drop)
    })
    .unwrap();
    assert_eq!(stocks(conn), [(1, 10, 1), (2, 1, 2)]);
}

#[test]
fn what_the_unit_has_is_compared_and_stays_as_it_is() {
    let db = shop(3);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handles: Vec<Handle<Product>> = (1..=2).map(|id| uow.find(conn, id).unwrap()).collect();
    uow[handles[0]].name = "mine".to_owned();
    sell(&db, 1, 3);
    sell(&db, 2, 4);
    let error = in_transaction(conn, |conn| {
        uow.lock_all::<Product, _>(conn, [3, 2, 1], Lock::Update, Wait::Block)
    })
    .unwrap_err();
    assert_eq!(error.code(), "conflict.modified");
    assert!(error.is_conflict() && error.is_retryable());
    let CommitError::Conflicts(conflicts) = error else {
        panic!("{error:?}");
    };
    let found: Vec<_> = conflicts
        .of::<Product>()
        .map(|lost| (*lost.key(), lost.actual().copied(), lost.handle()))
        .collect();
    assert_eq!(
        found,
        [
            (1, Some(2), Some(handles[0])),
            (2, Some(2), Some(handles[1]))
        ]
    );
    let first = conflicts.of::<Product>().next().unwrap();
    assert_eq!(first.base().unwrap().name, "P1");
    assert_eq!(first.mine().name, "mine");
    assert_eq!(first.current().unwrap().stock, 3);
    // Nothing was taken in, nothing replaced.
    assert_eq!(uow.len(), 2);
    assert_eq!((uow[handles[0]].version, uow[handles[0]].stock), (1, 10));
    assert_eq!(uow[handles[0]].name, "mine");
    // What a conflict of a commit can do, it can, too.
    uow.discard(&conflicts);
    assert!(uow.is_empty());
}

#[test]
fn a_row_that_the_unit_has_and_that_is_gone_is_a_conflict() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    db.execute("DELETE FROM products");
    let error = in_transaction(conn, |conn| {
        uow.lock::<Product>(conn, 1, Lock::Update, Wait::Block)
    })
    .unwrap_err();
    assert_eq!(error.code(), "conflict.deleted");
    assert_eq!(uow[handle].version, 1);
    let error = in_transaction(conn, |conn| {
        uow.lock::<Product>(conn, 9, Lock::Update, Wait::Block)
    })
    .unwrap_err();
    assert_eq!(error.code(), "row.not_found");
}

#[test]
fn rows_that_the_unit_inserts_or_deletes_cannot_be_locked() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    uow.insert(product(7)).unwrap();
    let gone: Handle<Product> = uow.find(conn, 1).unwrap();
    uow.delete(gone);
    in_transaction(conn, |conn| {
        let mut code = |key| {
            let locked = uow.lock::<Product>(conn, key, Lock::Update, Wait::Block);
            locked.unwrap_err().code()
        };
        assert_eq!(code(7), "unit.invalid");
        assert_eq!(code(1), "row.not_found");
        Ok::<_, CommitError>(())
    })
    .unwrap();
}

#[test]
fn a_unit_that_locks_first_never_loses() {
    let db = shop(1);
    let once = RetryPolicy::new().attempts(1);
    let (first, second) = one_after_the_other(
        |has_locked| {
            in_transaction(&mut db.connect(), |conn| {
                let mut uow = Unit::new();
                let handle: Handle<Product> = uow.lock(conn, 1, Lock::Update, Wait::Block)?;
                has_locked();
                uow[handle].stock -= 1;
                uow.commit(conn).map(drop)
            })
        },
        || {
            Unit::run(&mut db.connect(), &once, |uow, conn| {
                let handle: Handle<Product> = uow.lock(conn, 1, Lock::Update, Wait::Block)?;
                uow[handle].stock -= 1;
                Ok::<_, CommitError>(())
            })
        },
    );
    first.unwrap();
    second.unwrap();
    assert_eq!(stocks(&mut db.connect()), [(1, 8, 3)]);
}
