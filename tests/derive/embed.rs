//! Embedded parts: their columns follow the entity's own.

use diesel::prelude::*;
use diesel_versioned::{Column, Role, Versioned, VersionedPart};

use crate::{DATA, KEY, columns, names};

diesel::table! {
    parcels (id) {
        id -> Integer,
        width -> Integer,
        height -> Integer,
        unit -> Text,
        street -> Text,
        town -> Text,
        version -> Integer,
    }
}

#[derive(Debug, Clone, PartialEq)]
struct Millimetres(u16);

impl From<Millimetres> for i32 {
    fn from(length: Millimetres) -> Self {
        length.0.into()
    }
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, VersionedPart)]
#[diesel(table_name = parcels)]
struct Unit {
    #[diesel(skip_update)]
    unit: String,
}

#[derive(Clone, VersionedPart)]
#[diesel(table_name = parcels)]
struct Size {
    #[diesel(embed)]
    unit: Unit,
    #[diesel(serialize_as = i32)]
    width: Millimetres,
    height: i32,
}

#[derive(Clone, VersionedPart)]
#[diesel(table_name = parcels)]
struct Address(
    #[diesel(column_name = street)] String,
    #[diesel(column_name = town)] String,
);

#[derive(Clone, Versioned)]
#[diesel(table_name = parcels)]
struct Parcel {
    #[diesel(embed)]
    size: Size,
    id: i32,
    #[diesel(embed, skip_insertion)]
    address: Address,
    #[version]
    version: i32,
}

fn parcel() -> Parcel {
    Parcel {
        size: Size {
            unit: Unit {
                unit: "mm".to_owned(),
            },
            width: Millimetres(30),
            height: 20,
        },
        id: 1,
        address: Address("Long Lane 1".to_owned(), "Ulm".to_owned()),
        version: 1,
    }
}

#[test]
fn own_columns_come_first_then_those_of_the_parts() {
    let skips = |insert, update| Role::Data { insert, update };
    assert_eq!(
        columns::<Parcel>(),
        [
            Column::new("id", KEY),
            Column::new("version", Role::Version),
            Column::new("width", DATA),
            Column::new("height", DATA),
            Column::new("unit", skips(true, false)).text(true),
            Column::new("street", skips(false, true)).text(true),
            Column::new("town", skips(false, true)).text(true),
        ]
    );
    assert_eq!(
        (Parcel::key_column(0), Parcel::VERSION_COLUMNS.iter().next()),
        (0, Some(1))
    );
}

#[test]
fn the_sets_agree_with_the_roles() {
    for (index, column) in columns::<Parcel>().into_iter().enumerate() {
        let (insert, update) = match column.role {
            Role::Key { insert } => (insert, false),
            Role::Data { insert, update } => (insert, update),
            _ => (true, false),
        };
        assert_eq!(Parcel::INSERTABLE.contains(index), insert, "{column:?}");
        assert_eq!(Parcel::UPDATABLE.contains(index), update, "{column:?}");
    }
    assert_eq!(
        names::<Parcel>(Parcel::UPDATABLE),
        ["width", "height", "street", "town"]
    );
}

#[test]
fn changes_of_parts_are_changes_of_the_entity() {
    let base = parcel();
    let mut mine = base.clone();
    assert!(mine.changed(&base).is_empty());
    mine.size.unit.unit.push('m');
    mine.size.width = Millimetres(31);
    mine.address.1.push('m');
    assert_eq!(
        names::<Parcel>(mine.changed(&base)),
        ["width", "unit", "town"]
    );
}

#[test]
fn the_conversions_of_parts_are_nested() {
    let ((width, unit), address) = parcel().converted();
    assert_eq!((width, unit, address), (30, (), ()));
}
