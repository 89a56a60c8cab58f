//! Several at once: one holder, and never a write under a lease that somebody else has taken.

use std::collections::HashSet;
use std::sync::{Barrier, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use diesel::connection::{Connection, SimpleConnection};
use diesel::result::Error;
use diesel_versioned::lease::{Lease, LeaseError};

use super::{HOUR, let_expire, product, shop, stands};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::capabilities::Isolation;
use crate::support::entities::Product;
use crate::support::{TestBackend, TestDb, race};

type Unit = UnitOfWork<Conn>;

/// Until it is not turned away for reasons that pass.
fn persistently<T>(mut call: impl FnMut() -> Result<T, LeaseError>) -> Result<T, LeaseError> {
    loop {
        match call() {
            Err(error) if error.is_transient() => {}
            result => return result,
        }
    }
}

#[test]
fn of_twenty_who_acquire_exactly_one_gets_it() {
    let db = shop(1);
    let mut last = 0;
    // The first time there is no row yet; then one of a lease that was released, or that has expired.
    for round in 0..6 {
        let results = race(&db, 20, |number, conn| {
            Lease::acquire(conn, &product(1), format!("worker {number}"), HOUR)
        });
        let (won, refused): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
        assert_eq!(won.len(), 1, "{refused:?}");
        let lease = won.into_iter().next().unwrap().unwrap();
        assert!(lease.token() > last);
        last = lease.token();
        for error in refused.into_iter().filter_map(Result::err) {
            let by = error.holder().unwrap_or_else(|| panic!("{error:?}"));
            assert_eq!((by.name(), by.token()), (lease.holder(), lease.token()));
        }
        if round % 2 == 0 {
            assert_eq!(lease.release(&mut db.connect()).unwrap(), None);
        } else {
            let_expire(&db);
        }
    }
}

#[test]
fn twenty_thieves_have_twenty_numbers_and_the_last_one_holds_it() {
    let db = shop(1);
    let results = race(&db, 20, |number, conn| {
        let (lease, previous) =
            Lease::steal(conn, &product(1), format!("thief {number}"), HOUR).unwrap();
        (lease.token(), previous.map(|by| by.token()))
    });
    let tokens: HashSet<i64> = results.iter().map(|(token, _)| *token).collect();
    assert_eq!(tokens.len(), 20);
    // Each has stolen it from exactly one other, and all but the last were stolen from.
    let stolen: HashSet<i64> = results.iter().filter_map(|(_, from)| *from).collect();
    assert_eq!(stolen.len(), 19);
    for (token, from) in &results {
        assert!(from.is_none_or(|from| from < *token));
    }
    let by = Lease::holder_of(&mut db.connect(), &product(1)).unwrap();
    assert_eq!(Some(by.unwrap().token()), tokens.iter().copied().max());
}

#[test]
fn a_steal_waits_for_a_commit_that_has_been_checked() {
    let db = shop(1);
    let conn = &mut db.connect();
    let lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    let mut thief = db.connect();
    thief.batch_execute(Conn::WAIT_SHORTLY).unwrap();
    let (sender, stolen) = mpsc::channel();
    let mut uow = Unit::new();
    uow.under(&lease);
    let one: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[one].stock = 3;
    // Between its check and COMMIT.
    uow.also(move |_| {
        let result = Lease::steal(&mut thief, &product(1), "paul", HOUR);
        sender.send(result.map(drop)).unwrap();
        Ok(())
    });
    uow.commit(conn).unwrap();
    let error = stolen.recv().unwrap().unwrap_err();
    assert!(error.is_transient(), "{error:?}");
    assert_eq!(error.code(), "lock.timeout");
    assert_eq!(stands(&db, 1), (3, 2));
    // Nor has it taken anything from her.
    lease
        .save(
            conn,
            &mut Product {
                version: 2,
                ..product(1)
            },
        )
        .unwrap();
}

#[test]
fn a_lease_that_expires_after_the_check_cannot_be_taken_before_the_commit() {
    let db = shop(1);
    let conn = &mut db.connect();
    let lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    let mut other = db.connect();
    other.batch_execute(Conn::WAIT_SHORTLY).unwrap();
    let (sender, acquired) = mpsc::channel();
    let mut uow = Unit::new();
    uow.under(&lease);
    let one: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[one].stock = 3;
    uow.also(move |conn| {
        conn.batch_execute("UPDATE diesel_versioned_leases SET expires_at = 1")?;
        let result = Lease::acquire(&mut other, &product(1), "paul", HOUR);
        sender.send(result.map(drop)).unwrap();
        Ok(())
    });
    // It has been checked, and the row is locked: nobody could have it, so it is committed.
    uow.commit(conn).unwrap();
    assert!(acquired.recv().unwrap().unwrap_err().is_transient());
    // Whoever acquires it now reads what was written.
    let pauls = Lease::acquire(conn, &product(1), "paul", HOUR).unwrap();
    assert_eq!(stands(&db, 1), (3, 2));
    assert!(pauls.token() > lease.token());
}

/// Whether it is the transaction that cannot begin or a statement in it that has to wait, the connection is
/// as good as before.
#[test]
fn a_lease_that_could_not_be_asked_for_in_time_can_be_asked_for_again() {
    let db = shop(1);
    let conn = &mut db.connect();
    conn.batch_execute(Conn::WAIT_SHORTLY).unwrap();
    let mut lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    db.connect()
        .transaction::<_, Error, _>(|other| {
            Lease::steal(other, &product(1), "paul", HOUR).unwrap();
            let acquired = Lease::acquire(conn, &product(1), "maria", HOUR);
            assert_eq!(acquired.unwrap_err().code(), "lock.timeout");
            let renewed = lease.renew(conn, HOUR);
            assert_eq!(renewed.unwrap_err().code(), "lock.timeout");
            let released = lease.release(conn);
            assert_eq!(released.unwrap_err().code(), "lock.timeout");
            // Nobody has taken it after all.
            Err::<(), _>(Error::RollbackTransaction)
        })
        .unwrap_err();
    lease.renew(conn, HOUR).unwrap();
    lease.save(conn, &mut product(1)).unwrap();
    assert_eq!(lease.release(conn).unwrap(), None);
    Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
}

/// A steal that is not committed yet holds up a commit under the old lease, which is refused afterwards.
#[test]
fn a_commit_waits_for_a_steal_that_is_under_way() {
    let db = shop(1);
    let marias = &mut db.connect();
    marias.batch_execute(Conn::WAIT_SHORTLY).unwrap();
    let lease = Lease::acquire(marias, &product(1), "maria", HOUR).unwrap();
    let thief = &mut db.connect();
    thief
        .transaction::<_, Error, _>(|thief| {
            Lease::steal(thief, &product(1), "paul", HOUR).unwrap();
            let error = lease.save(marias, &mut product(1)).unwrap_err();
            assert!(error.is_transient(), "{error:?}");
            Ok(())
        })
        .unwrap();
    let error = lease.save(marias, &mut product(1)).unwrap_err();
    assert_eq!(error.code(), "lease.lost");
    assert_eq!(stands(&db, 1), (10, 1));
}

/// The commit has begun to wait, or has not, when the steal is committed: refused in either case.
#[test]
fn a_commit_that_has_waited_for_a_steal_sees_it() {
    for _ in 0..10 {
        let db = shop(1);
        let lease = Lease::acquire(&mut db.connect(), &product(1), "maria", HOUR).unwrap();
        let stolen = Barrier::new(2);
        thread::scope(|scope| {
            let saved = scope.spawn(|| {
                let conn = &mut db.connect();
                stolen.wait();
                lease.save(conn, &mut product(1))
            });
            db.connect()
                .transaction::<_, Error, _>(|thief| {
                    Lease::steal(thief, &product(1), "paul", HOUR).unwrap();
                    stolen.wait();
                    Ok(())
                })
                .unwrap();
            let error = saved.join().unwrap().unwrap_err();
            assert_eq!(error.code(), "lease.lost", "{error:?}");
        });
        assert_eq!(stands(&db, 1), (10, 1));
    }
}

/// Whoever has stolen the lease reads the row and relies on it: nothing that was written under the old
/// lease comes after.
fn nothing_is_written_after_a_steal(db: &TestDb, isolation: Option<&str>) {
    for _ in 0..20 {
        db.execute("DELETE FROM products; DELETE FROM diesel_versioned_leases");
        product(1).insert(&mut db.connect()).unwrap();
        let lease = Lease::acquire(&mut db.connect(), &product(1), "maria", HOUR).unwrap();
        let results = race(db, 3, |number, conn| {
            if let Some(isolation) = isolation {
                conn.batch_execute(isolation).unwrap();
            }
            if number == 0 {
                let stolen = persistently(|| Lease::steal(conn, &product(1), "paul", HOUR));
                stolen.unwrap();
                return Some(Product::find(conn, 1).unwrap().version);
            }
            // Again and again, until it is told that the lease is lost.
            let mut uow = Unit::new();
            uow.under(&lease);
            let one: Handle<Product> = uow.find(conn, 1).unwrap();
            let started = Instant::now();
            while started.elapsed() < Duration::from_secs(60) {
                uow[one].stock += 1;
                match uow.commit(conn) {
                    Ok(_) => {}
                    Err(CommitError::Lease(_)) => return None,
                    Err(CommitError::Conflicts(conflicts)) => {
                        for conflict in conflicts.of::<Product>() {
                            uow.resolve(conflict, |_, _, theirs| Ok(theirs.clone()))
                                .ok();
                        }
                    }
                    Err(error) => assert!(error.is_transient(), "{error:?}"),
                }
            }
            panic!("it is never told that the lease is lost");
        });
        assert_eq!(results[0], Some(stands(db, 1).1));
    }
}

#[test]
fn nothing_is_written_under_a_lease_after_it_was_stolen() {
    nothing_is_written_after_a_steal(&shop(0), None);
}

#[test]
fn nothing_is_written_after_a_steal_at_any_isolation() {
    for level in [Isolation::RepeatableRead, Isolation::Serializable] {
        if let Some(isolation) = Conn::isolate(level) {
            nothing_is_written_after_a_steal(&shop(0), Some(isolation));
        }
    }
}

/// A transaction whose snapshot is from before the steal does not take the old lease for the truth.
#[test]
fn a_snapshot_from_before_the_steal_does_not_help() {
    let levels = [Isolation::RepeatableRead, Isolation::Serializable];
    let isolations = levels.map(Conn::isolate);
    for isolation in isolations.into_iter().chain([None]) {
        let db = shop(1);
        let conn = &mut db.connect();
        let strict = isolation.and_then(|_| conn.strict_snapshots());
        for setting in [isolation, strict].into_iter().flatten() {
            conn.batch_execute(setting).unwrap();
        }
        let lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
        let thief = &mut db.connect();
        thief.batch_execute(Conn::WAIT_SHORTLY).unwrap();
        let mut is_stolen = true;
        let result = conn.transaction::<_, CommitError, _>(|conn| {
            assert!(Lease::holder_of(conn, &product(1))?.is_some());
            // A serializable read may lock it against the thief.
            let stolen = Lease::steal(thief, &product(1), "paul", HOUR);
            is_stolen = stolen.is_ok();
            lease.save(conn, &mut product(1))
        });
        match result {
            Ok(()) => assert!(!is_stolen, "both have won"),
            Err(error) => {
                let lost = error.code() == "lease.lost";
                assert!(lost || error.is_transient(), "{error:?}");
                assert!(is_stolen);
                assert_eq!(stands(&db, 1), (10, 1));
            }
        }
    }
}
