//! Isolation levels, locks and deadlocks: a loss is a conflict or transient, never a raw surprise.

use std::sync::Barrier;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;

use super::{conflict, row, sold_by_someone_else, stored_lamp};
use crate::flavor::prelude::*;
use crate::support::capabilities::LostInSnapshot;
use crate::support::entities::Product;
use crate::support::{TestBackend, TestDb, race};

/// The write was turned away for reasons that pass, and the entity is as it was.
fn assert_transient(result: Result<(), SaveError<Product>>) {
    // SQLite says of a snapshot that is too old what it says of a lock that is not given.
    let codes = ["database.transient", "lock.timeout", "lock.deadlock"];
    let code = result.as_ref().map_err(SaveError::code).err();
    assert!(code.is_some_and(|code| codes.contains(&code)), "{code:?}");
    let error = result.unwrap_err();
    assert!(matches!(error, SaveError::Database(_)), "{error:?}");
    assert!(error.is_transient(), "{error:?}");
    assert!(!error.is_conflict());
}

#[test]
fn rule_09_the_truth_is_told_from_inside_a_snapshot() {
    let db = TestDb::new();
    for write in [Product::save, Product::touch, Product::delete] {
        db.execute("DELETE FROM products");
        stored_lamp(&db, 42);
        let conn = &mut db.connect();
        let Some(begin) = crate::Conn::BEGIN_SNAPSHOT else {
            return;
        };
        conn.batch_execute(begin).unwrap();
        let mut mine = Product::find(conn, 42).unwrap();
        let theirs = sold_by_someone_else(&db, 42);
        assert_eq!(Product::find(conn, 42).unwrap().version, 1, "no snapshot");
        mine.name = "Desk lamp".to_owned();
        let before = mine.clone();
        let result = write(&mut mine, conn);
        match crate::Conn::LOST_IN_SNAPSHOT {
            LostInSnapshot::Conflict => {
                let conflict = conflict(result);
                assert_eq!(conflict.kind(), ConflictKind::Modified);
                assert_eq!(conflict.actual(), Some(&2));
                assert_eq!(conflict.current(), Some(&theirs));
            }
            LostInSnapshot::Transient => assert_transient(result),
        }
        assert_eq!(mine, before);
        conn.batch_execute("ROLLBACK").unwrap();
        assert_eq!(row(&db, 42), theirs);
        // Read again and done again, it goes through.
        mine.reload(conn).unwrap();
        mine.save(conn).unwrap();
    }
}

#[test]
fn rule_09_a_delete_is_told_from_inside_a_snapshot() {
    let db = TestDb::new();
    stored_lamp(&db, 42);
    let conn = &mut db.connect();
    let Some(begin) = crate::Conn::BEGIN_SNAPSHOT else {
        return;
    };
    conn.batch_execute(begin).unwrap();
    let mut mine = Product::find(conn, 42).unwrap();
    db.execute("DELETE FROM products");
    let result = mine.save(conn);
    match crate::Conn::LOST_IN_SNAPSHOT {
        LostInSnapshot::Conflict => {
            assert_eq!(conflict(result).kind(), ConflictKind::Deleted);
        }
        LostInSnapshot::Transient => assert_transient(result),
    }
    conn.batch_execute("ROLLBACK").unwrap();
}

#[test]
fn rule_09_a_loss_in_a_serializable_transaction_is_transient_or_a_conflict() {
    let db = TestDb::new();
    stored_lamp(&db, 42);
    stored_lamp(&db, 43);
    let conn = &mut db.connect();
    let Some(begin) = crate::Conn::BEGIN_SERIALIZABLE else {
        return;
    };
    conn.batch_execute(begin).unwrap();
    let mut read = Product::find(conn, 43).unwrap();
    let mut mine = Product {
        id: 42,
        ..read.clone()
    };
    sold_by_someone_else(&db, 42);
    let before = mine.clone();
    let result = mine.save(conn);
    match crate::Conn::LOST_IN_SNAPSHOT {
        LostInSnapshot::Conflict => assert_eq!(conflict(result).actual(), Some(&2)),
        LostInSnapshot::Transient => assert_transient(result),
    }
    assert_eq!(mine, before);
    conn.batch_execute("ROLLBACK").unwrap();
    read.save(conn).unwrap();
}

#[test]
fn rule_09_a_batch_tells_the_truth_inside_a_snapshot() {
    let db = TestDb::new();
    if crate::Conn::LOST_IN_SNAPSHOT != LostInSnapshot::Conflict {
        return;
    }
    let mut mine: Vec<Product> = (1..=4).map(|id| stored_lamp(&db, id)).collect();
    let conn = &mut db.connect();
    conn.transaction::<_, diesel::result::Error, _>(|conn| {
        // The first read takes the snapshot.
        Product::find(conn, 1)?;
        sold_by_someone_else(&db, 2);
        db.execute("DELETE FROM products WHERE id = 3");
        let error = Product::save_all(conn, &mut mine).unwrap_err();
        let found: Vec<_> = error
            .conflicts()
            .unwrap_or_else(|| panic!("{error:?}"))
            .of::<Product>()
            .map(|conflict| (*conflict.key(), conflict.kind(), conflict.actual().copied()))
            .collect();
        assert_eq!(
            found,
            [
                (2, ConflictKind::Modified, Some(2)),
                (3, ConflictKind::Deleted, None)
            ]
        );
        Ok(())
    })
    .unwrap();
}

#[test]
fn rule_09_a_server_that_turns_stale_snapshots_away_is_transient() {
    let db = TestDb::new();
    stored_lamp(&db, 42);
    let conn = &mut db.connect();
    let (Some(strict), Some(begin)) = (conn.strict_snapshots(), crate::Conn::BEGIN_SNAPSHOT) else {
        return;
    };
    conn.batch_execute(strict).unwrap();
    conn.batch_execute(begin).unwrap();
    let mut mine = Product::find(conn, 42).unwrap();
    sold_by_someone_else(&db, 42);
    let before = mine.clone();
    assert_transient(mine.save(conn));
    assert_eq!(mine, before);
    conn.batch_execute("ROLLBACK").unwrap();

    // Through Diesel's own transaction, whose count must come out right: the server has rolled
    // back already.
    let result = conn.transaction::<_, SaveError<Product>, _>(|conn| {
        let mut mine = Product::find(conn, 42)?;
        sold_by_someone_else(&db, 42);
        mine.save(conn)
    });
    assert_transient(result);
    mine.reload(conn).unwrap();
    mine.save(conn).unwrap();
    assert_eq!(row(&db, 42), mine);
}

#[test]
fn a_lock_that_is_not_given_in_time_is_transient() {
    let db = TestDb::new();
    let (mut held, mut mine) = (stored_lamp(&db, 42), stored_lamp(&db, 43));
    mine.id = 42;
    let before = mine.clone();
    let (holder, waiter) = (&mut db.connect(), &mut db.connect());
    waiter.batch_execute(crate::Conn::WAIT_SHORTLY).unwrap();
    holder
        .transaction::<_, SaveError<Product>, _>(|holder| {
            held.save(holder)?;
            assert_transient(mine.save(waiter));
            assert_eq!(mine, before);
            assert_transient(mine.delete(waiter));
            let error = Product::save_all(waiter, std::slice::from_mut(&mut mine)).unwrap_err();
            assert!(error.is_transient(), "{error:?}");
            assert_eq!(error.code(), "lock.timeout");
            assert_eq!(mine, before);
            Ok(())
        })
        .unwrap();
    // The lock is gone, and so is the version.
    assert_eq!(conflict(mine.save(waiter)).actual(), Some(&2));
}

#[test]
fn the_one_that_a_deadlock_ends_is_transient() {
    let db = TestDb::new();
    if !crate::Conn::CONCURRENT_WRITERS {
        return;
    }
    let lamps = [stored_lamp(&db, 1), stored_lamp(&db, 2)];
    let both_hold_one = Barrier::new(2);
    let results = race(&db, 2, |number, conn| {
        let (mut first, mut second) = (lamps[number].clone(), lamps[1 - number].clone());
        let result = conn.transaction::<_, SaveError<Product>, _>(|conn| {
            first.save(conn)?;
            both_hold_one.wait();
            second.save(conn)
        });
        (second, result)
    });
    let lost: Vec<_> = results
        .into_iter()
        .filter(|(_, result)| result.is_err())
        .collect();
    assert_eq!(lost.len(), 1, "{lost:?}");
    for (second, result) in lost {
        assert_transient(result);
        assert_eq!(second.version, 1);
    }
    assert_eq!((row(&db, 1).version, row(&db, 2).version), (2, 2));
}

#[test]
fn a_save_waits_for_the_writer_before_it_and_then_sees_the_conflict() {
    let db = TestDb::new();
    let mut held = stored_lamp(&db, 42);
    let mut mine = held.clone();
    let written = Barrier::new(2);
    std::thread::scope(|scope| {
        let waiter = scope.spawn(|| {
            let conn = &mut db.connect();
            written.wait();
            // It may reach the row before or after the commit: it loses in either case.
            conflict(mine.save(conn))
        });
        let conn = &mut db.connect();
        conn.transaction::<_, SaveError<Product>, _>(|conn| {
            held.save(conn)?;
            written.wait();
            Ok(())
        })
        .unwrap();
        let conflict = waiter.join().unwrap();
        assert_eq!(
            (conflict.kind(), conflict.actual()),
            (ConflictKind::Modified, Some(&2))
        );
    });
}
