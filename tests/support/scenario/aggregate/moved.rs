//! Children that go from one parent to another.

use super::{Floor, House, Read, Room, conflicts, house, moved, read, room, town};
use crate::flavor::prelude::*;

#[test]
fn a_child_that_moves_touches_both_parents() {
    let db = town();
    let conn = &mut db.connect();
    let Read { mut uow, rooms, .. } = read(conn, &[1, 2, 11, 21, 111]);
    uow[rooms[0]].on_floor = Some(21);
    uow.commit(conn).unwrap();
    assert_eq!(moved(&db), [(1, 2), (2, 2), (11, 2), (21, 2), (111, 2)]);
    uow[rooms[0]].on_floor = None;
    uow.commit(conn).unwrap();
    assert_eq!(moved(&db), [(1, 2), (2, 3), (11, 2), (21, 3), (111, 3)]);
}

#[test]
fn one_that_is_deleted_leaves_where_it_was() {
    let db = town();
    let conn = &mut db.connect();
    let Read { mut uow, rooms, .. } = read(conn, &[1, 11, 111]);
    // It is not written, so floor 21 has nothing to do with it.
    uow[rooms[0]].on_floor = Some(21);
    uow.delete(rooms[0]);
    uow.commit(conn).unwrap();
    assert_eq!(moved(&db), [(1, 2), (11, 2), (111, 2)]);
}

#[test]
fn a_parent_that_moves_touches_both_of_its_own() {
    let db = town();
    let conn = &mut db.connect();
    let Read {
        mut uow,
        houses,
        floors,
        ..
    } = read(conn, &[1, 2, 11]);
    uow[floors[0]].house_id = 2;
    uow.commit(conn).unwrap();
    assert_eq!(moved(&db), [(1, 2), (2, 2), (11, 2)]);
    assert_eq!(uow[houses[1]], House::find(conn, 2).unwrap());
}

#[test]
fn parents_that_come_or_go_in_the_same_unit_are_not_moved() {
    let db = town();
    let conn = &mut db.connect();
    // A new house gets a floor of an old one, and that floor a new room.
    let Read {
        mut uow, floors, ..
    } = read(conn, &[1, 11]);
    let new = uow.insert(house(3)).unwrap();
    uow.insert(room(114)).unwrap();
    uow[floors[0]].house_id = 3;
    uow.commit(conn).unwrap();
    assert_eq!(moved(&db), [(1, 2), (11, 2)]);
    assert_eq!(uow[new].version, 1);

    // A floor goes with all of its rooms.
    let Read {
        mut uow,
        floors,
        rooms,
        ..
    } = read(conn, &[2, 21, 211, 212, 213]);
    for &room in &rooms {
        uow.purge(room);
    }
    uow.delete(floors[0]);
    uow.commit(conn).unwrap();
    assert_eq!(moved(&db), [(1, 2), (2, 2), (11, 2)]);
}

#[test]
fn who_merges_with_a_move_must_know_where_the_child_went() {
    let db = town();
    let conn = &mut db.connect();
    let Read { mut uow, rooms, .. } = read(conn, &[1, 11, 111]);
    uow[rooms[0]].name = "mine".to_owned();
    let Read {
        uow: mut theirs,
        rooms: moving,
        ..
    } = read(conn, &[1, 11, 12, 111]);
    theirs[moving[0]].on_floor = Some(12);
    theirs.commit(conn).unwrap();
    let lost = conflicts(uow.commit(conn));
    for lost in lost.of::<House>() {
        uow.resolve(lost, |_, _, theirs| Ok(theirs)).unwrap();
    }
    for lost in lost.of::<Floor>() {
        uow.resolve(lost, |_, _, theirs| Ok(theirs)).unwrap();
    }
    for lost in lost.of::<Room>() {
        uow.resolve(lost, Room::merge).unwrap();
    }
    let error = uow.commit(conn).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("`floors` 12 cannot be written"),
        "{error}"
    );
    uow.find::<Floor>(conn, 12).unwrap();
    uow.commit(conn).unwrap();
    // It is not on floor 11 any more, which is left as they made it.
    assert_eq!(moved(&db), [(1, 3), (11, 2), (12, 3), (111, 3)]);
}
