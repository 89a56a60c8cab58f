//! Children that move the versions of their parents on, so that whoever edits another part of the
//! whole is told.

mod made;
mod moved;
mod race;
mod refused;
mod written;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel_versioned::Versioned;

use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::TestDb;
use crate::support::scenario::outcome::conflicts;

type Unit = UnitOfWork<Conn>;

diesel::table! {
    houses (id) { id -> Integer, name -> Varchar, version -> Integer }
}

diesel::table! {
    floors (id) {
        id -> Integer,
        house_id -> Integer,
        name -> Varchar,
        cleaned -> Integer,
        version -> Integer,
    }
}

diesel::table! {
    rooms (id) {
        id -> Integer,
        on_floor -> Nullable<Integer>,
        name -> Varchar,
        gone -> Bool,
        version -> Integer,
    }
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = houses)]
pub struct House {
    pub id: i32,
    pub name: String,
    #[version]
    pub version: i32,
}

/// A parent that is a child.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = floors, belongs_to(House))]
#[versioned(touches(House))]
pub struct Floor {
    pub id: i32,
    pub house_id: i32,
    pub name: String,
    #[versioned(unguarded)]
    pub cleaned: i32,
    #[version]
    pub version: i32,
}

/// A child that may have no parent, and is marked as deleted.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = rooms, belongs_to(Floor, foreign_key = on_floor))]
#[versioned(touches(Floor), merge(independent(name, on_floor)))]
pub struct Room {
    pub id: i32,
    pub on_floor: Option<i32>,
    pub name: String,
    #[versioned(soft_delete)]
    pub gone: bool,
    #[version]
    pub version: i32,
}

pub fn house(id: i32) -> House {
    House {
        id,
        name: format!("house {id}"),
        version: 1,
    }
}

/// Floor 12 is the second one of house 1.
pub fn floor(id: i32) -> Floor {
    Floor {
        id,
        house_id: id / 10,
        name: format!("floor {id}"),
        cleaned: 0,
        version: 1,
    }
}

/// Room 123 is the third one on floor 12.
pub fn room(id: i32) -> Room {
    Room {
        id,
        on_floor: Some(id / 10),
        name: format!("room {id}"),
        gone: false,
        version: 1,
    }
}

/// The houses 1 and 2, each with two floors of three rooms, all at version 1.
pub fn town() -> TestDb {
    let db = TestDb::empty();
    let conn = &mut db.connect();
    conn.batch_execute(
        "CREATE TABLE houses (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(32) NOT NULL,
             version INTEGER NOT NULL);
         CREATE TABLE floors (id INTEGER NOT NULL PRIMARY KEY, house_id INTEGER NOT NULL,
             name VARCHAR(32) NOT NULL, cleaned INTEGER NOT NULL, version INTEGER NOT NULL,
             FOREIGN KEY (house_id) REFERENCES houses (id));
         CREATE TABLE rooms (id INTEGER NOT NULL PRIMARY KEY, on_floor INTEGER NULL,
             name VARCHAR(32) NOT NULL, gone BOOLEAN NOT NULL, version INTEGER NOT NULL,
             FOREIGN KEY (on_floor) REFERENCES floors (id));",
    )
    .unwrap();
    let mut uow = Unit::new();
    for house_id in [1, 2] {
        uow.insert(house(house_id)).unwrap();
        for floor_id in [10 * house_id + 1, 10 * house_id + 2] {
            uow.insert(floor(floor_id)).unwrap();
            for number in 1..=3 {
                uow.insert(room(10 * floor_id + number)).unwrap();
            }
        }
    }
    let done = uow.commit(conn).unwrap();
    assert_eq!(done.len(), 18);
    assert!(done.iter().all(|row| row.new_version() == Some("1")));
    db
}

/// The versions of houses, floors and rooms that are not 1.
pub fn moved(db: &TestDb) -> Vec<(i32, i32)> {
    let conn = &mut db.connect();
    let mut all: Vec<(i32, i32)> = Vec::new();
    let houses = houses::table
        .select((houses::id, houses::version))
        .order(houses::id);
    all.extend(houses.load::<(i32, i32)>(conn).unwrap());
    let floors = floors::table
        .select((floors::id, floors::version))
        .order(floors::id);
    all.extend(floors.load::<(i32, i32)>(conn).unwrap());
    let rooms = rooms::table
        .select((rooms::id, rooms::version))
        .order(rooms::id);
    all.extend(rooms.load::<(i32, i32)>(conn).unwrap());
    all.retain(|(_, version)| *version != 1);
    all
}

/// A unit with a house, its floors and their rooms, all of them read.
pub struct Read {
    pub uow: Unit,
    pub houses: Vec<Handle<House>>,
    pub floors: Vec<Handle<Floor>>,
    pub rooms: Vec<Handle<Room>>,
}

pub fn read(conn: &mut Conn, ids: &[i32]) -> Read {
    let mut read = Read {
        uow: Unit::new(),
        houses: Vec::new(),
        floors: Vec::new(),
        rooms: Vec::new(),
    };
    for &id in ids {
        match id {
            0..10 => read.houses.push(read.uow.find(conn, id).unwrap()),
            10..100 => read.floors.push(read.uow.find(conn, id).unwrap()),
            _ => read.rooms.push(read.uow.find(conn, id).unwrap()),
        }
    }
    read
}
