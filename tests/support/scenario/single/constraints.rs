//! Constraints: the database's error, by kind, and an entity that is as it was.

use super::{lamp, row, stored_lamp};
use crate::flavor::prelude::*;
use crate::support::TestDb;
use crate::support::entities::{Account, OrderLine, Product};

/// A database error with this code, that is neither a conflict nor worth a second try.
fn assert_database<T: Versioned>(result: Result<(), SaveError<T>>, code: &str) {
    let error = result.unwrap_err();
    assert!(matches!(error, SaveError::Database(_)), "{error:?}");
    assert_eq!(error.code(), code, "{error:?}");
    assert!(!error.is_conflict() && !error.is_transient());
    assert!(error.conflict().is_none());
}

#[test]
fn rule_01_a_duplicate_key_leaves_the_entity_alone() {
    let db = TestDb::new();
    let stored = stored_lamp(&db, 42);
    let conn = &mut db.connect();
    let mut new = Product {
        name: "Torch".to_owned(),
        version: 7,
        ..lamp(42)
    };
    let before = new.clone();
    assert_database(new.insert(conn), "constraint.unique");
    assert_eq!(new, before);
    assert_eq!(row(&db, 42), stored);
}

fn account(id: i64, email: &str) -> Account {
    Account {
        id,
        email: email.to_owned(),
        nickname: None,
        balance: 0,
        version: 0,
    }
}

#[test]
fn rule_01_a_unique_violation_leaves_the_entity_alone() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let (mut ada, mut grace) = (account(1, "ada@a.b"), account(2, "grace@a.b"));
    ada.insert(conn).unwrap();
    grace.insert(conn).unwrap();
    grace.email = "ada@a.b".to_owned();
    let before = grace.clone();
    assert_database(grace.save(conn), "constraint.unique");
    assert_eq!(grace, before);
    assert_eq!(Account::find(conn, 2).unwrap().email, "grace@a.b");

    let mut both = [ada.clone(), grace.clone()];
    let error = Account::save_all(conn, &mut both).unwrap_err();
    assert!(matches!(error, CommitError::Database { .. }), "{error:?}");
    assert_eq!(error.code(), "constraint.unique");
    assert_eq!(both, [ada.clone(), before]);
    assert_eq!(Account::find(conn, 1).unwrap().version, 1);

    // What was in the way can be put right, and the same object saved.
    grace.email = "hopper@a.b".to_owned();
    grace.save(conn).unwrap();
    assert_eq!(grace.version, 2);
}

#[test]
fn rule_01_a_foreign_key_violation_leaves_the_entity_alone() {
    let db = TestDb::new();
    let mut parent = stored_lamp(&db, 42);
    db.execute("INSERT INTO orders (customer, total_cents, version) VALUES ('Ada', 1, 1)");
    let conn = &mut db.connect();
    let mut line = OrderLine {
        id: 0,
        order_id: 1,
        product_id: 999,
        quantity: 1,
        version: 0,
    };
    let before = line.clone();
    assert_database(line.insert(conn), "constraint.foreign_key");
    assert_eq!(line, before);
    line.product_id = 42;
    line.insert(conn).unwrap();

    line.product_id = 999;
    let before = line.clone();
    assert_database(line.save(conn), "constraint.foreign_key");
    assert_eq!(line, before);

    let before = parent.clone();
    assert_database(parent.delete(conn), "constraint.foreign_key");
    assert_eq!((&parent, row(&db, 42)), (&before, before.clone()));
}

mod strict {
    //! Columns that the database is stricter about than the struct.

    use diesel::prelude::*;
    use diesel_versioned::Versioned;

    diesel::table! {
        gauges (id) { id -> Integer, level -> Nullable<Integer>, version -> Integer }
    }

    #[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
    #[diesel(table_name = gauges)]
    pub struct Gauge {
        pub id: i32,
        pub level: Option<i32>,
        #[version]
        pub version: i32,
    }

    pub const SCHEMA: &str = "CREATE TABLE gauges (id INTEGER NOT NULL PRIMARY KEY, \
         level INTEGER NOT NULL CHECK (level >= 0), version INTEGER NOT NULL)";
}

#[test]
fn rule_01_a_check_and_a_not_null_leave_the_entity_alone() {
    use strict::{Gauge, SCHEMA};

    let db = TestDb::empty();
    db.execute(SCHEMA);
    let conn = &mut db.connect();
    let mut gauge = Gauge {
        id: 1,
        level: Some(3),
        version: 0,
    };
    gauge.insert(conn).unwrap();
    for (level, code) in [
        (Some(-1), "constraint.check"),
        (None, "constraint.not_null"),
    ] {
        gauge.level = level;
        let before = gauge.clone();
        assert_database(gauge.save(conn), code);
        assert_eq!(gauge, before);
        let mut new = Gauge {
            id: 2,
            ..before.clone()
        };
        assert_database(new.insert(conn), code);
        assert_eq!(new.version, 1);
    }
    assert_eq!(Gauge::find(conn, 1).unwrap().level, Some(3));
}
