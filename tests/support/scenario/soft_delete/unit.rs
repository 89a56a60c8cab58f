//! Units of work.

use diesel::Connection;
use diesel::result::Error::{NotFound, RollbackTransaction};
use diesel_versioned::Operation;

use super::{
    Flag, Note, Unit, conflicts, deleted_by_someone_else, far_past, find, flags, marks, note,
    notes, store,
};
use crate::flavor::prelude::*;

/// Operation, key, old and new version of each row that was written.
fn told(done: &Committed) -> Vec<(Operation, String, Option<String>, Option<String>)> {
    done.iter()
        .map(|row| {
            (
                row.operation(),
                row.key().to_owned(),
                row.old_version().map(str::to_owned),
                row.new_version().map(str::to_owned),
            )
        })
        .collect()
}

fn line(
    operation: Operation,
    key: &str,
    old: Option<i32>,
    new: Option<i32>,
) -> (Operation, String, Option<String>, Option<String>) {
    let text = |version: Option<i32>| version.map(|version| version.to_string());
    (operation, key.to_owned(), text(old), text(new))
}

#[test]
fn a_unit_marks_restores_and_purges_beside_everything_else() {
    let db = store(5);
    let conn = &mut db.connect();
    deleted_by_someone_else(&db, 1);
    let mut uow = Unit::new();
    let restored = uow.find_deleted::<Note>(conn, 1).unwrap();
    let deleted = uow.find::<Note>(conn, 2).unwrap();
    let purged = uow.find::<Note>(conn, 3).unwrap();
    let changed = uow.find::<Note>(conn, 4).unwrap();
    let touched = uow.find::<Note>(conn, 5).unwrap();
    let new = uow
        .insert(Note {
            deleted_at: far_past(),
            ..note(6)
        })
        .unwrap();
    uow.restore(restored);
    uow[restored].author = "Bob".to_owned();
    uow.delete(deleted);
    uow.purge(purged);
    uow[changed].text = "changed".to_owned();
    uow[changed].deleted_at = far_past();
    uow.touch(touched);
    let done = uow.commit(conn).unwrap();
    assert_eq!(
        told(&done),
        [
            line(Operation::Delete, "2", Some(1), Some(2)),
            line(Operation::Purge, "3", Some(1), None),
            line(Operation::Touch, "5", Some(1), Some(2)),
            line(Operation::Update, "4", Some(1), Some(2)),
            line(Operation::Restore, "1", Some(2), Some(3)),
            line(Operation::Insert, "6", None, Some(1)),
        ]
    );
    assert_eq!(
        marks(&db),
        [
            (1, false, 3),
            (2, true, 2),
            (4, false, 2),
            (5, false, 2),
            (6, false, 1)
        ]
    );
    for handle in [restored, changed, touched, new] {
        assert_eq!(uow[handle], find(&db, uow[handle].id));
    }
    assert_eq!(uow[restored].author, "Bob");
    for gone in [deleted, purged] {
        assert!(uow.get(gone).is_none());
    }
    assert!(uow.commit(conn).unwrap().is_empty());
    // The row is another entity's from here on.
    let again = uow.find_deleted::<Note>(conn, 2).unwrap();
    uow.restore(again);
    uow.commit(conn).unwrap();
    assert_eq!(find(&db, 2), uow[again]);
}

#[test]
fn many_rows_of_both_kinds_are_marked_and_restored_in_batches() {
    const COUNT: i32 = 300;
    let db = store(COUNT);
    let conn = &mut db.connect();
    // Versions that differ.
    for id in [3, 7, 200] {
        find(&db, id).touch(conn).unwrap();
    }
    let mut uow = Unit::new();
    let mut handles = Vec::new();
    for id in 1..=COUNT {
        let note = uow.find::<Note>(conn, id).unwrap();
        let flag = uow.find::<Flag>(conn, (id, "hall".to_owned())).unwrap();
        handles.push((note, flag));
    }
    for &(note, flag) in &handles {
        uow.delete(note);
        uow.delete(flag);
    }
    let done = uow.commit(conn).unwrap();
    assert_eq!(done.len(), 2 * COUNT as usize);
    let deleted = notes(&db);
    assert!(
        deleted
            .iter()
            .all(|note| note.deleted_at == deleted[0].deleted_at)
    );
    assert!(deleted[0].is_deleted());
    assert!(flags(&db).iter().all(|flag| flag.down && flag.version == 2));

    let mut uow = Unit::new();
    let notes = uow.attach_all(deleted).unwrap();
    let flags = uow.attach_all(flags(&db)).unwrap();
    for &note in &notes {
        uow.restore(note);
    }
    for &flag in &flags {
        uow.restore(flag);
    }
    uow.commit(conn).unwrap();
    let expected = |id: i32| if [3, 7, 200].contains(&id) { 4 } else { 3 };
    let expected: Vec<_> = (1..=COUNT).map(|id| (id, false, expected(id))).collect();
    assert_eq!(marks(&db), expected);
    assert!(
        super::flags(&db)
            .iter()
            .all(|flag| !flag.down && flag.version == 3)
    );
    for &note in &notes {
        uow.purge(note);
    }
    uow.commit(conn).unwrap();
    assert_eq!(marks(&db), []);
}

#[test]
fn one_stale_row_keeps_all_from_being_marked() {
    let db = store(20);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handles: Vec<_> = (1..=20)
        .map(|id| uow.find::<Note>(conn, id).unwrap())
        .collect();
    for &handle in &handles {
        uow.delete(handle);
    }
    find(&db, 7).touch(conn).unwrap();
    let theirs = deleted_by_someone_else(&db, 9);
    let lost = conflicts(uow.commit(conn));
    let kinds: Vec<_> = lost
        .of::<Note>()
        .map(|lost| (*lost.key(), lost.kind(), lost.current().is_some()))
        .collect();
    assert_eq!(
        kinds,
        [
            (7, ConflictKind::Modified, true),
            (9, ConflictKind::Deleted, true)
        ]
    );
    assert_eq!(
        marks(&db).iter().filter(|(_, deleted, _)| *deleted).count(),
        1
    );
    assert_eq!(notes(&db)[8], theirs);
    uow.discard(&lost);
    assert_eq!(uow.commit(conn).unwrap().len(), 18);
    assert_eq!(
        marks(&db).iter().filter(|(_, deleted, _)| *deleted).count(),
        19
    );
}

#[test]
fn a_fresh_copy_of_a_deleted_row_conflicts_in_a_unit_too() {
    let db = store(3);
    let conn = &mut db.connect();
    for id in 1..=3 {
        deleted_by_someone_else(&db, id);
    }
    let mut uow = Unit::new();
    let changed = uow.find_deleted::<Note>(conn, 1).unwrap();
    let saved = uow.save(Note::find_deleted(conn, 2).unwrap()).unwrap();
    let seen = uow.find_deleted::<Note>(conn, 3).unwrap();
    uow[changed].text = "changed".to_owned();
    uow[changed].deleted_at = None;
    uow[seen].seen = 1;
    let lost = conflicts(uow.commit(conn));
    let kinds: Vec<_> = lost
        .of::<Note>()
        .map(|lost| (*lost.key(), lost.kind()))
        .collect();
    assert_eq!(kinds, [1, 2, 3].map(|id| (id, ConflictKind::Deleted)));
    uow.restore(changed);
    uow.restore(saved);
    uow.restore(seen);
    uow.commit(conn).unwrap();
    assert_eq!(marks(&db), [1, 2, 3].map(|id| (id, false, 3)));
    assert_eq!(uow[changed], find(&db, 1));
    assert_eq!(uow[saved], find(&db, 2));
    assert_eq!((uow[changed].text.as_str(), uow[seen].seen), ("changed", 1));
}

#[test]
fn what_a_unit_finds_is_what_it_knows() {
    let db = store(2);
    let conn = &mut db.connect();
    deleted_by_someone_else(&db, 1);
    let mut uow = Unit::new();
    assert_eq!(uow.find::<Note>(conn, 1).err(), Some(NotFound));
    let deleted = uow.find_deleted::<Note>(conn, 1).unwrap();
    assert_eq!(uow.find::<Note>(conn, 1).err(), Some(NotFound));
    assert_eq!(uow.find_deleted::<Note>(conn, 1), Ok(deleted));
    uow.restore(deleted);
    assert_eq!(uow.find::<Note>(conn, 1), Ok(deleted));
    assert_eq!(uow.find_deleted::<Note>(conn, 1).err(), Some(NotFound));
    let alive = uow.find::<Note>(conn, 2).unwrap();
    assert_eq!(uow.find_deleted::<Note>(conn, 2).err(), Some(NotFound));
    uow.delete(alive);
    assert_eq!(uow.find::<Note>(conn, 2).err(), Some(NotFound));
    assert_eq!(uow.find_deleted::<Note>(conn, 2).err(), Some(NotFound));
}

#[test]
fn the_last_word_counts() {
    let db = store(3);
    let conn = &mut db.connect();
    deleted_by_someone_else(&db, 3);
    let mut uow = Unit::new();
    let kept = uow.find::<Note>(conn, 1).unwrap();
    let gone = uow.find::<Note>(conn, 2).unwrap();
    uow.delete(kept);
    uow.restore(kept);
    uow.purge(gone);
    uow.delete(gone);
    let still = uow.find_deleted::<Note>(conn, 3).unwrap();
    uow.restore(still);
    uow.purge(still);
    uow.restore(still);
    assert!(!uow.is_dirty(kept));
    let done = uow.commit(conn).unwrap();
    assert_eq!(
        told(&done),
        [
            line(Operation::Purge, "2", Some(1), None),
            line(Operation::Restore, "3", Some(2), Some(3)),
        ]
    );
    uow.delete(kept);
    uow.delete(still);
    uow.commit(conn).unwrap();
    assert_eq!(marks(&db), [(1, true, 2), (3, true, 4)]);
}

#[test]
fn a_marked_row_keeps_its_key_and_a_purged_one_frees_it() {
    let db = store(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let one = uow.find::<Note>(conn, 1).unwrap();
    uow.delete(one);
    let error = uow.insert(note(1)).unwrap_err();
    assert_eq!(error.code(), "unit.already_tracked");
    uow.purge(one);
    let new = uow
        .insert(Note {
            text: "new".to_owned(),
            ..note(1)
        })
        .unwrap();
    uow.commit(conn).unwrap();
    assert_eq!(find(&db, 1), uow[new]);
    // Deleted and committed, the row is not the unit's any more, but it is still there.
    uow.delete(new);
    uow.commit(conn).unwrap();
    uow.insert(note(1)).unwrap();
    let error = uow.commit(conn).unwrap_err();
    assert_eq!(error.code(), "constraint.unique");
}

#[test]
#[should_panic(expected = "the handle of a `notes`")]
fn a_row_whose_place_is_taken_cannot_be_restored() {
    let db = store(1);
    let mut uow = Unit::new();
    let one = uow.find::<Note>(&mut db.connect(), 1).unwrap();
    uow.purge(one);
    uow.insert(note(1)).unwrap();
    uow.restore(one);
}

#[test]
fn an_undone_commit_can_be_done_again() {
    let db = store(4);
    let conn = &mut db.connect();
    deleted_by_someone_else(&db, 1);
    let mut uow = Unit::new();
    let restored = uow.find_deleted::<Note>(conn, 1).unwrap();
    let deleted = uow.find::<Note>(conn, 2).unwrap();
    let purged = uow.find::<Note>(conn, 3).unwrap();
    uow.restore(restored);
    uow.delete(deleted);
    uow.purge(purged);
    let before = notes(&db);
    let mut done = None;
    let result = conn.transaction::<(), CommitError, _>(|conn| {
        done = Some(uow.commit(conn)?);
        Err(RollbackTransaction.into())
    });
    assert!(result.is_err());
    assert!(!uow[restored].is_deleted());
    done.unwrap().undo(&mut uow).unwrap();
    assert_eq!(notes(&db), before);
    assert!(uow[restored].is_deleted() && uow.is_dirty(restored));
    assert_eq!(uow.commit(conn).unwrap().len(), 3);
    assert_eq!(marks(&db), [(1, false, 3), (2, true, 2), (4, false, 1)]);
}

#[test]
fn what_must_not_have_changed_must_not_have_been_deleted() {
    let db = store(3);
    let conn = &mut db.connect();
    deleted_by_someone_else(&db, 3);
    let mut uow = Unit::new();
    let read = uow.find::<Note>(conn, 1).unwrap();
    let written = uow.find::<Note>(conn, 2).unwrap();
    let gone = uow.find_deleted::<Note>(conn, 3).unwrap();
    uow.expect_unchanged(read);
    uow.expect_unchanged(gone);
    uow[written].text = "one".to_owned();
    uow.commit(conn).unwrap();
    uow.expect_unchanged(read);
    uow[written].text = "two".to_owned();
    deleted_by_someone_else(&db, 1);
    let lost = conflicts(uow.commit(conn));
    let lost = lost.of::<Note>().next().unwrap();
    assert_eq!((*lost.key(), lost.kind()), (1, ConflictKind::Deleted));
    uow.discard(read);
    uow.expect_unchanged(gone);
    Note::find_deleted(conn, 3).unwrap().restore(conn).unwrap();
    let lost = conflicts(uow.commit(conn));
    let lost = lost.of::<Note>().next().unwrap();
    assert_eq!((*lost.key(), lost.kind()), (3, ConflictKind::Modified));
}

#[test]
fn children_that_are_made_by_the_unit_are_alive() {
    let db = store(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let parent = uow.find::<Note>(conn, 1).unwrap();
    let child = uow
        .insert_with(parent, |parent: &Note| Note {
            deleted_at: far_past(),
            ..note(parent.id + 1)
        })
        .unwrap();
    uow.commit(conn).unwrap();
    assert_eq!(uow[child], note(2));
    assert_eq!(find(&db, 2), note(2));
}
