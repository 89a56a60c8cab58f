//! What is written because a child is.

use diesel::Connection;
use diesel::result::Error::RollbackTransaction;
use diesel_versioned::Operation;

use super::{Floor, House, Read, Room, Unit, conflicts, moved, read, room, town};
use crate::flavor::prelude::*;

#[test]
fn whoever_edits_another_room_collides_on_the_house_once() {
    let db = town();
    let conn = &mut db.connect();
    let Read {
        uow: mut mine,
        houses,
        floors,
        rooms,
    } = read(conn, &[1, 11, 111]);
    mine[rooms[0]].name = "kitchen".to_owned();

    let Read {
        uow: mut theirs,
        rooms,
        ..
    } = read(conn, &[1, 11, 112]);
    theirs[rooms[0]].name = "bath".to_owned();
    let done = theirs.commit(conn).unwrap();
    let told: Vec<_> = done
        .iter()
        .map(|row| (row.table(), row.operation()))
        .collect();
    assert_eq!(
        told,
        [
            ("houses", Operation::Touch),
            ("floors", Operation::Touch),
            ("rooms", Operation::Update)
        ]
    );
    assert_eq!(moved(&db), [(1, 2), (11, 2), (112, 2)]);

    let lost = conflicts(mine.commit(conn));
    let told: Vec<_> = lost
        .iter()
        .map(|lost| (lost.table(), lost.key(), lost.kind()))
        .collect();
    assert_eq!(
        told,
        [
            ("houses", "1".to_owned(), ConflictKind::Modified),
            ("floors", "11".to_owned(), ConflictKind::Modified),
        ]
    );
    assert_eq!(moved(&db), [(1, 2), (11, 2), (112, 2)]);
    // Nothing in the parents differs, so a rule has nothing to decide; the child is written again.
    for lost in lost.of::<House>() {
        mine.resolve(lost, |_, _, theirs| Ok(theirs)).unwrap();
    }
    for lost in lost.of::<Floor>() {
        mine.resolve(lost, |_, _, theirs| Ok(theirs)).unwrap();
    }
    mine.commit(conn).unwrap();
    assert_eq!(moved(&db), [(1, 3), (11, 3), (111, 2), (112, 2)]);
    assert_eq!((mine[houses[0]].version, mine[floors[0]].version), (3, 3));
}

#[test]
fn a_parent_moves_by_one_however_much_of_it_is_written() {
    let db = town();
    let conn = &mut db.connect();
    let Read {
        mut uow,
        houses,
        floors,
        rooms,
    } = read(conn, &[1, 11, 12, 111, 112, 113, 121]);
    for &room in &rooms {
        uow[room].name = "empty".to_owned();
    }
    uow[floors[0]].name = "ground floor".to_owned();
    uow.touch(floors[1]);
    uow[houses[0]].name = "town hall".to_owned();
    uow.expect_unchanged(houses[0]);
    uow.delete(rooms[3]);
    uow.insert(room(114)).unwrap();
    assert_eq!(uow.commit(conn).unwrap().len(), 8);
    assert_eq!(
        moved(&db),
        [
            (1, 2),
            (11, 2),
            (12, 2),
            (111, 2),
            (112, 2),
            (113, 2),
            (121, 2)
        ]
    );
    assert_eq!(uow[houses[0]], House::find(conn, 1).unwrap());
    assert_eq!(uow[floors[0]], Floor::find(conn, 11).unwrap());
    // Once more, from here.
    uow[rooms[0]].name = "full".to_owned();
    uow.commit(conn).unwrap();
    assert_eq!(
        (
            uow[houses[0]].version,
            uow[floors[0]].version,
            uow[floors[1]].version
        ),
        (3, 3, 2)
    );
}

#[test]
fn each_kind_of_write_touches_and_bookkeeping_and_checks_do_not() {
    let db = town();
    let conn = &mut db.connect();
    let mut expected = 1;
    let mut go = |change: fn(&mut Read)| {
        let mut unit = read(conn, &[1, 11]);
        let done = unit
            .uow
            .find::<Room>(conn, 111)
            .or_else(|_| unit.uow.find_deleted(conn, 111));
        unit.rooms.push(done.unwrap());
        change(&mut unit);
        unit.uow.commit(conn).unwrap();
        expected += 1;
        assert_eq!(House::find(conn, 1).unwrap().version, expected);
        assert_eq!(Floor::find(conn, 11).unwrap().version, expected);
    };
    go(|Read { uow, rooms, .. }| uow[rooms[0]].name = "other".to_owned());
    go(|Read { uow, rooms, .. }| uow.touch(rooms[0]));
    go(|Read { uow, rooms, .. }| uow.delete(rooms[0]));
    go(|Read { uow, rooms, .. }| uow.restore(rooms[0]));
    go(|Read { uow, rooms, .. }| uow.purge(rooms[0]));
    let mut unit = read(conn, &[1, 11, 112]);
    unit.uow.insert(room(111)).unwrap();
    unit.uow.commit(conn).unwrap();
    assert_eq!(unit.uow[unit.floors[0]].version, expected + 1);

    let before = moved(&db);
    let Read {
        mut uow,
        floors,
        rooms,
        ..
    } = read(conn, &[11, 112]);
    uow[floors[0]].cleaned = 7;
    uow.expect_unchanged(rooms[0]);
    uow.commit(conn).unwrap();
    assert_eq!(moved(&db), before);
    assert_eq!(Floor::find(conn, 11).unwrap().cleaned, 7);
    let mut alone = Floor::find(conn, 11).unwrap();
    alone.cleaned = 8;
    alone.save_unguarded(conn).unwrap();
    assert_eq!(moved(&db), before);
}

#[test]
fn bookkeeping_of_a_touched_parent_is_written_with_it() {
    let db = town();
    let conn = &mut db.connect();
    let Read {
        mut uow,
        floors,
        rooms,
        ..
    } = read(conn, &[1, 11, 111]);
    uow[floors[0]].cleaned = 7;
    uow[rooms[0]].name = "other".to_owned();
    uow.commit(conn).unwrap();
    assert_eq!(moved(&db), [(1, 2), (11, 2), (111, 2)]);
    assert_eq!(uow[floors[0]], Floor::find(conn, 11).unwrap());
}

#[test]
fn a_row_without_a_parent_touches_nobody() {
    let db = town();
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let room = uow
        .insert(Room {
            on_floor: None,
            ..room(990)
        })
        .unwrap();
    uow.commit(conn).unwrap();
    uow[room].name = "attic".to_owned();
    uow.commit(conn).unwrap();
    assert_eq!(moved(&db), [(990, 2)]);
}

#[test]
fn a_deleted_parent_is_in_conflict_with_a_new_child() {
    let db = town();
    let conn = &mut db.connect();
    let Read { mut uow, .. } = read(conn, &[2, 22]);
    db.execute("DELETE FROM rooms WHERE on_floor = 22; DELETE FROM floors WHERE id = 22;");
    uow.insert(room(224)).unwrap();
    let lost = conflicts(uow.commit(conn));
    let lost = lost.of::<Floor>().next().unwrap();
    assert_eq!((*lost.key(), lost.kind()), (22, ConflictKind::Deleted));
    assert_eq!(moved(&db), []);
}

#[test]
fn a_parent_is_clean_again_after_its_touch_is_undone() {
    let db = town();
    let conn = &mut db.connect();
    let Read {
        mut uow,
        houses,
        floors,
        rooms,
    } = read(conn, &[1, 11, 111]);
    let mut done = Vec::new();
    let rolled_back = conn.transaction::<(), CommitError, _>(|conn| {
        uow[rooms[0]].name = "kitchen".to_owned();
        done.push(uow.commit(conn)?);
        uow[floors[0]].cleaned = 7;
        done.push(uow.commit(conn)?);
        Err(RollbackTransaction.into())
    });
    rolled_back.unwrap_err();
    assert_eq!(done.len(), 2);
    while let Some(done) = done.pop() {
        done.undo(&mut uow).unwrap();
    }
    assert!(!uow.is_dirty(houses[0]) && !uow.is_dirty(floors[0]));
    // Without the child there is nothing to move them on for.
    uow.discard(rooms[0]);
    assert!(uow.commit(conn).unwrap().is_empty());
    assert_eq!(moved(&db), []);
}

#[test]
fn an_undone_commit_touches_again() {
    let db = town();
    let conn = &mut db.connect();
    let Read {
        mut uow,
        houses,
        rooms,
        ..
    } = read(conn, &[1, 11, 111]);
    uow[rooms[0]].name = "other".to_owned();
    let mut done = None;
    let result = conn.transaction::<(), CommitError, _>(|conn| {
        done = Some(uow.commit(conn)?);
        Err(RollbackTransaction.into())
    });
    assert!(result.is_err());
    assert_eq!(uow[houses[0]].version, 2);
    done.unwrap().undo(&mut uow).unwrap();
    assert_eq!((uow[houses[0]].version, moved(&db)), (1, vec![]));
    assert_eq!(uow.commit(conn).unwrap().len(), 3);
    assert_eq!(moved(&db), [(1, 2), (11, 2), (111, 2)]);
}

#[test]
fn a_commit_that_failed_leaves_no_touch_behind() {
    let db = town();
    let conn = &mut db.connect();
    let Read {
        mut uow,
        houses,
        floors,
        rooms,
    } = read(conn, &[1, 11, 12, 111]);
    uow[rooms[0]].name = "mine".to_owned();
    db.execute("UPDATE rooms SET version = 7 WHERE id = 111");
    let lost = conflicts(uow.commit(conn));
    assert_eq!(lost.len(), 1);
    uow.discard(&lost);
    assert!(!uow.is_dirty(houses[0]) && !uow.is_dirty(floors[0]));
    assert!(uow.commit(conn).unwrap().is_empty());
    assert_eq!(moved(&db), [(111, 7)]);
}

#[test]
fn the_same_request_touches_once() {
    let db = town();
    db.make_own_tables();
    let conn = &mut db.connect();
    let (house, floor) = (
        House::find(conn, 1).unwrap(),
        Floor::find(conn, 11).unwrap(),
    );
    for again in [false, true] {
        let mut uow = Unit::new();
        uow.idempotency_key("a").unwrap();
        let house = uow.attach(house.clone()).unwrap();
        uow.attach(floor.clone()).unwrap();
        let room = uow.attach(room(111)).unwrap();
        uow[room].name = "other".to_owned();
        let done = uow.commit(conn).unwrap();
        assert_eq!((done.is_replayed(), done.len()), (again, 3));
        assert_eq!(uow[house].version, 2);
    }
    assert_eq!(moved(&db), [(1, 2), (11, 2), (111, 2)]);
}
