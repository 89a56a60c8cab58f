//! Rows that are marked as deleted: who sees them, who is told, how they come back, how they go.

mod after;
mod by_database;
mod conflict;
mod memory;
mod overwritten;
mod race;
mod schema;
mod single;
mod unit;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel_versioned::Versioned;

use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::TestDb;
use crate::support::scenario::outcome::conflicts;

pub type Unit = UnitOfWork<Conn>;

diesel::table! {
    notes (id) {
        id -> Integer,
        text -> Varchar,
        author -> Varchar,
        seen -> Integer,
        deleted_at -> Nullable<Timestamp>,
        version -> Integer,
    }
}

diesel::table! {
    flags (house, room) {
        house -> Integer,
        room -> Varchar,
        colour -> Varchar,
        down -> Bool,
        version -> Integer,
    }
}

/// Marked by a time.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = notes)]
#[versioned(merge(independent(text, author)))]
pub struct Note {
    pub id: i32,
    pub text: String,
    pub author: String,
    #[versioned(unguarded)]
    pub seen: i32,
    #[versioned(soft_delete)]
    pub deleted_at: Option<chrono::NaiveDateTime>,
    #[version]
    pub version: i32,
}

/// Marked by a `bool`, with a composite key.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = flags, primary_key(house, room))]
pub struct Flag {
    pub house: i32,
    pub room: String,
    pub colour: String,
    #[versioned(soft_delete)]
    pub down: bool,
    #[version]
    pub version: i32,
}

/// A fresh database with the tables of this module, the notes 1 to `count` and as many flags.
pub fn store(count: i32) -> TestDb {
    let db = TestDb::empty();
    let conn = &mut db.connect();
    conn.batch_execute(
        "CREATE TABLE notes (id INTEGER NOT NULL PRIMARY KEY, text VARCHAR(64) NOT NULL,
             author VARCHAR(64) NOT NULL, seen INTEGER NOT NULL, deleted_at TIMESTAMP(6) NULL,
             version INTEGER NOT NULL);
         CREATE TABLE flags (house INTEGER NOT NULL, room VARCHAR(32) NOT NULL,
             colour VARCHAR(32) NOT NULL, down BOOLEAN NOT NULL, version INTEGER NOT NULL,
             PRIMARY KEY (house, room));",
    )
    .unwrap();
    let mut uow = Unit::new();
    for id in 1..=count {
        uow.insert(note(id)).unwrap();
        uow.insert(flag(id)).unwrap();
    }
    uow.commit(conn).unwrap();
    db
}

pub fn note(id: i32) -> Note {
    Note {
        id,
        text: format!("text {id}"),
        author: "Ann".to_owned(),
        seen: 0,
        deleted_at: None,
        version: 1,
    }
}

pub fn flag(house: i32) -> Flag {
    Flag {
        house,
        room: "hall".to_owned(),
        colour: "red".to_owned(),
        down: false,
        version: 1,
    }
}

/// The rows as the database has them, whether marked or not.
pub fn notes(db: &TestDb) -> Vec<Note> {
    notes::table
        .order(notes::id)
        .select(Note::as_select())
        .load(&mut db.connect())
        .unwrap()
}

pub fn flags(db: &TestDb) -> Vec<Flag> {
    flags::table
        .order(flags::house)
        .select(Flag::as_select())
        .load(&mut db.connect())
        .unwrap()
}

/// Number, whether it is deleted, and version of each note.
pub fn marks(db: &TestDb) -> Vec<(i32, bool, i32)> {
    let notes = notes(db).into_iter();
    notes
        .map(|note| (note.id, note.is_deleted(), note.version))
        .collect()
}

pub fn find(db: &TestDb, id: i32) -> Note {
    Note::find(&mut db.connect(), id).unwrap()
}

/// Someone else deletes a note.
pub fn deleted_by_someone_else(db: &TestDb, id: i32) -> Note {
    let mut theirs = find(db, id);
    theirs.delete(&mut db.connect()).unwrap();
    theirs
}

/// What a person who edited a note on a form sends.
pub fn far_past() -> Option<chrono::NaiveDateTime> {
    chrono::DateTime::from_timestamp(1_000_000, 0).map(|time| time.naive_utc())
}
