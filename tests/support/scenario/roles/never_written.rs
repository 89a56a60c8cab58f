//! Columns that are never written, and those that only an insert writes.

use super::{Machine, Unit, find, machine, store};
use crate::flavor::prelude::*;
use crate::support::Queries;
use crate::support::scenario::outcome::conflict;

#[test]
fn an_insert_leaves_a_read_only_column_to_the_database_and_reads_it_back() {
    let db = store(0);
    let conn = &mut db.connect();
    let mut mine = machine(1);
    mine.rating = 1;
    mine.insert(conn).unwrap();
    assert_eq!((mine.rating, &*mine.serial), (5, "S1"));
    let mut uow = Unit::new();
    let handle = uow
        .insert(Machine {
            rating: 1,
            ..machine(2)
        })
        .unwrap();
    uow.commit(conn).unwrap();
    assert_eq!(uow[handle].rating, 5);
    assert_eq!([find(&db, 1), find(&db, 2)], [mine, uow[handle].clone()]);
}

#[test]
fn no_update_writes_them() {
    let db = store(1);
    let conn = &mut db.connect();
    let mut mine = find(&db, 1);
    (mine.serial, mine.rating, mine.speed) = ("other".to_owned(), 1, 20);
    mine.save(conn).unwrap();
    let stored = find(&db, 1);
    assert_eq!(
        (&*stored.serial, stored.rating, stored.speed),
        ("S1", 5, 20)
    );

    let mut uow = Unit::new();
    let handle = uow.attach(stored.clone()).unwrap();
    (uow[handle].serial, uow[handle].rating) = ("other".to_owned(), 1);
    assert!(!uow.is_dirty(handle));
    let queries = Queries::of(conn);
    assert!(uow.commit(conn).unwrap().is_empty());
    assert_eq!(queries.count(), 0);
    uow[handle].speed = 30;
    uow.commit(conn).unwrap();
    let after = Machine {
        speed: 30,
        version: 3,
        ..stored
    };
    assert_eq!(find(&db, 1), after);
}

#[test]
fn a_change_of_them_is_no_work_that_can_be_lost() {
    let db = store(1);
    let conn = &mut db.connect();
    let base = find(&db, 1);
    let mut mine = base.clone();
    (mine.speed, mine.rating, mine.serial) = (20, 1, "other".to_owned());
    // The program that keeps the rating goes through the version like everybody.
    db.execute("UPDATE machines SET rating = 9, version = version + 1");

    let lost = conflict(mine.save(conn)).with_base(base).unwrap();
    let changes = lost.changes();
    assert_eq!(changes.mine().collect::<Vec<_>>(), ["speed"]);
    assert_eq!(changes.theirs().collect::<Vec<_>>(), ["rating"]);
    assert!(lost.is_disjoint());
    let merged = lost.resolve(Machine::merge).unwrap();
    assert_eq!(
        (merged.speed, merged.rating, &*merged.serial),
        (20, 9, "S1")
    );
    let mut merged = lost.resolve(|_, mine, _| Ok(mine.clone())).unwrap();
    merged.save(conn).unwrap();
    let stored = find(&db, 1);
    assert_eq!(
        (stored.speed, stored.rating, &*stored.serial),
        (20, 9, "S1")
    );
}
