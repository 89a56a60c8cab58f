//! Writes of rows that were not read, of groups: only what is touched moves.

use diesel::prelude::*;
use diesel_versioned::Versioned;

use super::{
    Document, Sheet, Unit, document, documents, edit, find, library, lost, sheet, sheets, store,
};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::{Queries, TestDb, race};

/// The versions of the content and of the access of a document.
fn versions(db: &TestDb, id: i32) -> (i32, i64) {
    find::<Document>(db, id).version()
}

#[test]
fn a_relative_update_moves_the_versions_of_what_it_touches() {
    let db = library(1);
    let conn = &mut db.connect();
    let loaded: Document = find(&db, 1);
    let queries = Queries::of(conn);
    Document::apply(conn, 1, documents::title.eq("Tea"))
        .execute()
        .unwrap();
    let sent = queries.take();
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert!(!sent[0].contains("access_version"), "{sent:?}");
    assert_eq!(versions(&db, 1), (2, 10));
    Document::apply(conn, 1, documents::editors.eq(documents::readers))
        .filter(documents::readers.eq("all"))
        .execute()
        .unwrap();
    assert_eq!(versions(&db, 1), (2, 11));
    let both = (documents::body.eq("Leaves"), documents::readers.eq("me"));
    Document::apply(conn, 1, both).execute().unwrap();
    assert_eq!(versions(&db, 1), (3, 12));

    // Whoever has read them notices, by group.
    let mut mine = loaded.clone();
    mine.title = "mine".to_owned();
    let conflict = lost(mine.save_changes(conn, &loaded));
    assert_eq!(conflict.groups(), ["content"]);
    let mut now: Document = find(&db, 1);
    let before = now.clone();
    Document::apply(conn, 1, documents::title.eq("Coffee"))
        .execute()
        .unwrap();
    now.access.readers = "nobody".to_owned();
    now.save_changes(conn, &before).unwrap();
    assert_eq!(versions(&db, 1), (4, 13));

    // A condition that fails shows the row, and moves nothing.
    let failed = Document::apply(conn, 1, documents::title.eq("Water"))
        .filter(documents::readers.eq("all"))
        .execute()
        .unwrap_err();
    assert_eq!(failed.code(), "apply.condition");
    assert_eq!(failed.current(), Some(&find(&db, 1)));
    assert_eq!(versions(&db, 1), (4, 13));
}

#[test]
fn bookkeeping_alone_moves_none() {
    let db = library(2);
    let conn = &mut db.connect();
    db.execute("UPDATE documents SET content_version = 2147483647 WHERE id = 2");
    let opened = documents::opened;
    Document::apply(conn, 1, opened.eq(opened + 1))
        .execute()
        .unwrap();
    let rows = Document::update_where(opened.ge(0))
        .set(opened.eq(opened + 1))
        .execute(conn);
    assert_eq!(rows, Ok(2));
    let seen: Document = find(&db, 1);
    assert_eq!((seen.opened, seen.version()), (2, (1, 10)));
    assert_eq!(versions(&db, 2), (i32::MAX, 10));
    // With something else it goes along.
    let set = (opened.eq(opened + 1), documents::title.eq("Tea"));
    Document::apply(conn, 1, set).execute().unwrap();
    let seen: Document = find(&db, 1);
    assert_eq!((seen.opened, seen.version()), (3, (2, 10)));
}

#[test]
fn neither_of_the_versions_may_be_set() {
    let db = library(1);
    let conn = &mut db.connect();
    let queries = Queries::of(conn);
    let content = Document::apply(conn, 1, documents::content_version.eq(7)).execute();
    let set = (
        documents::title.eq("Tea"),
        documents::access_version.eq(7_i64),
    );
    let access = Document::apply(conn, 1, set).execute();
    for refused in [content, access] {
        assert!(matches!(refused, Err(ApplyError::Database(_))));
    }
    assert_eq!(queries.count(), 0);
}

#[test]
fn a_bulk_update_moves_the_touched_ones_and_a_bump_all() {
    let db = library(3);
    let conn = &mut db.connect();
    let some = documents::id.gt(1);
    let rows = Document::update_where(some)
        .set(documents::readers.eq("me"))
        .execute(conn);
    assert_eq!(rows, Ok(2));
    let all = [1, 2, 3].map(|id| versions(&db, id));
    assert_eq!(all, [(1, 10), (1, 11), (1, 11)]);
    let rows = Document::update_where(some)
        .set((documents::title.eq("Tea"), documents::opened.eq(7)))
        .execute(conn);
    assert_eq!(rows, Ok(2));
    let rows = diesel::update(documents::table.filter(some))
        .set((documents::title.eq("Coffee"), Document::bump()))
        .execute(conn);
    assert_eq!(rows, Ok(2));
    let all = [1, 2, 3].map(|id| versions(&db, id));
    assert_eq!(all, [(1, 10), (3, 12), (3, 12)]);
}

#[test]
fn the_end_of_one_group_stops_what_touches_it() {
    let db = library(2);
    let conn = &mut db.connect();
    db.execute("UPDATE documents SET content_version = 2147483647 WHERE id = 1");
    Document::apply(conn, 1, documents::readers.eq("me"))
        .execute()
        .unwrap();
    Document::update_where(documents::id.ge(1))
        .set(documents::editors.eq("me"))
        .execute(conn)
        .unwrap();
    let before = [1, 2].map(|id| find::<Document>(&db, id));
    let error = Document::apply(conn, 1, documents::title.eq("Tea"))
        .execute()
        .unwrap_err();
    assert_eq!(error.code(), "version.exhausted");
    let told = "the version 2147483647 of the group `content` of `documents` 1 is the greatest";
    assert!(error.to_string().starts_with(told), "{error}");
    let bulk = Document::update_where(documents::id.ge(1))
        .set(documents::title.eq("Tea"))
        .execute(conn);
    let bumped = diesel::update(documents::table)
        .set((documents::readers.eq("you"), Document::bump()))
        .execute(conn);
    assert!(bulk.is_err() && bumped.is_err(), "{bulk:?} {bumped:?}");
    assert_eq!([1, 2].map(|id| find::<Document>(&db, id)), before);
}

#[test]
fn each_group_moves_as_its_own_kind_wants() {
    let db = store();
    let conn = &mut db.connect();
    let mut first = sheet(1);
    first.insert(conn).unwrap();
    db.execute("UPDATE sheets SET cells_version = 32766");
    let mut last: Sheet = find(&db, 1);
    for expected in [i16::MAX, 1, 2] {
        Sheet::apply(conn, 1, sheets::cells.eq(sheets::cells + 1))
            .execute()
            .unwrap();
        let now: Sheet = find(&db, 1);
        assert_eq!(now.version(), (expected, last.head_version));
    }
    for round in 0..6 {
        let title = sheets::title.eq(format!("{round}"));
        match round % 3 {
            0 => Sheet::apply(conn, 1, title).execute().unwrap(),
            1 => drop(
                Sheet::update_where(sheets::id.eq(1))
                    .set(title)
                    .execute(conn)
                    .unwrap(),
            ),
            _ => drop(
                diesel::update(sheets::table)
                    .set((title, Sheet::bump()))
                    .execute(conn)
                    .unwrap(),
            ),
        }
        let mut now: Sheet = find(&db, 1);
        assert!(now.head_version > last.head_version, "{now:?} {last:?}");
        let of_millis = now.head_version.and_utc().timestamp_subsec_micros() % 1_000;
        assert_eq!(of_millis, 0, "{now:?}");
        // What the database has made is what the guard compares.
        let before = now.clone();
        now.title.push('!');
        now.save_changes(conn, &before).unwrap();
        assert!(now.head_version > before.head_version);
        assert_eq!(now.cells_version, before.cells_version);
        last = now;
    }
    // Two of them were bumps, which move all.
    assert_eq!(last.cells_version, 4);
    // A save that wraps is in one group, and in a unit, too.
    db.execute("UPDATE sheets SET cells_version = 32767");
    let mut uow = Unit::new();
    let mine: Handle<Sheet> = uow.find(conn, 1).unwrap();
    uow[mine].cells += 1;
    uow.commit(conn).unwrap();
    assert_eq!(uow[mine].version(), (1, last.head_version));
    assert_eq!(find::<Sheet>(&db, 1), uow[mine]);
}

#[test]
fn of_a_row_that_a_unit_tracks_the_other_groups_stay_usable() {
    let db = library(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let mine: Handle<Document> = uow.find(conn, 1).unwrap();
    uow[mine].access.readers = "me".to_owned();
    uow.apply(Document::relative(1, documents::title.eq("Tea")))
        .unwrap();
    uow.commit(conn).unwrap();
    assert_eq!(versions(&db, 1), (2, 11));
    assert_eq!(uow[mine].version(), (1, 11));
    uow[mine].access.readers = "you".to_owned();
    uow.commit(conn).unwrap();
    assert_eq!(versions(&db, 1), (2, 12));
    uow[mine].body = Some("mine".to_owned());
    let Err(CommitError::Conflicts(conflicts)) = uow.commit(conn) else {
        panic!("it is stale");
    };
    assert_eq!(conflicts.iter().next().unwrap().groups(), ["content"]);
}

#[test]
fn an_upsert_inserts_saves_all_groups_or_conflicts_in_some() {
    let db = store();
    let conn = &mut db.connect();
    let mut mine = stranger();
    mine.insert_or_save(conn).unwrap();
    assert_eq!(mine.version(), (1, 10));
    mine.title = "Tea".to_owned();
    mine.insert_or_save(conn).unwrap();
    assert_eq!(mine.version(), (2, 11));
    assert_eq!(find::<Document>(&db, 1), mine);

    let theirs = edit(&db, 1);
    let before = mine.clone();
    let conflict = lost(mine.insert_or_save(conn));
    assert_eq!((conflict.kind(), &mine), (ConflictKind::Modified, &before));
    assert_eq!(conflict.groups(), ["content"]);
    assert_eq!(conflict.current(), Some(&theirs));
    let mut stranger = stranger();
    let conflict = lost(stranger.insert_or_save(conn));
    assert_eq!(conflict.groups(), ["content", "access"]);
    assert_eq!(find::<Document>(&db, 1), theirs);
}

/// The document 1 as someone has it who has never read it.
fn stranger() -> Document {
    Document {
        content_version: 0,
        access_version: 0,
        ..document(1)
    }
}

#[test]
fn relative_updates_and_edits_of_different_groups_go_by_each_other() {
    let db = library(1);
    let write = |number: usize, conn: &mut Conn| {
        for round in 0..20 {
            if number % 2 == 0 {
                Document::apply(conn, 1, documents::title.eq(format!("{number}.{round}")))
                    .execute()
                    .unwrap();
                continue;
            }
            loop {
                let loaded = Document::find(conn, 1).unwrap();
                let mut mine = loaded.clone();
                mine.access.readers = format!("{number}.{round}");
                match mine.save_changes(conn, &loaded) {
                    Ok(()) => break,
                    Err(SaveError::Conflict(conflict)) => {
                        assert_eq!(conflict.groups(), ["access"]);
                    }
                    Err(error) => assert!(error.is_transient(), "{error:?}"),
                }
            }
        }
    };
    race(&db, 4, write);
    assert_eq!(versions(&db, 1), (41, 50));
}
