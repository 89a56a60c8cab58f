//! A lock on what was loaded earlier.

use super::{in_transaction, shop, while_locked};
use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::scenario::outcome::conflict;
use crate::support::scenario::unit::sell;
use crate::support::{TestBackend, race};

#[test]
fn a_row_that_has_not_moved_is_locked_and_what_was_changed_stays() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut mine = Product::find(conn, 1).unwrap();
    mine.stock = 4;
    for lock in [Lock::Share, Lock::Update] {
        in_transaction(conn, |conn| {
            mine.lock_loaded(conn, lock, Wait::Block)?;
            let other = &mut db.connect();
            let refused = in_transaction(other, |other| {
                Product::lock(other, 1, Lock::Update, Wait::NoWait)
            });
            assert_eq!(refused.unwrap_err().code(), "lock.refused");
            Ok::<_, SaveError<Product>>(())
        })
        .unwrap();
    }
    in_transaction(conn, |conn| {
        mine.lock_loaded(conn, Lock::Update, Wait::NoWait)?;
        mine.save(conn)
    })
    .unwrap();
    assert_eq!((mine.stock, mine.version), (4, 2));
}

#[test]
fn a_stale_one_is_a_conflict() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut mine = Product::find(conn, 1).unwrap();
    mine.name = "mine".to_owned();
    sell(&db, 1, 3);
    for lock in [Lock::Share, Lock::Update] {
        let locked = in_transaction(conn, |conn| mine.lock_loaded(conn, lock, Wait::Block));
        let lost = conflict(locked);
        assert_eq!(lost.kind(), ConflictKind::Modified);
        assert_eq!((lost.expected(), lost.actual()), (&1, Some(&2)));
        assert_eq!(lost.mine(), &mine);
        assert_eq!(lost.current().unwrap().stock, 3);
    }
    db.execute("DELETE FROM products");
    let locked = in_transaction(conn, |conn| {
        mine.lock_loaded(conn, Lock::Update, Wait::NoWait)
    });
    assert_eq!(conflict(locked).kind(), ConflictKind::Deleted);
}

#[test]
fn one_that_is_left_out_is_refused_and_one_that_is_gone_a_conflict() {
    let db = shop(1);
    let conn = &mut db.connect();
    if !crate::Conn::SKIPS_LOCKED {
        return;
    }
    let mine = Product::find(conn, 1).unwrap();
    while_locked(&db, &[1], Lock::Update, || {
        let locked = in_transaction(conn, |conn| {
            mine.lock_loaded(conn, Lock::Update, Wait::SkipLocked)
        });
        assert_eq!(locked.unwrap_err().code(), "lock.refused");
    });
    db.execute("DELETE FROM products");
    let locked = in_transaction(conn, |conn| {
        mine.lock_loaded(conn, Lock::Update, Wait::SkipLocked)
    });
    assert_eq!(conflict(locked).kind(), ConflictKind::Deleted);
}

#[test]
fn of_many_who_have_read_the_same_one_writes() {
    let db = shop(1);
    let loaded = Product::find(&mut db.connect(), 1).unwrap();
    let results = race(&db, 8, |_, conn| {
        let mut mine = loaded.clone();
        in_transaction(conn, |conn| {
            mine.lock_loaded(conn, Lock::Update, Wait::Block)?;
            mine.stock -= 1;
            // Nobody can come between the lock and the write.
            mine.save(conn).unwrap();
            Ok(())
        })
    });
    let (won, lost): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    assert_eq!((won.len(), lost.len()), (1, 7));
    for result in lost {
        assert_eq!(conflict(result).actual(), Some(&2));
    }
}
