//! The steps of groups and of tables without a version, of relative updates, locks, isolation and leases.

use std::time::Duration;

use diesel::Connection;
use diesel::prelude::*;
use diesel_versioned::lease::Lease;
use diesel_versioned::{Versioned, VersionedPart};

use super::super::prelude::*;
use super::Conn;
use crate::support::TestDb;
use crate::support::entities::Product;
use crate::support::scenario::single::lamp;
use crate::support::schema::products;

diesel::table! {
    letters (id) {
        id -> Integer,
        text -> Varchar,
        stamp -> Varchar,
        text_version -> Integer,
        stamp_version -> Integer,
    }
}

/// An entity with groups.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = letters)]
struct Letter {
    id: i32,
    #[diesel(embed)]
    #[versioned(group = "text")]
    inner: Inner,
    #[versioned(group = "stamp")]
    stamp: String,
    #[version(group = "text")]
    text_version: i32,
    #[version(group = "stamp")]
    stamp_version: i32,
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, VersionedPart)]
#[diesel(table_name = letters)]
struct Inner {
    text: String,
}

diesel::table! {
    cards (id) { id -> Integer, name -> Varchar, town -> Nullable<Varchar> }
}

/// An entity without a version.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = cards)]
#[versioned(check = "all")]
struct Card {
    id: i32,
    name: String,
    town: Option<String>,
}

/// The tables of these steps.
pub fn make_tables(db: &TestDb) {
    db.make_own_tables();
    db.execute(
        "CREATE TABLE letters (id INTEGER PRIMARY KEY, text VARCHAR(40) NOT NULL,
             stamp VARCHAR(40) NOT NULL, text_version INTEGER NOT NULL,
             stamp_version INTEGER NOT NULL)",
    );
    db.execute(
        "CREATE TABLE cards (id INTEGER PRIMARY KEY, name VARCHAR(40) NOT NULL, town VARCHAR(40))",
    );
    for id in 1..=3 {
        db.execute(&format!(
            "INSERT INTO letters VALUES ({id}, 'a', 'b', 1, 1)"
        ));
        db.execute(&format!("INSERT INTO cards VALUES ({id}, 'a', NULL)"));
    }
}

/// Someone else writes the text of a letter, and the name on a card.
fn written(db: &TestDb, id: i32) {
    let set = format!("text = 'c', text_version = text_version + 1 WHERE id = {id}");
    db.execute(&format!("UPDATE letters SET {set}"));
    db.execute(&format!("UPDATE cards SET name = 'theirs' WHERE id = {id}"));
}

pub fn guards(db: &TestDb, conn: &mut Conn, done: &mut dyn FnMut(&'static str)) {
    let letter = Letter::find(conn, 1).unwrap();
    let card = Card::find(conn, 1).unwrap();
    done("find what has groups, and what has no version");
    let mut mine = letter.clone();
    mine.inner.text = "d".to_owned();
    mine.save_changes(conn, &letter).unwrap();
    mine.save(conn).unwrap();
    assert_eq!((mine.text_version, mine.stamp_version), (3, 2));
    let mut name = card.clone();
    name.town = Some("Ulm".to_owned());
    name.save_changes(conn, &card).unwrap();
    done("save changes");
    let mut late = letter.clone();
    late.stamp = "e".to_owned();
    assert!(late.save_changes(conn, &letter).unwrap_err().is_conflict());
    let mut late = card.clone();
    late.name = "b".to_owned();
    assert!(late.save_changes(conn, &card).unwrap_err().is_conflict());
    assert!(late.delete(conn).unwrap_err().is_conflict());
    done("conflicts");

    let mut uow = UnitOfWork::<Conn>::new();
    let letters = [1, 2, 3].map(|id| uow.find::<Letter>(conn, id).unwrap());
    let cards = [1, 2, 3].map(|id| uow.find::<Card>(conn, id).unwrap());
    uow[letters[0]].stamp = "f".to_owned();
    uow[letters[1]].inner.text = "f".to_owned();
    uow.expect_unchanged(letters[2]);
    uow[cards[0]].name = "f".to_owned();
    uow[cards[1]].town = Some("f".to_owned());
    uow.expect_unchanged(cards[2]);
    uow.commit(conn).unwrap();
    done("a unit of both");
    uow[letters[0]].inner.text = "g".to_owned();
    uow[letters[1]].stamp = "g".to_owned();
    uow[cards[0]].town = Some("g".to_owned());
    uow.delete(cards[1]);
    written(db, 1);
    let error = uow.commit(conn).unwrap_err();
    assert_eq!(error.conflicts().unwrap().len(), 2, "{error:?}");
    done("a unit of both in conflict");
    uow.discard(error.conflicts().unwrap());
    uow.commit(conn).unwrap();
    done("without what was in conflict");
}

pub fn relative(_: &TestDb, conn: &mut Conn, done: &mut dyn FnMut(&'static str)) {
    let stock = products::stock;
    Product::apply(conn, 1, stock.eq(stock + 1))
        .filter(stock.ge(0))
        .execute()
        .unwrap();
    Letter::apply(conn, 1, letters::stamp.eq("h"))
        .execute()
        .unwrap();
    Card::apply(conn, 1, cards::name.eq("h")).execute().unwrap();
    done("relative updates");
    let held = Product::apply(conn, 1, stock.eq(0))
        .filter(stock.lt(0))
        .execute();
    assert_eq!(held.unwrap_err().code(), "apply.condition");
    let gone = Card::apply(conn, 99, cards::name.eq("h")).execute();
    assert_eq!(gone.unwrap_err().code(), "apply.gone");
    done("relative updates that are held");
    let mut new = Product {
        version: 0,
        ..lamp(30)
    };
    new.insert_or_save(conn).unwrap();
    new.insert_or_save(conn).unwrap();
    let mut card = Card {
        id: 30,
        name: "i".to_owned(),
        town: None,
    };
    card.insert_or_save(conn).unwrap();
    assert!(card.insert_or_save(conn).is_err());
    done("upserts");
    let mut uow = UnitOfWork::<Conn>::new();
    let letter = uow.find::<Letter>(conn, 2).unwrap();
    uow[letter].stamp = "i".to_owned();
    uow.apply(Letter::relative(2, letters::text.eq("i")))
        .unwrap();
    uow.commit(conn).unwrap();
    done("a relative update in a unit");
}

pub fn locks(db: &TestDb, conn: &mut Conn, done: &mut dyn FnMut(&'static str)) {
    let loaded = Letter::find(conn, 3).unwrap();
    conn.transaction::<_, SaveError<Letter>, _>(|conn| {
        loaded.lock_loaded(conn, Lock::Update, Wait::Block)?;
        Letter::lock_all(conn, [2, 1, 2], Lock::Share, Wait::Block)?;
        // `NoWait` would show what each session waits for, which is not the same here.
        Letter::lock(conn, 1, Lock::Update, Wait::Block).map(drop)
    })
    .unwrap();
    let card = Card::find(conn, 3).unwrap();
    written(db, 3);
    let stale = conn.transaction(|conn| card.lock_loaded(conn, Lock::Update, Wait::Block));
    assert!(stale.unwrap_err().is_conflict());
    done("locks");
    let mut uow = UnitOfWork::<Conn>::new();
    conn.transaction::<_, CommitError, _>(|conn| {
        let letter = uow.lock::<Letter>(conn, 1, Lock::Update, Wait::Block)?;
        uow[letter].stamp = "j".to_owned();
        uow.commit(conn).map(drop)
    })
    .unwrap();
    done("a lock of a unit");
}

pub fn isolation(_: &TestDb, conn: &mut Conn, done: &mut dyn FnMut(&'static str)) {
    let mut uow = UnitOfWork::<Conn>::new();
    uow.isolation(Isolation::Serializable);
    let letter = uow.find::<Letter>(conn, 1).unwrap();
    uow[letter].stamp = "k".to_owned();
    uow.commit(conn).unwrap();
    done("a unit at another level");
}

pub fn leases(_: &TestDb, conn: &mut Conn, done: &mut dyn FnMut(&'static str)) {
    let hour = Duration::from_secs(3_600);
    let loaded = Letter::find(conn, 1).unwrap();
    let mut lease = Lease::acquire(conn, &loaded, "maria", hour).unwrap();
    lease.renew(conn, hour).unwrap();
    done("a lease is acquired and renewed");
    let mut mine = loaded.clone();
    mine.stamp = "l".to_owned();
    lease.save_changes(conn, &mut mine, &loaded).unwrap();
    lease.save(conn, &mut mine).unwrap();
    let mut uow = UnitOfWork::<Conn>::new();
    uow.under(&lease);
    let card = uow.find::<Card>(conn, 1).unwrap();
    uow[card].name = "l".to_owned();
    uow.commit(conn).unwrap();
    done("writes under a lease");
    let (pauls, _) = Lease::steal(conn, &mine, "paul", hour).unwrap();
    uow[card].name = "m".to_owned();
    assert_eq!(uow.commit(conn).unwrap_err().code(), "lease.lost");
    done("a unit whose lease is lost");
    assert_eq!(pauls.release(conn).unwrap(), None);
    done("a lease is released");
}
