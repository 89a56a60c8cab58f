//! Inside a caller's transaction.

use diesel::prelude::*;

use super::{conflict, lamp, row, sold_by_someone_else, stored_lamp};
use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::{Queries, TestDb};

#[test]
fn rule_02_a_callers_transaction_stays_usable_after_a_conflict() {
    let db = TestDb::new();
    let (mut one, mut stale, mut three) = (
        stored_lamp(&db, 1),
        stored_lamp(&db, 2),
        stored_lamp(&db, 3),
    );
    sold_by_someone_else(&db, 2);
    let conn = &mut db.connect();
    conn.transaction::<_, SaveError<Product>, _>(|conn| {
        one.stock = 0;
        one.save(conn)?;
        assert_eq!(conflict(stale.save(conn)).actual(), Some(&2));
        conflict(stale.touch(conn));
        conflict(stale.delete(conn));
        three.delete(conn)?;
        lamp(4).insert(conn)
    })
    .unwrap();
    assert_eq!((row(&db, 1).stock, row(&db, 1).version), (0, 2));
    assert_eq!(row(&db, 2).version, 2);
    assert_eq!(Product::find(conn, 3).optional(), Ok(None));
    assert_eq!(row(&db, 4).version, 1);
}

#[test]
fn rule_02_a_batch_that_fails_leaves_the_callers_earlier_work_alone() {
    let db = TestDb::new();
    let mut all: Vec<Product> = (1..=5).map(|id| stored_lamp(&db, id)).collect();
    sold_by_someone_else(&db, 4);
    let conn = &mut db.connect();
    conn.transaction::<_, CommitError, _>(|conn| {
        let mut before = lamp(9);
        before.insert(conn).unwrap();
        let snapshot = all.clone();
        let error = Product::save_all(conn, &mut all).unwrap_err();
        assert_eq!(error.conflicts().map(|conflicts| conflicts.len()), Some(1));
        assert_eq!(all, snapshot, "rule 1");
        for id in [1, 2, 3, 5] {
            assert_eq!(
                Product::find(conn, id)?.version,
                1,
                "rolled back to the savepoint"
            );
        }

        // Usable: the rest goes through.
        all.remove(3);
        Product::save_all(conn, &mut all)
    })
    .unwrap();
    assert_eq!(row(&db, 9).version, 1, "the caller's earlier work stands");
    for id in [1, 2, 3, 5] {
        assert_eq!(row(&db, id).version, 2);
    }
}

#[test]
fn rule_02_what_the_caller_rolls_back_is_not_in_the_database() {
    let db = TestDb::new();
    let mut mine = stored_lamp(&db, 1);
    let conn = &mut db.connect();
    let result: QueryResult<()> = conn.transaction(|conn| {
        mine.stock = 0;
        mine.save(conn).unwrap();
        Err(diesel::result::Error::RollbackTransaction)
    });
    assert!(result.is_err());
    assert_eq!(row(&db, 1), lamp_at_version_one());
    // A single write cannot know of it: the entity is ahead of the row, and the guard says so.
    assert_eq!(conflict(mine.save(conn)).kind(), ConflictKind::Modified);

    fn lamp_at_version_one() -> Product {
        Product {
            version: 1,
            ..lamp(1)
        }
    }
}

#[test]
fn a_single_write_opens_no_savepoint() {
    let db = TestDb::new();
    let mut mine = stored_lamp(&db, 1);
    let conn = &mut db.connect();
    conn.transaction::<_, SaveError<Product>, _>(|conn| {
        let queries = Queries::of(conn);
        mine.save(conn)?;
        mine.touch(conn)?;
        let sent = queries.take();
        assert_eq!(sent.len(), 2, "{sent:?}");
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_callers_own_write_is_seen_by_the_guard() {
    let db = TestDb::new();
    let mut mine = stored_lamp(&db, 1);
    let conn = &mut db.connect();
    conn.transaction::<_, SaveError<Product>, _>(|conn| {
        let mut copy = Product::find(conn, 1)?;
        mine.save(conn)?;
        let conflict = conflict(copy.save(conn));
        assert_eq!(conflict.actual(), Some(&2));
        Ok(())
    })
    .unwrap();
}
