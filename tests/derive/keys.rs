//! Primary keys: composite, renamed, generated, converted.

use diesel_versioned::{Role, Versioned};

use crate::{columns, names};

diesel::table! {
    lines (order_id, line_no) {
        line_no -> Integer,
        amount -> Integer,
        version -> Integer,
        order_id -> BigInt,
    }
}

#[derive(Clone, Versioned)]
#[diesel(table_name = lines, primary_key(order_id, line_no))]
struct Line {
    #[diesel(column_name = line_no)]
    number: i32,
    amount: i32,
    #[version]
    version: i32,
    order_id: i64,
}

#[test]
fn a_composite_key_has_the_order_of_primary_key_and_names_columns() {
    let line = Line {
        number: 2,
        amount: 5,
        version: 1,
        order_id: 40,
    };
    let key: (i64, i32) = line.key();
    assert_eq!(key, (40, 2));
    assert_eq!(Line::KEY_COUNT, 2);
    assert_eq!((Line::key_column(0), Line::key_column(1)), (3, 0));
    assert_eq!(names::<Line>(Line::UPDATABLE), ["amount"]);
}

#[derive(Clone, Versioned)]
#[diesel(table_name = lines)]
#[diesel(primary_key(line_no))]
struct Generated {
    #[diesel(skip_insertion)]
    line_no: i32,
    amount: i32,
    #[version]
    version: i32,
}

#[test]
fn a_key_that_the_database_generates_is_not_inserted_but_read_back() {
    let row = Generated {
        line_no: 0,
        amount: 1,
        version: 1,
    };
    assert_eq!(row.key(), 0);
    assert_eq!(columns::<Generated>()[0].role, Role::Key { insert: false });
    assert_eq!(
        names::<Generated>(Generated::INSERTABLE),
        ["amount", "version"]
    );
    const { assert!(Generated::READS_BACK_INSERT) };
}

#[derive(Debug, Clone, Copy)]
struct LineNo(i32);

impl From<LineNo> for i32 {
    fn from(number: LineNo) -> Self {
        number.0
    }
}

#[derive(Clone, Versioned)]
#[diesel(table_name = lines, primary_key(line_no))]
struct Converted {
    #[diesel(serialize_as = i32)]
    line_no: LineNo,
    #[version]
    version: i32,
}

#[test]
fn a_key_with_serialize_as_is_what_it_is_converted_to() {
    let row = Converted {
        line_no: LineNo(4),
        version: 1,
    };
    let key: i32 = row.key();
    assert_eq!(key, 4);
    assert_eq!(row.converted(), (4,), "the insert binds the key from here");
}
