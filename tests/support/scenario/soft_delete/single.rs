//! Lone entities.

use diesel::result::Error::NotFound;

use super::{
    Flag, Note, deleted_by_someone_else, far_past, find, flags, marks, note, notes, store,
};
use crate::flavor::prelude::*;
use crate::support::scenario::outcome::conflict;

#[test]
fn a_deleted_row_stays_marked_and_is_found_by_nobody_who_does_not_ask_for_it() {
    let db = store(2);
    let conn = &mut db.connect();
    let before = chrono::Utc::now().naive_utc();
    let mut mine = find(&db, 1);
    mine.delete(conn).unwrap();
    let at = mine.deleted_at.expect("it is marked");
    assert!(
        at >= before - chrono::Duration::microseconds(1),
        "{at} {before}"
    );
    assert!(at <= chrono::Utc::now().naive_utc());
    assert_eq!(mine.version, 2);
    // Memory is what stands in the database, to the digit.
    assert_eq!(notes(&db), [mine.clone(), note(2)]);

    assert_eq!(Note::find(conn, 1), Err(NotFound));
    assert_eq!(Note::find_deleted(conn, 1), Ok(mine.clone()));
    assert_eq!(Note::find_deleted(conn, 2), Err(NotFound));
    assert_eq!(Note::find_deleted(conn, 3), Err(NotFound));
    let before = mine.clone();
    assert_eq!(mine.reload(conn), Err(NotFound));
    assert_eq!(mine, before);

    mine.restore(conn).unwrap();
    assert_eq!((mine.deleted_at, mine.version), (None, 3));
    assert_eq!(Note::find(conn, 1), Ok(mine.clone()));
    assert_eq!(Note::find_deleted(conn, 1), Err(NotFound));
    mine.delete(conn).unwrap();
    mine.purge(conn).unwrap();
    assert_eq!(notes(&db), [note(2)]);
}

#[test]
fn a_mark_that_is_true_or_false_and_a_composite_key() {
    let db = store(2);
    let conn = &mut db.connect();
    let key = (1, "hall".to_owned());
    let mut mine = Flag::find(conn, key.clone()).unwrap();
    mine.delete(conn).unwrap();
    assert_eq!((mine.down, mine.version), (true, 2));
    assert_eq!(flags(&db)[0], mine);
    assert_eq!(Flag::find(conn, key.clone()), Err(NotFound));
    let mut again = Flag::find_deleted(conn, key.clone()).unwrap();
    assert_eq!(again, mine);
    assert_eq!(conflict(again.save(conn)).kind(), ConflictKind::Deleted);
    again.restore(conn).unwrap();
    assert_eq!(Flag::find(conn, key), Ok(again));
    assert_eq!(conflict(mine.purge(conn)).kind(), ConflictKind::Modified);
}

#[test]
fn no_form_deletes_a_row_or_brings_it_back() {
    let db = store(1);
    let conn = &mut db.connect();
    let mut mine = find(&db, 1);
    mine.deleted_at = far_past();
    mine.save(conn).unwrap();
    // It is known not to be deleted, and the copy says so too.
    assert_eq!(mine, find(&db, 1));
    mine.deleted_at = far_past();
    Note::save_all(conn, std::slice::from_mut(&mut mine)).unwrap();
    assert_eq!(
        find(&db, 1),
        Note {
            version: 3,
            ..note(1)
        }
    );

    mine.reload(conn).unwrap();
    mine.delete(conn).unwrap();
    let deleted = mine.clone();
    mine.deleted_at = None;
    mine.text = "alive".to_owned();
    assert_eq!(conflict(mine.save(conn)).current(), Some(&deleted));
    let lost = Note::save_all(conn, std::slice::from_mut(&mut mine)).unwrap_err();
    assert_eq!(lost.code(), "conflict.deleted");
    assert_eq!(notes(&db), [deleted]);
}

#[test]
fn a_row_is_inserted_alive() {
    let db = store(0);
    let conn = &mut db.connect();
    let mut mine = Note {
        deleted_at: far_past(),
        ..note(1)
    };
    mine.insert(conn).unwrap();
    assert_eq!(mine, note(1));
    let mut flag = Flag {
        down: true,
        ..super::flag(1)
    };
    flag.insert(conn).unwrap();
    assert!(!flag.down);
    assert_eq!((notes(&db), flags(&db)), (vec![note(1)], vec![flag]));
}

#[test]
fn an_insert_beside_a_deleted_row_of_the_key_is_refused_by_the_database() {
    let db = store(1);
    deleted_by_someone_else(&db, 1);
    let error = note(1).insert(&mut db.connect()).unwrap_err();
    assert_eq!(error.code(), "constraint.unique");
}

#[test]
fn restoring_what_is_alive_is_a_touch_and_purging_it_deletes() {
    let db = store(1);
    let conn = &mut db.connect();
    let mut mine = find(&db, 1);
    mine.restore(conn).unwrap();
    assert_eq!(marks(&db), [(1, false, 2)]);
    mine.purge(conn).unwrap();
    assert_eq!(marks(&db), []);
}

#[test]
fn a_change_is_done_again_only_to_what_is_alive() {
    let db = store(1);
    deleted_by_someone_else(&db, 1);
    let policy = RetryPolicy::default();
    let error =
        Note::update_with(&mut db.connect(), 1, &policy, |note| note.seen += 1).unwrap_err();
    assert_eq!((error.code(), error.attempts()), ("retry.stopped", 1));
    assert_eq!(marks(&db), [(1, true, 2)]);
}
