//! Writes that come too late.

use super::{Note, deleted_by_someone_else, find, marks, note, notes, store};
use crate::flavor::prelude::*;
use crate::support::scenario::outcome::conflict;

#[test]
fn a_stale_write_of_a_deleted_row_shows_how_it_was_deleted() {
    let db = store(1);
    let conn = &mut db.connect();
    let mut mine = find(&db, 1);
    let theirs = deleted_by_someone_else(&db, 1);
    mine.text = "mine".to_owned();
    let before = mine.clone();
    for write in [Note::save, Note::touch, Note::delete, Note::save_unguarded] {
        let lost = conflict(write(&mut mine, conn));
        assert_eq!(lost.kind(), ConflictKind::Deleted);
        assert_eq!((lost.expected(), lost.actual()), (&1, Some(&2)));
        assert_eq!(lost.current(), Some(&theirs));
        assert_eq!(lost.mine(), &before);
        assert_eq!(
            lost.to_string(),
            "`notes` 1 is marked as deleted (expected version 1); restore it or drop the change"
        );
        assert_eq!(mine, before);
        let lost = lost.with_base(note(1)).unwrap();
        let changes = lost.changes();
        assert_eq!(changes.mine().collect::<Vec<_>>(), ["text"]);
        assert_eq!(changes.theirs().collect::<Vec<_>>(), ["deleted_at"]);
        assert!(!lost.is_disjoint());
        let why = lost.resolve(Note::merge).unwrap_err();
        assert_eq!(why.code(), "conflict.deleted");
    }
    // These know that it may be deleted, and are stale all the same.
    for write in [Note::restore, Note::purge] {
        let lost = conflict(write(&mut mine, conn));
        assert_eq!(lost.kind(), ConflictKind::Modified);
        assert_eq!(lost.current(), Some(&theirs));
    }
    assert_eq!(notes(&db), [theirs]);
}

#[test]
fn a_fresh_copy_of_a_deleted_row_cannot_be_written_either() {
    let db = store(1);
    let conn = &mut db.connect();
    deleted_by_someone_else(&db, 1);
    let mut mine = Note::find_deleted(conn, 1).unwrap();
    let before = mine.clone();
    for write in [Note::save, Note::touch, Note::delete, Note::save_unguarded] {
        let lost = conflict(write(&mut mine, conn));
        assert_eq!(lost.kind(), ConflictKind::Deleted);
        assert_eq!((lost.expected(), lost.actual()), (&2, Some(&2)));
    }
    assert_eq!(mine, before);
    assert_eq!(marks(&db), [(1, true, 2)]);
    mine.restore(conn).unwrap();
    mine.save(conn).unwrap();
    assert_eq!(marks(&db), [(1, false, 4)]);
}

#[test]
fn a_stale_restoration_and_a_stale_deletion_conflict() {
    let db = store(2);
    let conn = &mut db.connect();
    let mut mine = deleted_by_someone_else(&db, 1);
    let mut theirs = mine.clone();
    theirs.restore(conn).unwrap();
    for write in [Note::restore, Note::purge, Note::delete, Note::save] {
        let lost = conflict(write(&mut mine, conn));
        assert_eq!(lost.kind(), ConflictKind::Modified);
        assert_eq!(lost.current(), Some(&theirs));
    }
    theirs.purge(conn).unwrap();
    for write in [Note::restore, Note::purge, Note::delete, Note::save] {
        let lost = conflict(write(&mut mine, conn));
        assert_eq!((lost.kind(), lost.current()), (ConflictKind::Deleted, None));
        assert!(lost.to_string().contains("insert it again"), "{lost}");
    }
    assert_eq!(marks(&db), [(2, false, 1)]);
}

#[test]
fn a_row_that_others_marked_without_a_new_version_is_deleted_too() {
    let db = store(1);
    let conn = &mut db.connect();
    let mut mine = find(&db, 1);
    db.execute("UPDATE notes SET deleted_at = '2026-01-01 00:00:00'");
    assert_eq!(conflict(mine.save(conn)).kind(), ConflictKind::Deleted);
    let mut uow = super::Unit::new();
    let handle = uow.attach(mine).unwrap();
    uow.expect_unchanged(handle);
    let error = uow.commit(conn).unwrap_err();
    assert_eq!(error.code(), "conflict.deleted");
}
