//! What is made of conflicts: merged, overwritten, replayed, told.

use diesel_versioned::Actor;

use super::{
    Note, Unit, conflicts, deleted_by_someone_else, far_past, find, marks, note, notes, store,
};
use crate::flavor::prelude::*;
use crate::support::scenario::outcome::conflict;

fn anna() -> Actor {
    Actor::new("anna").unwrap()
}

#[test]
fn a_merged_row_has_their_mark_whatever_a_rule_says() {
    let db = store(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let one = uow.find::<Note>(conn, 1).unwrap();
    uow[one].text = "mine".to_owned();
    uow[one].deleted_at = far_past();
    let mut theirs = find(&db, 1);
    theirs.author = "Bob".to_owned();
    theirs.save(conn).unwrap();
    let lost = conflicts(uow.commit(conn));
    let lost = lost.of::<Note>().next().unwrap();
    assert!(lost.is_disjoint());
    assert_eq!(lost.changes().mine().collect::<Vec<_>>(), ["text"]);
    assert_eq!(lost.resolve(Note::merge).unwrap().deleted_at, None);
    uow.resolve(lost, |_, mine, theirs| {
        Ok(Note {
            text: mine.text.clone(),
            deleted_at: mine.deleted_at,
            ..theirs
        })
    })
    .unwrap();
    assert_eq!(uow[one].deleted_at, None);
    uow.commit(conn).unwrap();
    assert_eq!(uow[one], find(&db, 1));
    assert_eq!(
        (uow[one].text.as_str(), uow[one].author.as_str()),
        ("mine", "Bob")
    );
}

#[test]
fn a_restoration_is_merged_with_what_they_made_of_the_row() {
    let db = store(2);
    let conn = &mut db.connect();
    for id in [1, 2] {
        deleted_by_someone_else(&db, id);
    }
    let mut uow = Unit::new();
    let handles = [1, 2].map(|id| uow.find_deleted::<Note>(conn, id).unwrap());
    for handle in handles {
        uow.restore(handle);
    }
    // They restore both, change one, and delete that again.
    let mut theirs = Note::find_deleted(conn, 1).unwrap();
    theirs.restore(conn).unwrap();
    theirs.author = "Bob".to_owned();
    theirs.save(conn).unwrap();
    theirs.delete(conn).unwrap();
    Note::find_deleted(conn, 2).unwrap().restore(conn).unwrap();
    let lost = conflicts(uow.commit(conn));
    for lost in lost.of::<Note>() {
        assert_eq!(lost.kind(), ConflictKind::Modified);
        uow.resolve(lost, Note::merge).unwrap();
    }
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    assert_eq!(marks(&db), [(1, false, 6), (2, false, 3)]);
    assert_eq!(
        handles.map(|handle| uow[handle].clone()),
        [find(&db, 1), find(&db, 2)]
    );
}

#[test]
fn deletions_restorations_and_purges_overwrite_as_what_they_are() {
    let db = store(3);
    db.make_own_tables();
    let conn = &mut db.connect();
    let mut stale = find(&db, 1);
    find(&db, 1).touch(conn).unwrap();
    let lost = conflict(stale.delete(conn));
    lost.overwrite(conn, anna(), "it must go").unwrap();
    assert_eq!(marks(&db)[0], (1, true, 3));

    let mut stale = deleted_by_someone_else(&db, 2);
    let mut theirs = stale.clone();
    theirs.restore(conn).unwrap();
    theirs.text = "theirs".to_owned();
    theirs.save(conn).unwrap();
    theirs.delete(conn).unwrap();
    let lost = conflict(stale.restore(conn));
    let written = lost.overwrite(conn, anna(), "as it was").unwrap();
    assert_eq!(
        (written.text.as_str(), written.deleted_at),
        ("text 2", None)
    );
    assert_eq!(find(&db, 2), written);

    let mut stale = find(&db, 3);
    deleted_by_someone_else(&db, 3);
    let lost = conflict(stale.purge(conn));
    lost.overwrite(conn, anna(), "for good").unwrap();
    assert_eq!(marks(&db), [(1, true, 3), (2, false, 6)]);
}

#[test]
fn a_deleted_row_cannot_be_overwritten() {
    let db = store(1);
    db.make_own_tables();
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let one = uow.find::<Note>(conn, 1).unwrap();
    uow[one].text = "mine".to_owned();
    deleted_by_someone_else(&db, 1);
    let lost = conflicts(uow.commit(conn));
    let lost = lost.of::<Note>().next().unwrap();
    let error = lost.overwrite(conn, anna(), "I insist").unwrap_err();
    assert_eq!(error.code(), "conflict.deleted");
    let audit = |_: &mut crate::Conn, _: &Overwrite| Ok(());
    let error = uow
        .overwrite_with(lost, audit, anna(), "I insist")
        .unwrap_err();
    assert_eq!(error.code(), "conflict.deleted");
    assert_eq!(marks(&db), [(1, true, 2)]);
}

#[test]
fn the_same_deletion_and_restoration_are_written_once() {
    let db = store(3);
    db.make_own_tables();
    let conn = &mut db.connect();
    let gone = deleted_by_someone_else(&db, 1);
    let request = |conn: &mut crate::Conn| {
        let mut uow = Unit::new();
        uow.idempotency_key("a").unwrap();
        let restored = uow.attach(gone.clone()).unwrap();
        let deleted = uow.attach(note(2)).unwrap();
        let purged = uow.attach(note(3)).unwrap();
        uow.insert(Note {
            deleted_at: far_past(),
            ..note(4)
        })
        .unwrap();
        uow.restore(restored);
        uow.delete(deleted);
        uow.purge(purged);
        let done = uow.commit(conn).unwrap();
        let told: Vec<_> = done
            .iter()
            .map(|row| {
                (
                    row.operation(),
                    row.key().to_owned(),
                    row.new_version().map(str::to_owned),
                )
            })
            .collect();
        assert!(uow.get(deleted).is_none() && uow.get(purged).is_none());
        (done.is_replayed(), told, uow.get(restored).cloned())
    };
    let first = request(conn);
    let second = request(conn);
    assert_eq!((first.0, second.0), (false, true));
    assert_eq!((&first.1, &first.2), (&second.1, &second.2));
    let written = notes(&db);
    assert_eq!(marks(&db), [(1, false, 3), (2, true, 2), (4, false, 1)]);
    // What has become of it since is told as of any row that is gone.
    deleted_by_someone_else(&db, 1);
    assert_eq!(request(conn).2, None);
    assert_eq!(notes(&db)[1..], written[1..]);
}

#[cfg(feature = "http")]
#[test]
fn a_deleted_row_is_gone_over_http() {
    use diesel_versioned::http::{IfMatch, Problem};

    let db = store(1);
    let conn = &mut db.connect();
    let mut mine = find(&db, 1);
    let if_match: IfMatch = mine.etag().to_string().parse().unwrap();
    deleted_by_someone_else(&db, 1);
    let expected = mine.expect(&if_match).unwrap();
    let problem = mine
        .save(conn)
        .map_err(|error| expected.problem(error))
        .unwrap_err();
    assert_eq!(
        (problem.status().as_u16(), problem.code()),
        (410, "conflict.deleted")
    );
    assert_eq!(problem.etag(), None);
    let problem = Problem::from(Note::find(conn, 1).unwrap_err());
    assert_eq!(problem.status().as_u16(), 404);
    let mut uow = Unit::new();
    uow.save(mine).unwrap();
    let problem = Problem::from(uow.commit(conn).unwrap_err());
    assert_eq!(problem.conflicts()[0].etag(), None);
}
