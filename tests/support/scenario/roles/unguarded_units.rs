//! Bookkeeping in units: alone, mixed with guarded changes, in batches, in races.

use diesel::prelude::*;
use diesel::result::Error::RollbackTransaction;
use diesel_versioned::Operation;

use super::{Machine, Unit, find, machine, rows, speed_up, store};
use crate::flavor::prelude::*;
use crate::support::{Queries, race};

/// What a commit says of its rows.
fn told(done: &Committed) -> Vec<(i32, Operation, Option<i32>, Option<i32>)> {
    done.of::<Machine>()
        .map(|row| {
            let versions = (row.old_version.copied(), row.new_version.copied());
            (*row.key, row.operation, versions.0, versions.1)
        })
        .collect()
}

#[test]
fn a_change_of_bookkeeping_alone_is_written_without_check_and_without_bump() {
    let db = store(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Machine> = uow.find(conn, 1).unwrap();
    uow[handle].last_seen = 5_000;
    uow[handle].place.room_seen = 6;
    assert!(uow.is_dirty(handle));
    let theirs = speed_up(&db, 1);

    let queries = Queries::of(conn);
    let done = uow.commit(conn).unwrap();
    let sent = queries.take();
    let updates: Vec<_> = sent.iter().filter(|sql| sql.contains("UPDATE")).collect();
    assert_eq!(updates.len(), 1, "{sent:?}");
    assert!(!updates[0].contains("version"), "{updates:?}");
    assert!(!updates[0].contains("pings"), "{updates:?}");
    assert_eq!(told(&done), [(1, Operation::Update, Some(1), Some(1))]);
    assert!(!uow.is_dirty(handle));
    // The copy is as stale as it was, and the next guarded write says so.
    assert_eq!((uow[handle].version, uow[handle].speed), (1, 10));
    let mut expected = theirs;
    (expected.last_seen, expected.place.room_seen) = (5_000, 6);
    assert_eq!(find(&db, 1), expected);
    uow[handle].speed = 99;
    assert!(uow.commit(conn).unwrap_err().is_conflict());
    assert_eq!(find(&db, 1), expected);
}

#[test]
fn mixed_with_a_guarded_change_it_is_guarded_and_bumped() {
    let db = store(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let first: Handle<Machine> = uow.find(conn, 1).unwrap();
    let second: Handle<Machine> = uow.find(conn, 2).unwrap();
    for handle in [first, second] {
        uow[handle].last_seen = 5_000;
        uow[handle].speed = 50;
    }
    let theirs = speed_up(&db, 2);
    let lost = uow.commit(conn).unwrap_err();
    assert_eq!(lost.conflicts().map(Conflicts::len), Some(1));
    assert_eq!(rows(&db), [machine(1), theirs]);

    uow.discard(second);
    let done = uow.commit(conn).unwrap();
    assert_eq!(told(&done), [(1, Operation::Update, Some(1), Some(2))]);
    assert_eq!(find(&db, 1), uow[first]);
    assert_eq!((uow[first].last_seen, uow[first].version), (5_000, 2));
}

#[test]
fn touched_as_well_it_is_guarded_and_bumped_once() {
    let db = store(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Machine> = uow.find(conn, 1).unwrap();
    uow[handle].last_seen = 5_000;
    uow.touch(handle);
    let done = uow.commit(conn).unwrap();
    assert_eq!(told(&done), [(1, Operation::Update, Some(1), Some(2))]);
    assert_eq!(find(&db, 1), uow[handle]);

    uow[handle].last_seen = 6_000;
    uow.touch(handle);
    let theirs = speed_up(&db, 1);
    assert!(uow.commit(conn).unwrap_err().is_conflict());
    assert_eq!(find(&db, 1), theirs);
}

#[test]
fn deleted_as_well_the_row_is_only_deleted() {
    let db = store(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Machine> = uow.find(conn, 1).unwrap();
    uow[handle].last_seen = 5_000;
    uow.delete(handle);
    let theirs = speed_up(&db, 1);
    let lost = uow.commit(conn).unwrap_err();
    assert_eq!(lost.code(), "conflict.modified");
    assert_eq!(find(&db, 1), theirs);
    uow.discard(handle);
    let handle: Handle<Machine> = uow.find(conn, 1).unwrap();
    uow[handle].last_seen = 5_000;
    uow.delete(handle);
    let done = uow.commit(conn).unwrap();
    assert_eq!(told(&done), [(1, Operation::Delete, Some(2), None)]);
    assert_eq!(rows(&db), []);
}

#[test]
fn expected_unchanged_as_well_it_is_written_if_the_version_stands() {
    let db = store(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let first: Handle<Machine> = uow.find(conn, 1).unwrap();
    let second: Handle<Machine> = uow.find(conn, 2).unwrap();
    uow[first].last_seen = 5_000;
    uow.expect_unchanged(first);
    uow[second].speed = 50;
    let theirs = speed_up(&db, 1);
    let lost = uow.commit(conn).unwrap_err();
    let lost = lost.conflicts().unwrap();
    assert_eq!(lost.len(), 1);
    let lost = lost.of::<Machine>().next().unwrap();
    assert_eq!((lost.kind(), *lost.key()), (ConflictKind::Modified, 1));
    assert_eq!(rows(&db), [theirs, machine(2)]);

    uow.discard(first);
    let first: Handle<Machine> = uow.find(conn, 1).unwrap();
    uow[first].last_seen = 5_000;
    uow.expect_unchanged(first);
    let done = uow.commit(conn).unwrap();
    assert_eq!(
        told(&done),
        [
            (1, Operation::Update, Some(2), Some(2)),
            (2, Operation::Update, Some(1), Some(2))
        ]
    );
    assert_eq!(rows(&db), [uow[first].clone(), uow[second].clone()]);
}

#[test]
fn of_a_row_that_is_gone_it_is_a_conflict_and_nothing_is_written() {
    let db = store(3);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let hs = uow.attach_all(rows(&db)).unwrap();
    for &handle in &hs {
        uow[handle].pings += 1;
    }
    speed_up(&db, 1);
    find(&db, 2).delete(&mut db.connect()).unwrap();
    let before = rows(&db);
    let lost = uow.commit(conn).unwrap_err();
    let lost = lost.conflicts().unwrap();
    let lost: Vec<_> = lost.of::<Machine>().collect();
    assert_eq!(lost.len(), 1);
    assert_eq!((lost[0].kind(), *lost[0].key()), (ConflictKind::Deleted, 2));
    assert_eq!(rows(&db), before);
    assert!(hs.iter().all(|&handle| uow.is_dirty(handle)));
    uow.discard(hs[1]);
    assert_eq!(uow.commit(conn).unwrap().len(), 2);
    assert_eq!(
        rows(&db).iter().map(|row| row.pings).collect::<Vec<_>>(),
        [1, 1]
    );
}

#[test]
fn a_batch_is_written_by_sets_without_the_version() {
    const COUNT: i32 = 300;
    let db = store(COUNT);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let hs = uow.attach_all(rows(&db)).unwrap();
    // All are stale by now.
    db.execute("UPDATE machines SET speed = 77, version = version + id");
    for &handle in &hs {
        uow[handle].pings = 1_000 - uow[handle].id;
    }
    let queries = Queries::of(conn);
    assert_eq!(uow.commit(conn).unwrap().len(), 300);
    let sent = queries.take();
    assert!((3..=10).contains(&sent.len()), "{} statements", sent.len());
    for sql in &sent {
        assert!(!sql.contains("version"), "{sql}");
    }
    for row in rows(&db) {
        assert_eq!(
            (row.pings, row.speed, row.version),
            (1_000 - row.id, 77, row.id + 1)
        );
    }
}

#[test]
fn those_who_write_bookkeeping_and_those_who_change_rows_never_deadlock() {
    const COUNT: i32 = 40;
    let db = store(COUNT);
    let all = rows(&db);
    let results = race(&db, 6, |number, conn| {
        for round in 0..5 {
            let mut uow = Unit::new();
            let mut rows = all.clone();
            if number % 2 == 0 {
                rows.reverse();
            }
            for (place, row) in rows.into_iter().enumerate() {
                let handle = uow.attach(row).unwrap();
                uow[handle].last_seen += 1;
                // Two groups of columns, and with one writer rows under guard among them.
                if place % 2 == 0 {
                    uow[handle].pings = round + 1;
                }
                if number == 0 && place % 3 == 0 {
                    uow[handle].speed += 1;
                }
            }
            match uow.commit(conn) {
                Ok(_) => {}
                // Its own rows have moved since the first round.
                Err(error) if number == 0 && error.is_conflict() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    });
    for result in results {
        result.unwrap();
    }
    assert!(rows(&db).iter().all(|row| row.last_seen == 1_001));
}

#[test]
fn a_unit_that_was_rolled_back_is_undone_and_written_again() {
    let db = store(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Machine> = uow.find(conn, 1).unwrap();
    uow[handle].pings = 5;
    let mut done = None;
    let rolled_back = conn.transaction::<(), CommitError, _>(|conn| {
        done = Some(uow.commit(conn)?);
        Err(RollbackTransaction.into())
    });
    assert!(rolled_back.is_err());
    assert!(!uow.is_dirty(handle));
    done.unwrap().undo(&mut uow).unwrap();
    assert!(uow.is_dirty(handle));
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    assert_eq!(find(&db, 1), uow[handle]);
    assert_eq!((uow[handle].pings, uow[handle].version), (5, 1));
}

#[test]
fn a_merged_entity_of_a_unit_keeps_my_bookkeeping_and_their_other() {
    let db = store(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Machine> = uow.find(conn, 1).unwrap();
    (uow[handle].speed, uow[handle].last_seen) = (20, 3_000);
    let mut theirs = find(&db, 1);
    (theirs.last_seen, theirs.pings) = (2_000, 7);
    theirs.save_unguarded(&mut db.connect()).unwrap();
    theirs.name = "theirs".to_owned();
    theirs.save(&mut db.connect()).unwrap();

    let CommitError::Conflicts(lost) = uow.commit(conn).unwrap_err() else {
        panic!("it has moved");
    };
    let lost = lost.of::<Machine>().next().unwrap();
    uow.resolve(lost, Machine::merge).unwrap();
    uow.commit(conn).unwrap();
    let stored = find(&db, 1);
    assert_eq!(stored, uow[handle]);
    assert_eq!((stored.speed, &*stored.name), (20, "theirs"));
    assert_eq!((stored.last_seen, stored.pings), (3_000, 7));
}
