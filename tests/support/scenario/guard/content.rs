//! No version column: the guard compares what was loaded. Single entities.

use diesel::prelude::*;
use diesel::result::Error;
use diesel_versioned::Versioned;
use diesel_versioned::version::NoVersion;

use super::{Contact, Person, Sheet, address_book, find, lost, person, sheet};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::{Queries, TestBackend, TestDb, race};

/// Someone who knows nothing of guards.
fn outside(db: &TestDb, set: &str) {
    db.execute(&format!("UPDATE contacts SET {set}"));
}

#[test]
fn changed_columns_are_compared_and_others_are_not() {
    let db = address_book(1);
    let conn = &mut db.connect();
    let loaded: Contact = find(&db, 1);
    outside(&db, "age = 31");

    let mut mine = loaded.clone();
    mine.name = "Renamed".to_owned();
    let queries = Queries::of(conn);
    mine.save_changes(conn, &loaded).unwrap();
    let sql = queries.take().join("\n");
    assert!(!sql.contains("age") && !sql.contains("weight"), "{sql}");
    let stored: Contact = find(&db, 1);
    assert_eq!((&*stored.name, stored.age), ("Renamed", Some(31)));

    let mut mine = loaded.clone();
    mine.age = Some(40);
    let before = mine.clone();
    let conflict = lost(mine.save_changes(conn, &loaded));
    assert_eq!(mine, before);
    assert_eq!(conflict.kind(), ConflictKind::Modified);
    assert_eq!(conflict.current(), Some(&stored));
    assert_eq!(conflict.base(), Some(&loaded));
    assert_eq!(conflict.changes().both().collect::<Vec<_>>(), ["age"]);
    assert_eq!(
        conflict.to_string(),
        "`contacts` 1 was changed by someone else in `age` since it was loaded; reload it and apply \
         the change again"
    );
    assert_eq!(find::<Contact>(&db, 1), stored);
}

#[test]
fn all_columns_are_compared_but_those_that_are_left_out() {
    let db = address_book(1);
    let conn = &mut db.connect();
    let loaded: Person = find(&db, 1);
    outside(&db, "note = 'seen today', seen = 7");
    let mut mine = loaded.clone();
    mine.name = "Renamed".to_owned();
    mine.save_changes(conn, &loaded).unwrap();
    let stored: Person = find(&db, 1);
    assert_eq!(
        (&*stored.name, &*stored.note, stored.seen),
        ("Renamed", "seen today", 7)
    );

    for set in [
        "age = 31",
        "age = NULL",
        "email = NULL",
        "weight = 70.2",
        "name = 'Other'",
    ] {
        let loaded: Person = find(&db, 1);
        outside(&db, set);
        let mut mine = loaded.clone();
        mine.name = format!("after {set}");
        let conflict = lost(mine.save_changes(conn, &loaded));
        assert_eq!(conflict.kind(), ConflictKind::Modified, "{set}");
        let changed = conflict.changes().theirs().collect::<Vec<_>>().join(" ");
        assert!(set.starts_with(&changed), "{set}: {changed}");
        let conflict = lost(mine.delete(conn));
        assert_eq!(conflict.kind(), ConflictKind::Modified, "{set}");
    }
}

#[test]
fn null_is_equal_to_null() {
    let db = address_book(2);
    let conn = &mut db.connect();
    let loaded: Contact = find(&db, 2);
    assert_eq!((&loaded.email, loaded.age), (&None, None));
    let mut mine = loaded.clone();
    (mine.email, mine.age) = (Some("mine".to_owned()), Some(1));
    mine.save_changes(conn, &loaded).unwrap();
    assert_eq!(find::<Contact>(&db, 2), mine);
    let lost_one = lost({
        let mut stale = loaded.clone();
        stale.age = Some(2);
        stale.save_changes(conn, &loaded)
    });
    assert_eq!(lost_one.kind(), ConflictKind::Modified);
    // And back again.
    let before = mine.clone();
    (mine.email, mine.age) = (None, None);
    mine.save_changes(conn, &before).unwrap();
    assert_eq!(find::<Contact>(&db, 2), loaded);
    let mut whole: Person = find(&db, 2);
    whole.delete(conn).unwrap();
}

/// The column takes `a` for `A`, and some databases `a` for `a `.
#[test]
fn text_that_a_collation_takes_for_equal_is_not() {
    let db = address_book(2);
    let conn = &mut db.connect();
    for other in ["PERSON 1", "Person 1 "] {
        outside(&db, "name = 'Person 1', email = 'person 1' WHERE id = 1");
        let contact: Contact = find(&db, 1);
        let whole: Person = find(&db, 1);
        outside(&db, &format!("name = '{other}' WHERE id = 1"));
        let mut mine = contact.clone();
        mine.name = "mine".to_owned();
        let conflict = lost(mine.save_changes(conn, &contact));
        assert_eq!(conflict.kind(), ConflictKind::Modified, "{other:?}");
        let mut mine = whole.clone();
        mine.age = Some(99);
        assert!(mine.save_changes(conn, &whole).unwrap_err().is_conflict());
        assert_eq!(find::<Contact>(&db, 1).name, other);
    }
}

#[test]
fn what_is_left_out_is_written_and_not_compared() {
    let db = address_book(1);
    let conn = &mut db.connect();
    let loaded: Contact = find(&db, 1);
    outside(&db, "note = 'theirs', age = 31");
    let mut mine = loaded.clone();
    mine.note = "mine".to_owned();
    mine.save_changes(conn, &loaded).unwrap();
    assert_eq!(find::<Contact>(&db, 1).note, "mine");
    db.execute("DELETE FROM contacts");
    mine.note = "again".to_owned();
    let conflict = lost(mine.save_changes(conn, &loaded));
    assert_eq!(conflict.kind(), ConflictKind::Deleted);
}

#[test]
fn a_write_that_does_not_know_what_was_loaded_is_told_so_and_nothing_is_sent() {
    let db = address_book(1);
    let conn = &mut db.connect();
    let mut mine: Person = find(&db, 1);
    mine.age = Some(7);
    let queries = Queries::of(conn);
    for error in [mine.save(conn).unwrap_err(), mine.touch(conn).unwrap_err()] {
        assert!(matches!(
            error,
            SaveError::NoVersion {
                source: NoVersion::NoColumn,
                ..
            }
        ));
    }
    let error = Person::save_all(conn, std::slice::from_mut(&mut mine)).unwrap_err();
    assert!(matches!(
        error,
        CommitError::NoVersion {
            source: NoVersion::NoColumn,
            ..
        }
    ));
    let updates = queries.take();
    assert!(
        updates.iter().all(|sql| !sql.contains("UPDATE")),
        "{updates:?}"
    );
    assert_eq!(find::<Person>(&db, 1), person(1));
}

#[test]
fn nothing_changed_is_nothing_sent() {
    let db = address_book(1);
    let conn = &mut db.connect();
    let loaded: Contact = find(&db, 1);
    let mut mine = loaded.clone();
    let queries = Queries::of(conn);
    mine.save_changes(conn, &loaded).unwrap();
    assert_eq!(queries.count(), 0);
    mine.id = 2;
    let error = mine.save_changes(conn, &loaded).unwrap_err();
    assert!(
        matches!(&error, SaveError::Database(Error::QueryBuilderError(problem))
            if problem.to_string().contains("not the row that was loaded")),
        "{error:?}"
    );
    assert_eq!(queries.count(), 0);
}

#[test]
fn a_deletion_is_guarded_by_all_that_was_loaded() {
    let db = address_book(3);
    let conn = &mut db.connect();
    let mut fine: Contact = find(&db, 1);
    let mut stale: Contact = find(&db, 2);
    let mut gone: Contact = find(&db, 3);
    fine.delete(conn).unwrap();
    outside(&db, "weight = 80 WHERE id = 2");
    assert_eq!(lost(stale.delete(conn)).kind(), ConflictKind::Modified);
    db.execute("DELETE FROM contacts WHERE id = 3");
    assert_eq!(lost(gone.delete(conn)).kind(), ConflictKind::Deleted);
    assert_eq!(find::<Person>(&db, 2).weight, 80.0);
}

#[test]
fn of_writers_of_one_row_one_wins_each_round() {
    let db = address_book(1);
    let wins = race(&db, 4, |number, conn| {
        let mut wins = 0;
        for round in 0..20 {
            let loaded = Person::find(conn, 1).unwrap();
            let mut mine = loaded.clone();
            mine.age = Some(loaded.age.unwrap_or(0) + 1);
            mine.name = format!("{number}.{round}");
            match mine.save_changes(conn, &loaded) {
                Ok(()) => wins += 1,
                Err(error) => assert!(error.is_conflict() || error.is_transient(), "{error:?}"),
            }
        }
        wins
    });
    // Every win has counted.
    let stored: Person = find(&db, 1);
    assert_eq!(stored.age, Some(30 + wins.iter().sum::<i32>()));
}

#[test]
fn retry_knows_what_was_loaded() {
    let db = address_book(1);
    let conn = &mut db.connect();
    let policy = RetryPolicy::default();
    let mut first = true;
    let written = Person::update_with(conn, 1, &policy, |person| {
        person.age = Some(person.age.unwrap_or(0) + 1);
    })
    .unwrap();
    assert_eq!(written.age, Some(31));
    // SQLite has one writer at a time, who is not disturbed.
    if Conn::CONCURRENT_WRITERS {
        let written = Person::update_with(conn, 1, &policy, |person| {
            if std::mem::take(&mut first) {
                outside(&db, "age = 50");
            }
            person.age = Some(person.age.unwrap_or(0) + 1);
        })
        .unwrap();
        assert_eq!(written.age, Some(51));
    }
}

diesel::table! {
    padded (id) { id -> Integer, code -> Varchar, count -> Integer }
}

/// A row with a text that the database pads with blanks, and may read back so.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = padded)]
#[versioned(check = "all")]
struct Padded {
    id: i32,
    code: String,
    count: i32,
}

#[test]
fn a_padded_text_is_compared_as_it_was_read() {
    let db = TestDb::empty();
    db.execute(
        "CREATE TABLE padded (id INTEGER PRIMARY KEY, code CHAR(5) NOT NULL, count INTEGER NOT NULL)",
    );
    db.execute("INSERT INTO padded VALUES (1, 'ab', 0), (2, '', 0), (3, 'abcde', 0)");
    let conn = &mut db.connect();
    for id in 1..=3 {
        let loaded: Padded = find(&db, id);
        let mut mine = loaded.clone();
        mine.count = 1;
        mine.save_changes(conn, &loaded).unwrap();
    }
    let mut uow = UnitOfWork::<Conn>::new();
    let rows = [1, 2, 3].map(|id| uow.find::<Padded>(conn, id).unwrap());
    for row in rows {
        uow[row].count = 2;
    }
    assert_eq!(uow.commit(conn).unwrap().len(), 3);

    db.execute("UPDATE padded SET code = 'AB' WHERE id = 1");
    for row in rows {
        uow[row].count = 3;
    }
    let conflicts = super::all_lost(uow.commit(conn));
    let kinds: Vec<_> = conflicts
        .iter()
        .map(|lost| (lost.key(), lost.kind()))
        .collect();
    assert_eq!(kinds, [("1".to_owned(), ConflictKind::Modified)]);
}

#[test]
fn a_value_that_is_not_stored_as_diesel_writes_it_is_refused() {
    if Conn::NAME != "SQLite" {
        return; // The others keep a value in one form.
    }
    let db = address_book(1);
    db.execute("UPDATE contacts SET name = CAST('Ada' AS BLOB)");
    let mut sheet = sheet(1);
    sheet.insert(&mut db.connect()).unwrap();
    db.execute("UPDATE sheets SET head_version = '2020-01-01T10:00'");

    let conn = &mut db.connect();
    let mut uow = UnitOfWork::<Conn>::new();
    let person: Handle<Person> = uow.find(conn, 1).unwrap();
    let sheet: Handle<Sheet> = uow.find(conn, 1).unwrap();
    assert_eq!(uow[person].name, "Ada");
    uow[person].age = Some(31);
    uow[sheet].title = "Costs".to_owned();
    let refused = super::all_lost(uow.commit(conn));
    assert_eq!(refused.len(), 2);
    for lost in refused.iter() {
        assert_eq!(lost.kind(), ConflictKind::Refused);
        let told = lost.to_string();
        assert!(told.contains("not stored as Diesel writes it"), "{told}");
    }
    db.execute("UPDATE contacts SET name = CAST(name AS TEXT)");
    db.execute("UPDATE sheets SET head_version = '2020-01-01 10:00:00'");
    assert_eq!(uow.commit(conn).unwrap().len(), 2);
}
