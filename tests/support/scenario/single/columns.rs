//! Columns: renamed, reserved, nullable, embedded, many.

use diesel::prelude::*;

use super::conflict;
use crate::flavor::prelude::*;
use crate::support::TestDb;
use crate::support::entities::{Account, Address, Customer, Document};
use crate::support::schema::accounts;

#[test]
fn renamed_and_reserved_columns_are_written_and_read() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut document = Document {
        id: 1,
        title: "Terms".to_owned(),
        kind: "legal".to_owned(),
        position: 3,
        body: Some("…".to_owned()),
        lock_version: 0,
    };
    document.insert(conn).unwrap();
    document.kind = "draft".to_owned();
    document.position = 4;
    document.save(conn).unwrap();
    document.touch(conn).unwrap();
    assert_eq!(document.lock_version, 3);
    assert_eq!(Document::find(conn, 1).unwrap(), document);

    let mut stale = Document {
        lock_version: 1,
        position: 5,
        ..document.clone()
    };
    let conflict = conflict(stale.save(conn));
    let differing: Vec<_> = conflict.changes().unattributed().collect();
    assert_eq!(differing, ["order"]);
    document.delete(conn).unwrap();
}

#[test]
fn none_is_written_as_null() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut account = Account {
        id: 7,
        email: "ada@example.org".to_owned(),
        nickname: Some("Ada".to_owned()),
        balance: 100,
        version: 0,
    };
    let nickname_is_null = |conn: &mut crate::Conn| {
        accounts::table
            .find(7_i64)
            .select(accounts::nickname.is_null())
            .first::<bool>(conn)
            .unwrap()
    };
    account.insert(conn).unwrap();
    assert!(!nickname_is_null(conn));
    account.nickname = None;
    account.save(conn).unwrap();
    assert!(nickname_is_null(conn));
    account.nickname = Some(String::new());
    account.save(conn).unwrap();
    assert!(!nickname_is_null(conn), "an empty text is no NULL");
    account.nickname = None;
    Account::save_all(conn, std::slice::from_mut(&mut account)).unwrap();
    assert!(nickname_is_null(conn));
    assert_eq!(Account::find(conn, 7).unwrap(), account);
}

#[test]
fn none_is_inserted_as_null() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut account = Account {
        id: 7,
        email: "ada@example.org".to_owned(),
        nickname: None,
        balance: 100,
        version: 0,
    };
    account.insert(conn).unwrap();
    assert_eq!(Account::find(conn, 7).unwrap().nickname, None);
}

#[test]
fn an_embedded_part_is_written_and_read_with_its_entity() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut customer = Customer {
        id: 1,
        name: "Ada".to_owned(),
        address: Address {
            street: "St James's Square".to_owned(),
            city: "London".to_owned(),
        },
        version: 0,
    };
    customer.insert(conn).unwrap();
    let mut stale = customer.clone();
    customer.address.city = "Paris".to_owned();
    customer.save(conn).unwrap();
    assert_eq!(Customer::find(conn, 1).unwrap(), customer);

    stale.name = "Augusta".to_owned();
    let conflict = conflict(stale.save(conn));
    let differing: Vec<_> = conflict.changes().unattributed().collect();
    assert_eq!(differing, ["name", "city"]);
}

mod wide {
    //! As many columns as this build of Diesel allows.

    diesel::table! {
        wide_rows (c00) {
            c00 -> Integer, c01 -> Integer, c02 -> Text, c03 -> Nullable<Integer>,
            c04 -> Integer, c05 -> Integer, c06 -> Text, c07 -> Nullable<Integer>,
            c08 -> Integer, c09 -> Integer, c10 -> Text, c11 -> Nullable<Integer>,
            c12 -> Integer, c13 -> Integer, c14 -> Text, c15 -> Nullable<Integer>,
            c16 -> Integer, c17 -> Integer, c18 -> Text, c19 -> Nullable<Integer>,
            c20 -> Integer, c21 -> Integer, c22 -> Text, c23 -> Nullable<Integer>,
            c24 -> Integer, c25 -> Integer, c26 -> Text, c27 -> Nullable<Integer>,
            c28 -> Integer, c29 -> Integer, c30 -> Text, c31 -> Integer,
        }
    }

    use diesel::prelude::*;
    use diesel_versioned::Versioned;

    #[rustfmt::skip]
    #[derive(Debug, Clone, PartialEq, Default, Queryable, Selectable, Versioned)]
    #[diesel(table_name = wide_rows, primary_key(c00))]
    pub struct WideRow {
        pub c00: i32, pub c01: i32, pub c02: String, pub c03: Option<i32>,
        pub c04: i32, pub c05: i32, pub c06: String, pub c07: Option<i32>,
        pub c08: i32, pub c09: i32, pub c10: String, pub c11: Option<i32>,
        pub c12: i32, pub c13: i32, pub c14: String, pub c15: Option<i32>,
        pub c16: i32, pub c17: i32, pub c18: String, pub c19: Option<i32>,
        pub c20: i32, pub c21: i32, pub c22: String, pub c23: Option<i32>,
        pub c24: i32, pub c25: i32, pub c26: String, pub c27: Option<i32>,
        pub c28: i32, pub c29: i32, pub c30: String,
        #[version]
        pub c31: i32,
    }

    pub fn schema() -> String {
        let columns: Vec<String> = (0..32)
            .map(|column| match column {
                0 => "c00 INTEGER NOT NULL PRIMARY KEY".to_owned(),
                31 => "c31 INTEGER NOT NULL".to_owned(),
                _ if column % 4 == 2 => format!("c{column:02} TEXT NOT NULL"),
                _ if column % 4 == 3 => format!("c{column:02} INTEGER"),
                _ => format!("c{column:02} INTEGER NOT NULL"),
            })
            .collect();
        format!("CREATE TABLE wide_rows ({})", columns.join(", "))
    }
}

#[test]
fn a_table_may_have_many_columns() {
    use wide::WideRow;

    let db = TestDb::empty();
    db.execute(&wide::schema());
    let conn = &mut db.connect();
    let mut rows: Vec<WideRow> = (0..40)
        .map(|id| WideRow {
            c00: id,
            c30: format!("row {id}"),
            ..WideRow::default()
        })
        .collect();
    for row in &mut rows {
        row.insert(conn).unwrap();
        row.c01 = -row.c00;
        row.c29 = row.c00;
        row.c27 = Some(7);
    }
    rows[3].save(conn).unwrap();
    assert_eq!(WideRow::find(conn, 3).unwrap(), rows[3]);
    WideRow::save_all(conn, &mut rows).unwrap();
    for row in &rows {
        assert_eq!(WideRow::find(conn, row.c00).unwrap(), *row);
    }
    let mut stale = WideRow {
        c31: 1,
        c30: "mine".to_owned(),
        ..rows[3].clone()
    };
    let conflict = conflict(stale.save(conn));
    assert_eq!(
        conflict.changes().unattributed().collect::<Vec<_>>(),
        ["c30"]
    );
}
