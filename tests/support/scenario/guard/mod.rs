//! What the guard compares besides one version: the versions of groups of columns, and what was loaded
//! where there is no version.

mod content;
mod content_relative;
mod content_units;
mod every;
mod groups;
mod hash;
mod isolation;
mod leases;
mod locks;
mod relative;

use diesel::prelude::*;
use diesel_versioned::{IntoKey, Versioned, VersionedPart};

use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::scenario::outcome::{conflict as lost, conflicts as all_lost};
use crate::support::{TestBackend, TestDb};

type Unit = UnitOfWork<Conn>;

diesel::table! {
    documents (id) {
        id -> Integer,
        title -> Varchar,
        body -> Nullable<Varchar>,
        readers -> Varchar,
        editors -> Varchar,
        opened -> BigInt,
        content_version -> Integer,
        access_version -> BigInt,
    }
}

/// A document: different people edit its content and who may see it.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = documents)]
struct Document {
    id: i32,
    #[versioned(group = "content")]
    title: String,
    #[versioned(group = "content")]
    body: Option<String>,
    #[diesel(embed)]
    #[versioned(group = "access")]
    access: Access,
    #[versioned(unguarded)]
    opened: i64,
    #[version(group = "content")]
    content_version: i32,
    #[version(group = "access", initial = 10)]
    access_version: i64,
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, VersionedPart)]
#[diesel(table_name = documents)]
struct Access {
    readers: String,
    editors: String,
}

diesel::table! {
    sheets (id) {
        id -> Integer,
        cells -> Integer,
        title -> Varchar,
        cells_version -> SmallInt,
        head_version -> Timestamp,
    }
}

/// Groups whose versions are of different kinds.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = sheets)]
struct Sheet {
    id: i32,
    #[versioned(group = "cells")]
    cells: i32,
    #[versioned(group = "head")]
    title: String,
    #[version(group = "cells", wrap)]
    cells_version: i16,
    #[version(group = "head", precision = "millis")]
    head_version: chrono::NaiveDateTime,
}

diesel::table! {
    contacts (id) {
        id -> Integer,
        name -> Varchar,
        email -> Nullable<Varchar>,
        age -> Nullable<Integer>,
        weight -> Double,
        note -> Varchar,
        seen -> BigInt,
    }
}

/// A row of a table without a version, guarded by the columns that are written.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = contacts)]
#[versioned(check = "changed")]
struct Contact {
    id: i32,
    name: String,
    email: Option<String>,
    age: Option<i32>,
    weight: f64,
    #[versioned(unchecked)]
    note: String,
    #[versioned(unguarded)]
    seen: i64,
}

/// The same, guarded by all columns.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = contacts)]
#[versioned(check = "all", merge(independent(name, email, age, weight, note)))]
struct Person {
    id: i32,
    name: String,
    email: Option<String>,
    age: Option<i32>,
    weight: f64,
    #[versioned(unchecked)]
    note: String,
    #[versioned(unguarded)]
    seen: i64,
}

/// The same, and clients hold a hash of it.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = contacts)]
#[versioned(check = "hash")]
struct Card {
    id: i32,
    name: String,
    email: Option<String>,
    age: Option<i32>,
    weight: f64,
    #[versioned(unchecked)]
    note: String,
    #[versioned(unguarded)]
    seen: i64,
}

/// A database with the documents 1 to `count`, their content at version 1 and their access at 10.
fn library(count: i32) -> TestDb {
    let db = store();
    let mut uow = Unit::new();
    for id in 1..=count {
        uow.insert(document(id)).unwrap();
    }
    uow.commit(&mut db.connect()).unwrap();
    db
}

/// A database with the contacts 1 to `count`; every other one has neither an address nor an age.
fn address_book(count: i32) -> TestDb {
    let db = store();
    let mut uow = Unit::new();
    for id in 1..=count {
        uow.insert(person(id)).unwrap();
    }
    uow.commit(&mut db.connect()).unwrap();
    db
}

/// A database with the tables of this module, empty.
fn store() -> TestDb {
    let db = TestDb::empty();
    let (define, name) = (Conn::DEFINE_CASE_BLIND_TEXT, Conn::CASE_BLIND_TEXT);
    db.execute(
        "CREATE TABLE documents (id INTEGER PRIMARY KEY, title VARCHAR(40) NOT NULL,
             body VARCHAR(40), readers VARCHAR(40) NOT NULL, editors VARCHAR(40) NOT NULL,
             opened BIGINT NOT NULL, content_version INTEGER NOT NULL DEFAULT 1,
             access_version BIGINT NOT NULL DEFAULT 10)",
    );
    db.execute(
        "CREATE TABLE sheets (id INTEGER PRIMARY KEY, cells INTEGER NOT NULL,
             title VARCHAR(40) NOT NULL, cells_version SMALLINT NOT NULL,
             head_version TIMESTAMP(3) NOT NULL DEFAULT '2020-01-01 00:00:00')",
    );
    db.execute(&format!(
        "{define} CREATE TABLE contacts (id INTEGER PRIMARY KEY, name {name} NOT NULL, email {name},
             age INTEGER, weight DOUBLE PRECISION NOT NULL, note VARCHAR(40) NOT NULL,
             seen BIGINT NOT NULL)"
    ));
    db
}

fn document(id: i32) -> Document {
    Document {
        id,
        title: format!("Document {id}"),
        body: None,
        access: Access {
            readers: "all".to_owned(),
            editors: "none".to_owned(),
        },
        opened: 0,
        content_version: 1,
        access_version: 10,
    }
}

/// A sheet that no database has seen.
fn sheet(id: i32) -> Sheet {
    Sheet {
        id,
        cells: 0,
        title: String::new(),
        cells_version: 0,
        head_version: chrono::NaiveDateTime::default(),
    }
}

fn person(id: i32) -> Person {
    let known = id % 2 == 1;
    Person {
        id,
        name: format!("Person {id}"),
        email: known.then(|| format!("p{id}@example.org")),
        age: known.then_some(30),
        weight: 70.1,
        note: "none".to_owned(),
        seen: 0,
    }
}

fn find<T: VersionedDsl<Conn>>(db: &TestDb, id: i32) -> T
where
    i32: IntoKey<T::Key>,
{
    T::find(&mut db.connect(), id).unwrap()
}

/// Someone else edits the content of a document.
fn edit(db: &TestDb, id: i32) -> Document {
    let loaded: Document = find(db, id);
    let mut theirs = loaded.clone();
    // Not the same again, so that each of them is a change.
    theirs.body = Some(match loaded.body.as_deref() {
        Some("theirs") => "theirs again".to_owned(),
        _ => "theirs".to_owned(),
    });
    theirs.save_changes(&mut db.connect(), &loaded).unwrap();
    theirs
}
