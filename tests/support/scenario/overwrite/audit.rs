//! The record fails or is made by someone else: both writes or neither.

use std::panic::{AssertUnwindSafe, catch_unwind};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::result::Error;
use diesel_versioned::OverwriteTable;

use super::super::single::{row, sold_by_someone_else};
use super::super::unit::depth;
use super::{anna, failure, met, recorded};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::schema::customers;
use crate::support::{TestBackend, TestDb};

/// The row is as it was, and the connection and the conflict are good for another go.
fn assert_as_before(db: &TestDb, conn: &mut Conn, seen: &Conflict<Product>) {
    assert_eq!(row(db, 42), *seen.current().unwrap());
    assert_eq!(depth(conn), 0);
    db.make_own_tables();
    assert_eq!(recorded(db), []);
    let written = seen.overwrite(conn, anna(), "again").unwrap();
    assert_eq!((written.version, recorded(db).len()), (3, 1));
}

/// A row that an audit of one's own writes.
fn note(conn: &mut Conn, id: i32) -> QueryResult<()> {
    diesel::insert_into(customers::table)
        .values((
            customers::id.eq(id),
            customers::name.eq("noted"),
            customers::street.eq(""),
            customers::city.eq(""),
            customers::version.eq(1),
        ))
        .execute(conn)
        .map(drop)
}

fn notes(db: &TestDb) -> i64 {
    customers::table
        .count()
        .get_result(&mut db.connect())
        .unwrap()
}

#[test]
fn without_its_table_nothing_is_overwritten_and_the_error_says_what_to_run() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let seen = met(&db);
    let error = failure(seen.overwrite(conn, anna(), "counted"));
    assert_eq!(error.code(), "overwrite.audit");
    assert!(!error.is_conflict() && !error.is_transient());
    let text = error.to_string();
    assert!(text.contains("diesel_versioned::migrations"), "{text}");
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("diesel_versioned_overwrites"), "{source}");
    assert_as_before(&db, conn, &seen);
}

#[test]
fn an_audit_of_ones_own_is_in_the_same_transaction() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let seen = met(&db);
    let mut told = None;
    let mut audit = |conn: &mut Conn, what: &Overwrite| {
        told = Some((
            format!("{what:?}"),
            what.reason().to_owned(),
            what.overwritten_values().to_owned(),
            what.overwritten::<Product>().cloned(),
            what.written::<Product>().cloned(),
        ));
        note(conn, 1)
    };
    let written = seen
        .overwrite_with(conn, &mut audit, anna(), "counted")
        .unwrap();
    assert_eq!((row(&db, 42), notes(&db)), (written.clone(), 1));
    let (debug, reason, values, overwritten, new) = told.unwrap();
    assert_eq!(reason, "counted");
    assert_eq!(values, r#"{"price_cents": 2999, "stock": 4}"#);
    assert_eq!(overwritten.as_ref(), seen.current());
    assert_eq!(new, Some(written));
    assert!(
        debug.contains("anna") && !debug.contains("counted"),
        "{debug}"
    );
    assert!(!debug.contains("2999"), "{debug}");
}

#[test]
fn an_audit_may_do_more_than_the_librarys() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let mut audit = |conn: &mut Conn, what: &Overwrite| {
        note(conn, 1)?;
        Audit::record(&mut OverwriteTable, conn, what)
    };
    met(&db)
        .overwrite_with(conn, &mut audit, anna(), "counted")
        .unwrap();
    assert_eq!((recorded(&db).len(), notes(&db)), (1, 1));
}

#[test]
fn an_audit_that_fails_undoes_the_overwrite() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let seen = met(&db);
    let mut audit = |conn: &mut Conn, _: &Overwrite| {
        note(conn, 1)?;
        Err(Error::NotFound)
    };
    let error = failure(seen.overwrite_with(conn, &mut audit, anna(), "counted"));
    assert_eq!(error.code(), "overwrite.audit");
    assert!(error.to_string().contains("cannot be recorded"), "{error}");
    assert!(!error.to_string().contains("migrations"), "{error}");
    assert_eq!(notes(&db), 0);
    assert_as_before(&db, conn, &seen);
}

#[test]
fn an_audit_that_panics_undoes_the_overwrite() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let seen = met(&db);
    let mut audit = |conn: &mut Conn, _: &Overwrite| {
        note(conn, 1)?;
        panic!("no ink")
    };
    catch_unwind(AssertUnwindSafe(|| {
        seen.overwrite_with(conn, &mut audit, anna(), "counted")
    }))
    .unwrap_err();
    assert_eq!(notes(&db), 0);
    assert_as_before(&db, conn, &seen);
}

#[test]
fn an_audit_that_ends_the_transaction_is_noticed() {
    for end in ["ROLLBACK", "COMMIT"] {
        let db = TestDb::with_own_tables();
        let conn = &mut db.connect();
        let seen = met(&db);
        let mut audit = |conn: &mut Conn, _: &Overwrite| conn.batch_execute(end);
        let error = failure(seen.overwrite_with(conn, &mut audit, anna(), "counted"));
        assert_eq!(error.code(), "outcome.unknown", "{end}: {error:?}");
        assert!(!error.is_transient());
    }
}

#[test]
fn an_audit_that_swallows_a_failure_does_not_lose_the_record() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let seen = met(&db);
    let mut audit = |conn: &mut Conn, _: &Overwrite| {
        // Where this makes the transaction useless, COMMIT would roll back and say nothing.
        conn.batch_execute("INSERT INTO no_such_table VALUES (1)")
            .ok();
        Ok(())
    };
    match seen.overwrite_with(conn, &mut audit, anna(), "counted") {
        Ok(written) => assert_eq!(row(&db, 42), written),
        Err(_) => assert_eq!(row(&db, 42), *seen.current().unwrap()),
    }
}

#[test]
fn a_connection_that_is_lost_in_the_audit_overwrites_nothing() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let Some(kill) = conn.kill_statement() else {
        return;
    };
    let seen = met(&db);
    let mut killer = db.connect();
    let mut audit = |conn: &mut Conn, what: &Overwrite| {
        killer.batch_execute(&kill).unwrap();
        Audit::record(&mut OverwriteTable, conn, what)
    };
    let error = failure(seen.overwrite_with(conn, &mut audit, anna(), "counted"));
    assert!(!error.is_conflict() && !error.is_transient(), "{error:?}");
    assert_as_before(&db, &mut db.connect(), &seen);
}

#[test]
fn a_connection_that_is_lost_at_the_end_is_an_unknown_outcome() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let Some(kill) = conn.kill_statement() else {
        return;
    };
    let seen = met(&db);
    let mut killer = db.connect();
    let mut audit = |_: &mut Conn, _: &Overwrite| killer.batch_execute(&kill);
    let error = failure(seen.overwrite_with(conn, &mut audit, anna(), "counted"));
    assert_eq!(error.code(), "outcome.unknown", "{error:?}");
    assert!(!error.is_transient());
    // It says that it may be written; it is not, and the conflict tells when it is tried again.
    sold_by_someone_else(&db, 42);
    let error = failure(seen.overwrite(&mut db.connect(), anna(), "counted"));
    assert!(error.is_conflict());
}
