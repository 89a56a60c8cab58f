//! Leases: who holds a row for longer than a transaction lasts.

mod keys;
mod processes;
mod race;
mod unit;

use std::time::{Duration, SystemTime};

use diesel::connection::Connection;
use diesel::prelude::*;
use diesel::result::Error;
use diesel_versioned::lease::{Lease, LeaseError, LeaseHolder, LostLease};

use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::schema::products;
use crate::support::{TestBackend, TestDb};

const HOUR: Duration = Duration::from_secs(3_600);

/// A database with the library's own tables and the products 1 to `count`, at version 1.
fn shop(count: i32) -> TestDb {
    let db = TestDb::with_own_tables();
    for id in 1..=count {
        product(id).insert(&mut db.connect()).unwrap();
    }
    db
}

fn product(id: i32) -> Product {
    Product {
        id,
        name: format!("P{id}"),
        price_cents: 100,
        stock: 10,
        version: 1,
    }
}

/// Stock and version of a product.
fn stands(db: &TestDb, id: i32) -> (i32, i32) {
    products::table
        .find(id)
        .select((products::stock, products::version))
        .first(&mut db.connect())
        .unwrap()
}

/// Every lease has run out.
fn let_expire(db: &TestDb) {
    db.execute("UPDATE diesel_versioned_leases SET expires_at = acquired_at");
}

/// How the lease was lost under which something was to be written.
#[track_caller]
fn lost<T: std::fmt::Debug>(result: Result<T, CommitError>) -> LostLease {
    match result {
        Err(CommitError::Lease(error)) => how(*error),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn how(error: LeaseError) -> LostLease {
    assert!(!error.is_transient() && !error.is_retryable());
    match error {
        LeaseError::Lost { how, .. } => how,
        other => panic!("{other:?}"),
    }
}

#[test]
fn whoever_comes_second_is_told_who_holds_it_since_when_and_until_when() {
    let db = shop(1);
    let conn = &mut db.connect();
    assert_eq!(Lease::holder_of(conn, &product(1)).unwrap(), None);
    let lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    assert_eq!((lease.table(), lease.key()), ("products", "1"));
    assert_eq!(lease.holder(), "maria");
    assert_eq!(lease.until().duration_since(lease.since()).unwrap(), HOUR);
    let age = SystemTime::now().duration_since(lease.since());
    assert!(age.unwrap_or_default() < Duration::from_secs(600));
    assert!(lease.is_of(&product(1)) && !lease.is_of(&product(2)));

    let other = &mut db.connect();
    let by = Lease::holder_of(other, &product(1)).unwrap().unwrap();
    assert_eq!((by.name(), by.token()), ("maria", lease.token()));
    assert_eq!((by.since(), by.until()), (lease.since(), lease.until()));
    let error = Lease::acquire(other, &product(1), "paul", HOUR).unwrap_err();
    assert_eq!(error.code(), "lease.held");
    assert_eq!(error.holder(), Some(&by));
    assert!(!error.is_transient() && !error.is_retryable());
    let text = error.to_string();
    let expected = format!("`products` 1 is held by {by}; wait for the end, or steal the lease");
    assert_eq!(text, expected);
    assert!(text.contains("maria, since 20") && text.contains(" UTC, until 20"));

    // It is the lease of this row and of no other, and it is still hers.
    Lease::acquire(other, &product(2), "paul", HOUR).unwrap();
    lease.save(conn, &mut product(1)).unwrap();
}

#[test]
fn a_released_lease_goes_to_the_next_under_a_greater_number() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut last = 0;
    for holder in ["maria", "paul", "paul", "maria"] {
        let lease = Lease::acquire(conn, &product(1), holder, HOUR).unwrap();
        assert!(lease.token() > last, "{holder}");
        last = lease.token();
        assert_eq!(lease.release(conn).unwrap(), None);
        assert_eq!(Lease::holder_of(conn, &product(1)).unwrap(), None);
        // To release twice is no error, and nothing may be written any more.
        assert_eq!(lease.release(conn).unwrap(), Some(LostLease::Released));
        let refused = lost(lease.save(conn, &mut product(1)));
        assert_eq!(refused, LostLease::Released);
    }
    assert_eq!(stands(&db, 1), (10, 1));
}

#[test]
fn an_expired_lease_neither_writes_nor_is_renewed_even_if_nobody_else_has_taken_it() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    let before = lease.clone();
    let_expire(&db);
    let mut mine = product(1);
    mine.stock = 3;
    let unchanged = mine.clone();
    let expired =
        |lost: &LostLease| matches!(lost, LostLease::Expired { at } if *at == before.since());
    let refused = lost(lease.save(conn, &mut mine));
    assert!(expired(&refused), "{refused:?}");
    assert!(expired(&how(lease.renew(conn, HOUR).unwrap_err())));
    assert_eq!((&mine, &lease), (&unchanged, &before));
    assert!(expired(&lease.release(conn).unwrap().unwrap()));
    assert_eq!(Lease::holder_of(conn, &product(1)).unwrap(), None);

    let pauls = Lease::acquire(&mut db.connect(), &product(1), "paul", HOUR).unwrap();
    assert!(pauls.token() > lease.token());
    // It wakes up: refused, and told who has it, since when and until when.
    let Err(CommitError::Lease(error)) = lease.save(conn, &mut mine) else {
        panic!("Paul has it");
    };
    let by = error.holder().unwrap();
    assert_eq!((by.name(), by.token()), ("paul", pauls.token()));
    assert_eq!((by.since(), by.until()), (pauls.since(), pauls.until()));
    assert_eq!(
        error.to_string(),
        format!(
            "`maria` does not hold `products` 1 any more: it is held by {by}; acquire a new lease, \
             and read it again"
        )
    );
    // Also after Paul has finished.
    pauls.release(conn).unwrap();
    let refused = lost(lease.save(conn, &mut mine));
    let by_paul = |by: &LeaseHolder| by.name() == "paul";
    assert!(matches!(refused, LostLease::TakenMeanwhile { by } if by_paul(&by)));
    assert_eq!(stands(&db, 1), (10, 1));
}

#[test]
fn a_renewed_lease_lasts_from_now_on() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    let first = lease.clone();
    lease.renew(conn, 2 * HOUR).unwrap();
    assert_eq!(
        (lease.token(), lease.since()),
        (first.token(), first.since())
    );
    assert!(lease.until() >= first.until() + HOUR);
    let by = Lease::holder_of(conn, &product(1)).unwrap().unwrap();
    assert_eq!(by.until(), lease.until());
    // An older copy of it is the same lease.
    first.save(conn, &mut product(1)).unwrap();
    // It may also be made to end sooner.
    lease.renew(conn, HOUR / 2).unwrap();
    assert!(lease.until() < first.until());
    for ttl in [Duration::ZERO, Duration::MAX] {
        assert_eq!(lease.renew(conn, ttl).unwrap_err().code(), "lease.ttl");
    }
}

#[test]
fn the_same_holder_gets_a_new_lease_and_loses_the_old_one() {
    let db = shop(1);
    let conn = &mut db.connect();
    let old = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    let new = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    assert!(new.token() > old.token());
    let refused = lost(old.save(conn, &mut product(1)));
    assert!(matches!(refused, LostLease::Taken { by } if by.name() == "maria"));
    let lost = old.release(conn).unwrap();
    assert!(matches!(lost, Some(LostLease::Taken { .. })));
    new.save(conn, &mut product(1)).unwrap();
    // Another one, though some databases would not tell them apart.
    for other in ["Maria", "maría", "mari"] {
        let error = Lease::acquire(conn, &product(1), other, HOUR).unwrap_err();
        assert_eq!(error.code(), "lease.held", "{other}");
    }
}

#[test]
fn a_stolen_lease_says_whose_it_was_and_the_first_one_cannot_write() {
    let db = shop(1);
    let conn = &mut db.connect();
    let (marias, nobody) = Lease::steal(conn, &product(1), "maria", HOUR).unwrap();
    assert_eq!(nobody, None);
    let (pauls, previous) = Lease::steal(conn, &product(1), "paul", HOUR).unwrap();
    let previous = previous.unwrap();
    assert_eq!(previous.name(), "maria");
    assert_eq!(previous.token(), marias.token());
    assert_eq!(previous.until(), marias.until());
    assert!(pauls.token() > marias.token());

    let mut mine = product(1);
    mine.stock = 3;
    for write in [Lease::save::<Product>, Lease::touch, Lease::delete] {
        let refused = lost(write(&marias, conn, &mut mine));
        assert!(matches!(refused, LostLease::Taken { by } if by.name() == "paul"));
    }
    assert_eq!((mine.version, stands(&db, 1)), (1, (10, 1)));

    let_expire(&db);
    let (_, expired) = Lease::steal(conn, &product(1), "maria", HOUR).unwrap();
    assert_eq!(expired, None, "nobody held it any more");
}

#[test]
fn a_lease_is_taken_up_again_by_its_holder_and_number() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    lease.renew(conn, 2 * HOUR).unwrap();
    let resumed = Lease::resume(&mut db.connect(), &product(1), "maria", lease.token());
    assert_eq!(resumed.unwrap(), lease);
    for (id, holder, token) in [
        (1, "maria", lease.token() - 1),
        (1, "maria", lease.token() + 1),
        (1, "paul", lease.token()),
        (2, "maria", lease.token()),
    ] {
        let error = Lease::resume(conn, &product(id), holder, token).unwrap_err();
        assert_eq!(error.code(), "lease.lost", "{id} {holder} {token}");
    }
    lease.release(conn).unwrap();
    let error = Lease::resume(conn, &product(1), "maria", lease.token()).unwrap_err();
    assert_eq!(how(error), LostLease::Released);
}

#[test]
fn a_save_under_a_lease_is_guarded_by_the_version_too() {
    let db = shop(2);
    let conn = &mut db.connect();
    let lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    let mut mine = Product::find(conn, 1).unwrap();
    mine.stock = 8;
    lease.save(conn, &mut mine).unwrap();
    assert_eq!((mine.version, stands(&db, 1)), (2, (8, 2)));
    lease.touch(conn, &mut mine).unwrap();
    assert_eq!((mine.version, stands(&db, 1)), (3, (8, 3)));

    // Somebody without a lease is not held up, and nothing of theirs is lost.
    let mut theirs = Product::find(&mut db.connect(), 1).unwrap();
    theirs.stock = 7;
    theirs.save(&mut db.connect()).unwrap();
    mine.stock = 6;
    let before = mine.clone();
    let Err(CommitError::Conflicts(conflicts)) = lease.save(conn, &mut mine) else {
        panic!("their stock would be lost");
    };
    let conflict = conflicts.of::<Product>().next().unwrap();
    assert_eq!(conflict.current(), Some(&theirs));
    assert_eq!((&mine, stands(&db, 1)), (&before, (7, 4)));

    // Of another row it is refused before anything is sent.
    let error = lease.save(conn, &mut product(2)).unwrap_err();
    assert_eq!(error.code(), "lease.other_row");

    let mut last = theirs.clone();
    lease.delete(conn, &mut last).unwrap();
    assert!(Product::find(conn, 1).optional().unwrap().is_none());
    // The lease outlives the row.
    assert!(Lease::holder_of(conn, &last).unwrap().is_some());
    assert_eq!(lease.release(conn).unwrap(), None);
}

#[test]
fn what_cannot_be_a_lease_is_refused() {
    let db = shop(1);
    let conn = &mut db.connect();
    for ttl in [Duration::ZERO, Duration::from_nanos(1), Duration::MAX] {
        let error = Lease::acquire(conn, &product(1), "maria", ttl).unwrap_err();
        assert_eq!(error.code(), "lease.ttl", "{ttl:?}");
    }
    let long = "x".repeat(256);
    for holder in ["", " ", "maria ", "ma\0ria", &long] {
        for error in [
            Lease::acquire(conn, &product(1), holder, HOUR).unwrap_err(),
            Lease::steal(conn, &product(1), holder, HOUR).unwrap_err(),
            Lease::resume(conn, &product(1), holder, 1).unwrap_err(),
        ] {
            assert_eq!(error.code(), "lease.holder", "{holder:?}");
        }
    }
    assert_eq!(Lease::holder_of(conn, &product(1)).unwrap(), None);
    let longest = "🦀".repeat(255);
    let lease = Lease::acquire(conn, &product(1), longest.clone(), Lease::MAX_TTL).unwrap();
    assert_eq!(lease.holder(), longest);
}

#[test]
fn without_the_table_the_error_says_what_to_do() {
    let db = TestDb::new();
    product(1).insert(&mut db.connect()).unwrap();
    let conn = &mut db.connect();
    let error = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap_err();
    assert_eq!(error.code(), "database");
    assert!(error.to_string().contains("run the migrations"), "{error}");
    let error = Lease::holder_of(conn, &product(1)).unwrap_err();
    assert!(error.to_string().contains("run the migrations"), "{error}");
    // The connection is as it was.
    db.make_own_tables();
    let lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    db.execute("DROP TABLE diesel_versioned_leases");
    let mut mine = product(1);
    let error = lease.save(conn, &mut mine).unwrap_err();
    assert!(matches!(error, CommitError::Database { .. }), "{error:?}");
    assert!(error.to_string().contains("run the migrations"), "{error}");
    mine.save(conn).unwrap();
}

#[test]
fn in_a_transaction_it_is_acquired_by_the_commit() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut rolled_back = None;
    conn.transaction::<(), Error, _>(|conn| {
        let lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
        // Nobody sees it yet.
        let other = &mut db.connect();
        assert_eq!(Lease::holder_of(other, &product(1)).unwrap(), None);
        lease.save(conn, &mut product(1)).unwrap();
        rolled_back = Some(lease);
        Err(Error::RollbackTransaction)
    })
    .unwrap_err();
    let rolled_back = rolled_back.unwrap();
    assert_eq!(Lease::holder_of(conn, &product(1)).unwrap(), None);
    assert_eq!(
        lost(rolled_back.save(conn, &mut product(1))),
        LostLease::Forgotten
    );
    assert_eq!(
        rolled_back.release(conn).unwrap(),
        Some(LostLease::Forgotten)
    );
    assert_eq!(stands(&db, 1), (10, 1));

    let lease = conn
        .transaction::<_, Error, _>(|conn| {
            // One that is not to be had does not end the transaction.
            let first = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
            let error = Lease::acquire(conn, &product(1), "paul", HOUR).unwrap_err();
            assert_eq!(error.code(), "lease.held");
            Ok(first)
        })
        .unwrap();
    assert!(lease.token() >= rolled_back.token());
    let by = Lease::holder_of(&mut db.connect(), &product(1)).unwrap();
    assert_eq!(by.unwrap().name(), "maria");
    lease.save(conn, &mut product(1)).unwrap();
}

#[test]
fn what_is_over_for_long_is_forgotten_and_its_numbers_still_grow() {
    let db = shop(1);
    let conn = &mut db.connect();
    let day = Duration::from_secs(24 * 60 * 60);
    let old = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    let alive = Lease::acquire(conn, &product(2), "maria", HOUR).unwrap();
    let over = Lease::acquire(conn, &product(3), "maria", HOUR).unwrap();
    over.release(conn).unwrap();
    // A day at least, whatever is asked for.
    assert_eq!(Lease::forget_leases(conn, Duration::ZERO).unwrap(), 0);
    db.execute(
        "UPDATE diesel_versioned_leases SET expires_at = expires_at - 176400000 WHERE row_key = '1'",
    );
    assert_eq!(Lease::forget_leases(conn, 3 * day).unwrap(), 0);
    assert_eq!(Lease::forget_leases(conn, Duration::MAX).unwrap(), 0);
    assert_eq!(Lease::forget_leases(conn, day).unwrap(), 1);
    assert_eq!(lost(old.save(conn, &mut product(1))), LostLease::Forgotten);
    alive.release(conn).unwrap();
    // The first number of a row is the time, which has moved on in a day.
    let tick = |id| Lease::acquire(&mut db.connect(), &product(id), "clock", HOUR).unwrap();
    assert!((100..10_000).any(|id| tick(id).token() > old.token()));
    let new = Lease::acquire(conn, &product(1), "paul", HOUR).unwrap();
    assert!(new.token() > old.token());
    // Also after the table was emptied, once the clock has moved on.
    assert!((10_000..20_000).any(|id| tick(id).token() > new.token()));
    db.execute("DELETE FROM diesel_versioned_leases");
    let newer = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    assert!(newer.token() > new.token());
}

/// The database's clock is set back, or a copy from yesterday takes over: numbers go on all the same.
#[test]
fn numbers_grow_though_the_clock_goes_back() {
    let db = shop(1);
    let conn = &mut db.connect();
    let lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    let ahead = lease.token() + 1_000_000_000;
    db.execute(&format!(
        "UPDATE diesel_versioned_leases SET token = {ahead}"
    ));
    let (next, _) = Lease::steal(conn, &product(1), "paul", HOUR).unwrap();
    assert_eq!(next.token(), ahead + 1);
}

#[test]
fn times_are_those_of_the_database_whatever_the_session_takes_for_local() {
    let Some(far) = Conn::FAR_TIME_ZONE else {
        return;
    };
    let db = shop(1);
    let conn = &mut db.connect();
    let lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    diesel::sql_query(far).execute(conn).unwrap();
    let by = Lease::holder_of(conn, &product(1)).unwrap().unwrap();
    assert_eq!(by.until(), lease.until());
    lease.save(conn, &mut product(1)).unwrap();
    let (next, _) = Lease::steal(conn, &product(1), "paul", HOUR).unwrap();
    let apart = next.since().duration_since(lease.since()).unwrap();
    assert!(apart < Duration::from_secs(600), "{apart:?}");
}

#[cfg(feature = "http")]
#[test]
fn over_http_a_held_lease_is_423_and_a_lost_one_409_with_the_holder() {
    use diesel_versioned::http::Problem;

    let db = shop(1);
    let conn = &mut db.connect();
    let lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    let seconds = |time: SystemTime| {
        let since = time.duration_since(SystemTime::UNIX_EPOCH);
        since.unwrap().as_secs()
    };
    let held = Lease::acquire(conn, &product(1), "paul", HOUR).unwrap_err();
    let text = held.to_string();
    let problem = serde_json::to_value(Problem::from(held)).unwrap();
    let expected = serde_json::json!({
        "type": "about:blank",
        "title": "Locked",
        "status": 423,
        "code": "lease.held",
        "detail": text,
        "holder": "maria",
        "since": seconds(lease.since()),
        "until": seconds(lease.until()),
    });
    assert_eq!(problem, expected);

    Lease::steal(conn, &product(1), "paul", HOUR).unwrap();
    let lost = lease.save(conn, &mut product(1)).unwrap_err();
    let problem = Problem::from(lost);
    assert_eq!(
        (problem.status().as_u16(), problem.code()),
        (409, "lease.lost")
    );
    let problem = serde_json::to_value(problem).unwrap();
    assert_eq!(problem["holder"], "paul");

    let_expire(&db);
    let lost = lease.release(conn).unwrap().map(drop);
    assert!(lost.is_some());
}
