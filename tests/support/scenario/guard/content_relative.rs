//! Writes of rows that were not read, of tables without a version: there is nothing to move.

use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error};
use diesel_versioned::version::NoVersion;

use super::{Card, Contact, Person, Unit, address_book, all_lost, contacts, find, lost, person};
use crate::flavor::prelude::*;
use crate::support::{Queries, race};

#[test]
fn a_relative_update_writes_what_it_sets_and_nothing_else() {
    let db = address_book(2);
    let conn = &mut db.connect();
    let contact: Contact = find(&db, 1);
    let whole: Person = find(&db, 1);
    let queries = Queries::of(conn);
    let older = contacts::age.eq(contacts::age + 1);
    Contact::apply(conn, 1, older).execute().unwrap();
    let sent = queries.take();
    assert_eq!(sent.len(), 1, "{sent:?}");
    Person::apply(conn, 1, older)
        .filter(contacts::age.gt(30))
        .execute()
        .unwrap();
    Card::apply(conn, 1, older).execute().unwrap();
    assert_eq!(find::<Contact>(&db, 1).age, Some(33));

    // Those who have read it notice by what it holds.
    let mut mine = contact.clone();
    mine.age = Some(7);
    let conflict = lost(mine.save_changes(conn, &contact));
    assert_eq!(conflict.changes().theirs().collect::<Vec<_>>(), ["age"]);
    let mut mine = whole.clone();
    mine.name = "mine".to_owned();
    let conflict = lost(mine.save_changes(conn, &whole));
    assert_eq!(conflict.changes().theirs().collect::<Vec<_>>(), ["age"]);
    let mut mine = contact.clone();
    mine.name = "mine".to_owned();
    mine.save_changes(conn, &contact).unwrap();

    let failed = Person::apply(conn, 2, older)
        .filter(contacts::age.is_not_null())
        .execute()
        .unwrap_err();
    assert_eq!(failed.code(), "apply.condition");
    assert_eq!(failed.current(), Some(&person(2)));
    let gone = Contact::apply(conn, 3, older).execute().unwrap_err();
    assert_eq!(gone.code(), "apply.gone");
}

#[test]
fn a_bulk_update_is_as_diesels_own_and_there_is_nothing_to_bump() {
    let db = address_book(4);
    let conn = &mut db.connect();
    let queries = Queries::of(conn);
    let set = (
        contacts::note.eq("all"),
        contacts::seen.eq(contacts::seen + 1),
    );
    let rows = Contact::update_where(contacts::id.gt(1))
        .set(set)
        .execute(conn);
    assert_eq!(rows, Ok(3));
    let rows = diesel::update(contacts::table.filter(contacts::id.gt(1)))
        .set((contacts::seen.eq(contacts::seen + 1), Contact::bump()))
        .execute(conn);
    assert_eq!(rows, Ok(3));
    let sent = queries.take();
    assert!(sent.iter().all(|sql| !sql.contains("version")), "{sent:?}");
    assert_eq!(find::<Person>(&db, 1), person(1));
    let stored: Person = find(&db, 2);
    assert_eq!((&*stored.note, stored.seen), ("all", 2));
    // Alone it writes nothing, which Diesel refuses.
    let alone = diesel::update(contacts::table)
        .set(Person::bump())
        .execute(&mut db.connect());
    assert!(
        matches!(alone, Err(Error::QueryBuilderError(_))),
        "{alone:?}"
    );
}

#[test]
fn a_unit_applies_it_after_what_it_tracks() {
    let db = address_book(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let mine: Handle<Contact> = uow.find(conn, 1).unwrap();
    uow[mine].name = "mine".to_owned();
    let older = contacts::age.eq(contacts::age + 1);
    uow.apply(Contact::relative(1, older).filter(contacts::name.eq("mine")))
        .unwrap();
    uow.commit(conn).unwrap();
    let stored: Contact = find(&db, 1);
    assert_eq!((&*stored.name, stored.age), ("mine", Some(31)));
    // Memory has not seen it, so what is changed there is a conflict, and the rest is none.
    assert_eq!(uow[mine].age, Some(30));
    uow[mine].weight = 71.0;
    uow.commit(conn).unwrap();
    uow[mine].age = Some(50);
    let conflicts = all_lost(uow.commit(conn));
    let conflict = conflicts.of::<Contact>().next().unwrap();
    assert_eq!(conflict.changes().both().collect::<Vec<_>>(), ["age"]);

    // One that does not meet its condition takes the rest with it.
    let mut uow = Unit::new();
    let mine: Handle<Contact> = uow.find(conn, 1).unwrap();
    uow[mine].name = "again".to_owned();
    uow.apply(Person::relative(1, older).filter(contacts::age.gt(99)))
        .unwrap();
    let error = uow.commit(conn).unwrap_err();
    assert!(matches!(
        error.apply_error::<Person>(),
        Some(ApplyError::ConditionFailed { .. })
    ));
    assert_eq!(find::<Contact>(&db, 1).name, "mine");
}

#[test]
fn of_relative_updates_and_guarded_ones_none_is_lost() {
    let db = address_book(1);
    let wins = race(&db, 4, |number, conn| {
        let mut wins = 0;
        for _ in 0..20 {
            if number < 2 {
                Person::apply(conn, 1, contacts::age.eq(contacts::age + 1))
                    .execute()
                    .unwrap();
                wins += 1;
                continue;
            }
            let loaded = Person::find(conn, 1).unwrap();
            let mut mine = loaded.clone();
            mine.age = loaded.age.map(|age| age + 1);
            match mine.save_changes(conn, &loaded) {
                Ok(()) => wins += 1,
                Err(error) => assert!(error.is_conflict() || error.is_transient(), "{error:?}"),
            }
        }
        wins
    });
    assert_eq!(
        find::<Person>(&db, 1).age,
        Some(30 + wins.iter().sum::<i32>())
    );
}

/// There is no telling whether this copy is what was loaded.
#[test]
fn an_upsert_inserts_and_of_a_row_that_is_there_says_what_to_do() {
    let db = address_book(0);
    let conn = &mut db.connect();
    let mut mine = person(1);
    mine.insert_or_save(conn).unwrap();
    assert_eq!(find::<Person>(&db, 1), mine);
    let before = mine.clone();
    for mut again in [mine.clone(), Person { age: None, ..mine }] {
        let error = again.insert_or_save(conn).unwrap_err();
        let SaveError::NoVersion { entity, source } = &error else {
            panic!("{error:?}");
        };
        assert_eq!(entity.key.as_deref(), Some("1"));
        assert!(matches!(source, NoVersion::NoColumn));
        assert!(source.to_string().contains("`save_changes`"), "{source}");
        assert!(!error.is_conflict() && !error.is_transient());
    }
    assert_eq!(find::<Person>(&db, 1), before);
    let mut contact: Contact = find(&db, 1);
    assert_eq!(
        contact.insert_or_save(conn).unwrap_err().code(),
        "version.unavailable"
    );

    // Another row that is in the way is what the database says that it is.
    db.execute("CREATE UNIQUE INDEX names ON contacts (name)");
    let mut other = Person {
        name: before.name.clone(),
        ..person(3)
    };
    let error = other.insert_or_save(conn).unwrap_err();
    assert!(
        matches!(
            error,
            SaveError::Database(Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _))
        ),
        "{error:?}"
    );
    other.name = "Person 3".to_owned();
    other.insert_or_save(conn).unwrap();
}

#[test]
fn of_inserts_at_once_one_inserts_and_the_others_are_told() {
    let db = address_book(0);
    let results = race(&db, 6, |number, conn| {
        let mut mine = person(1);
        mine.age = Some(i32::try_from(number).unwrap());
        mine.insert_or_save(conn).map(|()| mine)
    });
    let (won, lost): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    assert_eq!((won.len(), lost.len()), (1, 5));
    assert_eq!(
        find::<Person>(&db, 1),
        won.into_iter().next().unwrap().unwrap()
    );
    for error in lost.into_iter().filter_map(Result::err) {
        assert_eq!(error.code(), "version.unavailable", "{error:?}");
    }
}
