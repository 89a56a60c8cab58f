//! Isolation levels at which a lost write is an error of the database and not zero rows: it is a
//! conflict all the same.

use std::error::Error as _;

use diesel::connection::{Connection, SimpleConnection};
use diesel::result::{DatabaseErrorKind, Error};

use super::{Unit, conflicts, depth, kinds, sell, shop, stocks};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::capabilities::{Isolation, LostInSnapshot};
use crate::support::entities::{Account, Order, OrderLine, Product};
use crate::support::{TestBackend, TestDb};

/// A shop with an order line whose unit has begun to write when someone else changes the line:
/// the unit's transaction has a snapshot from before.
fn lost_in_the_middle(isolate: impl FnOnce(&mut Conn)) -> Conflicts {
    let db = shop(1);
    db.execute("INSERT INTO orders (customer, total_cents, version) VALUES ('Ada', 0, 1)");
    db.execute("INSERT INTO order_lines VALUES (1, 1, 1, 1, 1)");
    db.execute("INSERT INTO accounts VALUES (1, 'a', NULL, 0, 1)");
    let conn = &mut db.connect();
    isolate(conn);
    let mut uow = Unit::new();
    let account: Handle<Account> = uow.find(conn, 1_i64).unwrap();
    let line: Handle<OrderLine> = uow.find(conn, 1).unwrap();
    uow[account].balance = 5;
    uow[line].quantity = 5;
    // The account is written, then the order is made, then it is inserted, then the line is
    // written: a parent comes before its children.
    let mut other = db.connect();
    let mut attempts = 0;
    uow.insert_with(account, move |_| {
        attempts += 1;
        if attempts == 1 {
            other
                .batch_execute("UPDATE order_lines SET quantity = 9, version = 2")
                .unwrap();
        }
        Order {
            id: 0,
            customer: "Bob".into(),
            total_cents: 0,
            version: 0,
        }
    })
    .unwrap();
    let lost = conflicts(uow.commit(conn));
    assert_eq!(
        kinds(&lost),
        [("order_lines", "1".into(), ConflictKind::Modified)]
    );
    let conflict = lost.of::<OrderLine>().next().unwrap();
    assert_eq!((*conflict.expected(), conflict.actual()), (1, Some(&2)));
    assert_eq!(conflict.current().map(|line| line.quantity), Some(9));
    assert_eq!(depth(conn), 0);
    assert_eq!((uow[account].version, uow[line].version), (1, 1));
    // The connection is usable, and the rest of the unit commits.
    uow.discard(&lost);
    assert_eq!(uow.commit(conn).unwrap().len(), 2);
    lost
}

#[test]
fn a_writer_in_the_middle_of_a_unit_is_a_conflict() {
    if Conn::CONCURRENT_WRITERS {
        lost_in_the_middle(|_| {});
    }
}

#[test]
fn at_repeatable_read_a_lost_unit_reports_its_conflicts() {
    if let Some(isolate) = Conn::isolate(Isolation::RepeatableRead) {
        lost_in_the_middle(|conn| conn.batch_execute(isolate).unwrap());
    }
}

#[test]
fn serializable_units_report_their_conflicts() {
    if let Some(isolate) = Conn::isolate(Isolation::Serializable) {
        lost_in_the_middle(|conn| conn.batch_execute(isolate).unwrap());
    }
}

#[test]
fn what_the_database_said_is_the_source_of_the_conflict() {
    let (Some(isolate), LostInSnapshot::Transient) = (
        Conn::isolate(Isolation::RepeatableRead),
        Conn::LOST_IN_SNAPSHOT,
    ) else {
        return;
    };
    let lost = lost_in_the_middle(|conn| conn.batch_execute(isolate).unwrap());
    let source = lost.source().unwrap().downcast_ref::<Error>().unwrap();
    assert!(
        matches!(
            source,
            Error::DatabaseError(DatabaseErrorKind::SerializationFailure, _)
        ),
        "{source:?}"
    );
}

#[test]
fn strict_snapshots_do_not_hide_the_conflict() {
    let mut strict = false;
    let isolate = |conn: &mut Conn| {
        if let Some(setting) = conn.strict_snapshots() {
            conn.batch_execute(setting).unwrap();
            strict = true;
        }
    };
    if Conn::CONCURRENT_WRITERS {
        lost_in_the_middle(isolate);
    }
    if !strict {
        return;
    }
    // In a caller's snapshot the server gives up the caller's transaction as well.
    let db = shop(2);
    let conn = &mut db.connect();
    let setting = conn.strict_snapshots().unwrap();
    conn.batch_execute(setting).unwrap();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 5;
    let result = conn.transaction::<(), CommitError, _>(|conn| {
        conn.batch_execute("UPDATE products SET stock = 7 WHERE id = 2")?;
        stocks(conn);
        sell(&db, 1, 0);
        uow.commit(conn)?;
        Ok(())
    });
    let error = result.unwrap_err();
    assert!(error.is_transient(), "{error:?}");
    assert_eq!((uow[handle].version, depth(conn)), (1, 0));
    assert_eq!(stocks(conn), [(1, 0, 2), (2, 10, 1)]);
}

#[test]
fn units_that_lost_before_they_began_conflict_at_every_level() {
    for level in [Isolation::RepeatableRead, Isolation::Serializable] {
        let Some(isolate) = Conn::isolate(level) else {
            return;
        };
        let db = shop(3);
        let conn = &mut db.connect();
        conn.batch_execute(isolate).unwrap();
        let mut uow = Unit::new();
        let handles = [1, 2, 3].map(|id| uow.find::<Product>(conn, id).unwrap());
        uow[handles[0]].stock = 5;
        uow.expect_unchanged(handles[1]);
        uow.delete(handles[2]);
        for id in 1..=3 {
            sell(&db, id, 0);
        }
        assert_eq!(conflicts(uow.commit(conn)).len(), 3);
        assert_eq!(stocks(conn), [(1, 0, 2), (2, 0, 2), (3, 0, 2)]);
    }
}

#[test]
fn a_nested_unit_lost_in_the_callers_snapshot_is_a_conflict_or_transient() {
    let (Some(isolate), true) = (
        Conn::isolate(Isolation::RepeatableRead),
        Conn::CONCURRENT_WRITERS,
    ) else {
        return;
    };
    let db = shop(2);
    let conn = &mut db.connect();
    conn.batch_execute(isolate).unwrap();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 5;
    conn.transaction::<(), Error, _>(|conn| {
        stocks(conn);
        sell(&db, 1, 0);
        conn.batch_execute("UPDATE products SET stock = 7 WHERE id = 2")?;
        match (uow.commit(conn), Conn::LOST_IN_SNAPSHOT) {
            (Err(CommitError::Conflicts(lost)), LostInSnapshot::Conflict) => {
                let conflict = lost.of::<Product>().next().unwrap();
                assert_eq!(conflict.actual(), Some(&2), "not as the snapshot shows it");
            }
            (Err(error), LostInSnapshot::Transient) => {
                assert!(error.is_transient(), "{error:?}");
            }
            (other, _) => panic!("{other:?}"),
        }
        assert_eq!((uow[handle].version, depth(conn)), (1, 1));
        Ok(())
    })
    .unwrap();
    assert_eq!(stocks(conn), [(1, 0, 2), (2, 7, 1)]);
}

/// One writer at a time: the second waits for the first to end.
#[test]
fn rule_16_a_unit_that_reads_first_waits_for_a_writer_instead_of_failing() {
    let db = shop(2);
    let (mut writer, conn) = (db.connect(), &mut db.connect());
    let mut uow = Unit::new();
    let [read, written] = [1, 2].map(|id| uow.find::<Product>(conn, id).unwrap());
    uow.expect_unchanged(read);
    uow[written].stock = 5;
    // The writer holds its lock until the unit has begun; what the unit then sends waits.
    writer.batch_execute("BEGIN").unwrap();
    writer
        .batch_execute("UPDATE products SET name = 'theirs' WHERE id = 2")
        .unwrap();
    let begun = begins(conn);
    std::thread::scope(|scope| {
        let unit = scope.spawn(|| uow.commit(conn).map(|done| done.len()));
        begun.recv().unwrap();
        writer.batch_execute("COMMIT").unwrap();
        assert_eq!(unit.join().unwrap().unwrap(), 1);
    });
    assert_eq!(stocks(&mut db.connect()), [(1, 10, 1), (2, 5, 2)]);
}

/// Tells when a connection sends its next statement.
fn begins(conn: &mut Conn) -> std::sync::mpsc::Receiver<()> {
    use diesel::connection::InstrumentationEvent;
    let (sender, receiver) = std::sync::mpsc::channel();
    conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
        if let InstrumentationEvent::StartQuery { .. } = event {
            // Only the first one is waited for.
            sender.send(()).ok();
        }
    });
    receiver
}

#[test]
fn units_that_read_first_never_find_the_database_busy() {
    let db: TestDb = shop(8);
    let results = crate::support::race(&db, 8, |number, conn| {
        let mine = i32::try_from(number + 1).unwrap();
        (0..10)
            .map(|stock| {
                let mut uow = Unit::new();
                let other: Handle<Product> = uow.find(conn, mine % 8 + 1).unwrap();
                let own: Handle<Product> = uow.find(conn, mine).unwrap();
                uow.expect_unchanged(other);
                uow[own].stock = 100 + stock;
                match uow.commit(conn) {
                    Err(error) if !error.is_conflict() => panic!("{error:?}"),
                    result => result.is_ok(),
                }
            })
            .filter(|won| *won)
            .count()
    });
    assert!(results.iter().sum::<usize>() > 0);
}

#[test]
fn a_unit_that_waited_in_vain_for_a_lock_can_be_committed_again() {
    let db = shop(3);
    let (mut writer, conn) = (db.connect(), &mut db.connect());
    conn.batch_execute(Conn::WAIT_SHORTLY).unwrap();
    let mut uow = Unit::new();
    let handles = [1, 2, 3].map(|id| uow.find::<Product>(conn, id).unwrap());
    uow.expect_unchanged(handles[0]);
    uow.expect_unchanged(handles[1]);
    uow[handles[2]].stock = 5;
    writer.batch_execute("BEGIN").unwrap();
    writer
        .batch_execute("UPDATE products SET name = 'theirs' WHERE id = 2")
        .unwrap();
    // The first row is locked and read, the second is waited for.
    for _ in 0..2 {
        let error = super::failure(uow.commit(conn));
        assert!(error.is_transient(), "{error:?}");
        assert_eq!((uow[handles[2]].version, depth(conn)), (1, 0));
    }
    writer.batch_execute("COMMIT").unwrap();
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
}
