//! Leases of rows whose guard is not one version: who holds them may write, and the guard holds besides.

use std::time::Duration;

use diesel_versioned::Versioned;
use diesel_versioned::lease::{Lease, LeaseError, LostLease};
use diesel_versioned::version::NoVersion;

use super::{Contact, Document, Person, Unit, all_lost, document, edit, find, person, store};
use crate::flavor::prelude::*;
use crate::support::TestDb;

const HOUR: Duration = Duration::from_secs(3_600);

/// A database with two documents and two contacts, and the library's own tables.
fn shelf() -> TestDb {
    let db = store();
    db.make_own_tables();
    let mut uow = Unit::new();
    for id in [1, 2] {
        uow.insert(document(id)).unwrap();
        uow.insert(person(id)).unwrap();
    }
    uow.commit(&mut db.connect()).unwrap();
    db
}

/// How the lease was lost under which something was to be written.
#[track_caller]
fn lost(result: Result<(), CommitError>) -> LostLease {
    match result {
        Err(CommitError::Lease(error)) => match *error {
            LeaseError::Lost { how, .. } => how,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_was_changed_in_a_group_is_saved_under_a_lease() {
    let db = shelf();
    let conn = &mut db.connect();
    let loaded: Document = find(&db, 1);
    let lease = Lease::acquire(conn, &loaded, "maria", HOUR).unwrap();
    let mut mine = loaded.clone();
    mine.title = "mine".to_owned();
    lease.save_changes(conn, &mut mine, &loaded).unwrap();
    assert_eq!(mine.version(), (2, 10));
    assert_eq!(find::<Document>(&db, 1), mine);

    // A writer without a lease was faster: in another group, and in the same.
    let loaded = mine.clone();
    edit(&db, 1);
    mine.access.readers = "me".to_owned();
    lease.save_changes(conn, &mut mine, &loaded).unwrap();
    assert_eq!(mine.version(), (2, 11));
    let loaded = mine.clone();
    mine.title = "again".to_owned();
    let before = mine.clone();
    let conflicts = all_lost(lease.save_changes(conn, &mut mine, &loaded));
    assert_eq!(conflicts.iter().next().unwrap().groups(), ["content"]);
    assert_eq!(mine, before);
    // The whole row is of all groups.
    let conflicts = all_lost(lease.save(conn, &mut mine));
    assert_eq!(conflicts.iter().next().unwrap().groups(), ["content"]);
    let mut now: Document = find(&db, 1);
    lease.save(conn, &mut now).unwrap();
    lease.touch(conn, &mut now).unwrap();
    assert_eq!(now.version(), (5, 13));

    // Someone else takes it: nothing of any group is written.
    let (pauls, _) = Lease::steal(&mut db.connect(), &now, "paul", HOUR).unwrap();
    let loaded = now.clone();
    now.access.readers = "you".to_owned();
    let taken = lost(lease.save_changes(conn, &mut now, &loaded));
    assert!(matches!(taken, LostLease::Taken { by } if by.token() == pauls.token()));
    assert_eq!(find::<Document>(&db, 1), loaded);
    pauls.save_changes(conn, &mut now, &loaded).unwrap();
    pauls.delete(conn, &mut now).unwrap();
}

#[test]
fn a_row_without_a_version_is_saved_under_a_lease_by_what_was_loaded() {
    let db = shelf();
    let conn = &mut db.connect();
    let loaded: Person = find(&db, 1);
    let lease = Lease::acquire(conn, &loaded, "maria", HOUR).unwrap();
    let mut mine = loaded.clone();
    mine.age = Some(7);
    for error in [
        lease.save(conn, &mut mine).unwrap_err(),
        lease.touch(conn, &mut mine).unwrap_err(),
    ] {
        assert!(matches!(
            error,
            CommitError::NoVersion {
                source: NoVersion::NoColumn,
                ..
            }
        ));
    }
    lease.save_changes(conn, &mut mine, &loaded).unwrap();
    assert_eq!(find::<Person>(&db, 1), mine);

    db.execute("UPDATE contacts SET email = NULL WHERE id = 1");
    let loaded = mine.clone();
    mine.age = Some(8);
    let conflicts = all_lost(lease.save_changes(conn, &mut mine, &loaded));
    let conflict = conflicts.of::<Person>().next().unwrap();
    assert_eq!(conflict.changes().theirs().collect::<Vec<_>>(), ["email"]);
    // It is the same row and the same lease, whichever entity it is.
    let loaded: Contact = find(&db, 1);
    let mut mine = loaded.clone();
    mine.age = Some(9);
    lease.save_changes(conn, &mut mine, &loaded).unwrap();
    let mut stale = loaded;
    all_lost(lease.delete(conn, &mut stale));
    lease.release(conn).unwrap();
    let refused = lost(lease.delete(conn, &mut mine));
    assert_eq!(refused, LostLease::Released);
    let again = Lease::acquire(conn, &mine, "maria", HOUR).unwrap();
    again.delete(conn, &mut mine).unwrap();
    assert!(Contact::find(conn, 1).is_err());
}

#[test]
fn what_cannot_be_saved_by_what_was_loaded_is_told() {
    let db = shelf();
    let conn = &mut db.connect();
    let loaded: Contact = find(&db, 1);
    let lease = Lease::acquire(conn, &loaded, "maria", HOUR).unwrap();
    let mut mine = loaded.clone();
    // Nothing has changed, so nothing is asked.
    lease.release(conn).unwrap();
    lease.save_changes(conn, &mut mine, &loaded).unwrap();
    let other: Contact = find(&db, 2);
    mine.age = Some(7);
    let error = lease.save_changes(conn, &mut mine, &other).unwrap_err();
    assert!(matches!(error, CommitError::Invalid { .. }), "{error:?}");
    let mut changed = other.clone();
    changed.age = Some(7);
    let error = lease.save_changes(conn, &mut changed, &other).unwrap_err();
    assert_eq!(error.code(), "lease.other_row", "{error:?}");
    assert_eq!(find::<Contact>(&db, 2), other);
}

#[test]
fn a_unit_under_a_lease_may_hold_rows_of_any_kind() {
    let db = shelf();
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let document: Handle<Document> = uow.find(conn, 1).unwrap();
    let contact: Handle<Contact> = uow.find(conn, 1).unwrap();
    let whole: Handle<Person> = uow.find(conn, 2).unwrap();
    let leases = [
        Lease::acquire(conn, &uow[document], "maria", HOUR).unwrap(),
        Lease::acquire(conn, &uow[contact], "maria", HOUR).unwrap(),
    ];
    for lease in &leases {
        uow.under(lease);
    }
    uow[document].title = "mine".to_owned();
    uow[contact].age = Some(7);
    uow[whole].age = Some(8);
    edit_access(&db);
    uow.commit(conn).unwrap();
    assert_eq!(find::<Document>(&db, 1).version(), (2, 11));

    // The guard holds besides: conflicts name groups and columns.
    uow[document].title = "again".to_owned();
    uow[contact].age = Some(17);
    uow[whole].age = Some(18);
    edit(&db, 1);
    db.execute("UPDATE contacts SET age = 99 WHERE id = 1");
    let conflicts = all_lost(uow.commit(conn));
    assert_eq!(conflicts.len(), 2);
    let of_document = conflicts.of::<Document>().next().unwrap();
    assert_eq!(of_document.groups(), ["content"]);
    let of_contact = conflicts.of::<Contact>().next().unwrap();
    assert_eq!(of_contact.changes().both().collect::<Vec<_>>(), ["age"]);
    uow.discard(&conflicts);

    // One lease of the two is lost, and the row of neither is written any more.
    Lease::steal(&mut db.connect(), &find::<Contact>(&db, 1), "paul", HOUR).unwrap();
    let error = lost(uow.commit(conn).map(drop));
    assert!(matches!(error, LostLease::Taken { .. }), "{error:?}");
    assert!(uow.is_dirty(whole));
    assert_eq!(find::<Person>(&db, 2).age, Some(8));
}

/// Someone else changes who may see the document 1.
fn edit_access(db: &TestDb) {
    let loaded: Document = find(db, 1);
    let mut theirs = loaded.clone();
    theirs.access.editors = "theirs".to_owned();
    theirs.save_changes(&mut db.connect(), &loaded).unwrap();
}

/// They look at the row, not at the lease: the version, or what was loaded, is between all.
#[test]
fn writers_without_a_lease_are_guarded_and_not_held_up() {
    let db = shelf();
    let conn = &mut db.connect();
    let (document, contact): (Document, Contact) = (find(&db, 1), find(&db, 1));
    Lease::acquire(conn, &document, "maria", HOUR).unwrap();
    Lease::acquire(conn, &contact, "maria", HOUR).unwrap();
    let other = &mut db.connect();
    let mut mine = document.clone();
    mine.title = "theirs".to_owned();
    mine.save_changes(other, &document).unwrap();
    let mut mine = contact.clone();
    mine.age = Some(7);
    mine.save_changes(other, &contact).unwrap();
    let mut stale = contact.clone();
    stale.age = Some(8);
    let error = stale.save_changes(other, &contact).unwrap_err();
    assert!(error.is_conflict());
}
