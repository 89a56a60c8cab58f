//! Work that is done again: from a fresh read, in a new transaction, and only for reasons that pass.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, PoisonError};
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::result::Error;

use super::unit::{depth, product, sell, shop, stocks};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::schema::products;
use crate::support::{TestBackend, TestDb, race};

type Unit = UnitOfWork<Conn>;

fn patient() -> RetryPolicy {
    RetryPolicy::new()
        .attempts(1_000)
        .base_delay(Duration::from_millis(1))
        .cap(Duration::from_millis(20))
}

#[test]
fn many_writers_of_one_counter_lose_nothing() {
    let db = shop(1);
    race(&db, 6, |_, conn| {
        for _ in 0..10 {
            let product =
                Product::update_with(conn, 1, &patient(), |product| product.stock += 1).unwrap();
            assert_eq!(product.stock - 9, product.version);
        }
    });
    assert_eq!(stocks(&mut db.connect()), [(1, 70, 61)]);
}

#[test]
fn many_units_move_stock_and_lose_nothing() {
    let db = shop(4);
    let hooks = Arc::new(AtomicUsize::new(0));
    race(&db, 4, |number, conn| {
        for round in 0..8 {
            let ids = [(number + round) % 4, (number + 2 * round + 1) % 4];
            let ids = ids.map(|id| i32::try_from(id).unwrap() + 1);
            if ids[0] == ids[1] {
                continue;
            }
            let hooks = Arc::clone(&hooks);
            let (left, done) = Unit::run(conn, &patient(), |uow, conn| {
                let [from, to] = [uow.find(conn, ids[0])?, uow.find::<Product>(conn, ids[1])?];
                uow[from].stock -= 1;
                uow[to].stock += 1;
                let hooks = Arc::clone(&hooks);
                uow.after_commit(move |_| {
                    hooks.fetch_add(1, Ordering::SeqCst);
                });
                Ok::<_, CommitError>(uow[from].stock)
            })
            .unwrap();
            assert!(left < 40);
            assert_eq!((done.len(), done.is_nested()), (2, false));
            assert_eq!(depth(conn), 0);
        }
    });
    let stocks = stocks(&mut db.connect());
    assert_eq!(stocks.iter().map(|row| row.1).sum::<i32>(), 40);
    let moves: i32 = stocks.iter().map(|row| row.2 - 1).sum();
    assert_eq!(
        usize::try_from(moves).unwrap(),
        2 * hooks.load(Ordering::SeqCst)
    );
}

#[test]
fn each_attempt_is_a_new_transaction_with_a_fresh_read() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut attempts = 0;
    let mut seen = Vec::new();
    let stock = retry(conn, &patient(), |conn| {
        attempts += 1;
        assert_eq!(depth(conn), 1);
        let name = format!("attempt {attempts}");
        diesel::update(products::table.find(2))
            .set(products::name.eq(name))
            .execute(conn)?;
        let mut product = Product::find(conn, 1)?;
        seen.push((product.stock, product.version));
        product.stock += 5;
        if attempts == 1 {
            // As if someone else had been faster.
            product.version -= 1;
        }
        product.save(conn)?;
        Ok::<_, SaveError<Product>>(product.stock)
    });
    assert_eq!(stock.unwrap(), 15);
    assert_eq!((attempts, seen), (2, vec![(10, 1), (10, 1)]));
    assert_eq!(stocks(conn), [(1, 15, 2), (2, 10, 1)]);
    assert_eq!(Product::find(conn, 2).unwrap().name, "attempt 2");
    assert_eq!(depth(conn), 0);
}

#[test]
fn nothing_changed_writes_nothing() {
    let db = shop(1);
    let conn = &mut db.connect();
    let product = Product::update_with(conn, 1, &patient(), |_| ()).unwrap();
    assert_eq!(product.version, 1);
    assert_eq!(stocks(conn), [(1, 10, 1)]);
}

#[test]
fn when_attempts_run_out_the_last_cause_is_told() {
    let db = shop(1);
    let conn = &mut db.connect();
    sell(&db, 1, 3);
    let policy = RetryPolicy::new().attempts(3).base_delay(Duration::ZERO);
    let mut attempts = 0;
    let error = Unit::run(conn, &policy, |uow, _| {
        attempts += 1;
        // A form from before: reading it again does not help.
        uow.save(product(1))?;
        Ok::<_, CommitError>(())
    })
    .unwrap_err();
    assert_eq!(
        (error.code(), error.attempts(), attempts),
        ("retry.exhausted", 3, 3)
    );
    match error {
        RetryError::Exhausted {
            source: CommitError::Conflicts(conflicts),
            elapsed,
            ..
        } => {
            assert_eq!(conflicts.len(), 1);
            assert!(elapsed > Duration::ZERO);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(stocks(conn), [(1, 3, 2)]);
}

#[test]
fn a_row_that_is_gone_ends_it() {
    let db = shop(2);
    let conn = &mut db.connect();
    let error = Product::update_with(conn, 9, &patient(), |product| product.stock = 1).unwrap_err();
    assert_eq!((error.code(), error.attempts()), ("retry.stopped", 1));
    assert!(
        matches!(
            error.last(),
            Some(CommitError::Database {
                source: Error::NotFound,
                ..
            })
        ),
        "{error:?}"
    );

    db.execute("DELETE FROM products WHERE id = 1");
    let error = Unit::run(conn, &patient(), |uow, _| {
        uow.save(product(1))?;
        Ok::<_, CommitError>(())
    })
    .unwrap_err();
    assert_eq!((error.code(), error.attempts()), ("retry.stopped", 1));
    assert_eq!(
        error.last().map(CommitError::code),
        Some("conflict.deleted")
    );
}

#[test]
fn a_violated_constraint_ends_it() {
    let db = shop(2);
    let conn = &mut db.connect();
    let error = Unit::run(conn, &patient(), |uow, _| {
        uow.insert(product(2))?;
        Ok::<_, CommitError>(())
    })
    .unwrap_err();
    assert_eq!((error.code(), error.attempts()), ("retry.stopped", 1));
    assert_eq!(
        error.into_last().map(|error| error.code()),
        Some("constraint.unique")
    );
}

/// What the application itself has against a change.
#[derive(Debug, PartialEq)]
enum Refused {
    NotEnough,
    Library(&'static str),
}

impl Retryable for Refused {}

impl From<CommitError> for Refused {
    fn from(error: CommitError) -> Self {
        Self::Library(error.code())
    }
}

#[test]
fn the_closures_own_errors_end_it() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut attempts = 0;
    let error = Product::update_with(conn, 1, &patient(), |product| {
        attempts += 1;
        if product.stock < 11 {
            return Err(Refused::NotEnough);
        }
        product.stock -= 11;
        Ok(())
    })
    .unwrap_err();
    assert_eq!((error.code(), attempts), ("retry.stopped", 1));
    assert_eq!(error.last(), Some(&Refused::NotEnough));
    assert_eq!(depth(conn), 0);
}

#[test]
fn a_key_that_the_closure_changes_ends_it() {
    let db = shop(2);
    let conn = &mut db.connect();
    let error = Product::update_with(conn, 1, &patient(), |product| product.id = 2).unwrap_err();
    assert_eq!(error.last().map(CommitError::code), Some("unit.invalid"));
    assert_eq!(stocks(conn), [(1, 10, 1), (2, 10, 1)]);
}

#[test]
fn inside_a_transaction_it_is_refused() {
    let db = shop(1);
    let conn = &mut db.connect();
    conn.transaction(|conn| {
        let error = retry(conn, &patient(), |_| -> QueryResult<()> {
            unreachable!("it must not be tried")
        })
        .unwrap_err();
        assert!(matches!(error, RetryError::InTransaction), "{error:?}");
        assert_eq!(error.code(), "retry.in_transaction");
        QueryResult::Ok(())
    })
    .unwrap();
    let product = Product::update_with(conn, 1, &patient(), |product| product.stock = 1).unwrap();
    assert_eq!(product.version, 2);
}

#[test]
fn a_policy_without_an_attempt_is_an_error() {
    let db = shop(1);
    let conn = &mut db.connect();
    let error = retry(
        conn,
        &RetryPolicy::new().attempts(0),
        |_| -> QueryResult<()> { unreachable!("it must not be tried") },
    )
    .unwrap_err();
    assert_eq!((error.code(), error.attempts()), ("retry.policy", 0));
    assert!(error.to_string().contains("at least one"), "{error}");
}

#[test]
fn a_panic_rolls_back_and_goes_on() {
    let db = shop(1);
    let conn = &mut db.connect();
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        retry(conn, &patient(), |conn| -> QueryResult<()> {
            conn.batch_execute("DELETE FROM products")?;
            panic!("on purpose")
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(depth(conn), 0);
    assert_eq!(stocks(conn), [(1, 10, 1)]);
}

#[test]
fn a_closure_that_leaves_a_transaction_open_is_an_error() {
    use diesel::connection::TransactionManager;
    type Manager = <Conn as Connection>::TransactionManager;

    let db = shop(1);
    let conn = &mut db.connect();
    let error = retry(conn, &patient(), Manager::begin_transaction).unwrap_err();
    assert_eq!((error.code(), error.attempts()), ("retry.stopped", 1));
    assert_eq!(depth(conn), 0);
}

#[test]
fn an_error_that_the_work_swallows_does_not_pass_for_success() {
    // Where an error aborts the transaction, COMMIT is a rollback that reports no error.
    let db = shop(1);
    let conn = &mut db.connect();
    let violate = |conn: &mut Conn| {
        conn.batch_execute("INSERT INTO products VALUES (1, 'twice', 0, 0, 1)")
            .ok();
    };
    let retried = retry(conn, &patient(), |conn| {
        let mut product = Product::find(conn, 1)?;
        product.stock = 3;
        product.save(conn)?;
        violate(conn);
        Ok::<_, SaveError<Product>>(())
    });
    let told = retried.map_err(|error| (error.code(), error.attempts()));
    let stands = stocks(conn)[0];
    let expected = (told.is_ok(), (1, if told.is_ok() { 3 } else { 10 }));
    assert_eq!((stands.2 == 2, (stands.0, stands.1)), expected, "{told:?}");
    assert!(
        matches!(told, Ok(()) | Err(("retry.stopped", 1))),
        "{told:?}"
    );

    let ran = Unit::run(conn, &patient(), |uow, conn| {
        conn.batch_execute("UPDATE products SET stock = 5")?;
        violate(conn);
        let hooked: QueryResult<Handle<Product>> = uow.find(conn, 1);
        drop(hooked);
        Ok::<_, CommitError>(())
    });
    assert_eq!(ran.is_ok(), told.is_ok());
    assert_eq!(stocks(conn)[0].1 == 5, ran.is_ok());
    assert_eq!(depth(conn), 0);
}

#[test]
fn work_that_ends_its_transaction_is_no_success() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut attempts = 0;
    let result = retry(conn, &patient(), |conn| {
        attempts += 1;
        let mut product = Product::find(conn, 1)?;
        product.stock = 3;
        product.save(conn)?;
        conn.batch_execute("CREATE TABLE reports (id INTEGER NOT NULL PRIMARY KEY)")?;
        Ok::<_, SaveError<Product>>(())
    });
    let told = result.map_err(|error| error.code());
    let expected = if Conn::DDL_COMMITS {
        Err("outcome.unknown")
    } else {
        Ok(())
    };
    assert_eq!((told, attempts, depth(conn)), (expected, 1, 0));
    assert_eq!(stocks(conn), [(1, 3, 2)]);
}

#[test]
fn work_that_fails_outside_of_its_transaction_is_not_done_again() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut attempts = 0;
    let error = retry(conn, &patient(), |conn| {
        attempts += 1;
        let mut stale = Product::find(conn, 1)?;
        conn.batch_execute("ROLLBACK")?;
        // Nothing takes this back.
        conn.batch_execute("UPDATE products SET stock = stock + 1")?;
        stale.version -= 1;
        stale.save(conn)
    })
    .unwrap_err();
    assert_eq!((error.code(), attempts), ("outcome.unknown", 1));
    assert_eq!(stocks(&mut db.connect())[0].1, 11);
}

#[test]
fn work_that_commits_has_an_unknown_outcome_whatever_it_returns() {
    use diesel::connection::TransactionManager;
    type Manager = <Conn as Connection>::TransactionManager;

    for fails in [false, true] {
        let db = shop(1);
        let conn = &mut db.connect();
        let mut attempts = 0;
        let error = retry(conn, &patient(), |conn| {
            attempts += 1;
            conn.batch_execute("UPDATE products SET stock = stock + 1")?;
            Manager::commit_transaction(conn)?;
            if fails { Err(Error::NotFound) } else { Ok(()) }
        })
        .unwrap_err();
        assert_eq!((error.code(), attempts), ("outcome.unknown", 1));
        assert_eq!((stocks(conn)[0].1, depth(conn)), (11, 0));
    }
}

#[test]
fn a_unit_in_a_transaction_that_is_lost_has_an_unknown_outcome() {
    if Conn::NAME != "MySQL" {
        return; // The others turn its savepoint away, or take it for a transaction.
    }
    let db = shop(1);
    let conn = &mut db.connect();
    let mut attempts = 0;
    let error = Unit::run(conn, &patient(), |uow, conn| {
        attempts += 1;
        let handle: Handle<Product> = uow.find(conn, 1)?;
        uow[handle].stock += 1;
        conn.batch_execute("ROLLBACK")?;
        Ok::<_, CommitError>(())
    })
    .unwrap_err();
    assert_eq!((error.code(), attempts), ("outcome.unknown", 1));
    assert_eq!(stocks(conn)[0].1, 11);
}

#[test]
fn rule_15_lost_during_commit_is_never_done_again() {
    let db = shop(1);
    let mut conn = db.connect();
    let Some(kill) = conn.kill_statement() else {
        return;
    };
    let mut killer = db.connect();
    let mut attempts = 0;
    let error = Unit::run(&mut conn, &patient(), |uow, conn| {
        attempts += 1;
        let handle: Handle<Product> = uow.find(conn, 1)?;
        uow[handle].stock = 3;
        Ok::<_, CommitError>(())
    });
    assert!(error.is_ok());
    let error = retry(&mut conn, &patient(), |conn| {
        attempts += 1;
        let mut product = Product::find(conn, 1)?;
        product.stock = 4;
        product.save(conn)?;
        killer.batch_execute(&kill)?;
        Ok::<_, SaveError<Product>>(())
    })
    .unwrap_err();
    assert!(
        matches!(error, RetryError::OutcomeUnknown { .. }),
        "{error:?}"
    );
    assert_eq!(
        (error.code(), error.attempts(), attempts),
        ("outcome.unknown", 1, 2)
    );
    assert_eq!(stocks(&mut db.connect()), [(1, 3, 2)]);
}

/// Runs two transactions that lock two rows in opposite orders; only the first attempts meet.
fn opposite_orders(db: &TestDb) -> usize {
    let attempts = AtomicUsize::new(0);
    let halfway = Barrier::new(2);
    race(db, 2, |number, conn| {
        let mut first = true;
        retry(conn, &patient(), |conn| {
            attempts.fetch_add(1, Ordering::SeqCst);
            let ids = if number == 0 { [1, 2] } else { [2, 1] };
            for (step, id) in ids.into_iter().enumerate() {
                diesel::update(products::table.find(id))
                    .set(products::stock.eq(products::stock + 1))
                    .execute(conn)?;
                if step == 0 && std::mem::take(&mut first) {
                    halfway.wait();
                }
            }
            QueryResult::Ok(())
        })
        .unwrap();
    });
    attempts.into_inner()
}

#[test]
fn a_deadlock_is_done_again() {
    if !Conn::CONCURRENT_WRITERS {
        return;
    }
    let db = shop(2);
    assert!(opposite_orders(&db) >= 3, "one of two was the victim");
    assert_eq!(stocks(&mut db.connect()), [(1, 12, 1), (2, 12, 1)]);
}

#[test]
fn a_lock_timeout_is_done_again() {
    if !Conn::CONCURRENT_WRITERS {
        return;
    }
    let db = shop(1);
    let conn = &mut db.connect();
    conn.batch_execute(Conn::WAIT_SHORTLY).unwrap();
    let mut holder = db.connect();
    holder.batch_execute("BEGIN").unwrap();
    holder
        .batch_execute("UPDATE products SET name = 'held'")
        .unwrap();
    let holder = Mutex::new(holder);
    let mut attempts = 0;
    let product = Product::update_with(conn, 1, &patient(), |product| {
        attempts += 1;
        if attempts == 2 {
            let mut holder = holder.lock().unwrap_or_else(PoisonError::into_inner);
            holder.batch_execute("ROLLBACK").unwrap();
        }
        product.stock = 1;
    })
    .unwrap();
    assert_eq!((attempts, product.version), (2, 2));
}

#[test]
fn a_lock_timeout_is_known_in_every_language() {
    let db = shop(1);
    let mut holder = db.connect();
    holder.batch_execute("BEGIN").unwrap();
    holder
        .batch_execute("UPDATE products SET name = 'held'")
        .unwrap();
    for language in Conn::LANGUAGES {
        let conn = &mut db.connect();
        conn.batch_execute(Conn::WAIT_SHORTLY).unwrap();
        conn.batch_execute(language).unwrap();
        let error = product(1).save(conn).unwrap_err();
        assert!(
            !error.is_conflict() && error.is_transient(),
            "{language}: {error:?}"
        );
        let SaveError::Database(source) = error else {
            panic!("{error:?}");
        };
        assert!(
            !source.to_string().contains("Lock wait timeout exceeded"),
            "{source}"
        );
    }
}

#[test]
fn a_committed_run_is_durable() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let (handle, done) = Unit::run(conn, &patient(), |uow, conn| {
        let handle: Handle<Product> = uow.find(conn, 1)?;
        uow[handle].stock = 3;
        Ok::<_, CommitError>(handle)
    })
    .unwrap();
    assert_eq!(uow.get(handle), None);
    assert_eq!(
        done.undo(&mut uow),
        Err(diesel_versioned::UndoError::Durable)
    );
}

#[test]
fn what_a_rule_cannot_merge_is_not_done_again() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut attempts = 0;
    let result = Unit::run(conn, &patient(), |uow, conn| {
        attempts += 1;
        let lamp = uow.find::<Product>(conn, 1)?;
        Err::<(), CommitError>(Unmergeable::new(["stock"], "both counted").into())
            .inspect_err(|_| uow[lamp].stock = 0)
    });
    let error = result.unwrap_err();
    assert_eq!((error.code(), attempts), ("retry.stopped", 1));
    let last = error.last().unwrap();
    assert_eq!(last.code(), "merge.columns");
    assert!(!last.is_conflict() && !last.is_transient() && !last.is_retryable());
    assert_eq!(last.to_string(), "`stock` cannot be merged: both counted");
    assert_eq!(stocks(conn), [(1, 10, 1)]);
}
