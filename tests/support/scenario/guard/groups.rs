//! Groups of columns: an edit of one does not collide with an edit of another.

use super::{Document, Unit, all_lost, document, edit, find, library, lost, store};
use crate::flavor::prelude::*;
use crate::support::{Queries, race};

#[test]
fn each_group_has_its_own_version_and_a_write_moves_those_that_it_touches() {
    let db = library(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let mine: Handle<Document> = uow.find(conn, 1).unwrap();
    uow[mine].title = "Tea".to_owned();
    let queries = Queries::of(conn);
    let done = uow.commit(conn).unwrap();
    let sql = queries.take().join("\n");
    assert!(sql.contains("content_version"), "{sql}");
    assert!(!sql.contains("access_version"), "{sql}");
    assert_eq!(
        (uow[mine].content_version, uow[mine].access_version),
        (2, 10)
    );
    assert_eq!(find::<Document>(&db, 1), uow[mine]);
    let change = done.iter().next().unwrap();
    assert_eq!(change.old_version(), Some("=1,=10"));
    assert_eq!(change.new_version(), Some("=2,=10"));

    uow[mine].access.editors = "me".to_owned();
    uow.commit(conn).unwrap();
    assert_eq!(
        (uow[mine].content_version, uow[mine].access_version),
        (2, 11)
    );

    // Both in one statement.
    uow[mine].access.readers = "me".to_owned();
    uow[mine].body = Some("Leaves".to_owned());
    let queries = Queries::of(conn);
    uow.commit(conn).unwrap();
    let updates = queries.take();
    let updates = updates.iter().filter(|sql| sql.contains("UPDATE"));
    assert_eq!(updates.filter(|sql| sql.contains("SET")).count(), 1);
    assert_eq!(
        (uow[mine].content_version, uow[mine].access_version),
        (3, 12)
    );
    assert_eq!(find::<Document>(&db, 1), uow[mine]);

    uow.touch(mine);
    uow.commit(conn).unwrap();
    assert_eq!(
        (uow[mine].content_version, uow[mine].access_version),
        (4, 13)
    );
    assert_eq!(find::<Document>(&db, 1), uow[mine]);
}

#[test]
fn edits_of_different_groups_do_not_collide() {
    let db = library(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let mine: Handle<Document> = uow.find(conn, 1).unwrap();
    let loaded: Document = find(&db, 2);
    let mut alone = loaded.clone();
    for id in [1, 2] {
        edit(&db, id);
    }
    uow[mine].access.readers = "me".to_owned();
    alone.access.readers = "me".to_owned();
    uow.commit(conn).unwrap();
    alone.save_changes(conn, &loaded).unwrap();
    for id in [1, 2] {
        let stored: Document = find(&db, id);
        assert_eq!(stored.body.as_deref(), Some("theirs"));
        assert_eq!(stored.access.readers, "me");
        assert_eq!((stored.content_version, stored.access_version), (2, 11));
    }
    // What this copy has not seen is still guarded.
    assert_eq!((alone.content_version, alone.access_version), (1, 11));
    uow[mine].title = "mine".to_owned();
    let conflicts = all_lost(uow.commit(conn));
    let conflict = conflicts.of::<Document>().next().unwrap();
    assert_eq!(conflict.groups(), ["content"]);
    assert_eq!(
        (conflict.expected(), conflict.actual()),
        (&(1, 11), Some(&(2, 11)))
    );
}

#[test]
fn a_conflict_names_its_groups() {
    let db = library(1);
    let conn = &mut db.connect();
    let loaded: Document = find(&db, 1);
    edit(&db, 1);

    let mut mine = loaded.clone();
    mine.title = "mine".to_owned();
    mine.access.readers = "me".to_owned();
    let before = mine.clone();
    let conflict = lost(mine.save_changes(conn, &loaded));
    assert_eq!(mine, before);
    assert_eq!(conflict.kind(), ConflictKind::Modified);
    assert_eq!(conflict.groups(), ["content"]);
    assert_eq!(
        conflict.to_string(),
        "`documents` 1 was changed by someone else in `content` (expected version (1, 10), found \
         (2, 10)); reload it and apply the change again"
    );
    assert_eq!(conflict.base(), Some(&loaded));

    // A full save is about all of them.
    let conflict = lost(mine.save(conn));
    assert_eq!(conflict.groups(), ["content"]);
    let mut theirs = find::<Document>(&db, 1);
    theirs.save(conn).unwrap();
    assert_eq!((theirs.content_version, theirs.access_version), (3, 11));
    for conflict in [
        lost(mine.save(conn)),
        lost(mine.touch(conn)),
        lost(mine.delete(conn)),
    ] {
        assert_eq!(conflict.groups(), ["content", "access"]);
    }
    theirs.delete(conn).unwrap();
    let conflict = lost(mine.save(conn));
    assert_eq!(conflict.kind(), ConflictKind::Deleted);
    assert!(conflict.groups().is_empty());
}

#[test]
fn a_row_that_must_be_unchanged_is_so_in_all_groups() {
    let db = library(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let mine: Handle<Document> = uow.find(conn, 1).unwrap();
    uow[mine].access.readers = "me".to_owned();
    uow.expect_unchanged(mine);
    uow.commit(conn).unwrap();
    // Only what was touched moves.
    assert_eq!(
        (uow[mine].content_version, uow[mine].access_version),
        (1, 11)
    );

    edit(&db, 1);
    uow[mine].access.readers = "you".to_owned();
    uow.expect_unchanged(mine);
    let conflicts = all_lost(uow.commit(conn));
    assert_eq!(conflicts.iter().next().unwrap().groups(), ["content"]);
    uow[mine].access.readers = "me".to_owned();
    let conflicts = all_lost(uow.commit(conn));
    assert_eq!(conflicts.iter().next().unwrap().groups(), ["content"]);
    assert_eq!(find::<Document>(&db, 1).access.readers, "me");
}

#[test]
fn bookkeeping_moves_no_group() {
    let db = library(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let mine: Handle<Document> = uow.find(conn, 1).unwrap();
    edit(&db, 1);
    uow[mine].opened = 7;
    uow.commit(conn).unwrap();
    let stored: Document = find(&db, 1);
    assert_eq!(
        (stored.opened, stored.content_version, stored.access_version),
        (7, 2, 10)
    );
    // With a touch it is written under the guard of all.
    uow[mine].opened = 8;
    uow.touch(mine);
    let conflicts = all_lost(uow.commit(conn));
    assert_eq!(conflicts.iter().next().unwrap().groups(), ["content"]);
}

#[test]
fn batches_of_several_groups_and_versions_are_right_row_by_row() {
    let db = library(40);
    let conn = &mut db.connect();
    // Rows at different versions.
    for id in (1..=40).step_by(3) {
        edit(&db, id);
    }
    let mut uow = Unit::new();
    let all: Vec<Handle<Document>> = (1..=40).map(|id| uow.find(conn, id).unwrap()).collect();
    let before: Vec<Document> = all.iter().map(|&handle| uow[handle].clone()).collect();
    for (index, &handle) in all.iter().enumerate() {
        if index % 4 != 1 {
            uow[handle].title = format!("title {index}");
        }
        if index % 4 != 2 {
            uow[handle].access.editors = format!("editor {index}");
        }
        if index % 4 == 3 {
            uow.touch(handle);
        }
    }
    uow.commit(conn).unwrap();
    for (&handle, before) in all.iter().zip(&before) {
        let (content, access) = ((before.id - 1) % 4 != 1, (before.id - 1) % 4 != 2);
        let stored: Document = find(&db, before.id);
        assert_eq!(stored, uow[handle]);
        assert_eq!(
            (stored.content_version, stored.access_version),
            (
                before.content_version + i32::from(content),
                before.access_version + i64::from(access)
            )
        );
    }

    for &id in &[5, 20, 33] {
        edit(&db, id);
    }
    for &handle in &all {
        uow[handle].title = "again".to_owned();
    }
    let conflicts = all_lost(uow.commit(conn));
    let keys: Vec<_> = conflicts.of::<Document>().map(|lost| *lost.key()).collect();
    assert_eq!(keys, [5, 20, 33]);
    assert_eq!(find::<Document>(&db, 1).title, "title 0");
    // Nobody touched who may see them.
    uow.discard(&conflicts);
    uow.commit(conn).unwrap();
    assert_eq!(find::<Document>(&db, 1).title, "again");
}

#[test]
fn of_writers_of_two_groups_all_win_who_write_different_ones() {
    let db = library(1);
    let wins = race(&db, 4, |number, conn| {
        let mut wins = 0;
        for round in 0..20 {
            let loaded = Document::find(conn, 1).unwrap();
            let mut mine = loaded.clone();
            if number % 2 == 0 {
                mine.title = format!("{number}.{round}");
            } else {
                mine.access.readers = format!("{number}.{round}");
            }
            match mine.save_changes(conn, &loaded) {
                Ok(()) => wins += 1,
                Err(SaveError::Conflict(conflict)) => {
                    let group = if number % 2 == 0 { "content" } else { "access" };
                    assert_eq!(conflict.groups(), [group]);
                }
                Err(error) => assert!(error.is_transient(), "{error:?}"),
            }
        }
        wins
    });
    let stored: Document = find(&db, 1);
    assert_eq!(stored.content_version - 1, wins[0] + wins[2]);
    assert_eq!(stored.access_version - 10, i64::from(wins[1] + wins[3]));
}

#[test]
fn a_conflict_in_a_group_is_merged_and_overwritten_as_any() {
    let db = library(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let mine: Handle<Document> = uow.find(conn, 1).unwrap();
    uow[mine].title = "mine".to_owned();
    edit(&db, 1);
    let mut other = find::<Document>(&db, 1);
    other.access.readers = "you".to_owned();
    other.save(conn).unwrap();
    let conflicts = all_lost(uow.commit(conn));
    let conflict = conflicts.of::<Document>().next().unwrap();
    uow.resolve(conflict, |_, mine, theirs| {
        Ok(Document {
            title: mine.title.clone(),
            ..theirs
        })
    })
    .unwrap();
    uow.commit(conn).unwrap();
    let stored: Document = find(&db, 1);
    assert_eq!(
        (&*stored.title, stored.body.as_deref()),
        ("mine", Some("theirs"))
    );
    assert_eq!(stored.access.readers, "you");
    assert_eq!((stored.content_version, stored.access_version), (4, 11));
    assert_eq!(uow[mine], stored);
}

#[test]
fn an_inserted_row_has_the_initial_version_of_each_group() {
    let db = store();
    let conn = &mut db.connect();
    let mut new = document(7);
    (new.content_version, new.access_version) = (70, 70);
    new.insert(conn).unwrap();
    assert_eq!((new.content_version, new.access_version), (1, 10));
    assert_eq!(find::<Document>(&db, 7), new);
}

#[test]
fn the_last_version_of_one_group_stops_that_group_alone() {
    let db = library(1);
    let conn = &mut db.connect();
    db.execute("UPDATE documents SET content_version = 2147483647");
    let loaded: Document = find(&db, 1);
    let mut mine = loaded.clone();
    mine.access.readers = "me".to_owned();
    mine.save_changes(conn, &loaded).unwrap();
    let loaded = mine.clone();
    mine.title = "mine".to_owned();
    let error = mine.save_changes(conn, &loaded).unwrap_err();
    assert!(
        matches!(error, SaveError::VersionExhausted { .. }),
        "{error:?}"
    );
    let told = "the version 2147483647 of the group `content` of `documents` 1 is the greatest";
    assert!(error.to_string().starts_with(told), "{error}");
    assert_eq!(find::<Document>(&db, 1), loaded);
    let mut uow = Unit::new();
    let touched: Handle<Document> = uow.find(conn, 1).unwrap();
    uow.touch(touched);
    let error = uow.commit(conn).unwrap_err();
    assert!(error.to_string().starts_with(told), "{error}");
}

#[test]
fn the_schema_check_looks_at_each_version() {
    let db = library(0);
    let conn = &mut db.connect();
    let report = Document::check_schema(conn).unwrap();
    assert!(report.is_empty(), "{report:?}");
    db.execute("DROP TABLE documents");
    db.execute(
        "CREATE TABLE documents (id INTEGER PRIMARY KEY, title VARCHAR(40) NOT NULL,
             body VARCHAR(40), readers VARCHAR(40) NOT NULL, editors VARCHAR(40) NOT NULL,
             opened BIGINT NOT NULL, content_version INTEGER NOT NULL DEFAULT 1,
             access_version BIGINT)",
    );
    let report = Document::check_schema(conn).unwrap();
    let text = report.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(report.len(), 2, "{text:?}");
    assert!(
        text.iter()
            .all(|finding| finding.contains("access_version")),
        "{text:?}"
    );
}

#[cfg(feature = "http")]
#[test]
fn each_group_has_a_tag_of_its_own() {
    use diesel_versioned::http::{HttpDsl, IfMatch};

    let db = library(1);
    let conn = &mut db.connect();
    let loaded: Document = find(&db, 1);
    let tag = |group| loaded.etag_of(group).map(|tag| tag.to_string());
    assert_eq!(tag("content").as_deref(), Some("\"v1\""));
    assert_eq!(tag("access").as_deref(), Some("\"v10\""));
    assert_eq!(tag("other"), None);
    assert_ne!(loaded.etag(), edit(&db, 1).etag());

    let if_match: IfMatch = "\"v1\"".parse().unwrap();
    let now: Document = find(&db, 1);
    let mut mine = now.clone();
    let expected = mine.expect_group("content", &if_match).unwrap();
    assert_eq!((mine.content_version, mine.access_version), (1, 10));
    mine.title = "mine".to_owned();
    let lost = mine.save_changes(conn, &now).unwrap_err();
    let problem = expected.problem(lost);
    assert_eq!(
        (problem.status().as_u16(), problem.code()),
        (412, "precondition.failed")
    );
    assert_eq!(problem.conflicts()[0].groups(), ["content"]);

    // What the header is not about is a conflict like any other.
    let if_match: IfMatch = "\"v2\"".parse().unwrap();
    let mut mine = now.clone();
    let expected = mine.expect_group("content", &if_match).unwrap();
    let mut theirs = now.clone();
    theirs.access.readers = "theirs".to_owned();
    theirs.save_changes(conn, &now).unwrap();
    mine.title = "mine".to_owned();
    mine.access.readers = "mine".to_owned();
    let lost = mine.save_changes(conn, &now).unwrap_err();
    let problem = expected.problem(lost);
    assert_eq!(
        (problem.status().as_u16(), problem.code()),
        (409, "conflict.modified")
    );

    let before = mine.clone();
    let error = mine.expect_group("other", &if_match).unwrap_err();
    assert_eq!(error.code(), "precondition.unknown_group");
    let never: IfMatch = "\"vx\"".parse().unwrap();
    let error = mine.expect_group("content", &never).unwrap_err();
    assert_eq!(error.code(), "precondition.failed");
    assert_eq!(mine, before);
}
