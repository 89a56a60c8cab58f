//! Isolation of a unit's transaction, and read-only ones: the guard is the same at each level.

use diesel_versioned::Versioned;

use super::{Contact, Document, Person, Unit, address_book, all_lost, edit, find, library};
use crate::flavor::prelude::*;
use crate::support::race;

const LEVELS: [Isolation; 3] = [
    Isolation::ReadCommitted,
    Isolation::RepeatableRead,
    Isolation::Serializable,
];

#[test]
fn groups_and_content_are_guarded_at_each_level() {
    for level in LEVELS {
        let db = library(2);
        let conn = &mut db.connect();
        let mut uow = Unit::new();
        uow.isolation(level);
        let (mine, read) = uow
            .read(conn, Isolation::RepeatableRead, |uow, conn| {
                let mine: Handle<Document> = uow.find(conn, 1)?;
                let read: Handle<Document> = uow.find(conn, 2)?;
                Ok::<_, CommitError>((mine, read))
            })
            .unwrap();
        uow[mine].access.readers = "me".to_owned();
        uow.expect_unchanged(read);
        edit(&db, 1);
        uow.commit(conn).unwrap();
        assert_eq!(find::<Document>(&db, 1).version(), (2, 11), "{level:?}");
        edit(&db, 2);
        uow[mine].access.readers = "you".to_owned();
        uow.expect_unchanged(read);
        let conflicts = all_lost(uow.commit(conn));
        assert_eq!(conflicts.len(), 1, "{level:?}");
        let conflict = conflicts.of::<Document>().next().unwrap();
        assert_eq!((*conflict.key(), conflict.groups()), (2, vec!["content"]));

        let db = address_book(2);
        let conn = &mut db.connect();
        let mut uow = Unit::new();
        uow.isolation(level);
        let mine: Handle<Contact> = uow.find(conn, 1).unwrap();
        let read: Handle<Person> = uow.find(conn, 2).unwrap();
        uow[mine].age = Some(7);
        uow.expect_unchanged(read);
        db.execute("UPDATE contacts SET weight = 3, note = 'theirs' WHERE id = 1");
        uow.commit(conn).unwrap();
        uow[mine].age = Some(8);
        uow.expect_unchanged(read);
        db.execute("UPDATE contacts SET age = 50");
        let conflicts = all_lost(uow.commit(conn));
        assert_eq!(conflicts.len(), 2, "{level:?}");
        let conflict = conflicts.of::<Contact>().next().unwrap();
        assert_eq!(conflict.changes().both().collect::<Vec<_>>(), ["age"]);
        let conflict = conflicts.of::<Person>().next().unwrap();
        assert_eq!(conflict.changes().theirs().collect::<Vec<_>>(), ["age"]);
    }
}

#[test]
fn of_units_of_one_row_none_is_lost_at_any_level() {
    for level in LEVELS {
        let db = address_book(1);
        let wins = race(&db, 4, |_, conn| {
            let mut wins = 0;
            for _ in 0..10 {
                let mut uow = Unit::new();
                uow.isolation(level);
                let mine: Handle<Person> = uow.find(conn, 1).unwrap();
                uow[mine].age = uow[mine].age.map(|age| age + 1);
                match uow.commit(conn) {
                    Ok(_) => wins += 1,
                    Err(error) => {
                        assert!(error.is_conflict() || error.is_transient(), "{error:?}");
                    }
                }
            }
            wins
        });
        let stored: Person = find(&db, 1);
        let won = wins.iter().sum::<i32>();
        assert!(won > 0, "{level:?}");
        assert_eq!(stored.age, Some(30 + won), "{level:?}");

        let db = library(1);
        let wins = race(&db, 4, |number, conn| {
            let mut wins = 0;
            for round in 0..10 {
                let mut uow = Unit::new();
                uow.isolation(level);
                let mine: Handle<Document> = uow.find(conn, 1).unwrap();
                let text = format!("{number}.{round}");
                if number % 2 == 0 {
                    uow[mine].title = text;
                } else {
                    uow[mine].access.readers = text;
                }
                match uow.commit(conn) {
                    Ok(_) => wins += 1,
                    Err(CommitError::Conflicts(conflicts)) => {
                        let group = if number % 2 == 0 { "content" } else { "access" };
                        let groups = conflicts.iter().next().unwrap().groups();
                        assert!(groups.contains(&group), "{groups:?}");
                    }
                    Err(error) => assert!(error.is_transient(), "{error:?}"),
                }
            }
            wins
        });
        assert!(wins.iter().any(|&wins| wins > 0), "{level:?}");
        let stored: Document = find(&db, 1);
        assert_eq!(stored.content_version, 1 + wins[0] + wins[2], "{level:?}");
        assert_eq!(stored.access_version, i64::from(10 + wins[1] + wins[3]));
    }
}

#[test]
fn a_read_only_unit_writes_none_of_them() {
    let db = address_book(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    uow.read_only();
    let mine: Handle<Contact> = uow.find(conn, 1).unwrap();
    assert_eq!(uow.commit(conn).unwrap().len(), 0);
    uow.expect_unchanged(mine);
    let error = uow.commit(conn).unwrap_err();
    assert_eq!(error.code(), "unit.read_only");
    uow[mine].age = Some(7);
    assert_eq!(uow.commit(conn).unwrap_err().code(), "unit.read_only");

    let db = library(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    uow.read_only();
    let mine: Handle<Document> = uow.find(conn, 1).unwrap();
    // Bookkeeping is written as well.
    uow[mine].opened = 7;
    assert_eq!(uow.commit(conn).unwrap_err().code(), "unit.read_only");
    assert_eq!(find::<Document>(&db, 1).opened, 0);
}
