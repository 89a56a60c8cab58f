//! Columns that the database generates, beside a version that is made here, and versions that the
//! database was to move and did not.

use std::error::Error;

use diesel::prelude::*;
use diesel_versioned::version::NoVersion;
use diesel_versioned::{Dialect, Versioned};

use super::{Unit, empty_store};
use crate::flavor::prelude::*;
use crate::support::scenario::outcome::conflict;
use crate::support::{Queries, TestDb};

diesel::table! {
    boxes (id) {
        id -> Integer,
        width -> Integer,
        height -> Integer,
        area -> Integer,
        seen -> Integer,
        seen_twice -> Integer,
        version -> Integer,
    }
}

/// One column is generated from guarded ones, the other from bookkeeping.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = boxes)]
struct Crate {
    id: i32,
    width: i32,
    height: i32,
    #[versioned(generated)]
    area: i32,
    #[versioned(unguarded)]
    seen: i32,
    #[versioned(generated)]
    seen_twice: i32,
    #[version]
    version: i32,
}

fn new(id: i32) -> Crate {
    Crate {
        id,
        width: 2,
        height: 3,
        area: 0,
        seen: 1,
        seen_twice: 0,
        version: 0,
    }
}

fn stored(db: &TestDb) -> Vec<Crate> {
    boxes::table
        .order(boxes::id)
        .select(Crate::as_select())
        .load(&mut db.connect())
        .unwrap()
}

#[test]
fn after_each_write_it_is_read_back() {
    let db = empty_store();
    let conn = &mut db.connect();
    let mut mine = new(1);
    mine.insert(conn).unwrap();
    assert_eq!((mine.area, mine.seen_twice, mine.version), (6, 2, 1));
    mine.width = 10;
    mine.area = 99;
    mine.save(conn).unwrap();
    assert_eq!((mine.area, mine.version), (30, 2));
    mine.touch(conn).unwrap();
    mine.seen = 8;
    mine.save_unguarded(conn).unwrap();
    assert_eq!((mine.seen_twice, mine.version), (16, 3));
    assert_eq!(stored(&db), [mine]);
}

#[test]
fn a_unit_reads_it_back_of_each_row_that_it_wrote() {
    let db = empty_store();
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let hs: Vec<_> = (1..=100).map(|id| uow.insert(new(id)).unwrap()).collect();
    uow.commit(conn).unwrap();
    for &handle in &hs {
        let id = uow[handle].id;
        match id % 3 {
            0 => uow[handle].width = 1_000 - id,
            1 => uow[handle].seen = 1_000 - id,
            _ => {
                uow[handle].height = id;
                uow[handle].seen = id;
            }
        }
    }
    // A change of it alone is none.
    let last = hs[99];
    let mut other = Unit::new();
    let read: Handle<Crate> = other.find(conn, uow[last].id).unwrap();
    other[read].area = 1;
    assert!(!other.is_dirty(read));
    uow.commit(conn).unwrap();
    let in_memory: Vec<_> = hs.iter().map(|&handle| uow[handle].clone()).collect();
    assert_eq!(stored(&db), in_memory);
    assert_eq!(uow[hs[2]].area, 997 * 3);
    assert_eq!(uow[hs[0]].seen_twice, 2 * 999);
}

#[test]
fn nothing_else_is_taken_from_the_row() {
    let db = empty_store();
    let conn = &mut db.connect();
    let mut mine = new(1);
    mine.insert(conn).unwrap();
    let mut theirs = mine.clone();
    theirs.seen = 50;
    theirs.save_unguarded(&mut db.connect()).unwrap();
    mine.width = 10;
    mine.save(conn).unwrap();
    // What others noted stays theirs, what is generated from it is read.
    assert_eq!((mine.area, mine.seen, mine.seen_twice), (30, 1, 100));

    let stale = theirs;
    let mut theirs = stale.clone();
    theirs.seen = 60;
    let before = theirs.clone();
    theirs.save_unguarded(conn).unwrap();
    // A write without a guard brings no version along, or what others wrote could be lost.
    assert_eq!(
        (theirs.version, theirs.width),
        (before.version, before.width)
    );
    assert_eq!(theirs.area, 30);
    theirs.height = 1;
    assert_eq!(conflict(theirs.save(conn)).kind(), ConflictKind::Modified);
}

#[test]
fn as_many_statements_are_sent_as_the_database_needs() {
    let db = empty_store();
    let conn = &mut db.connect();
    let mut mine = new(1);
    mine.insert(conn).unwrap();
    let queries = Queries::of(conn);
    mine.save(conn).unwrap();
    let sent = queries.take();
    if crate::Backend::RETURNING_SHOWS_ALL {
        assert_eq!(sent.len(), 1, "{sent:?}");
        assert!(sent[0].contains(" RETURNING "), "{sent:?}");
    } else {
        let update = sent.iter().position(|sql| sql.starts_with("UPDATE"));
        let select = sent.iter().position(|sql| sql.starts_with("SELECT"));
        let commit = sent.iter().position(|sql| sql.starts_with("COMMIT"));
        assert!(
            update.is_some() && update < select && select < commit,
            "{sent:?}"
        );
    }
}

diesel::table! {
    stuck (id) { id -> Integer, name -> Varchar, version -> Integer }
}

/// Its version was to be moved by a trigger that nobody has made.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = stuck)]
struct Stuck {
    id: i32,
    name: String,
    #[version(db)]
    version: i32,
}

#[test]
fn a_write_that_does_not_move_the_version_is_an_error_and_taken_back() {
    let db = empty_store();
    let conn = &mut db.connect();
    db.execute("INSERT INTO stuck (id, name) VALUES (1, 'one'), (2, 'two')");
    let mut mine = Stuck::find(conn, 1).unwrap();
    assert_eq!(mine.version, 1);
    mine.name = "other".to_owned();
    let before = mine.clone();
    let unchanged = |db: &TestDb| {
        let names: Vec<String> = stuck::table
            .order(stuck::id)
            .select(stuck::name)
            .load(&mut db.connect())
            .unwrap();
        assert_eq!(names, ["one", "two"]);
    };
    for write in [Stuck::save, Stuck::touch] {
        let error = write(&mut mine, conn).unwrap_err();
        assert_eq!(error.code(), "version.unavailable");
        assert!(matches!(
            error,
            SaveError::NoVersion {
                source: NoVersion::NotMoved,
                ..
            }
        ));
        assert!(error.to_string().contains("`stuck` 1"), "{error}");
        assert!(error.source().is_some());
        assert_eq!(mine, before);
        unchanged(&db);
    }
    let error = Stuck::save_all(conn, std::slice::from_mut(&mut mine)).unwrap_err();
    assert_eq!(error.code(), "version.unavailable");

    let mut uow = Unit::new();
    let one: Handle<Stuck> = uow.find(conn, 1).unwrap();
    let two: Handle<Stuck> = uow.find(conn, 2).unwrap();
    uow[one].name = "other".to_owned();
    uow[two].name = "third".to_owned();
    let error = uow.commit(conn).unwrap_err();
    assert!(matches!(
        error,
        CommitError::NoVersion {
            source: NoVersion::NotMoved,
            ..
        }
    ));
    unchanged(&db);
    assert!(uow.is_dirty(one) && uow.is_dirty(two));
    assert_eq!(uow[one].version, 1);
    // The connection is as good as before.
    conn.transaction(|conn| {
        assert!(mine.save(conn).is_err());
        diesel::update(stuck::table.find(2))
            .set(stuck::name.eq("two"))
            .execute(conn)
    })
    .unwrap();
    unchanged(&db);
}
