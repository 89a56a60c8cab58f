//! Conflicts of a unit: overwritten inside of it, in its transaction.

use diesel::connection::Connection;
use diesel::result::Error;

use super::super::single::{lamp, row, sold_by_someone_else, stored_lamp};
use super::{anna, failure, recorded, records};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::TestDb;
use crate::support::entities::Product;

type Unit = UnitOfWork<Conn>;

/// A unit over lamps 42 and 43, both changed, and its conflict over 42.
fn met(
    db: &TestDb,
    conn: &mut Conn,
) -> (Unit, Handle<Product>, Handle<Product>, Conflict<Product>) {
    stored_lamp(db, 42);
    stored_lamp(db, 43);
    let mut uow = Unit::new();
    let met: Handle<Product> = uow.find(conn, 42).unwrap();
    let other: Handle<Product> = uow.find(conn, 43).unwrap();
    uow[met].price_cents = 1_999;
    uow[other].stock = 1;
    sold_by_someone_else(db, 42);
    let conflict = lost(&mut uow, conn);
    (uow, met, other, conflict)
}

/// The conflict that a commit must end in.
#[track_caller]
fn lost(uow: &mut Unit, conn: &mut Conn) -> Conflict<Product> {
    let error = uow.commit(conn).unwrap_err();
    let conflicts = error.conflicts().unwrap_or_else(|| panic!("{error:?}"));
    assert_eq!(conflicts.len(), 1);
    conflicts.of().next().unwrap().clone()
}

#[track_caller]
fn refused(uow: &mut Unit, conflict: &Conflict<Product>) -> &'static str {
    match uow.overwrite(conflict, anna(), "counted") {
        Ok(_) => panic!("it is to be overwritten"),
        Err(error) => {
            assert!(!error.is_conflict());
            error.code()
        }
    }
}

#[test]
fn the_unit_writes_the_row_the_record_and_the_rest() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let (mut uow, met, other, conflict) = met(&db, conn);
    assert_eq!(uow.overwrite(&conflict, anna(), "counted").unwrap(), met);
    assert_eq!((uow[met].version, uow.base(met)), (2, conflict.current()));
    // Nothing before the commit.
    assert_eq!((row(&db, 42).version, recorded(&db).len()), (2, 0));

    let done = uow.commit(conn).unwrap();
    assert_eq!(done.len(), 2);
    assert_eq!(
        uow[met],
        Product {
            price_cents: 1_999,
            version: 3,
            ..lamp(42)
        }
    );
    assert_eq!(
        (row(&db, 42), row(&db, 43)),
        (uow[met].clone(), uow[other].clone())
    );
    let record = records(&db, "stock").remove(0);
    assert_eq!((&*record.actor, &*record.row_key), ("anna", "42"));
    assert_eq!(
        (&*record.overwritten_version, record.new_version.as_deref()),
        ("2", Some("3"))
    );
    assert_eq!(record.lost.as_deref(), Some("4"));

    // It is done: the next commit records nothing.
    uow[met].stock = 0;
    uow.commit(conn).unwrap();
    assert_eq!(recorded(&db).len(), 1);
}

#[test]
fn what_is_changed_before_the_commit_counts() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let (mut uow, met, _, conflict) = met(&db, conn);
    uow.overwrite(&conflict, anna(), "counted").unwrap();
    uow[met].stock = 4; // as they have it
    uow[met].name = "Lantern".to_owned();
    uow.commit(conn).unwrap();
    assert_eq!(row(&db, 42), uow[met]);
    assert_eq!(records(&db, "stock")[0].lost, None);
    assert_eq!(records(&db, "name")[0].lost.as_deref(), Some("Lamp"));
}

#[test]
fn a_third_writer_is_the_next_conflict_and_only_what_happened_is_recorded() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let (mut uow, met, other, conflict) = met(&db, conn);
    uow.overwrite(&conflict, anna(), "first").unwrap();
    sold_by_someone_else(&db, 42);
    let next = lost(&mut uow, conn);
    assert_eq!((*next.expected(), next.actual()), (2, Some(&3)));
    assert_eq!(next.base(), conflict.current(), "what was seen");
    assert_eq!((row(&db, 43).version, recorded(&db).len()), (1, 0));

    uow.overwrite(&next, anna(), "second").unwrap();
    uow.commit(conn).unwrap();
    assert_eq!((uow[met].version, uow[other].version), (4, 2));
    assert_eq!(
        recorded(&db),
        [("3".to_owned(), Some("4".to_owned()), "second".to_owned())]
    );
}

#[test]
fn what_is_merged_or_discarded_after_all_is_not_recorded() {
    for merge in [true, false] {
        let db = TestDb::with_own_tables();
        let conn = &mut db.connect();
        let (mut uow, met, other, conflict) = met(&db, conn);
        uow.overwrite(&conflict, anna(), "first").unwrap();
        sold_by_someone_else(&db, 42);
        let next = lost(&mut uow, conn);
        if merge {
            uow.resolve(&next, |_, mine, mut theirs| {
                theirs.price_cents = mine.price_cents;
                Ok(theirs)
            })
            .unwrap();
        } else {
            uow.discard(met);
        }
        uow.commit(conn).unwrap();
        assert_eq!((row(&db, 43), recorded(&db)), (uow[other].clone(), vec![]));
        let version = if merge { 4 } else { 3 };
        assert_eq!((row(&db, 42).version, row(&db, 42).stock), (version, 3));
    }
}

#[test]
fn a_record_that_fails_fails_the_unit_which_can_be_committed_later() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let (mut uow, met, other, conflict) = met(&db, conn);
    uow.overwrite(&conflict, anna(), "counted").unwrap();
    let error = uow.commit(conn).unwrap_err();
    assert!(matches!(error, CommitError::Database { .. }), "{error:?}");
    assert_eq!((row(&db, 42).version, row(&db, 43).version), (2, 1));
    assert!(uow.is_dirty(met) && uow.is_dirty(other));

    db.make_own_tables();
    uow.commit(conn).unwrap();
    assert_eq!((uow[met].version, recorded(&db).len()), (3, 1));
}

#[test]
fn a_deletion_is_overwritten_by_deleting() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    stored_lamp(&db, 42);
    let mut uow = Unit::new();
    let gone: Handle<Product> = uow.find(conn, 42).unwrap();
    uow.delete(gone);
    sold_by_someone_else(&db, 42);
    let conflict = lost(&mut uow, conn);
    uow.overwrite(&conflict, anna(), "scrapped").unwrap();
    uow.commit(conn).unwrap();
    assert!(Product::find(conn, 42).is_err());
    assert_eq!(
        recorded(&db),
        [("2".to_owned(), None, "scrapped".to_owned())]
    );
    assert_eq!(records(&db, "name")[0].lost.as_deref(), Some("Lamp"));
}

#[test]
fn what_was_undone_is_overwritten_and_recorded_with_the_next_commit() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let (mut uow, met, _, conflict) = met(&db, conn);
    uow.overwrite(&conflict, anna(), "counted").unwrap();
    let mut done = None;
    let result = conn.transaction::<(), Error, _>(|conn| {
        done = Some(uow.commit(conn).unwrap());
        Err(Error::RollbackTransaction)
    });
    assert!(result.is_err());
    assert_eq!((uow[met].version, recorded(&db).len()), (3, 0));
    done.unwrap().undo(&mut uow).unwrap();
    assert_eq!(uow[met].version, 2);
    uow.commit(conn).unwrap();
    assert_eq!((row(&db, 42), recorded(&db).len()), (uow[met].clone(), 1));
}

#[test]
fn an_audit_of_ones_own_is_kept_by_the_unit() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let (mut uow, met, _, conflict) = met(&db, conn);
    let (sender, told) = std::sync::mpsc::channel();
    let mut attempts = 0;
    let audit = move |_: &mut Conn, what: &Overwrite| {
        attempts += 1;
        if attempts == 1 {
            return Err(Error::NotFound);
        }
        sender
            .send(format!("{} {}", what.actor(), what.key()))
            .map_err(|error| Error::QueryBuilderError(Box::new(error)))
    };
    uow.overwrite_with(&conflict, audit, anna(), "counted")
        .unwrap();
    assert_eq!(uow.commit(conn).unwrap_err().code(), "row.not_found");
    assert_eq!(row(&db, 42).version, 2);
    uow.commit(conn).unwrap();
    assert_eq!(told.try_iter().collect::<Vec<_>>(), ["anna 42"]);
    assert_eq!(row(&db, 42), uow[met]);
}

#[test]
fn only_what_the_last_commit_reported_is_overwritten() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let (mut uow, met, _, conflict) = met(&db, conn);
    assert_eq!(refused(&mut Unit::new(), &conflict), "unit.unknown_handle");
    uow.expect_unchanged(met);
    assert_eq!(refused(&mut uow, &conflict), "overwrite.expect_unchanged");

    let (mut uow, ..) = {
        let mut uow = Unit::new();
        let met: Handle<Product> = uow.find(conn, 42).unwrap();
        (uow, met)
    };
    // Of another unit, over the same row.
    assert_eq!(refused(&mut uow, &conflict), "unit.unknown_handle");
}

#[test]
fn a_conflict_is_overwritten_once() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let (mut uow, met, _, conflict) = met(&db, conn);
    uow.overwrite(&conflict, anna(), "counted").unwrap();
    assert_eq!(refused(&mut uow, &conflict), "overwrite.outdated");
    uow.commit(conn).unwrap();
    assert_eq!(refused(&mut uow, &conflict), "overwrite.outdated");
    uow.discard(met);
    assert_eq!(refused(&mut uow, &conflict), "unit.unknown_handle");
    assert_eq!(recorded(&db).len(), 1);
}

#[test]
fn a_row_that_is_gone_is_not_overwritten() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    stored_lamp(&db, 42);
    let mut uow = Unit::new();
    let gone: Handle<Product> = uow.find(conn, 42).unwrap();
    uow[gone].stock = 0;
    db.execute("DELETE FROM products");
    let conflict = lost(&mut uow, conn);
    assert_eq!(refused(&mut uow, &conflict), "conflict.deleted");
    match uow.overwrite(&conflict, anna(), "") {
        Err(OverwriteError::Reason(error)) => assert_eq!(error.code(), "overwrite.reason"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn outside_of_its_unit_it_is_the_units_next_conflict() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let (mut uow, met, other, conflict) = met(&db, conn);
    let written = conflict.overwrite(conn, anna(), "counted").unwrap();
    assert_eq!((written.version, uow[met].version), (3, 1));
    let next = lost(&mut uow, conn);
    assert_eq!(next.current(), Some(&written));
    assert_eq!((row(&db, 43).version, uow[other].version), (1, 1));
}

#[test]
fn by_a_conflict_of_another_commit_nothing_is_lost() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let (mut uow, _, _, conflict) = met(&db, conn);
    // A second writer, a second report; the first one is still what the person looks at.
    sold_by_someone_else(&db, 42);
    lost(&mut uow, conn);
    uow.overwrite(&conflict, anna(), "counted").unwrap();
    let next = lost(&mut uow, conn);
    assert_eq!((*next.expected(), next.actual()), (2, Some(&3)));
    let error = failure(conflict.overwrite(conn, anna(), "counted"));
    assert!(error.is_conflict());
    assert_eq!(recorded(&db), []);
}

#[test]
fn one_that_was_replayed_and_taken_back_is_recorded_when_it_is_written() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let (mut uow, met, _, conflict) = met(&db, conn);
    uow.overwrite(&conflict, anna(), "counted").unwrap();
    uow.idempotency_key_for("a", "the request").unwrap();
    let mut replayed = None;
    let result = conn.transaction::<(), CommitError, _>(|conn| {
        let mut first = Unit::new();
        first.idempotency_key_for("a", "the request")?;
        first.save(uow[met].clone())?;
        assert!(!first.commit(conn)?.is_replayed());
        let done = uow.commit(conn)?;
        assert!(done.is_replayed());
        replayed = Some(done);
        Err(Error::RollbackTransaction.into())
    });
    assert!(result.is_err());
    replayed.unwrap().undo(&mut uow).unwrap();
    assert!(!uow.commit(conn).unwrap().is_replayed());
    assert_eq!((row(&db, 42).version, recorded(&db).len()), (3, 1));
}
