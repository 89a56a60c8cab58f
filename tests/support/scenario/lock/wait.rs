//! Locks that others have: they are waited for, refused or left out, and each is told by its code.

use std::sync::Barrier;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;

use super::{in_transaction, shop, while_locked};
use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::scenario::unit::sell;
use crate::support::{TestBackend, race};

#[derive(QueryableByName)]
struct Setting {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    timeout: i64,
}

/// How long the session waits for a lock, where that is looked at.
fn lock_wait(conn: &mut crate::Conn) -> Option<i64> {
    let setting: Setting = diesel::sql_query(crate::Conn::LOCK_WAIT?)
        .get_result(conn)
        .unwrap();
    Some(setting.timeout)
}

#[test]
fn what_is_not_to_be_waited_for_is_refused_at_once() {
    let db = shop(2);
    let conn = &mut db.connect();
    let before = lock_wait(conn);
    for lock in [Lock::Update, Lock::Share] {
        while_locked(&db, &[1], Lock::Update, || {
            let error = in_transaction(conn, |conn| Product::lock(conn, 1, lock, Wait::NoWait))
                .unwrap_err();
            assert_eq!(error.code(), "lock.refused", "{error:?}");
            assert!(error.is_transient() && error.is_retryable() && !error.is_conflict());
            let SaveError::Lock(LockError::Refused { entity, source }) = error else {
                panic!("{error:?}");
            };
            assert_eq!(entity.to_string(), "`products` 1");
            assert!(source.is_some());
            let mut uow = UnitOfWork::new();
            let error = in_transaction(conn, |conn| {
                uow.lock_all::<Product, _>(conn, [2, 1], lock, Wait::NoWait)
            })
            .unwrap_err();
            assert_eq!(error.code(), "lock.refused", "{error:?}");
            assert!(error.is_transient() && uow.is_empty());
        });
        assert_eq!(lock_wait(conn), before);
        // Nobody has it any more.
        in_transaction(conn, |conn| Product::lock(conn, 1, lock, Wait::NoWait)).unwrap();
        assert_eq!(lock_wait(conn), before);
    }
}

#[test]
fn a_refusal_is_worth_another_attempt() {
    let db = shop(1);
    // Where a unit begins as a writer it waits for its turn before anything can be refused.
    if !crate::Conn::CONCURRENT_WRITERS {
        return;
    }
    let (held, refused) = (Barrier::new(2), Barrier::new(2));
    std::thread::scope(|scope| {
        let holder = scope.spawn(|| {
            while_locked(&db, &[1], Lock::Update, || {
                held.wait();
                refused.wait();
            });
        });
        held.wait();
        let mut attempts = 0;
        let policy = RetryPolicy::new().attempts(200);
        let result = UnitOfWork::run(&mut db.connect(), &policy, |uow, conn| {
            attempts += 1;
            let locked = uow.lock(conn, 1, Lock::Update, Wait::NoWait);
            if attempts == 1 {
                assert_eq!(locked.as_ref().unwrap_err().code(), "lock.refused");
                refused.wait();
            }
            let product: Handle<Product> = locked?;
            uow[product].stock -= 1;
            Ok::<_, CommitError>(())
        });
        result.unwrap();
        assert!(attempts > 1);
        holder.join().unwrap();
    });
}

#[test]
fn a_lock_that_is_not_had_in_time_is_told_by_its_code() {
    let db = shop(1);
    let conn = &mut db.connect();
    conn.batch_execute(crate::Conn::WAIT_SHORTLY).unwrap();
    let mut mine = Product::find(conn, 1).unwrap();
    while_locked(&db, &[1], Lock::Update, || {
        for lock in [Lock::Update, Lock::Share] {
            let error =
                in_transaction(conn, |conn| Product::lock(conn, 1, lock, Wait::Block)).unwrap_err();
            assert_eq!(error.code(), "lock.timeout", "{error:?}");
            assert!(error.is_transient() && error.is_retryable());
            assert_eq!(
                error.to_string().contains("immediate_transaction"),
                !crate::Conn::CONCURRENT_WRITERS,
                "{error}"
            );
        }
        // A single write, and a unit.
        assert_eq!(mine.save(conn).unwrap_err().code(), "lock.timeout");
        let mut uow = UnitOfWork::new();
        let handle = uow.attach(mine.clone()).unwrap();
        uow[handle].stock = 0;
        let error = uow.commit(conn).unwrap_err();
        assert_eq!(error.code(), "lock.timeout", "{error:?}");
        assert!(error.is_transient());
        // The unit's own lock.
        let mut uow = UnitOfWork::new();
        let locked = in_transaction(conn, |conn| {
            uow.lock::<Product>(conn, 1, Lock::Update, Wait::Block)
        });
        let error = locked.unwrap_err();
        assert_eq!(error.code(), "lock.timeout", "{error:?}");
        assert!(error.to_string().contains("`products` 1"), "{error}");
    });
}

#[test]
fn rows_that_others_have_locked_are_left_out() {
    let db = shop(4);
    let conn = &mut db.connect();
    if !crate::Conn::SKIPS_LOCKED {
        let error = in_transaction(conn, |conn| {
            Product::lock_all(conn, [1], Lock::Update, Wait::SkipLocked)
        })
        .unwrap_err();
        assert_eq!(error.code(), "lock.unsupported");
        assert!(error.to_string().contains("Wait::NoWait"), "{error}");
        return;
    }
    for lock in [Lock::Update, Lock::Share] {
        while_locked(&db, &[2, 3], Lock::Update, || {
            in_transaction(conn, |conn| {
                let rows = Product::lock_all(conn, [4, 3, 2, 1, 9], lock, Wait::SkipLocked)?;
                let ids: Vec<i32> = rows.iter().map(|row| row.id).collect();
                assert_eq!(ids, [4, 1]);
                // The only row is not left out in silence, and one that is not there is another thing.
                let error = Product::lock(conn, 2, lock, Wait::SkipLocked).unwrap_err();
                assert_eq!(error.code(), "lock.refused", "{error:?}");
                let error = Product::lock(conn, 9, lock, Wait::SkipLocked).unwrap_err();
                assert_eq!(error.code(), "row.not_found", "{error:?}");

                let mut uow = UnitOfWork::new();
                let handles = uow
                    .lock_all::<Product, _>(conn, [3, 1], lock, Wait::SkipLocked)
                    .unwrap();
                assert_eq!(handles.len(), 1);
                assert_eq!(uow[handles[0]].id, 1);
                let error = uow
                    .lock::<Product>(conn, 3, lock, Wait::SkipLocked)
                    .unwrap_err();
                assert_eq!(error.code(), "lock.refused", "{error:?}");
                assert_eq!(uow.len(), 1);
                Ok::<_, SaveError<Product>>(())
            })
            .unwrap();
        });
    }
}

#[test]
fn workers_that_leave_rows_out_never_get_the_same() {
    let db = shop(20);
    if !crate::Conn::SKIPS_LOCKED {
        return;
    }
    let everyone_has_taken = Barrier::new(4);
    let taken = race(&db, 4, |_, conn| {
        in_transaction(conn, |conn| {
            let mut jobs = Vec::new();
            for id in 1..=20 {
                let rows = Product::lock_all(conn, [id], Lock::Update, Wait::SkipLocked)?;
                jobs.extend(rows.into_iter().map(|row| row.id));
            }
            everyone_has_taken.wait();
            Ok::<_, SaveError<Product>>(jobs)
        })
        .unwrap()
    });
    let mut all: Vec<i32> = taken.into_iter().flatten().collect();
    all.sort_unstable();
    assert_eq!(all, (1..=20).collect::<Vec<_>>());
}

#[test]
fn readers_share_and_keep_writers_away() {
    let db = shop(1);
    let conn = &mut db.connect();
    let writer = &mut db.connect();
    writer.batch_execute(crate::Conn::WAIT_SHORTLY).unwrap();
    let mut theirs = Product::find(writer, 1).unwrap();
    while_locked(&db, &[1], Lock::Share, || {
        let shared = in_transaction(conn, |conn| {
            let shared = Product::lock(conn, 1, Lock::Share, Wait::NoWait);
            let error = theirs.save(writer).unwrap_err();
            assert_eq!(error.code(), "lock.timeout", "{error:?}");
            shared
        });
        assert_eq!(shared.is_ok(), crate::Conn::SHARES_LOCKS, "{shared:?}");
        let error = in_transaction(conn, |conn| {
            Product::lock(conn, 1, Lock::Update, Wait::NoWait)
        })
        .unwrap_err();
        assert_eq!(error.code(), "lock.refused", "{error:?}");
    });
    theirs.save(writer).unwrap();
}

#[test]
fn a_transaction_that_has_read_before_sees_the_row_as_it_is_or_must_be_done_again() {
    let db = shop(1);
    let conn = &mut db.connect();
    let locked = in_transaction(conn, |conn| {
        assert_eq!(Product::find(conn, 1)?.version, 1);
        sell(&db, 1, 3);
        Product::lock(conn, 1, Lock::Update, Wait::Block)
    });
    if crate::Conn::CONCURRENT_WRITERS {
        assert_eq!(locked.unwrap().stock, 3);
    } else {
        // Its snapshot is too old for a writer.
        let error = locked.unwrap_err();
        assert_eq!(error.code(), "lock.timeout", "{error:?}");
        assert!(error.is_transient());
    }
    // Nobody has written since: then it is the row as it is.
    let locked = in_transaction(conn, |conn| {
        Product::find(conn, 1)?;
        Product::lock(conn, 1, Lock::Update, Wait::Block)
    });
    assert_eq!(locked.unwrap().stock, 3);
}

#[test]
fn the_one_that_a_deadlock_ends_is_told_by_its_code() {
    let db = shop(2);
    if !crate::Conn::CONCURRENT_WRITERS {
        return;
    }
    let both_hold_one = Barrier::new(2);
    let results = race(&db, 2, |number, conn| {
        let keys = if number == 0 { [1, 2] } else { [2, 1] };
        in_transaction(conn, |conn| {
            Product::lock(conn, keys[0], Lock::Update, Wait::Block)?;
            both_hold_one.wait();
            Product::lock(conn, keys[1], Lock::Update, Wait::Block)
        })
    });
    let lost: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    assert_eq!(lost.len(), 1, "{lost:?}");
    assert_eq!(lost[0].code(), "lock.deadlock", "{lost:?}");
    assert!(lost[0].is_transient() && lost[0].is_retryable());
}

#[test]
fn a_unit_that_a_deadlock_ends_is_told_by_its_code() {
    let db = shop(2);
    if !crate::Conn::CONCURRENT_WRITERS {
        return;
    }
    let both_hold_one = Barrier::new(2);
    let results = race(&db, 2, |number, conn| {
        let keys = if number == 0 { [1, 2] } else { [2, 1] };
        in_transaction(conn, |conn| {
            Product::lock(conn, keys[0], Lock::Update, Wait::Block)
                .map_err(|error| panic!("{error:?}"))
                .ok();
            both_hold_one.wait();
            let mut uow = UnitOfWork::new();
            let handle: Handle<Product> = uow.find(conn, keys[1])?;
            uow.touch(handle);
            uow.commit(conn).map(drop)
        })
    });
    let lost: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    assert_eq!(lost.len(), 1, "{lost:?}");
    assert_eq!(lost[0].code(), "lock.deadlock", "{lost:?}");
    assert!(lost[0].is_transient());
}
