//! Inside a caller's transaction: the row and the record go with it.

use diesel::Connection;
use diesel::result::Error;

use super::super::single::{lamp, row, sold_by_someone_else};
use super::super::unit::depth;
use super::{anna, failure, met, recorded};
use crate::flavor::prelude::*;
use crate::support::TestDb;

#[test]
fn both_go_with_the_callers_transaction() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let seen = met(&db);
    let result = conn.transaction::<(), Error, _>(|conn| {
        let written = seen.overwrite(conn, anna(), "counted").unwrap();
        assert_eq!((written.version, depth(conn)), (3, 1));
        Err(Error::RollbackTransaction)
    });
    assert_eq!(result, Err(Error::RollbackTransaction));
    assert_eq!(row(&db, 42), *seen.current().unwrap());
    assert_eq!(recorded(&db), []);

    conn.transaction::<(), Error, _>(|conn| {
        seen.overwrite(conn, anna(), "counted").unwrap();
        Ok(())
    })
    .unwrap();
    assert_eq!((row(&db, 42).version, recorded(&db).len()), (3, 1));
}

#[test]
fn after_a_failure_the_callers_work_stands() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let seen = met(&db);
    sold_by_someone_else(&db, 42);
    conn.transaction::<(), Error, _>(|conn| {
        lamp(43).insert(conn).unwrap();
        let error = failure(seen.overwrite(conn, anna(), "counted"));
        assert!(error.is_conflict(), "{error:?}");
        assert_eq!(depth(conn), 1);
        Ok(())
    })
    .unwrap();
    assert_eq!((row(&db, 43).version, row(&db, 42).version), (1, 3));
    assert_eq!(recorded(&db), []);
}

#[test]
fn after_a_record_that_failed_the_callers_work_stands() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let seen = met(&db);
    conn.transaction::<(), Error, _>(|conn| {
        lamp(43).insert(conn).unwrap();
        let error = failure(seen.overwrite(conn, anna(), "counted"));
        assert_eq!(error.code(), "overwrite.audit");
        lamp(44).insert(conn).unwrap();
        Ok(())
    })
    .unwrap();
    assert_eq!((row(&db, 43).version, row(&db, 44).version), (1, 1));
    assert_eq!(row(&db, 42), *seen.current().unwrap());
}
