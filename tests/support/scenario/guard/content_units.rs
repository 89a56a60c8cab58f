//! No version column: the guard compares what was loaded. Units of work.

use diesel_versioned::version::NoVersion;

use super::{Contact, Person, Unit, address_book, all_lost, find, person};
use crate::flavor::prelude::*;

#[test]
fn a_unit_writes_what_changed_guarded_by_what_was_loaded() {
    let db = address_book(60);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let all: Vec<Handle<Contact>> = (1..=60).map(|id| uow.find(conn, id).unwrap()).collect();
    for &handle in &all {
        match uow[handle].id % 3 {
            0 => uow[handle].age = Some(7),
            1 => uow[handle].email = None,
            _ => {
                uow[handle].name.push('!');
                uow[handle].weight = 1.5;
            }
        }
    }
    // What nobody writes may move.
    db.execute("UPDATE contacts SET note = 'theirs', seen = 9");
    let done = uow.commit(conn).unwrap();
    assert!(
        done.iter()
            .all(|change| change.old_version().is_none() && change.new_version().is_none())
    );
    for &handle in &all {
        let stored: Contact = find(&db, uow[handle].id);
        assert_eq!((stored.note.as_str(), stored.seen), ("theirs", 9));
        assert_eq!(
            stored,
            Contact {
                note: stored.note.clone(),
                seen: 9,
                ..uow[handle].clone()
            }
        );
    }

    // Every row that was changed by others is told, and nothing is written.
    for &handle in &all {
        uow[handle].age = Some(100);
    }
    db.execute("UPDATE contacts SET age = NULL WHERE id IN (6, 30)");
    db.execute("UPDATE contacts SET weight = 3 WHERE id = 9");
    db.execute("DELETE FROM contacts WHERE id = 41");
    let conflicts = all_lost(uow.commit(conn));
    let kinds: Vec<_> = conflicts
        .of::<Contact>()
        .map(|conflict| (*conflict.key(), conflict.kind()))
        .collect();
    assert_eq!(
        kinds,
        [
            (6, ConflictKind::Modified),
            (30, ConflictKind::Modified),
            (41, ConflictKind::Deleted)
        ]
    );
    assert_eq!(find::<Contact>(&db, 1).age, Some(30));
    uow.discard(&conflicts);
    uow.commit(conn).unwrap();
    assert_eq!(find::<Contact>(&db, 9).age, Some(100));
    assert_eq!(find::<Contact>(&db, 6).age, None);
}

#[test]
fn all_columns_guard_a_batch_and_its_deletes() {
    let db = address_book(30);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let all: Vec<Handle<Person>> = (1..=30).map(|id| uow.find(conn, id).unwrap()).collect();
    for (index, &handle) in all.iter().enumerate() {
        if index < 20 {
            uow[handle].age = Some(1);
        } else {
            uow.delete(handle);
        }
    }
    db.execute("UPDATE contacts SET weight = 3 WHERE id IN (5, 6, 25)");
    db.execute("UPDATE contacts SET email = NULL WHERE id = 27");
    db.execute("DELETE FROM contacts WHERE id = 30");
    let conflicts = all_lost(uow.commit(conn));
    let keys: Vec<_> = conflicts.of::<Person>().map(|lost| *lost.key()).collect();
    assert_eq!(keys, [5, 6, 25, 27, 30]);
    uow.discard(&conflicts);
    uow.commit(conn).unwrap();
    for id in 1..=30 {
        let stored = Person::find(conn, id);
        match id {
            5 | 6 | 25 | 27 => assert_ne!(stored.unwrap().age, Some(1)),
            1..=20 => assert_eq!(stored.unwrap().age, Some(1)),
            _ => assert!(stored.is_err(), "{id}"),
        }
    }
}

#[test]
fn what_was_read_must_be_as_it_was() {
    let db = address_book(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let read: Handle<Contact> = uow.find(conn, 1).unwrap();
    let written: Handle<Contact> = uow.find(conn, 2).unwrap();
    uow.expect_unchanged(read);
    uow[written].age = Some(1);
    uow.commit(conn).unwrap();
    uow.expect_unchanged(read);
    uow[written].age = Some(2);
    db.execute("UPDATE contacts SET weight = 3 WHERE id = 1");
    let conflicts = all_lost(uow.commit(conn));
    assert_eq!(conflicts.len(), 1);
    assert_eq!(conflicts.iter().next().unwrap().key(), "1");

    // Of a row that is written too, all is compared.
    let mut uow = Unit::new();
    let both: Handle<Contact> = uow.find(conn, 2).unwrap();
    uow.expect_unchanged(both);
    uow[both].age = Some(3);
    db.execute("UPDATE contacts SET weight = 3 WHERE id = 2");
    assert_eq!(all_lost(uow.commit(conn)).len(), 1);
}

#[test]
fn a_touch_and_a_row_from_elsewhere_have_nothing_to_be_guarded_by() {
    let db = address_book(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Person> = uow.find(conn, 1).unwrap();
    uow.touch(handle);
    let mut form = Unit::new();
    form.save(person(1)).unwrap();
    for error in [
        uow.commit(conn).unwrap_err(),
        form.commit(conn).unwrap_err(),
    ] {
        assert!(matches!(
            error,
            CommitError::NoVersion {
                source: NoVersion::NoColumn,
                ..
            }
        ));
    }
}

#[test]
fn a_conflict_is_merged_onto_what_stands_there() {
    let db = address_book(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let mine: Handle<Person> = uow.find(conn, 1).unwrap();
    uow[mine].age = Some(40);
    db.execute("UPDATE contacts SET weight = 81");
    while let Err(CommitError::Conflicts(conflicts)) = uow.commit(conn) {
        for conflict in conflicts.of::<Person>() {
            uow.resolve(conflict, Person::merge).unwrap();
        }
    }
    let stored: Person = find(&db, 1);
    assert_eq!((stored.age, stored.weight), (Some(40), 81.0));
    assert_eq!(uow[mine], stored);
}

#[test]
fn a_commit_is_taken_back_to_what_it_was() {
    let db = address_book(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let mine: Handle<Person> = uow.find(conn, 1).unwrap();
    uow[mine].age = Some(40);
    let rolled_back: Result<(), diesel::result::Error> =
        diesel::Connection::transaction(conn, |conn| {
            let done = uow.commit(conn).unwrap();
            done.undo(&mut uow).unwrap();
            Err(diesel::result::Error::RollbackTransaction)
        });
    assert!(rolled_back.is_err());
    uow.commit(conn).unwrap();
    assert_eq!(find::<Person>(&db, 1).age, Some(40));
}
