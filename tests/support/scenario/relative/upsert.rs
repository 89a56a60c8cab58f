//! An insert, or a save where the row is there.

use diesel::result::{DatabaseErrorKind, Error};
use diesel::{Connection, QueryResult};

use crate::flavor::prelude::*;
use crate::support::entities::{Account, Order, Product};
use crate::support::scenario::outcome::conflict;
use crate::support::scenario::roles::{self, Machine};
use crate::support::scenario::single::{lamp, row, sold_by_someone_else, stored_lamp};
use crate::support::{Queries, TestDb, race};
use crate::{Conn, support::TestBackend};

#[test]
fn absent_and_present_known_and_stale() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    // Absent: inserted, whatever the version.
    for (id, version) in [(1, 0), (2, 1), (3, 77), (4, i32::MAX)] {
        let mut mine = Product {
            version,
            ..lamp(id)
        };
        mine.insert_or_save(conn).unwrap();
        assert_eq!((mine.version, row(&db, id)), (1, mine.clone()));
    }
    // Present, at its version: saved.
    let mut mine = row(&db, 1);
    mine.stock = 9;
    mine.insert_or_save(conn).unwrap();
    assert_eq!((mine.version, row(&db, 1)), (2, mine.clone()));
    // Present, at another version: a conflict, never an overwrite.
    for version in [0, 1, 3] {
        let mut other = Product { version, ..lamp(1) };
        let before = other.clone();
        let lost = conflict(other.insert_or_save(conn));
        assert_eq!(lost.kind(), ConflictKind::Modified);
        assert_eq!((*lost.expected(), lost.current()), (version, Some(&mine)));
        assert_eq!((&other, &row(&db, 1)), (&before, &mine));
    }
    // At the end of its type there is no version to save it at.
    db.execute("UPDATE products SET version = 2147483647 WHERE id = 1");
    let mut last = row(&db, 1);
    assert_eq!(
        last.insert_or_save(conn).unwrap_err().code(),
        "version.exhausted"
    );
}

#[test]
fn of_inserts_at_once_one_inserts_and_the_others_conflict() {
    let db = TestDb::new();
    for id in 1..=5 {
        let results = race(&db, 6, |number, conn| {
            let mut mine = lamp(id);
            mine.stock = i32::try_from(number).unwrap();
            mine.insert_or_save(conn).map(|()| mine)
        });
        let (won, lost): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
        assert_eq!((won.len(), lost.len()), (1, 5));
        let winner = won.into_iter().next().unwrap().unwrap();
        assert_eq!((winner.version, row(&db, id)), (1, winner.clone()));
        for error in lost.into_iter().filter_map(Result::err) {
            assert_eq!(error.code(), "conflict.modified", "{error:?}");
            assert_eq!(error.conflict().unwrap().current(), Some(&winner));
        }
    }
}

#[test]
fn so_do_two_inside_transactions_which_stay_usable() {
    let db = TestDb::new();
    let results = race(&db, 2, |number, conn| {
        let other = 10 + i32::try_from(number).unwrap();
        let work = |conn: &mut Conn| {
            let mut mine = lamp(1);
            let done = mine.insert_or_save(conn);
            if let Err(error) = &done {
                if error.is_transient() {
                    return Err(Error::RollbackTransaction);
                }
                assert_eq!(error.code(), "conflict.modified", "{error:?}");
            }
            lamp(other).insert(conn).map_err(|_| Error::NotFound)?;
            Ok(done.is_ok())
        };
        loop {
            // Where there is one writer at a time, the lock is taken before anything is read.
            match conn.transaction(work) {
                Ok(won) => break won,
                Err(error) => assert!(
                    error == Error::RollbackTransaction || error.is_retryable(),
                    "{error:?}"
                ),
            }
        }
    });
    assert_eq!(results.iter().filter(|won| **won).count(), 1);
    assert_eq!(
        row(&db, 1),
        Product {
            version: 1,
            ..lamp(1)
        }
    );
    assert_eq!((row(&db, 10).version, row(&db, 11).version), (1, 1));
}

#[test]
fn after_a_conflict_the_callers_transaction_stays_usable() {
    let db = TestDb::new();
    stored_lamp(&db, 1);
    sold_by_someone_else(&db, 1);
    let conn = &mut db.connect();
    conn.transaction(|conn| {
        lamp(2).insert(conn).unwrap();
        conflict(lamp(1).insert_or_save(conn));
        let mut three = lamp(3);
        three.insert_or_save(conn).unwrap();
        three.insert_or_save(conn).unwrap();
        QueryResult::Ok(())
    })
    .unwrap();
    assert_eq!((row(&db, 2).version, row(&db, 3).version), (1, 2));
    assert_eq!(row(&db, 1).stock, 4);
}

#[test]
fn another_unique_column_is_a_violation_and_no_conflict() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let account = |id, email: &str| Account {
        id,
        email: email.to_owned(),
        nickname: None,
        balance: 0,
        version: 0,
    };
    let mut ada = account(1, "ada@example.org");
    ada.insert_or_save(conn).unwrap();
    let mut bob = account(2, "ada@example.org");
    let error = bob.insert_or_save(conn).unwrap_err();
    assert!(
        matches!(
            error,
            SaveError::Database(Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _))
        ),
        "{error:?}"
    );
    assert_eq!(bob.version, 0);
    // Also where the key is taken: the row is saved by its key.
    bob.email = "bob@example.org".to_owned();
    bob.insert_or_save(conn).unwrap();
    bob.email = ada.email.clone();
    assert_eq!(bob.insert_or_save(conn).unwrap_err().code(), error.code());
    ada.balance = 5;
    ada.insert_or_save(conn).unwrap();
    assert_eq!(Account::find(conn, 1_i64).unwrap(), ada);
}

#[test]
fn a_key_that_the_database_makes_is_refused_and_nothing_is_sent() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let queries = Queries::of(conn);
    let mut order = Order {
        id: 0,
        customer: "Ada".to_owned(),
        total_cents: 1,
        version: 0,
    };
    let error = order.insert_or_save(conn).unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.starts_with("the database makes the key of `orders`"));
    assert_eq!(queries.take(), Vec::<String>::new());
}

#[test]
fn what_the_database_makes_is_read_back() {
    let db = roles::empty_store();
    let conn = &mut db.connect();
    let mut mine = roles::machine(1);
    mine.insert_or_save(conn).unwrap();
    assert_eq!(Machine::find(conn, 1).unwrap(), mine);
    mine.speed = 99;
    let mut stale = mine.clone();
    mine.insert_or_save(conn).unwrap();
    assert_eq!(Machine::find(conn, 1).unwrap(), mine);
    conflict(stale.insert_or_save(conn));
}

#[test]
fn an_insert_that_the_database_holds_back_is_refused() {
    let Some(refuse) = Conn::REFUSE_PRODUCT_INSERTS else {
        return;
    };
    let db = TestDb::new();
    db.execute(refuse);
    let lost = conflict(lamp(1).insert_or_save(&mut db.connect()));
    assert_eq!((lost.kind(), lost.current()), (ConflictKind::Refused, None));
}
