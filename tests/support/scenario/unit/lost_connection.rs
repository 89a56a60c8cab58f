//! A connection that is lost before, in the middle of and at the end of a unit.

use diesel::connection::{Connection, SimpleConnection};
use diesel::result::Error;

use super::{Unit, failure, shop, stocks};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::{TestBackend, TestDb};

/// A unit that changes product 1, its connection, and what ends that, where anything does.
fn victim() -> Option<(
    TestDb,
    Conn,
    Unit,
    Handle<Product>,
    impl FnMut() + Send + 'static,
)> {
    let db = shop(1);
    let mut conn = db.connect();
    let kill = conn.kill_statement()?;
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(&mut conn, 1).unwrap();
    uow[handle].stock = 3;
    let mut killer = db.connect();
    let end = move || killer.batch_execute(&kill).unwrap();
    Some((db, conn, uow, handle, end))
}

/// Nothing is written, and the unit goes on with another connection.
fn assert_as_before(db: &TestDb, uow: &mut Unit, handle: Handle<Product>) {
    assert_eq!((uow[handle].version, uow.is_dirty(handle)), (1, true));
    assert_eq!(stocks(&mut db.connect()), [(1, 10, 1)]);
    assert_eq!(uow.commit(&mut db.connect()).unwrap().len(), 1);
    assert_eq!(stocks(&mut db.connect()), [(1, 3, 2)]);
}

#[test]
fn lost_before_the_unit_is_a_database_error() {
    let Some((db, mut conn, mut uow, handle, mut end)) = victim() else {
        return;
    };
    end();
    let error = failure(uow.commit(&mut conn));
    assert!(matches!(error, CommitError::Database { .. }), "{error:?}");
    assert_as_before(&db, &mut uow, handle);
}

#[test]
fn lost_in_the_middle_of_the_unit_is_a_database_error() {
    let Some((db, mut conn, mut uow, handle, mut end)) = victim() else {
        return;
    };
    let parent = handle;
    let child = uow
        .insert_with(parent, move |_| {
            end();
            super::product(2)
        })
        .unwrap();
    let error = failure(uow.commit(&mut conn));
    assert!(matches!(error, CommitError::Database { .. }), "{error:?}");
    uow.discard(child);
    assert_as_before(&db, &mut uow, handle);
}

#[test]
fn rule_15_lost_during_commit_is_outcome_unknown() {
    let Some((db, mut conn, mut uow, handle, mut end)) = victim() else {
        return;
    };
    let mut attempts = 0;
    uow.also(move |_| {
        attempts += 1;
        if attempts == 1 {
            end();
        }
        Ok(())
    });
    uow.after_commit(|_| {});
    let error = failure(uow.commit(&mut conn));
    assert!(
        matches!(error, CommitError::OutcomeUnknown { .. }),
        "{error:?}"
    );
    assert_eq!(error.code(), "outcome.unknown");
    assert!(!error.is_transient(), "it must not be repeated blindly");
    assert!(!error.is_conflict());
    assert!(error.to_string().contains("read its rows again"), "{error}");
    assert!(std::error::Error::source(&error).is_some());
    assert_as_before(&db, &mut uow, handle);
}

#[test]
fn lost_at_the_end_of_a_nested_unit_is_no_unknown_outcome() {
    // The caller's transaction cannot have been committed.
    let Some((db, mut conn, mut uow, handle, mut end)) = victim() else {
        return;
    };
    let mut attempts = 0;
    uow.also(move |_| {
        attempts += 1;
        if attempts == 1 {
            end();
        }
        Ok(())
    });
    let mut error = None;
    let result = conn.transaction::<(), Error, _>(|conn| {
        error = Some(failure(uow.commit(conn)));
        Err(Error::RollbackTransaction)
    });
    assert!(result.is_err());
    let error = error.unwrap();
    assert!(matches!(error, CommitError::Database { .. }), "{error:?}");
    assert_as_before(&db, &mut uow, handle);
}
