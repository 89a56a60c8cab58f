//! More columns than a Diesel table can have.

use diesel_versioned::{Column, ColumnSet, Role, Versioned, VersionedPart};

diesel::table! {
    products (id) {
        id -> Integer,
        name -> Text,
        stock -> Nullable<Integer>,
        version -> Integer,
    }
}

#[derive(Clone)]
struct Huge;

impl VersionedPart for Huge {
    type Converted = ();
    const COLUMN_COUNT: usize = 127;
    const INSERTABLE: ColumnSet = ColumnSet::EMPTY;
    const UPDATABLE: ColumnSet = ColumnSet::EMPTY;
    fn column(_: usize) -> Column {
        Column::new("huge", Role::Data { insert: false, update: false })
    }
    fn changed(&self, _: &Self) -> ColumnSet {
        ColumnSet::EMPTY
    }
    fn converted(&self) {}
}

#[derive(Clone, Versioned)]
struct Product {
    id: i32,
    #[version]
    version: i32,
    #[diesel(embed)]
    huge: Huge,
}

fn main() {}
