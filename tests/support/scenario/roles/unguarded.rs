//! Bookkeeping of single entities: written without check, and by nobody by accident.

use diesel::prelude::*;
use diesel::result::Error;

use super::{Machine, Place, find, machine, machines, rows, speed_up, store};
use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::scenario::outcome::conflict;
use crate::support::scenario::single::lamp;
use crate::support::{Queries, TestDb};

#[test]
fn an_insert_writes_unguarded_columns() {
    let db = store(0);
    let mut mine = machine(1);
    (mine.last_seen, mine.pings, mine.place.room_seen) = (7, 8, 9);
    mine.insert(&mut db.connect()).unwrap();
    assert_eq!(find(&db, 1), mine);
    assert_eq!(
        (mine.last_seen, mine.pings, mine.place.room_seen),
        (7, 8, 9)
    );
}

/// Someone else notes that machine 1 was seen.
fn see(db: &TestDb) -> Machine {
    let mut theirs = find(db, 1);
    (theirs.last_seen, theirs.place.room_seen) = (2_000, 2);
    theirs.save_unguarded(&mut db.connect()).unwrap();
    theirs
}

#[test]
fn a_full_save_writes_no_stale_value_over_a_newer_one() {
    let db = store(1);
    let conn = &mut db.connect();
    let mut mine = find(&db, 1);
    see(&db);

    // Nobody is in conflict because a machine was seen.
    mine.speed = 20;
    mine.pings = 99;
    mine.save(conn).unwrap();
    assert_eq!((find(&db, 1).last_seen, find(&db, 1).pings), (2_000, 0));
    mine.speed = 30;
    Machine::save_all(conn, std::slice::from_mut(&mut mine)).unwrap();
    mine.speed = 40;
    let mut uow = super::Unit::new();
    let form = uow.save(mine).unwrap();
    uow.commit(conn).unwrap();
    let stored = find(&db, 1);
    assert_eq!((stored.speed, stored.version), (40, 4));
    assert_eq!((stored.last_seen, stored.pings), (2_000, 0));
    assert_eq!(stored.place.room_seen, 2);
    assert_eq!(uow[form].version, 4);
}

#[test]
fn save_unguarded_writes_all_of_them_and_nothing_else_whatever_the_version() {
    let db = store(2);
    let conn = &mut db.connect();
    let mut mine = find(&db, 1);
    let theirs = speed_up(&db, 1);
    (mine.last_seen, mine.pings, mine.place.room_seen) = (3_000, 1, 3);
    mine.name = "mine".to_owned();
    (mine.serial, mine.rating) = ("other".to_owned(), 1);
    let before = mine.clone();
    let queries = Queries::of(conn);
    mine.save_unguarded(conn).unwrap();
    assert_eq!(queries.count(), 1);
    let sql = queries.take().remove(0);
    assert!(sql.starts_with("UPDATE"), "{sql}");
    assert!(!sql.contains("version") && !sql.contains("name"), "{sql}");
    assert_eq!(mine, before);
    let mut expected = theirs;
    (expected.last_seen, expected.pings, expected.place.room_seen) = (3_000, 1, 3);
    assert_eq!(rows(&db), [expected, machine(2)]);
}

#[test]
fn bookkeeping_of_a_row_that_is_gone_is_a_conflict() {
    let db = store(1);
    let conn = &mut db.connect();
    let mut mine = find(&db, 1);
    find(&db, 1).delete(conn).unwrap();
    let lost = conflict(mine.save_unguarded(conn));
    assert_eq!(lost.kind(), ConflictKind::Deleted);
    assert_eq!(*lost.key(), 1);
    assert_eq!(lost.current(), None);
}

#[test]
fn an_entity_without_bookkeeping_is_told_so_and_nothing_is_sent() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let queries = Queries::of(conn);
    let error = Product::save_unguarded(&mut lamp(1), conn).unwrap_err();
    let SaveError::Database(Error::QueryBuilderError(problem)) = error else {
        panic!("{error:?}");
    };
    assert_eq!(
        problem.to_string(),
        "no column of `products` is unguarded, so there is nothing that can be written without a \
         check; put `#[versioned(unguarded)]` on the field, or use `save`"
    );
    assert_eq!(queries.count(), 0);
}

#[test]
fn in_a_conflict_bookkeeping_is_mine_if_i_changed_it_and_theirs_otherwise() {
    let db = store(1);
    let conn = &mut db.connect();
    let base = find(&db, 1);
    let mut mine = base.clone();
    (mine.speed, mine.last_seen) = (20, 3_000);
    let mut theirs = find(&db, 1);
    (theirs.last_seen, theirs.pings, theirs.place.room_seen) = (2_000, 7, 4);
    theirs.save_unguarded(&mut db.connect()).unwrap();
    theirs.name = "theirs".to_owned();
    theirs.place.room = "yard".to_owned();
    theirs.save(&mut db.connect()).unwrap();

    let lost = conflict(mine.save(conn)).with_base(base).unwrap();
    let changes = lost.changes();
    assert_eq!(changes.mine().collect::<Vec<_>>(), ["speed", "last_seen"]);
    assert_eq!(
        changes.theirs().collect::<Vec<_>>(),
        ["name", "pings", "room", "room_seen"]
    );
    assert_eq!(changes.both().count(), 0);
    assert!(lost.is_disjoint());

    let mut expected = theirs.clone();
    (expected.speed, expected.last_seen) = (20, 3_000);
    assert_eq!(lost.resolve(Machine::merge).unwrap(), expected);
    // A rule has nothing to do with it, whatever it says.
    let resolved = lost.resolve(|_, mine, theirs| {
        Ok(Machine {
            speed: mine.speed,
            last_seen: 1,
            pings: 1,
            ..theirs
        })
    });
    assert_eq!(resolved.unwrap(), expected);
}

#[test]
fn bookkeeping_alone_is_no_work_that_a_merge_loses() {
    let db = store(1);
    let conn = &mut db.connect();
    let base = find(&db, 1);
    let mut mine = base.clone();
    mine.place.room = "attic".to_owned();
    let mut theirs = find(&db, 1);
    (theirs.pings, theirs.place.room_seen) = (7, 8);
    theirs.save_unguarded(&mut db.connect()).unwrap();
    theirs.touch(&mut db.connect()).unwrap();

    let lost = conflict(mine.save(conn)).with_base(base).unwrap();
    let expected = Machine {
        place: Place {
            room: "attic".to_owned(),
            room_seen: 8,
        },
        ..theirs
    };
    // It gives mine back as it is, and they changed nothing else.
    assert_eq!(
        lost.resolve(|_, mine, _| Ok(mine.clone())).unwrap(),
        expected
    );
    // A part is taken whole; its bookkeeping is not.
    assert_eq!(lost.resolve(Machine::merge).unwrap(), expected);
}

#[test]
fn a_relative_update_of_nothing_else_moves_no_version() {
    let db = store(2);
    let conn = &mut db.connect();
    let mut mine = find(&db, 1);
    let pinged = machines::pings.eq(machines::pings + 1);
    for round in 1..=3 {
        let seen = (pinged, machines::last_seen.eq(2_000_i64 + round));
        Machine::apply(conn, 1, seen).execute().unwrap();
    }
    let rows = Machine::update_where(machines::id.gt(0))
        .set(machines::room_seen.eq(7))
        .execute(conn);
    assert_eq!(rows, Ok(2));
    let stored = find(&db, 1);
    assert_eq!((stored.pings, stored.last_seen), (3, 2_003));
    assert_eq!((stored.place.room_seen, stored.version), (7, 1));
    mine.speed = 20;
    mine.save(conn).unwrap();

    // It goes along with anything else, which moves it.
    Machine::apply(conn, 1, (pinged, machines::speed.eq(30)))
        .execute()
        .unwrap();
    assert_eq!((find(&db, 1).pings, find(&db, 1).version), (4, 3));
    Machine::apply(conn, 1, machines::rating.eq(9))
        .execute()
        .unwrap();
    Machine::update_where(machines::id.eq(1))
        .set((pinged, machines::serial.eq("S")))
        .execute(conn)
        .unwrap();
    assert_eq!((find(&db, 1).pings, find(&db, 1).version), (5, 5));
    // At its last version bookkeeping goes on.
    db.execute("UPDATE machines SET version = 2147483647");
    Machine::apply(conn, 1, pinged).execute().unwrap();
    assert_eq!((find(&db, 1).pings, find(&db, 1).version), (6, i32::MAX));
}
