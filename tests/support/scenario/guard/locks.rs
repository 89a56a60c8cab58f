//! Row locks: what was loaded is compared as a guard would compare it, in all groups or in what it holds.

use diesel::Connection;
use diesel_versioned::Versioned;

use super::{Card, Contact, Document, Person, Unit, address_book, edit, find, library, lost};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::{TestBackend, TestDb};

/// The columns that someone else has changed.
fn theirs<T: Versioned>(conflict: &Conflict<T>) -> Vec<&'static str> {
    conflict.changes().theirs().collect()
}

fn lock_loaded<T: LockDsl<Conn>>(db: &TestDb, loaded: &T) -> Result<(), SaveError<T>> {
    db.connect()
        .transaction(|conn| loaded.lock_loaded(conn, Lock::Update, Wait::Block))
}

#[test]
fn a_row_of_any_kind_is_locked_and_written() {
    let db = library(2);
    let conn = &mut db.connect();
    conn.transaction::<_, SaveError<Document>, _>(|conn| {
        let loaded = Document::lock(conn, 1, Lock::Update, Wait::Block)?;
        let mut mine = loaded.clone();
        mine.title = "mine".to_owned();
        mine.save_changes(conn, &loaded)?;
        assert_eq!(mine.version(), (2, 10));
        let all = Document::lock_all(conn, [2, 1], Lock::Update, Wait::Block)?;
        assert_eq!(all[1], mine);
        Ok(())
    })
    .unwrap();

    let db = address_book(2);
    let conn = &mut db.connect();
    conn.transaction::<_, SaveError<Person>, _>(|conn| {
        let loaded = Person::lock(conn, 1, Lock::Update, Wait::Block)?;
        let other = &mut db.connect();
        let refused = other.transaction(|other| Person::lock(other, 1, Lock::Update, Wait::NoWait));
        assert_eq!(refused.unwrap_err().code(), "lock.refused");
        let mut mine = loaded.clone();
        mine.age = Some(7);
        mine.save_changes(conn, &loaded)?;
        let all = Person::lock_all(conn, [2, 1], Lock::Share, Wait::Block)?;
        assert_eq!((all[0].id, &all[1]), (2, &mine));
        Ok(())
    })
    .unwrap();
    assert_eq!(find::<Person>(&db, 1).age, Some(7));
}

#[test]
fn a_stale_document_is_a_conflict_that_names_its_groups() {
    let db = library(1);
    let mut mine: Document = find(&db, 1);
    // What was changed in this copy is no matter.
    mine.access.readers = "me".to_owned();
    mine.opened = 7;
    lock_loaded(&db, &mine).unwrap();
    edit(&db, 1);
    let conflict = lost(lock_loaded(&db, &mine));
    assert_eq!(conflict.kind(), ConflictKind::Modified);
    assert_eq!(conflict.groups(), ["content"]);
    assert_eq!(
        (conflict.expected(), conflict.actual()),
        (&(1, 10), Some(&(2, 10)))
    );
    let mut other = find::<Document>(&db, 1);
    other.save(&mut db.connect()).unwrap();
    let conflict = lost(lock_loaded(&db, &mine));
    assert_eq!(conflict.groups(), ["content", "access"]);
    db.execute("DELETE FROM documents");
    assert_eq!(lost(lock_loaded(&db, &mine)).kind(), ConflictKind::Deleted);
}

#[test]
fn a_stale_row_without_a_version_is_a_conflict_that_names_its_columns() {
    let db = address_book(1);
    let contact: Contact = find(&db, 1);
    let whole: Person = find(&db, 1);
    let card: Card = find(&db, 1);
    // What no guard compares may move.
    db.execute("UPDATE contacts SET note = 'theirs', seen = 9");
    lock_loaded(&db, &contact).unwrap();
    lock_loaded(&db, &whole).unwrap();
    lock_loaded(&db, &card).unwrap();
    db.execute("UPDATE contacts SET age = 31, email = NULL");
    let stored: Person = find(&db, 1);
    let conflict = lost(lock_loaded(&db, &whole));
    assert_eq!(conflict.kind(), ConflictKind::Modified);
    assert_eq!(conflict.current(), Some(&stored));
    assert_eq!(
        conflict.to_string(),
        "`contacts` 1 was changed by someone else in `email`, `age` since it was loaded; reload it \
         and apply the change again"
    );
    // It may be written by columns, and is locked as a whole.
    let conflict = lost(lock_loaded(&db, &contact));
    assert!(theirs(&conflict).contains(&"age"), "{conflict}");
    lost(lock_loaded(&db, &card));
    db.execute("DELETE FROM contacts");
    assert_eq!(lost(lock_loaded(&db, &whole)).kind(), ConflictKind::Deleted);
}

#[test]
fn a_unit_compares_what_it_has_with_what_it_locks() {
    let db = library(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let mine: Handle<Document> = uow.find(conn, 1).unwrap();
    uow[mine].access.readers = "me".to_owned();
    conn.transaction::<_, CommitError, _>(|conn| {
        assert_eq!(uow.lock(conn, 1, Lock::Update, Wait::Block)?, mine);
        let other: Handle<Document> = uow.lock(conn, 2, Lock::Update, Wait::Block)?;
        uow[other].title = "mine".to_owned();
        uow.commit(conn).map(drop)
    })
    .unwrap();
    let versions = [1, 2].map(|id| find::<Document>(&db, id).version());
    assert_eq!(versions, [(1, 11), (2, 10)]);
    edit(&db, 1);
    let error = conn
        .transaction(|conn| uow.lock::<Document>(conn, 1, Lock::Update, Wait::Block))
        .unwrap_err();
    let CommitError::Conflicts(conflicts) = error else {
        panic!("{error:?}");
    };
    let conflict = conflicts.of::<Document>().next().unwrap();
    assert_eq!(
        (conflict.groups(), conflict.handle()),
        (vec!["content"], Some(mine))
    );
    assert_eq!(uow[mine].body, None);
    // A lock asks about the row, a write about its group.
    uow[mine].access.readers = "you".to_owned();
    uow.commit(conn).unwrap();
}

#[test]
fn a_unit_knows_what_it_has_loaded_of_a_row_without_a_version() {
    let db = address_book(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let mine: Handle<Person> = uow.find(conn, 1).unwrap();
    uow[mine].age = Some(7);
    db.execute("UPDATE contacts SET note = 'theirs' WHERE id = 1");
    conn.transaction::<_, CommitError, _>(|conn| {
        assert_eq!(uow.lock(conn, 1, Lock::Update, Wait::Block)?, mine);
        uow.commit(conn).map(drop)
    })
    .unwrap();
    assert_eq!(find::<Person>(&db, 1).age, Some(7));

    uow[mine].age = Some(8);
    db.execute("UPDATE contacts SET email = 'theirs' WHERE id = 1");
    let error = conn
        .transaction(|conn| uow.lock::<Person>(conn, 1, Lock::Update, Wait::Block))
        .unwrap_err();
    let CommitError::Conflicts(conflicts) = error else {
        panic!("{error:?}");
    };
    let conflict = conflicts.of::<Person>().next().unwrap();
    // What no guard compares is shown beside it.
    assert_eq!(theirs(conflict), ["email", "note"]);
    assert_eq!(conflict.changes().mine().collect::<Vec<_>>(), ["age"]);
    // It is merged as any other is, and then it is as it was locked.
    uow.resolve(conflict, Person::merge).unwrap();
    conn.transaction::<_, CommitError, _>(|conn| {
        uow.lock::<Person>(conn, 1, Lock::Update, Wait::Block)?;
        uow.commit(conn).map(drop)
    })
    .unwrap();
    let stored: Person = find(&db, 1);
    assert_eq!(
        (stored.email.as_deref(), stored.age),
        (Some("theirs"), Some(8))
    );
}

#[test]
fn a_locked_row_is_skipped_whatever_its_guard_is() {
    if !Conn::SKIPS_LOCKED {
        return;
    }
    let db = address_book(2);
    let conn = &mut db.connect();
    let other = &mut db.connect();
    conn.transaction::<_, SaveError<Contact>, _>(|conn| {
        Contact::lock(conn, 1, Lock::Update, Wait::Block)?;
        other
            .transaction::<_, CommitError, _>(|other| {
                let mut uow = Unit::new();
                let free =
                    uow.lock_all::<Person, _>(other, [1, 2], Lock::Update, Wait::SkipLocked)?;
                assert_eq!(free.len(), 1);
                assert_eq!(uow[free[0]].id, 2);
                Ok(())
            })
            .unwrap();
        Ok(())
    })
    .unwrap();
}
