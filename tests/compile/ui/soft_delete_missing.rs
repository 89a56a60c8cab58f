//! Calls that only an entity with a mark of deletion has.

use diesel::prelude::*;
use diesel_versioned::prelude::*;

diesel::table! {
    notes (id) { id -> Integer, version -> Integer }
}

#[derive(Clone, Queryable, Selectable, Versioned)]
#[diesel(table_name = notes)]
struct Note {
    id: i32,
    #[version]
    version: i32,
}

fn lone(note: &mut Note, conn: &mut SqliteConnection) {
    note.restore(conn).ok();
}

fn in_a_unit(note: Handle<Note>, uow: &mut UnitOfWork<SqliteConnection>) {
    uow.purge(note);
}

fn main() {}
