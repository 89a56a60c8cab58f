//! Roles of columns: bookkeeping, columns that are not written or not always, and what the database
//! makes with every write, the version too.

pub mod by_database;
mod generated;
mod never_written;
mod unguarded;
mod unguarded_units;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel_versioned::{Versioned, VersionedPart};

use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::{TestBackend, TestDb};

pub type Unit = UnitOfWork<Conn>;

diesel::table! {
    machines (id) {
        id -> Integer,
        name -> Varchar,
        speed -> Integer,
        last_seen -> BigInt,
        pings -> Integer,
        serial -> Varchar,
        rating -> Integer,
        room -> Varchar,
        room_seen -> Integer,
        version -> Integer,
    }
}

/// A column of each role, some of them in a part.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = machines)]
#[versioned(merge(independent(name, speed, place)))]
pub struct Machine {
    pub id: i32,
    pub name: String,
    pub speed: i32,
    #[versioned(unguarded)]
    pub last_seen: i64,
    #[versioned(unguarded)]
    pub pings: i32,
    #[versioned(insert_only)]
    pub serial: String,
    #[versioned(read_only)]
    pub rating: i32,
    #[diesel(embed)]
    pub place: Place,
    #[version]
    pub version: i32,
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, VersionedPart)]
#[diesel(table_name = machines)]
pub struct Place {
    pub room: String,
    #[versioned(unguarded)]
    pub room_seen: i32,
}

/// A fresh database with the tables of this module.
pub fn empty_store() -> TestDb {
    let db = TestDb::empty();
    db.connect()
        .batch_execute(Conn::roles_schema())
        .expect("the schema is valid");
    db
}

/// The same with machines 1 to `count`, at version 1.
fn store(count: i32) -> TestDb {
    let db = empty_store();
    let mut uow = Unit::new();
    for id in 1..=count {
        uow.insert(machine(id)).unwrap();
    }
    uow.commit(&mut db.connect()).unwrap();
    db
}

/// A machine as it is to be inserted; the database rates it with 5.
pub fn machine(id: i32) -> Machine {
    Machine {
        id,
        name: format!("machine {id}"),
        speed: 10,
        last_seen: 1_000,
        pings: 0,
        serial: format!("S{id}"),
        rating: 5,
        place: Place {
            room: "hall".to_owned(),
            room_seen: 1,
        },
        version: 1,
    }
}

fn find(db: &TestDb, id: i32) -> Machine {
    Machine::find(&mut db.connect(), id).unwrap()
}

/// The rows as the database has them.
fn rows(db: &TestDb) -> Vec<Machine> {
    machines::table
        .order(machines::id)
        .select(Machine::as_select())
        .load(&mut db.connect())
        .unwrap()
}

/// Someone else changes the speed of a machine.
fn speed_up(db: &TestDb, id: i32) -> Machine {
    let mut theirs = find(db, id);
    theirs.speed += 1;
    theirs.save(&mut db.connect()).unwrap();
    theirs
}
