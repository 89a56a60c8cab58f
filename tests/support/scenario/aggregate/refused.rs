//! Writes that do not know the parent: nothing is sent.

use diesel::prelude::*;
use diesel_versioned::RetryError;

use super::{Floor, House, Read, Room, Unit, floor, house, moved, read, room, rooms, town};
use crate::flavor::prelude::*;

fn invalid<R: std::fmt::Debug>(result: Result<R, CommitError>, expected: &str) {
    let error = result.unwrap_err();
    assert_eq!(error.code(), "unit.invalid");
    let text = error.to_string();
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn a_unit_without_the_parent_says_which_to_load() {
    let db = town();
    let conn = &mut db.connect();
    let Read { mut uow, rooms, .. } = read(conn, &[1, 111]);
    uow[rooms[0]].name = "other".to_owned();
    invalid(
        uow.commit(conn),
        "`floors` 11 cannot be written: a row that touches it is written, and the unit does not \
         have it, so its version cannot be guarded; take it in before the commit, with `find` or \
         `attach`",
    );
    uow.find::<Floor>(conn, 11).unwrap();
    uow.commit(conn).unwrap();
    assert_eq!(moved(&db), [(1, 2), (11, 2), (111, 2)]);
}

#[test]
fn grandparents_and_both_ends_of_a_move_are_asked_for() {
    let db = town();
    let conn = &mut db.connect();
    let Read { mut uow, rooms, .. } = read(conn, &[11, 111]);
    uow[rooms[0]].name = "other".to_owned();
    invalid(uow.commit(conn), "`houses` 1 ");
    uow.find::<House>(conn, 1).unwrap();
    uow[rooms[0]].on_floor = Some(21);
    invalid(uow.commit(conn), "`floors` 21 ");
    uow.find::<Floor>(conn, 21).unwrap();
    invalid(uow.commit(conn), "`houses` 2 ");
    let Read { mut uow, rooms, .. } = read(conn, &[2, 21, 111]);
    uow[rooms[0]].on_floor = Some(21);
    invalid(uow.commit(conn), "`floors` 11 ");
    let mut uow = Unit::new();
    uow.insert(room(114)).unwrap();
    invalid(uow.commit(conn), "`floors` 11 ");
    let mut uow = Unit::new();
    let handle = uow.attach(room(111)).unwrap();
    uow.delete(handle);
    invalid(uow.commit(conn), "`floors` 11 ");
    assert_eq!(moved(&db), []);
}

#[test]
fn a_parent_that_was_discarded_is_not_there() {
    let db = town();
    let conn = &mut db.connect();
    let Read {
        mut uow,
        floors,
        rooms,
        ..
    } = read(conn, &[1, 11, 111]);
    uow[rooms[0]].name = "other".to_owned();
    uow.discard(floors[0]);
    invalid(uow.commit(conn), "`floors` 11 ");
}

#[test]
fn a_form_does_not_say_where_the_child_was() {
    let db = town();
    let conn = &mut db.connect();
    let Read { mut uow, .. } = read(conn, &[1, 11]);
    uow.save(Room {
        name: "form".to_owned(),
        ..room(111)
    })
    .unwrap();
    invalid(
        uow.commit(conn),
        "`rooms` 111 cannot be written: it touches its parent",
    );
    let form = uow.handle::<Room>(111).unwrap();
    uow.delete(form);
    invalid(
        uow.commit(conn),
        "`rooms` 111 cannot be written: it touches its parent",
    );
    let Read { mut uow, rooms, .. } = read(conn, &[1, 11, 111]);
    uow[rooms[0]] = Room {
        name: "form".to_owned(),
        ..room(111)
    };
    uow.commit(conn).unwrap();
    let error = Room::save_all(conn, &mut [room(112)]).unwrap_err();
    assert_eq!(error.code(), "unit.invalid");
    assert_eq!(moved(&db), [(1, 2), (11, 2), (111, 2)]);
}

#[test]
fn a_lone_write_is_refused() {
    let db = town();
    let conn = &mut db.connect();
    let mut mine = room(111);
    let writes = [
        Room::insert,
        Room::save,
        Room::delete,
        Room::touch,
        Room::restore,
        Room::purge,
    ];
    for write in writes {
        let error = write(&mut mine, conn).unwrap_err();
        assert!(matches!(error, SaveError::Database(_)), "{error:?}");
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert_eq!(
            source,
            "a write of `rooms` 111 moves the version of its parent on (`floors` 11), which this \
             call does not know; write both in a unit of work that has read the parent"
        );
        assert_eq!(mine, room(111));
    }
    let policy = RetryPolicy::default();
    let result = Room::update_with(conn, 111, &policy, |room| room.name.clear());
    let Err(RetryError::Stopped { source, .. }) = result else {
        panic!("it was written: {result:?}");
    };
    invalid::<()>(Err(source), "`floors` 11 ");
    assert_eq!(moved(&db), []);
    // Nor what has read no row.
    let mine = mine.clone();
    let (changed, loaded) = (room(111), mine);
    let refused = "which this one does not know";
    let error = Room::apply(conn, 111, rooms::name.eq("x")).execute();
    let error = error.map_err(|error| std::error::Error::source(&error).unwrap().to_string());
    assert!(error.unwrap_err().contains(refused));
    let all = || rooms::id.gt(0);
    for error in [
        Room::update_where(all())
            .set(rooms::name.eq("x"))
            .execute(conn)
            .unwrap_err(),
        diesel::update(rooms::table.filter(all()))
            .set((rooms::name.eq("x"), Room::bump()))
            .execute(conn)
            .unwrap_err(),
    ] {
        assert!(error.to_string().contains(refused), "{error}");
    }
    let mut other = changed;
    other.name = "x".to_owned();
    assert!(other.save_changes(conn, &loaded).is_err());
    assert!(other.insert_or_save(conn).is_err());
    assert_eq!(moved(&db), []);
    // Whatever touches nobody is written as ever.
    house(1).save(conn).unwrap();
    assert!(floor(11).save(conn).is_err());
}
