//! `xmin` of PostgreSQL as a version: what all versions do that the database makes, and what two
//! writes in one transaction mean.

use diesel_versioned::pg::Xid;

use crate::support::scenario::roles::by_database::by_database;

by_database!(written, Xid, diesel_versioned::sql_types::Xid, xmin, true);

fn any_version() -> Xid {
    Xid::new(7)
}

#[test]
fn a_writer_that_knows_no_versions_is_seen() {
    let (db, mut stored) = stocked(1);
    db.execute("UPDATE written SET name = name");
    stored[0].amount = 5;
    let lost = conflict(stored[0].save(&mut db.connect()));
    assert_eq!(lost.kind(), ConflictKind::Modified);
}

#[test]
fn a_lone_save_is_one_statement() {
    let (db, mut stored) = stocked(1);
    let conn = &mut db.connect();
    let queries = Queries::of(conn);
    stored[0].save(conn).unwrap();
    let sent = queries.take();
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert!(!sent[0].contains("SET \"xmin\""), "{sent:?}");
}

#[test]
fn in_one_transaction_a_copy_from_before_the_first_write_conflicts_and_a_later_one_does_not() {
    let (db, stored) = stocked(1);
    let conn = &mut db.connect();
    let in_memory = conn
        .transaction::<_, diesel::result::Error, _>(|conn| {
            let mut early = stored[0].clone();
            let mut first = stored[0].clone();
            first.amount = 10;
            first.save(conn).unwrap();
            let mut late = Thing::find(conn, 1)?;
            early.amount = 20;
            let lost = conflict(early.save(conn));
            assert_eq!(lost.kind(), ConflictKind::Modified);
            assert_eq!(lost.actual(), Some(&first.version));

            // Both know the one number of this transaction.
            first.amount = 30;
            first.save(conn).unwrap();
            assert_eq!(first.version, late.version);
            late.name = "late".to_owned();
            late.save(conn).unwrap();
            assert_eq!(late.amount, 10);
            late.touch(conn).unwrap();
            Ok(late)
        })
        .unwrap();
    assert_eq!(rows(&db), std::slice::from_ref(&in_memory));
    // The next transaction has another one.
    let mut mine = in_memory.clone();
    mine.save(conn).unwrap();
    assert_ne!(mine.version, in_memory.version);
    let mut stale = in_memory;
    assert_eq!(conflict(stale.save(conn)).kind(), ConflictKind::Modified);
}

#[test]
fn another_transaction_always_conflicts() {
    let (db, stored) = stocked(1);
    let conn = &mut db.connect();
    conn.transaction::<_, diesel::result::Error, _>(|conn| {
        let mut mine = stored[0].clone();
        mine.amount = 10;
        mine.save(conn).unwrap();
        mine.amount = 11;
        mine.save(conn).unwrap();
        Ok(())
    })
    .unwrap();
    let mut stale = stored[0].clone();
    assert_eq!(
        conflict(stale.save(&mut db.connect())).kind(),
        ConflictKind::Modified
    );
}

#[test]
fn a_savepoint_has_a_number_of_its_own() {
    let (db, stored) = stocked(1);
    let conn = &mut db.connect();
    conn.transaction::<_, diesel::result::Error, _>(|conn| {
        let mut mine = stored[0].clone();
        mine.amount = 10;
        mine.save(conn).unwrap();
        let before = mine.clone();
        let rolled_back = conn.transaction::<(), diesel::result::Error, _>(|conn| {
            mine.amount = 11;
            mine.save(conn).unwrap();
            assert_ne!(mine.version, before.version);
            Err(RollbackTransaction)
        });
        assert!(rolled_back.is_err());
        // The row has the earlier number again, and so has the copy from before.
        mine = before;
        mine.amount = 12;
        mine.save(conn).unwrap();

        // A unit is a savepoint here.
        let before = mine.clone();
        let mut uow = Unit::new();
        let handle = uow.attach(mine).unwrap();
        uow[handle].amount = 13;
        uow.commit(conn).unwrap();
        assert_ne!(uow[handle].version, before.version);
        let mut stale = before;
        assert_eq!(conflict(stale.save(conn)).kind(), ConflictKind::Modified);
        // A second unit, a second savepoint.
        let first = uow[handle].version;
        uow[handle].amount = 14;
        uow.commit(conn).unwrap();
        assert_ne!(uow[handle].version, first);
        Ok(())
    })
    .unwrap();
    assert_eq!(rows(&db)[0].amount, 14);
}
