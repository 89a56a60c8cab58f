//! What the transaction of a unit is like: how much it sees of others, and whether it may write.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Barrier, Mutex};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::result::Error;

use super::unit::{depth, sell, shop, stocks};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::schema::products;
use crate::support::{Queries, TestBackend, TestDb, capabilities, race};

type Unit = UnitOfWork<Conn>;

const LEVELS: [Isolation; 3] = [
    Isolation::ReadCommitted,
    Isolation::RepeatableRead,
    Isolation::Serializable,
];

/// Whether a transaction at this level sees what is committed after its first read.
fn sees_later(level: Isolation) -> bool {
    let one_level = Conn::isolate(capabilities::Isolation::Serializable).is_none();
    level == Isolation::ReadCommitted && !one_level
}

/// Reads product 1 twice in the transaction that is open, while someone else sells one; whether the
/// second read shows it.
fn second_read_shows(db: &TestDb, conn: &mut Conn) -> Result<bool, Error> {
    let first = Product::find(conn, 1)?;
    sell(db, 1, first.stock - 1);
    Ok(Product::find(conn, 1)? != first)
}

/// The same in a transaction of the session's own kind; the session may write.
fn session_shows(db: &TestDb, conn: &mut Conn) -> bool {
    assert_eq!(depth(conn), 0);
    Product::find(conn, 2).unwrap().touch(conn).unwrap();
    conn.transaction(|conn| second_read_shows(db, conn))
        .unwrap()
}

#[test]
fn what_is_read_is_of_one_moment_and_the_guarded_write_sees_who_came_between() {
    let db = shop(2);
    let conn = &mut db.connect();
    let before = session_shows(&db, conn);
    for level in LEVELS {
        if level == Isolation::Serializable && Conn::SERIALIZABLE_READS_LOCK {
            continue;
        }
        db.execute("UPDATE products SET stock = 10, version = 1");
        let mut uow = Unit::new();
        let (first, second) = uow
            .read(conn, level, |uow, conn| {
                let first: Handle<Product> = uow.find(conn, 1)?;
                // Someone else moves three of them, all at once.
                db.connect().transaction::<_, Error, _>(|other| {
                    other
                        .batch_execute("UPDATE products SET stock = 7, version = 2 WHERE id = 1")?;
                    other.batch_execute("UPDATE products SET stock = 13, version = 2 WHERE id = 2")
                })?;
                let second: Handle<Product> = uow.find(conn, 2)?;
                Ok::<_, CommitError>((first, second))
            })
            .unwrap();
        let sum = uow[first].stock + uow[second].stock;
        assert_eq!(sum, if sees_later(level) { 23 } else { 20 }, "{level:?}");
        assert_eq!(depth(conn), 0);

        // Computed of what was read, and written under its guards.
        uow[first].stock = 1;
        uow[second].stock = sum - 1;
        let error = uow.commit(conn).unwrap_err();
        assert_eq!(error.code(), "conflict.modified");
        let lost = error.conflicts().unwrap();
        let keys: Vec<i32> = lost.of::<Product>().map(|lost| *lost.key()).collect();
        assert_eq!(
            keys,
            if sees_later(level) {
                vec![1]
            } else {
                vec![1, 2]
            }
        );
        assert_eq!(stocks(conn), [(1, 7, 2), (2, 13, 2)]);
        assert_eq!(session_shows(&db, conn), before);
    }
}

#[test]
fn what_nobody_has_written_since_is_written() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    uow.isolation(Isolation::Serializable);
    let handles = uow
        .read(conn, Isolation::Serializable, |uow, conn| {
            let first: Handle<Product> = uow.find(conn, 1)?;
            let second: Handle<Product> = uow.find(conn, 2)?;
            Ok::<_, CommitError>([first, second])
        })
        .unwrap();
    uow[handles[0]].stock = uow[handles[1]].stock + 1;
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    assert_eq!(stocks(conn), [(1, 11, 2), (2, 10, 1)]);
}

#[test]
fn a_write_while_it_is_read_is_turned_away() {
    let db = shop(2);
    let conn = &mut db.connect();
    let before = session_shows(&db, conn);
    let mut uow = Unit::new();
    let kept: Handle<Product> = uow.find(conn, 2).unwrap();
    let error = uow
        .read(conn, Isolation::RepeatableRead, |uow, conn| {
            uow.find::<Product>(conn, 1).map_err(CommitError::from)?;
            let mut product = Product::find(conn, 2)?;
            match product.touch(conn) {
                Err(SaveError::Database(error)) => Err::<(), _>(CommitError::from(error)),
                other => panic!("written: {other:?}"),
            }
        })
        .unwrap_err();
    assert_eq!(error.code(), "transaction.read_only", "{error:?}");
    // What was read is no longer part of it, what it had before is.
    assert_eq!(uow.len(), 1);
    assert_eq!(uow[kept].id, 2);
    assert_eq!(session_shows(&db, conn), before);
    // And it can be done again.
    uow.read(conn, Isolation::RepeatableRead, |uow, conn| {
        uow.find::<Product>(conn, 1).map_err(CommitError::from)
    })
    .unwrap();
    assert_eq!(uow.len(), 2);
}

#[test]
fn a_closure_that_fails_or_panics_leaves_everything_as_it_was() {
    let db = shop(2);
    let conn = &mut db.connect();
    let before = session_shows(&db, conn);
    let mut uow = Unit::new();
    let failed = uow.read(conn, Isolation::Serializable, |uow, conn| {
        uow.find::<Product>(conn, 1)?;
        Err::<(), _>(CommitError::from(Error::NotFound))
    });
    assert_eq!(failed.unwrap_err().code(), "row.not_found");
    assert!(uow.is_empty());
    assert_eq!(session_shows(&db, conn), before);
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        uow.read(conn, Isolation::RepeatableRead, |uow, conn| {
            uow.find::<Product>(conn, 1)?;
            if uow.len() == 1 {
                panic!("on purpose");
            }
            Ok::<_, CommitError>(())
        })
    }));
    assert!(panicked.is_err());
    assert!(uow.is_empty());
    assert_eq!(session_shows(&db, conn), before);
}

#[test]
fn inside_a_transaction_it_is_an_error_and_nothing_is_sent() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 3;
    conn.transaction::<_, Error, _>(|conn| {
        let queries = Queries::of(conn);
        let read = uow.read(conn, Isolation::RepeatableRead, |_, _| {
            Ok::<_, CommitError>(())
        });
        let error = read.unwrap_err();
        assert_eq!(error.code(), "isolation.in_transaction");
        assert!(!error.is_transient() && !error.is_retryable());
        uow.isolation(Isolation::ReadCommitted);
        let error = uow.commit(conn).unwrap_err();
        assert_eq!(error.code(), "isolation.in_transaction");
        assert!(matches!(
            error,
            CommitError::Isolation(IsolationError::InTransaction)
        ));
        assert_eq!(queries.take(), Vec::<String>::new());
        Ok(())
    })
    .unwrap();
    assert!(uow.is_dirty(handle));
    // The closure of `run` is inside a transaction as well: the policy has its isolation.
    let stopped = Unit::run(conn, &RetryPolicy::default(), |uow, _| {
        uow.isolation(Isolation::Serializable);
        Ok::<_, CommitError>(())
    });
    let last = stopped.unwrap_err().into_last().unwrap();
    assert_eq!(last.code(), "isolation.in_transaction");
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
}

#[test]
fn a_commit_is_at_the_level_that_is_wanted_and_the_session_at_its_own() {
    let db = shop(3);
    // In the only writer's transaction nobody else writes.
    if !Conn::CONCURRENT_WRITERS {
        return;
    }
    let db = Arc::new(db);
    let conn = &mut db.connect();
    let before = session_shows(&db, conn);
    for level in LEVELS {
        for fails in [false, true] {
            let shown = Arc::new(Mutex::new(None));
            let mut uow = Unit::new();
            uow.isolation(level);
            let handle: Handle<Product> = uow.find(conn, 3).unwrap();
            uow[handle].stock += 1;
            if fails {
                sell(&db, 3, 5);
            }
            let (tell, other) = (Arc::clone(&shown), Arc::clone(&db));
            uow.also(move |conn| {
                if level != Isolation::Serializable {
                    *tell.lock().unwrap() = Some(second_read_shows(&other, conn)?);
                }
                Ok(())
            });
            let result = uow.commit(conn);
            assert_eq!(
                result.as_ref().err().map(CommitError::code),
                fails.then_some("conflict.modified"),
                "{result:?}"
            );
            if !fails && level != Isolation::Serializable {
                let shown = shown.lock().unwrap().take();
                assert_eq!(shown, Some(sees_later(level)), "{level:?}");
            }
            assert_eq!(session_shows(&db, conn), before, "{level:?}");
        }
    }
}

/// Two units, each of which writes its own row by what it has read of the other's.
fn skewed(db: &TestDb, level: Option<Isolation>) -> Vec<Result<(), CommitError>> {
    let both_have_written = Arc::new(Barrier::new(2));
    race(db, 2, |number, conn| {
        let (mine, other) = if number == 0 { (1, 2) } else { (2, 1) };
        let mut uow = Unit::new();
        if let Some(level) = level {
            uow.isolation(level);
        }
        let handle: Handle<Product> = uow.find(conn, mine)?;
        uow[handle].stock += 1;
        let (wait, both_read) = (Arc::clone(&both_have_written), other);
        uow.also(move |conn| {
            // Both hold the row that they have written.
            wait.wait();
            Product::find(conn, both_read).map(drop)
        });
        uow.commit(conn).map(drop)
    })
}

#[test]
fn rule_09_what_the_level_turns_away_is_transient() {
    let db = shop(2);
    // Where such reads lock, it is a deadlock in a closure, which has an answer of its own.
    if !Conn::CONCURRENT_WRITERS || Conn::SERIALIZABLE_READS_LOCK {
        return;
    }
    let won = skewed(&db, None);
    assert!(won.iter().all(Result::is_ok), "{won:?}");
    let results = skewed(&db, Some(Isolation::Serializable));
    let lost: Vec<CommitError> = results.into_iter().filter_map(Result::err).collect();
    assert_eq!(lost.len(), 1, "{lost:?}");
    assert!(lost[0].is_transient() && lost[0].is_retryable(), "{lost:?}");
    assert_eq!(lost[0].code(), "database.transient", "{lost:?}");
}

#[test]
fn a_policy_has_the_isolation_of_its_attempts() {
    let db = shop(3);
    if !Conn::CONCURRENT_WRITERS {
        return;
    }
    let conn = &mut db.connect();
    let before = session_shows(&db, conn);
    for level in [Isolation::ReadCommitted, Isolation::RepeatableRead] {
        let policy = RetryPolicy::new().isolation(level);
        let shown = retry(conn, &policy, |conn| second_read_shows(&db, conn));
        assert_eq!(shown.unwrap(), sees_later(level));
        let (shown, _) = Unit::run(conn, &policy, |uow, conn| {
            let handle: Handle<Product> = uow.find(conn, 3)?;
            uow.touch(handle);
            Ok::<_, CommitError>(second_read_shows(&db, conn)?)
        })
        .unwrap();
        assert_eq!(shown, sees_later(level));
        assert_eq!(session_shows(&db, conn), before);
    }
    // Turned away, and done again.
    let both_have_read = Barrier::new(2);
    let policy = RetryPolicy::new().isolation(Isolation::Serializable);
    let stocks = race(&db, 2, |_, conn| {
        let mut first = true;
        retry(conn, &policy, |conn| {
            let mut product = Product::find(conn, 1)?;
            if std::mem::take(&mut first) {
                both_have_read.wait();
            }
            product.stock = 100;
            product.save(conn)?;
            Ok::<_, SaveError<Product>>(product.version)
        })
        .unwrap()
    });
    assert_eq!((stocks[0] - stocks[1]).abs(), 1);
}

#[test]
fn a_unit_that_only_reads_and_has_something_to_write_is_an_error() {
    type Write<'a> = &'a dyn Fn(&mut Unit, Handle<Product>);
    let db = shop(2);
    let conn = &mut db.connect();
    let read_only = |prepare: &dyn Fn(&mut Unit, Handle<Product>), conn: &mut Conn| {
        let mut uow = Unit::new();
        uow.read_only();
        let handle: Handle<Product> = uow.find(conn, 1).unwrap();
        prepare(&mut uow, handle);
        let queries = Queries::of(conn);
        let result = uow.commit(conn).map(|done| done.len());
        (result, queries.take())
    };
    let writes: [Write<'_>; 5] = [
        &|uow, handle| uow[handle].stock = 3,
        &|uow, handle| uow.touch(handle),
        &|uow, handle| uow.delete(handle),
        &|uow, handle| uow.expect_unchanged(handle),
        &|uow, _| {
            uow.idempotency_key("once").unwrap();
        },
    ];
    for write in writes {
        let (result, sent) = read_only(write, conn);
        let error = result.unwrap_err();
        assert_eq!(error.code(), "unit.read_only");
        assert!(!error.is_transient());
        assert_eq!(sent, Vec::<String>::new());
    }
    let (result, sent) = read_only(&|_, _| (), conn);
    assert_eq!((result.unwrap(), sent), (0, Vec::<String>::new()));
    assert_eq!(stocks(conn), [(1, 10, 1), (2, 10, 1)]);
}

#[test]
fn what_belongs_to_a_unit_that_only_reads_may_read_and_not_write() {
    let db = shop(2);
    let conn = &mut db.connect();
    let before = session_shows(&db, conn);
    for level in [None, Some(Isolation::RepeatableRead)] {
        let read = Arc::new(Mutex::new(0));
        let mut uow = Unit::new();
        uow.read_only();
        if let Some(level) = level {
            uow.isolation(level);
        }
        let tell = Arc::clone(&read);
        uow.also(move |conn| {
            *tell.lock().unwrap() = Product::find(conn, 2)?.id;
            Ok(())
        });
        uow.commit(conn).unwrap();
        assert_eq!(*read.lock().unwrap(), 2);
        assert_eq!(session_shows(&db, conn), before);

        uow.also(|conn| {
            diesel::update(products::table)
                .set(products::stock.eq(0))
                .execute(conn)
                .map(drop)
        });
        let error = uow.commit(conn).unwrap_err();
        assert_eq!(error.code(), "transaction.read_only", "{error:?}");
        assert_eq!(session_shows(&db, conn), before);
        assert_eq!(Product::find(conn, 2).unwrap().stock, 10);
    }
    // A session that was kept from writing stays so.
    conn.batch_execute(Conn::READ_ONLY).unwrap();
    let mut uow = Unit::new();
    uow.read(conn, Isolation::RepeatableRead, |uow, conn| {
        uow.find::<Product>(conn, 1).map_err(CommitError::from)
    })
    .unwrap();
    let error = Product::find(conn, 1).unwrap().touch(conn).unwrap_err();
    assert_eq!(error.code(), "transaction.read_only", "{error:?}");
}
