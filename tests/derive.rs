//! What `#[derive(Versioned)]` tells about a struct. Only `round_trip` opens a database.

#[path = "derive/attributes.rs"]
mod attributes;
#[path = "derive/embed.rs"]
mod embed;
#[path = "derive/generics.rs"]
mod generics;
#[path = "derive/keys.rs"]
mod keys;
#[path = "derive/newtypes.rs"]
mod newtypes;
#[path = "derive/parents.rs"]
mod parents;
#[path = "derive/round_trip.rs"]
mod round_trip;
#[path = "derive/shapes.rs"]
mod shapes;

use diesel_versioned::{Column, ColumnSet, Role, Versioned};

const DATA: Role = Role::Data {
    insert: true,
    update: true,
};

const KEY: Role = Role::Key { insert: true };

/// All columns of an entity.
fn columns<T: Versioned>() -> Vec<Column> {
    (0..T::COLUMN_COUNT).map(T::column).collect()
}

/// The names of the columns in a set.
fn names<T: Versioned>(set: ColumnSet) -> Vec<&'static str> {
    set.iter().map(|index| T::column(index).name).collect()
}
