//! A statement that commits by itself takes the savepoints of the unit with it.

use diesel::connection::{SimpleConnection, TransactionManager};
use diesel::prelude::*;

use super::{Unit, depth, failure, shop, stocks};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::TestBackend;
use crate::support::entities::Product;

type Manager = <Conn as Connection>::TransactionManager;

const DDL: &str = "CREATE TABLE reports (id INTEGER NOT NULL PRIMARY KEY)";

/// What belongs to a unit, and whether it leaves the transactions as they were.
type Also = (fn(&mut Conn) -> QueryResult<()>, bool);

const ALSO: [Also; 3] = [
    (|conn| conn.batch_execute(DDL), true),
    (
        |conn| conn.transaction(|conn| conn.batch_execute(DDL)),
        true,
    ),
    (left_open, false),
];

fn left_open(conn: &mut Conn) -> QueryResult<()> {
    Manager::begin_transaction(conn)?;
    Manager::begin_transaction(conn)?;
    conn.batch_execute(DDL)
}

#[test]
fn the_connection_is_as_deep_as_it_was() {
    for (also, is_orderly) in ALSO {
        for outer in 0..=2 {
            let db = shop(1);
            let conn = &mut db.connect();
            let mut uow = Unit::new();
            let handle: Handle<Product> = uow.find(conn, 1).unwrap();
            uow[handle].stock = 3;
            uow.also(also);
            for _ in 0..outer {
                Manager::begin_transaction(conn).unwrap();
            }
            let result = uow.commit(conn);
            assert_eq!(depth(conn), outer);
            if is_orderly && !Conn::DDL_COMMITS {
                drop(result.unwrap());
            } else {
                let error = failure(result);
                // Nothing is left of a transaction that could be rolled back.
                let is_unknown = matches!(error, CommitError::OutcomeUnknown { .. });
                assert_eq!(is_unknown, Conn::DDL_COMMITS, "{error:?}");
                assert_eq!(stocks(conn)[0].2 == 2, is_unknown);
                assert!(uow.is_dirty(handle));
                assert_eq!((uow[handle].stock, uow[handle].version), (3, 1));
            }
            // The caller's transactions end as they were begun, and the connection goes on.
            for _ in 0..outer {
                Manager::rollback_transaction(conn).unwrap();
            }
            assert_eq!(depth(conn), 0);
            assert_eq!(stocks(conn).len(), 1);
        }
    }
}
