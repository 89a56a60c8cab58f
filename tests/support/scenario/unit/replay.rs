//! The same request twice, written once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use diesel::connection::Connection;
use diesel::prelude::*;
use diesel::result::Error;
use diesel_versioned::KeyError;

use super::committed::changes as rows;
use super::{Unit, conflicts, failure, product, stocks};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::{Order, OrderLine, Product, StockLevel};
use crate::support::schema::{order_lines, orders, stock_levels};
use crate::support::{TestBackend, TestDb, race};

/// A shop with the library's own tables and the products 1 to `count`.
fn shop(count: i32) -> TestDb {
    let db = TestDb::with_own_tables();
    for id in 1..=count {
        product(id).insert(&mut db.connect()).unwrap();
    }
    db
}

/// What a form brings back that was made of product 1 at version 1.
fn form(stock: i32) -> Product {
    Product {
        stock,
        ..product(1)
    }
}

/// A request that saves a form under a key.
fn save(
    conn: &mut Conn,
    key: &str,
    form: Product,
) -> Result<(Committed, Option<Product>), CommitError> {
    let mut uow = Unit::new();
    uow.idempotency_key(key)?;
    let handle = uow.save(form)?;
    let done = uow.commit(conn)?;
    Ok((done, uow.get(handle).cloned()))
}

#[test]
fn the_same_unit_twice_is_written_once_and_no_conflict() {
    let db = shop(1);
    let conn = &mut db.connect();
    let (first, written) = save(conn, "a", form(3)).unwrap();
    assert!(!first.is_replayed());
    let (second, replayed) = save(conn, "a", form(3)).unwrap();
    assert!(second.is_replayed());
    assert_eq!(rows(&second), rows(&first));
    assert_eq!(replayed, written);
    assert_eq!(stocks(conn), [(1, 3, 2)]);
    let versions: Vec<_> = second
        .of::<Product>()
        .map(|row| {
            (
                *row.key,
                row.operation,
                row.old_version.copied(),
                row.new_version.copied(),
            )
        })
        .collect();
    assert_eq!(versions, [(1, Operation::Update, Some(1), Some(2))]);
    // Without the key it is what it always was.
    let mut uow = Unit::new();
    uow.save(form(3)).unwrap();
    assert_eq!(conflicts(uow.commit(conn)).len(), 1);
}

#[test]
fn what_is_known_by_another_key_is_another_request() {
    let db = shop(1);
    let conn = &mut db.connect();
    save(conn, "a", form(3)).unwrap();
    // On no database are these the same key.
    for key in ["A", "á", "a b", "ａ"] {
        let error = save(conn, key, form(3)).unwrap_err();
        assert!(error.is_conflict(), "{key}: {error:?}");
    }
}

#[test]
fn another_payload_under_the_same_key_is_an_error() {
    let db = shop(2);
    let conn = &mut db.connect();
    save(conn, "a", form(3)).unwrap();
    let fresh = Product {
        version: 2,
        ..form(3)
    };
    let other_row = Product { id: 2, ..form(3) };
    for other in [form(4), fresh, other_row] {
        let mut uow = Unit::new();
        uow.idempotency_key("a").unwrap();
        let handle = uow.save(other.clone()).unwrap();
        let error = failure(uow.commit(conn));
        assert!(matches!(&error, CommitError::OtherPayload { key } if key == "a"));
        assert_eq!(error.code(), "replay.other_payload");
        assert!(!error.is_transient() && !error.is_conflict() && !error.is_retryable());
        assert!(error.to_string().contains("take a new key"), "{error}");
        assert_eq!(uow[handle], other, "nothing has changed in memory");
        assert!(uow.is_dirty(handle));
    }
    let mut uow = Unit::new();
    uow.idempotency_key("a").unwrap();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow.delete(handle);
    assert_eq!(failure(uow.commit(conn)).code(), "replay.other_payload");
    assert_eq!(stocks(conn), [(1, 3, 2), (2, 10, 1)]);
}

/// Everything that a unit can do to a row.
fn everything(conn: &mut Conn, key: &str) -> (Unit, Committed, Handle<Order>, Handle<OrderLine>) {
    let mut uow = Unit::new();
    uow.idempotency_key(key).unwrap();
    uow.save(form(3)).unwrap();
    let deleted = uow.attach(product(2)).unwrap();
    uow.delete(deleted);
    let touched = uow.attach(product(3)).unwrap();
    uow.touch(touched);
    let checked = uow.attach(product(4)).unwrap();
    uow.expect_unchanged(checked);
    let level = |sku: &str, quantity| StockLevel {
        warehouse: 1,
        sku: sku.into(),
        quantity,
        version: 0,
    };
    uow.insert(level("tab\tand \"quote\"", 1)).unwrap();
    uow.insert(level("line\nend", 2)).unwrap();
    let order = Order {
        id: -1,
        customer: "Ann".into(),
        total_cents: 0,
        version: 0,
    };
    let order = uow.insert(order).unwrap();
    let line = |order: &Order| OrderLine {
        id: -1,
        order_id: order.id,
        product_id: 1,
        quantity: 5,
        version: 0,
    };
    let line = uow.insert_with(order, line).unwrap();
    let done = uow.commit(conn).unwrap();
    (uow, done, order, line)
}

#[test]
fn everything_that_a_unit_does_is_replayed() {
    let db = shop(4);
    let conn = &mut db.connect();
    // So that keys which the database makes are not those of a fresh table.
    db.execute("INSERT INTO orders (customer, total_cents, version) VALUES ('Bob', 1, 1)");
    let (first, done, order, line) = everything(conn, "a");
    let (second, again, order_again, line_again) = everything(conn, "a");
    assert!(again.is_replayed() && !done.is_replayed());
    assert_eq!(rows(&again), rows(&done));
    assert_eq!(again.len(), 7);
    assert_eq!(second[order_again], first[order]);
    assert_eq!(first[line].order_id, first[order].id);
    assert!(
        second.get(line_again).is_none(),
        "made from another one: load it"
    );
    let of = |done: &Committed| done.of::<Order>().map(|row| *row.key).collect::<Vec<_>>();
    assert_eq!(of(&again), of(&done));
    let skus = |done: &Committed| {
        done.of::<StockLevel>()
            .map(|row| row.key.1.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(skus(&again), skus(&done));
    assert_eq!(skus(&again), ["tab\tand \"quote\"", "line\nend"]);
    assert_eq!(stocks(conn), [(1, 3, 2), (3, 10, 2), (4, 10, 1)]);
    let count: i64 = orders::table.count().get_result(conn).unwrap();
    let lines: i64 = order_lines::table.count().get_result(conn).unwrap();
    let levels: i64 = stock_levels::table.count().get_result(conn).unwrap();
    assert_eq!((count, lines, levels), (2, 1, 2));
}

#[test]
fn inserted_rows_are_known_again_by_what_they_are() {
    let db = shop(1);
    let conn = &mut db.connect();
    let order = |customer: &str| Order {
        id: -1,
        customer: customer.into(),
        total_cents: 0,
        version: 0,
    };
    let commit = |conn: &mut Conn, customers: [&str; 2]| {
        let mut uow = Unit::new();
        uow.idempotency_key_for("a", "both of them").unwrap();
        let handles = customers.map(|customer| uow.insert(order(customer)).unwrap());
        let done = uow.commit(conn).unwrap();
        let row = |handle| {
            uow.get(handle)
                .map(|row: &Order| (row.customer.clone(), row.id))
        };
        (done.is_replayed(), handles.map(row))
    };
    let (_, [ann, bob]) = commit(conn, ["Ann", "Bob"]);
    assert_eq!(commit(conn, ["Bob", "Ann"]), (true, [bob.clone(), ann]));
    // Another row is none of them.
    assert_eq!(commit(conn, ["Bob", "Eve"]), (true, [bob, None]));
}

#[test]
fn a_row_that_takes_the_place_of_another_is_known_again() {
    let db = shop(1);
    let conn = &mut db.connect();
    for replayed in [false, true] {
        let mut uow = Unit::new();
        uow.idempotency_key("a").unwrap();
        let old = uow.attach(product(1)).unwrap();
        uow.delete(old);
        let new = uow
            .insert(Product {
                stock: 3,
                ..product(1)
            })
            .unwrap();
        assert_eq!(uow.commit(conn).unwrap().is_replayed(), replayed);
        assert_eq!((uow[new].stock, uow[new].version), (3, 1));
        assert!(uow.get(old).is_none());
    }
}

#[test]
fn rows_are_made_from_others_once_also_under_a_key() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    uow.idempotency_key("a").unwrap();
    let order = uow
        .insert(Order {
            id: -1,
            customer: "Ann".into(),
            total_cents: 0,
            version: 0,
        })
        .unwrap();
    let made = Arc::new(AtomicUsize::new(0));
    let counts = Arc::clone(&made);
    uow.insert_with(order, move |order| {
        counts.fetch_add(1, Ordering::SeqCst);
        assert!(order.id > 0, "it is there");
        OrderLine {
            id: -1,
            order_id: order.id,
            product_id: 1,
            quantity: 5,
            version: 0,
        }
    })
    .unwrap();
    uow.commit(conn).unwrap();
    assert_eq!(made.load(Ordering::SeqCst), 1);
}

#[test]
fn a_replayed_unit_goes_on_from_what_stands_there() {
    let db = shop(2);
    let conn = &mut db.connect();
    save(conn, "a", form(3)).unwrap();
    // Someone else goes on.
    db.execute("UPDATE products SET stock = 8, version = 3 WHERE id = 1");
    let mut uow = Unit::new();
    uow.idempotency_key("a").unwrap();
    let handle = uow.save(form(3)).unwrap();
    let done = uow.commit(conn).unwrap();
    assert_eq!(
        rows(&done)[0].4.as_deref(),
        Some("2"),
        "what the first one made"
    );
    assert_eq!(
        uow[handle],
        Product {
            version: 3,
            ..form(8)
        }
    );
    assert!(!uow.is_dirty(handle));
    // The key is used up.
    uow[handle].stock = 7;
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    assert_eq!(stocks(conn), [(1, 7, 4), (2, 10, 1)]);

    db.execute("DELETE FROM products WHERE id = 1");
    let mut uow = Unit::new();
    uow.idempotency_key("a").unwrap();
    let handle = uow.save(form(3)).unwrap();
    assert!(uow.commit(conn).unwrap().is_replayed());
    assert!(uow.get(handle).is_none(), "it is gone");
    uow.insert(form(1)).expect("its key is free");
}

#[test]
fn what_runs_beside_a_unit_runs_once() {
    let db = shop(1);
    let conn = &mut db.connect();
    let ran = Arc::new(AtomicUsize::new(0));
    for expected in [11, 11, 22] {
        let mut uow = Unit::new();
        uow.idempotency_key(if expected == 22 { "b" } else { "a" })
            .unwrap();
        let counts = Arc::clone(&ran);
        uow.also(move |_| {
            counts.fetch_add(1, Ordering::SeqCst);
            Ok(())
        });
        let counts = Arc::clone(&ran);
        uow.after_commit(move |_| {
            counts.fetch_add(10, Ordering::SeqCst);
        });
        assert!(uow.commit(conn).unwrap().is_empty());
        assert_eq!(ran.load(Ordering::SeqCst), expected);
        // They are gone.
        uow.commit(conn).unwrap();
        assert_eq!(ran.load(Ordering::SeqCst), expected);
    }
}

#[test]
fn a_unit_that_fails_leaves_no_key() {
    let db = shop(2);
    let conn = &mut db.connect();
    let stale = Product {
        version: 7,
        ..form(3)
    };
    assert!(save(conn, "a", stale).unwrap_err().is_conflict());

    let mut uow = Unit::new();
    uow.idempotency_key("a").unwrap();
    uow.insert(product(2)).unwrap();
    assert_eq!(failure(uow.commit(conn)).code(), "constraint.unique");

    let mut uow = Unit::new();
    uow.idempotency_key("a").unwrap();
    uow.also(|_| Err(Error::RollbackTransaction));
    failure(uow.commit(conn));

    assert!(Unit::new().outcome(conn, "a").unwrap().is_none());
    let (done, _) = save(conn, "a", form(3)).unwrap();
    assert!(!done.is_replayed());
    assert_eq!(stocks(conn), [(1, 3, 2), (2, 10, 1)]);
}

#[test]
fn a_unit_that_failed_keeps_its_key() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    uow.idempotency_key("a").unwrap();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 3;
    db.execute("UPDATE products SET name = 'Chai', version = 2");
    let conflicts = conflicts(uow.commit(conn));
    let conflict = conflicts.of::<Product>().next().unwrap();
    uow.resolve(conflict, |_, mine, theirs| {
        Ok(Product {
            stock: mine.stock,
            ..theirs
        })
    })
    .unwrap();
    assert!(!uow.commit(conn).unwrap().is_replayed());
    let outcome = Unit::new().outcome(conn, "a").unwrap().unwrap();
    assert_eq!(rows(&outcome)[0].4.as_deref(), Some("3"));
}

#[test]
fn of_many_at_once_one_writes_and_the_others_get_its_answer() {
    let db = shop(1);
    for round in 0..10 {
        let version = 1 + round;
        let answers = race(&db, 6, |_, conn| {
            let form = Product {
                version,
                ..form(3 + round)
            };
            save(conn, &format!("round {round}"), form)
        });
        let mut written = 0;
        let mut seen = Vec::new();
        for answer in answers {
            let (done, product) = answer.unwrap();
            written += usize::from(!done.is_replayed());
            assert_eq!(product.unwrap().version, version + 1);
            seen.push(rows(&done));
        }
        assert_eq!(written, 1, "round {round}");
        seen.dedup();
        assert_eq!(seen.len(), 1, "{seen:?}");
    }
    assert_eq!(stocks(&mut db.connect()), [(1, 12, 11)]);
}

#[test]
fn of_many_at_once_one_inserts() {
    let db = shop(0);
    let answers = race(&db, 6, |_, conn| {
        let mut uow = Unit::new();
        uow.idempotency_key("an order").unwrap();
        let order = Order {
            id: -1,
            customer: "Ann".into(),
            total_cents: 0,
            version: 0,
        };
        let order = uow.insert(order).unwrap();
        uow.commit(conn).map(|_| uow[order].id)
    });
    let ids: Vec<i32> = orders::table
        .select(orders::id)
        .load(&mut db.connect())
        .unwrap();
    assert_eq!(ids.len(), 1);
    for answer in answers {
        assert_eq!(answer.unwrap(), ids[0]);
    }
}

#[test]
fn if_the_one_that_writes_fails_the_one_that_waits_goes_on() {
    let db = shop(1);
    let under_way = Barrier::new(2);
    let answers = race(&db, 2, |number, conn| {
        let mut uow = Unit::new();
        uow.idempotency_key("a").unwrap();
        uow.save(form(3)).unwrap();
        let under_way = &under_way;
        if number == 1 {
            // The other one holds the key now, and will not commit.
            under_way.wait();
            return uow.commit(conn).map(|done| done.is_replayed());
        }
        drop(uow);
        let result = conn.transaction::<_, CommitError, _>(|conn| {
            let (done, _) = save(conn, "a", form(3))?;
            assert!(!done.is_replayed());
            under_way.wait();
            Err(Error::RollbackTransaction.into())
        });
        result.map(|()| false)
    });
    assert!(answers[0].is_err());
    assert!(!answers[1].as_ref().unwrap(), "{answers:?}");
    assert_eq!(stocks(&mut db.connect()), [(1, 3, 2)]);
}

#[test]
fn the_outcome_of_a_commit_under_way_is_waited_for() {
    let db = shop(1);
    let under_way = Barrier::new(2);
    let answers = race(&db, 2, |number, conn| {
        if number == 1 {
            under_way.wait();
            let outcome = Unit::new().outcome(conn, "a").unwrap();
            return outcome.map(|done| rows(&done));
        }
        conn.transaction::<_, CommitError, _>(|conn| {
            let (done, _) = save(conn, "a", form(3))?;
            under_way.wait();
            Ok(Some(rows(&done)))
        })
        .unwrap()
    });
    assert_eq!(answers[0], answers[1]);
    assert!(answers[1].is_some());
}

#[test]
fn the_outcome_is_told_with_the_types_of_what_the_unit_tracks() {
    let db = shop(4);
    let conn = &mut db.connect();
    assert!(Unit::new().outcome(conn, "a").unwrap().is_none());
    assert!(
        Unit::new().outcome(conn, "a").unwrap().is_none(),
        "asking takes no key"
    );
    let (_, done, ..) = everything(conn, "a");

    let stranger = Unit::new().outcome(conn, "a").unwrap().unwrap();
    assert!(stranger.is_replayed());
    assert_eq!(rows(&stranger), rows(&done));
    assert_eq!(stranger.of::<Product>().count(), 0);

    let mut uow = Unit::new();
    let handle = uow.save(form(3)).unwrap();
    let known = uow.outcome(conn, "a").unwrap().unwrap();
    let products: Vec<_> = known
        .of::<Product>()
        .map(|row| (*row.key, row.new_version.copied()))
        .collect();
    assert_eq!(products, [(1, Some(2))]);
    assert_eq!(known.len(), done.len());
    assert_eq!((&uow[handle], uow.is_dirty(handle)), (&form(3), true));
    let error = uow.outcome(conn, "").unwrap_err();
    assert_eq!(error.code(), "replay.key");
}

#[test]
fn after_an_unknown_outcome_the_unit_is_committed_again() {
    let db = shop(1);
    let mut conn = db.connect();
    let Some(kill) = conn.kill_statement() else {
        return;
    };
    let mut killer = db.connect();
    let mut uow = Unit::new();
    uow.idempotency_key("a").unwrap();
    let handle = uow.save(form(3)).unwrap();
    let mut attempts = 0;
    uow.also(move |_| {
        use diesel::connection::SimpleConnection;
        attempts += 1;
        if attempts == 1 {
            killer.batch_execute(&kill).unwrap();
        }
        Ok(())
    });
    let error = failure(uow.commit(&mut conn));
    assert_eq!(error.code(), "outcome.unknown");
    let conn = &mut db.connect();
    assert!(uow.outcome(conn, "a").unwrap().is_none());
    assert!(!uow.commit(conn).unwrap().is_replayed());
    assert_eq!((uow[handle].version, stocks(conn)), (2, vec![(1, 3, 2)]));
    assert!(uow.outcome(conn, "a").unwrap().is_some());
}

#[test]
fn what_follows_a_commit_that_got_no_answer_runs_when_it_is_replayed() {
    // The answer to COMMIT is lost: the row and the key are there, and the unit does not know it.
    let db = shop(1);
    let mut conn = db.connect();
    let Some(kill) = conn.kill_statement() else {
        return;
    };
    let (mut killer, mut first) = (db.connect(), db.connect());
    let hooks = Arc::new(AtomicUsize::new(0));
    let mut uow = Unit::new();
    uow.idempotency_key_for("a", "the same request").unwrap();
    let handle = uow.save(form(3)).unwrap();
    let mut attempts = 0;
    uow.also(move |_| {
        use diesel::connection::SimpleConnection;
        attempts += 1;
        if attempts == 1 {
            killer.batch_execute(&kill).unwrap();
        }
        Ok(())
    });
    let counts = Arc::clone(&hooks);
    uow.after_commit(move |done| {
        assert!(done.is_replayed());
        counts.fetch_add(1, Ordering::SeqCst);
    });
    assert_eq!(failure(uow.commit(&mut conn)).code(), "outcome.unknown");
    // As if that had been written after all.
    let mut written = Unit::new();
    written
        .idempotency_key_for("a", "the same request")
        .unwrap();
    written.save(form(3)).unwrap();
    written.commit(&mut first).unwrap();

    assert!(uow.commit(&mut db.connect()).unwrap().is_replayed());
    assert_eq!(hooks.load(Ordering::SeqCst), 1);
    assert_eq!((uow[handle].stock, uow[handle].version), (3, 2));
}

#[test]
fn a_request_that_is_computed_says_what_it_asks_for() {
    let db = shop(1);
    let conn = &mut db.connect();
    let sell = |conn: &mut Conn, body: &[u8]| {
        let mut uow = Unit::new();
        uow.idempotency_key_for("a", body)?;
        let handle: Handle<Product> = uow.find(conn, 1)?;
        uow[handle].stock -= 3;
        let done = uow.commit(conn)?;
        Ok::<_, CommitError>((uow[handle].stock, uow[handle].version, done.is_replayed()))
    };
    assert_eq!(sell(conn, b"three").unwrap(), (7, 2, false));
    assert_eq!(sell(conn, b"three").unwrap(), (7, 2, true));
    assert_eq!(
        sell(conn, b"four").unwrap_err().code(),
        "replay.other_payload"
    );
    assert_eq!(stocks(conn), [(1, 7, 2)]);
    // It is neither the text of a unit.
    assert_eq!(
        save(conn, "a", form(7)).unwrap_err().code(),
        "replay.other_payload"
    );
}

#[test]
fn work_that_is_tried_again_is_written_once() {
    let db = shop(1);
    let conn = &mut db.connect();
    let policy = RetryPolicy::default();
    for replayed in [false, true] {
        let mut attempts = 0;
        let outside = db.connect();
        let mut outside = Some(outside);
        let (_, done) = Unit::run(conn, &policy, |uow, conn| {
            attempts += 1;
            uow.idempotency_key_for("a", "one less").unwrap();
            let handle: Handle<Product> = uow.find(conn, 1)?;
            uow[handle].stock -= 1;
            Ok::<_, CommitError>(())
        })
        .unwrap();
        drop(outside.take());
        assert_eq!((attempts, done.is_replayed()), (1, replayed));
    }
    assert_eq!(stocks(conn), [(1, 9, 2)]);
}

#[test]
fn a_key_goes_with_the_transaction_around_it() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut replayed = None;
    let result = conn.transaction::<(), CommitError, _>(|conn| {
        let (first, _) = save(conn, "a", form(3))?;
        assert!(first.is_nested() && !first.is_replayed());
        let mut uow = Unit::new();
        uow.idempotency_key("a")?;
        let handle = uow.save(form(3))?;
        let second = uow.commit(conn)?;
        assert!(second.is_replayed());
        assert_eq!(uow[handle].version, 2);
        replayed = Some((uow, handle, second));
        Err(Error::RollbackTransaction.into())
    });
    assert!(result.is_err());
    assert_eq!(stocks(conn), [(1, 10, 1)]);
    // What was replayed is gone as well, and is taken back.
    let (mut uow, handle, second) = replayed.unwrap();
    assert!(second.is_nested());
    second.undo(&mut uow).unwrap();
    assert_eq!((&uow[handle], uow.is_dirty(handle)), (&form(3), true));
    assert!(!uow.commit(conn).unwrap().is_replayed());
    assert_eq!(stocks(conn), [(1, 3, 2)]);
}

#[test]
fn what_is_taken_back_in_memory_has_its_key_again() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    uow.idempotency_key("a").unwrap();
    let handle = uow.save(form(3)).unwrap();
    let mut done = None;
    let result = conn.transaction::<(), CommitError, _>(|conn| {
        done = Some(uow.commit(conn)?);
        Err(Error::RollbackTransaction.into())
    });
    assert!(result.is_err());
    done.unwrap().undo(&mut uow).unwrap();
    assert!(uow.is_dirty(handle));
    uow.commit(conn).unwrap();
    assert!(
        uow.outcome(conn, "a").unwrap().is_some(),
        "the key is part of what is undone"
    );
}

/// A unit that saves a form under a key, and how often what follows it has run.
fn counted() -> (Unit, Arc<AtomicUsize>) {
    let hooks = Arc::new(AtomicUsize::new(0));
    let mut uow = Unit::new();
    uow.idempotency_key("a").unwrap();
    uow.save(form(3)).unwrap();
    let counts = Arc::clone(&hooks);
    uow.after_commit(move |_| {
        counts.fetch_add(1, Ordering::SeqCst);
    });
    (uow, hooks)
}

#[test]
fn a_commit_that_was_taken_back_got_its_answer() {
    // It went with the caller's transaction, so whoever wrote the request has run what follows it.
    let db = shop(1);
    let conn = &mut db.connect();
    let (mut uow, hooks) = counted();
    let mut done = None;
    let result = conn.transaction::<(), CommitError, _>(|conn| {
        done = Some(uow.commit(conn)?);
        Err(Error::RollbackTransaction.into())
    });
    assert!(result.is_err());
    done.unwrap().undo(&mut uow).unwrap();
    save(conn, "a", form(3)).unwrap();
    assert!(uow.commit(conn).unwrap().is_replayed());
    assert_eq!(hooks.load(Ordering::SeqCst), 0);
}

#[test]
fn a_commit_that_panicked_got_its_answer() {
    let db = shop(1);
    let conn = &mut db.connect();
    let (mut uow, hooks) = counted();
    let mut calls = 0;
    uow.also(move |_| {
        calls += 1;
        assert!(calls > 1, "on purpose");
        Ok(())
    });
    let panicked = catch_unwind(AssertUnwindSafe(|| uow.commit(conn)));
    assert!(panicked.is_err());
    save(conn, "a", form(3)).unwrap();
    assert!(uow.commit(conn).unwrap().is_replayed());
    assert_eq!(hooks.load(Ordering::SeqCst), 0);
}

#[test]
fn keys_expire_by_the_clock_of_the_database() {
    let db = shop(1);
    let conn = &mut db.connect();
    save(conn, "a", form(3)).unwrap();
    let hour = Duration::from_secs(3600);
    assert_eq!(Unit::expire_idempotency_keys(conn, hour).unwrap(), 0);
    assert_eq!(
        Unit::expire_idempotency_keys(conn, Duration::MAX).unwrap(),
        0
    );
    db.execute("UPDATE diesel_versioned_replays SET made_at = made_at - 3600001");
    save(
        conn,
        "b",
        Product {
            version: 2,
            ..form(4)
        },
    )
    .unwrap();
    assert_eq!(Unit::expire_idempotency_keys(conn, hour).unwrap(), 1);
    assert!(Unit::new().outcome(conn, "a").unwrap().is_none());
    assert!(Unit::new().outcome(conn, "b").unwrap().is_some());
    assert!(
        save(conn, "a", form(3)).unwrap_err().is_conflict(),
        "it is written again"
    );
}

#[test]
fn bad_keys_are_refused_before_anything_is_done() {
    let mut uow = Unit::new();
    assert_eq!(uow.idempotency_key(""), Err(KeyError::Empty));
    let long = "x".repeat(256);
    assert_eq!(
        uow.idempotency_key_for(&long, ""),
        Err(KeyError::TooLong { length: 256 })
    );
    for key in [" a", "a\t", "a\nb"] {
        let error = uow.idempotency_key(key).unwrap_err();
        assert_eq!(error.code(), "replay.key");
        assert!(error.to_string().contains("trim it"), "{error}");
    }
    // The longest that there can be, in the widest characters.
    let db = shop(1);
    let conn = &mut db.connect();
    let long = "🫖".repeat(255);
    save(conn, &long, form(3)).unwrap();
    assert!(save(conn, &long, form(3)).unwrap().0.is_replayed());
}

#[test]
fn without_the_table_the_error_names_it() {
    let db = super::shop(1);
    let conn = &mut db.connect();
    let error = save(conn, "a", form(3)).unwrap_err();
    let CommitError::Database { entity, .. } = &error else {
        panic!("{error:?}");
    };
    assert_eq!(entity.as_ref().unwrap().table, "diesel_versioned_replays");
    assert!(
        error.to_string().contains("`diesel_versioned_replays`"),
        "{error}"
    );
    assert_eq!(stocks(conn), [(1, 10, 1)]);
    assert_eq!(super::depth(conn), 0);
}

#[test]
fn a_large_unit_is_recorded_too() {
    let db = super::shop(2_000);
    let conn = &mut db.connect();
    {
        use diesel_migrations::MigrationHarness;
        conn.run_pending_migrations(Conn::OWN_TABLES).unwrap();
    }
    let commit = |conn: &mut Conn| {
        let mut uow = Unit::new();
        uow.idempotency_key("a").unwrap();
        for id in 1..=2_000 {
            uow.save(Product {
                stock: id,
                ..product(id)
            })
            .unwrap();
        }
        uow.commit(conn).unwrap()
    };
    let first = commit(conn);
    let second = commit(conn);
    assert!(second.is_replayed());
    assert_eq!(second.of::<Product>().count(), 2_000);
    assert_eq!(rows(&second), rows(&first));
}
