//! The values of all kinds of fields reach their columns and come back.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel_versioned::prelude::*;

diesel::table! {
    parcels (depot, number) {
        number -> Integer,
        depot -> Text,
        #[sql_name = "type"]
        type_ -> Text,
        width -> Integer,
        height -> Integer,
        unit -> Text,
        state -> Text,
        version -> BigInt,
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Number(u16);

impl From<Number> for i32 {
    fn from(number: Number) -> Self {
        number.0.into()
    }
}

impl TryFrom<i32> for Number {
    type Error = std::num::TryFromIntError;

    fn try_from(number: i32) -> Result<Self, Self::Error> {
        number.try_into().map(Self)
    }
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, VersionedPart)]
#[diesel(table_name = parcels)]
struct Unit(#[diesel(column_name = unit)] String);

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, VersionedPart)]
#[diesel(table_name = parcels)]
struct Size {
    #[diesel(embed)]
    unit: Unit,
    #[diesel(serialize_as = i32, deserialize_as = i32)]
    width: Number,
    height: i32,
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, VersionedPart)]
#[diesel(table_name = parcels)]
struct State {
    #[diesel(skip_insertion)]
    state: String,
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = parcels, primary_key(depot, number))]
struct Parcel<T> {
    #[diesel(embed)]
    size: Size,
    #[diesel(serialize_as = i32, deserialize_as = i32)]
    number: Number,
    #[version(initial = 10)]
    version: i64,
    #[diesel(embed)]
    state: State,
    #[diesel(column_name = type_)]
    r#type: T,
    depot: String,
}

fn parcel() -> Parcel<String> {
    Parcel {
        size: Size {
            unit: Unit("mm".to_owned()),
            width: Number(30),
            height: 20,
        },
        number: Number(4),
        version: 0,
        state: State {
            state: "not written".to_owned(),
        },
        r#type: "box".to_owned(),
        depot: "Ulm".to_owned(),
    }
}

#[test]
fn every_field_is_written_to_its_own_column() -> Result<(), Box<dyn std::error::Error>> {
    let mut conn = SqliteConnection::establish(":memory:")?;
    conn.batch_execute(
        "CREATE TABLE parcels (
            number INTEGER NOT NULL, depot TEXT NOT NULL, type TEXT NOT NULL,
            width INTEGER NOT NULL, height INTEGER NOT NULL, unit TEXT NOT NULL,
            state TEXT NOT NULL DEFAULT 'new', version BIGINT NOT NULL,
            PRIMARY KEY (depot, number)
        )",
    )?;
    let mut mine = parcel();
    mine.insert(&mut conn)?;
    assert_eq!((mine.version, &*mine.state.state), (10, "new"));

    mine.size.unit.0 = "cm".to_owned();
    mine.size.width = Number(3);
    mine.state.state = "sent".to_owned();
    mine.r#type = "bag".to_owned();
    mine.save(&mut conn)?;
    assert_eq!(mine.version, 11);

    let found = Parcel::<String>::find(&mut conn, ("Ulm".to_owned(), 4))?;
    assert_eq!(found, mine);
    let row: (i32, String, String, i32, i32, String, String, i64) =
        parcels::table.first(&mut conn)?;
    let text = str::to_owned;
    let expected = (
        4,
        text("Ulm"),
        text("bag"),
        3,
        20,
        text("cm"),
        text("sent"),
        11,
    );
    assert_eq!(row, expected);

    mine.delete(&mut conn)?;
    assert_eq!(parcels::table.count().get_result::<i64>(&mut conn)?, 0);
    Ok(())
}
