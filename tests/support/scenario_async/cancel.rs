//! A commit that is dropped halfway: nothing is half written, memory is as it was, and the
//! connection works or says that it is broken.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use diesel::prelude::*;
use diesel::result::Error;
use diesel_async::{AsyncConnection, SimpleAsyncConnection};
use diesel_versioned::async_prelude::*;

use super::{connect, manager};
use crate::support::TestDb;
use crate::support::entities::{Order, OrderLine, Product};
use crate::support::schema::{order_lines, orders, products};
use crate::{Conn, Inner};

/// Runs a test on a runtime of its own, whose only thread for blocking work can be kept busy.
fn block_on<F: Future>(test: F) -> F::Output {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(1)
        .enable_all()
        .build()
        .expect("the runtime starts")
        .block_on(test)
}

/// When a future is dropped.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// While it waits: what it has sent last is under way.
    Waiting,
    /// When what it waited for is there, and it has not looked yet.
    Answered,
}

/// Polls a future so many times and drops it then, unless it is ready before.
async fn polled<F: Future>(future: F, times: usize, moment: Moment) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut left = times;
    poll_fn(move |context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        // The only thread for blocking work is taken meanwhile, so that no statement is done
        // before it has been waited for.
        let (done, busy) = std::sync::mpsc::channel::<()>();
        tokio::task::spawn_blocking(move || busy.recv());
        // Nor does a fast answer from a socket: of the 128 things that tokio lets a task do at once,
        // two are left.
        let burn = pin!(async {
            for _ in 0..126 {
                tokio::task::consume_budget().await;
            }
        });
        let _spent: Poll<()> = burn.poll(context);
        let polled = future.as_mut().poll(context);
        drop(done);
        match (polled, moment) {
            (Poll::Ready(output), _) => Poll::Ready(Some(output)),
            (Poll::Pending, Moment::Waiting) if left == 0 => Poll::Ready(None),
            (Poll::Pending, _) => Poll::Pending,
        }
    })
    .await
}

fn shop() -> TestDb {
    let db = TestDb::new();
    db.execute(
        "INSERT INTO products VALUES (1, 'P1', 100, 10, 1), (2, 'P2', 100, 10, 1), \
         (3, 'P3', 100, 10, 1), (4, 'P4', 100, 10, 1)",
    );
    db
}

/// A unit of several types, with a row that is only checked, generated keys, and a closure.
struct Work {
    uow: UnitOfWork<Inner>,
    changed: [Handle<Product>; 2],
    order: Handle<Order>,
    line: Handle<OrderLine>,
}

impl Work {
    async fn new(conn: &mut Inner) -> Self {
        let mut uow = UnitOfWork::new();
        let mut changed = Vec::new();
        for id in [1, 2] {
            let handle: Handle<Product> = uow.find(conn, id).await.unwrap();
            uow[handle].stock = 5;
            changed.push(handle);
        }
        let seen: Handle<Product> = uow.find(conn, 3).await.unwrap();
        uow.expect_unchanged(seen);
        let order = uow
            .insert(Order {
                id: 0,
                customer: "Ada".into(),
                total_cents: 100,
                version: 0,
            })
            .unwrap();
        let line = uow
            .insert_with(order, |order: &Order| OrderLine {
                id: 0,
                order_id: order.id,
                product_id: 1,
                quantity: 5,
                version: 0,
            })
            .unwrap();
        uow.also(async |conn| {
            conn.batch_execute("UPDATE products SET name = 'also' WHERE id = 4")
                .await
        });
        Self {
            uow,
            changed: [changed[0], changed[1]],
            order,
            line,
        }
    }

    /// Nothing has happened, as far as memory goes.
    fn assert_untouched(&self) {
        for handle in self.changed {
            assert_eq!((self.uow[handle].stock, self.uow[handle].version), (5, 1));
            assert!(self.uow.is_dirty(handle));
        }
        assert_eq!(
            (self.uow[self.order].id, self.uow[self.order].version),
            (0, 0)
        );
        assert_eq!(self.uow.get(self.line), None);
    }
}

fn is_broken(result: &QueryResult<()>) -> bool {
    matches!(result, Err(Error::BrokenTransactionManager))
}

#[test]
fn a_read_that_is_dropped_leaves_the_unit_as_it_was() {
    block_on(async {
        let db = shop();
        for polls in 0.. {
            let mut conn = connect(&db).await;
            let mut uow = UnitOfWork::new();
            let reading = uow.read(&mut conn, Isolation::Serializable, async |uow, conn| {
                let first: Handle<Product> = uow.find(conn, 1).await?;
                let second: Handle<Product> = uow.find(conn, 2).await?;
                Ok::<_, CommitError>([first, second])
            });
            let read = polled(reading, polls, Moment::Waiting).await;
            let next = conn.transaction(async |_| QueryResult::Ok(())).await;
            let Some(result) = read else {
                assert!(uow.is_empty());
                // Whoever gets it next would be in that transaction, or could not write.
                assert_eq!(is_broken(&next), polls > 0, "{polls}: {next:?}");
                continue;
            };
            assert_eq!(result.unwrap().len(), uow.len());
            assert!(
                polls > 3,
                "{polls} polls are too few for so many statements"
            );
            assert_eq!(next, Ok(()));
            let mut product = Product::find(&mut conn, 1).await.unwrap();
            product.touch(&mut conn).await.unwrap();
            break;
        }
    });
}

/// Whether the unit is in the database: all of it or nothing.
fn is_written(db: &TestDb) -> bool {
    // The connection that was dropped is closed by a task of this thread.
    tokio::task::block_in_place(|| look(&mut db.connect()))
}

fn look(conn: &mut Conn) -> bool {
    // Waits for whoever still holds a row.
    diesel::update(products::table)
        .set(products::id.eq(products::id))
        .execute(conn)
        .unwrap();
    let products: Vec<(String, i32, i32)> = products::table
        .select((products::name, products::stock, products::version))
        .order(products::id)
        .load(conn)
        .unwrap();
    let orders: i64 = orders::table.count().get_result(conn).unwrap();
    let lines: i64 = order_lines::table.count().get_result(conn).unwrap();
    let row = |name: &str, stock, version| (name.to_owned(), stock, version);
    let before = [
        row("P1", 10, 1),
        row("P2", 10, 1),
        row("P3", 10, 1),
        row("P4", 10, 1),
    ];
    let after = [
        row("P1", 5, 2),
        row("P2", 5, 2),
        row("P3", 10, 1),
        row("also", 10, 1),
    ];
    match (orders, lines) {
        (0, 0) if products == before => false,
        (1, 1) if products == after => true,
        _ => panic!("half written: {products:?}, {orders} orders, {lines} lines"),
    }
}

fn restore(db: &TestDb) {
    db.execute("DELETE FROM order_lines");
    db.execute("DELETE FROM orders");
    db.execute("UPDATE products SET stock = 10, version = 1");
    db.execute("UPDATE products SET name = 'P4' WHERE id = 4");
}

#[test]
fn a_commit_that_is_dropped_at_any_point_leaves_nothing_half_done() {
    block_on(async {
        let db = shop();
        for moment in [Moment::Waiting, Moment::Answered] {
            let mut unwritten = 0;
            for polls in 0.. {
                let mut conn = connect(&db).await;
                let mut work = Work::new(&mut conn).await;
                if let Some(result) = polled(work.uow.commit(&mut conn), polls, moment).await {
                    assert_eq!(result.unwrap().len(), 4);
                    assert!(
                        polls > 6,
                        "{polls} polls are too few for so many statements"
                    );
                    assert!(is_written(&db));
                    assert_eq!(conn.transaction(async |_| QueryResult::Ok(1)).await, Ok(1));
                    restore(&db);
                    break;
                }
                work.assert_untouched();
                // A connection that would go on in the transaction that was left open would lose
                // what is written next.
                let next = conn.transaction(async |_| QueryResult::Ok(())).await;
                assert_eq!(is_broken(&next), polls > 0, "{polls} {moment:?}: {next:?}");
                assert_single_writes_fail_if(polls > 0, &mut conn).await;
                drop(conn);

                // The unit can be committed again, unless it was the COMMIT that was dropped.
                let was_written = is_written(&db);
                let mut conn = connect(&db).await;
                match work.uow.commit(&mut conn).await {
                    Ok(done) => assert_eq!((done.len(), was_written), (4, false)),
                    Err(error) => assert!(error.is_conflict() && was_written, "{error:?}"),
                }
                unwritten += u32::from(!was_written);
                assert!(is_written(&db));
                restore(&db);
            }
            assert!(unwritten > 5, "only {unwritten} came before COMMIT");
        }
    });
}

/// A single write would join the transaction that was left open, and go with it.
async fn assert_single_writes_fail_if(broken: bool, conn: &mut Inner) {
    let mut product = Product {
        id: 3,
        name: "P3".into(),
        price_cents: 100,
        stock: 10,
        version: 1,
    };
    let results = [
        Product::find(conn, 3)
            .await
            .map(drop)
            .map_err(SaveError::from),
        product.reload(conn).await.map_err(SaveError::from),
        product.save(conn).await,
        product.touch(conn).await,
        product.delete(conn).await,
        product.insert(conn).await,
    ];
    for result in results {
        match result {
            Ok(()) => assert!(!broken),
            Err(SaveError::Database(Error::BrokenTransactionManager)) => assert!(broken),
            Err(error) => panic!("{error:?}"),
        }
    }
    if !broken {
        conn.batch_execute("UPDATE products SET version = 1 WHERE id = 3")
            .await
            .unwrap();
    }
}

/// Whoever asks next must not be given the answer that nobody waited for.
#[test]
fn a_dropped_read_does_not_answer_the_next_one() {
    block_on(async {
        let db = shop();
        for moment in [Moment::Waiting, Moment::Answered] {
            for polls in 1.. {
                let mut conn = connect(&db).await;
                // Prepared before, so that it is the answer that is waited for.
                Product::find(&mut conn, 4).await.unwrap();
                let dropped = polled(Product::find(&mut conn, 1), polls, moment).await;
                for id in [2, 3] {
                    match Product::find(&mut conn, id).await {
                        Ok(product) => assert_eq!(product.id, id, "{polls} {moment:?}"),
                        Err(Error::BrokenTransactionManager) => assert!(dropped.is_none()),
                        Err(error) => panic!("{error:?}"),
                    }
                }
                if dropped.is_some() {
                    break;
                }
            }
        }
    });
}

#[test]
fn a_dropped_savepoint_breaks_the_transaction_around_it() {
    block_on(async {
        let db = shop();
        for polls in 1.. {
            let mut conn = connect(&db).await;
            let mut work = Work::new(&mut conn).await;
            let mut finished = false;
            let outer = conn
                .transaction(async |conn| {
                    conn.batch_execute("UPDATE products SET name = 'outer' WHERE id = 3")
                        .await?;
                    let commit = polled(work.uow.commit(conn), polls, Moment::Answered).await;
                    finished = commit.is_some();
                    // As if nothing had happened.
                    QueryResult::Ok(())
                })
                .await;
            drop(conn);
            if finished {
                assert_eq!(outer, Ok(()));
                break;
            }
            work.assert_untouched();
            assert!(is_broken(&outer), "{polls}: {outer:?}");
            assert!(!is_written(&db));
        }
    });
}

#[test]
fn a_pool_does_not_lend_a_connection_on_which_a_commit_was_dropped() {
    use diesel_async::pooled_connection::deadpool::Pool;

    block_on(async {
        let db = shop();
        let pool = Pool::builder(manager(&db)).max_size(1).build().unwrap();
        for polls in 1.. {
            let mut work = Work::new(&mut pool.get().await.unwrap()).await;
            let mut conn = pool.get().await.unwrap();
            let result = polled(work.uow.commit(&mut conn), polls, Moment::Waiting).await;
            drop(conn);
            if result.is_some() {
                break;
            }
            work.assert_untouched();
            // The pool looks at it, and closes it, when it is asked for the next one.
            let mut conn = pool.get().await.unwrap();
            let written = is_written(&db);
            assert_eq!(conn.transaction(async |_| QueryResult::Ok(1)).await, Ok(1));
            assert_eq!(work.uow.commit(&mut conn).await.is_ok(), !written);
            restore(&db);
        }
    });
}

#[test]
fn a_single_write_that_is_dropped_leaves_the_entity_alone() {
    block_on(async {
        let db = shop();
        for polls in 0.. {
            let mut conn = connect(&db).await;
            let mut product = Product::find(&mut conn, 1).await.unwrap();
            let before = product.clone();
            if polled(product.save(&mut conn), polls, Moment::Answered)
                .await
                .is_some()
            {
                assert_eq!(product.version, before.version + 1);
                break;
            }
            assert_eq!(product, before);
        }
        // With the key that the database makes: a transaction where there is no RETURNING.
        for polls in 0.. {
            let mut conn = connect(&db).await;
            let mut order = Order {
                id: 0,
                customer: "Ada".into(),
                total_cents: 100,
                version: 7,
            };
            if polled(order.insert(&mut conn), polls, Moment::Answered)
                .await
                .is_some()
            {
                assert_eq!(order.version, 1);
                assert_eq!(conn.transaction(async |_| QueryResult::Ok(1)).await, Ok(1));
                break;
            }
            assert_eq!((order.id, order.version), (0, 7));
            let next = conn.transaction(async |_| QueryResult::Ok(())).await;
            assert!(next.is_ok() || is_broken(&next), "{polls}: {next:?}");
        }
    });
}

#[test]
fn an_overwrite_that_is_dropped_at_any_point_writes_the_row_and_the_record_or_neither() {
    block_on(async {
        let db = shop();
        tokio::task::block_in_place(|| db.make_own_tables());
        for moment in [Moment::Waiting, Moment::Answered] {
            let mut unwritten = 0;
            for polls in 0.. {
                let mut conn = connect(&db).await;
                conn.batch_execute("DELETE FROM diesel_versioned_overwrites")
                    .await
                    .unwrap();
                conn.batch_execute("UPDATE products SET stock = 10, version = 2 WHERE id = 1")
                    .await
                    .unwrap();
                let mut mine = Product::find(&mut conn, 1).await.unwrap();
                (mine.stock, mine.version) = (5, 1);
                let error = mine.save(&mut conn).await.unwrap_err();
                let conflict = error.conflict().unwrap();
                let anna = Actor::new("anna").unwrap();
                let overwriting = conflict.overwrite(&mut conn, anna, "counted");
                let done = polled(overwriting, polls, moment).await;
                drop(conn);
                match (is_overwritten(&db), done) {
                    (true, Some(Ok(written))) => {
                        assert_eq!((written.stock, written.version), (5, 3));
                        break;
                    }
                    (_, Some(result)) => panic!("{result:?}"),
                    (false, None) => unwritten += 1,
                    // It was the COMMIT that was waited for.
                    (true, None) => {}
                }
            }
            assert!(unwritten > 1, "{moment:?}: it was never dropped halfway");
        }
    });
}

/// Whether both are in the database, or neither is.
fn is_overwritten(db: &TestDb) -> bool {
    tokio::task::block_in_place(|| {
        let conn = &mut db.connect();
        // Waits for whoever still holds the row.
        let lock = diesel::update(products::table.find(1)).set(products::id.eq(1));
        lock.execute(conn).unwrap();
        let row: (i32, i32) = products::table
            .find(1)
            .select((products::stock, products::version))
            .first(conn)
            .unwrap();
        let records = diesel::delete(diesel_versioned_overwrites::table)
            .execute(conn)
            .unwrap();
        match (row, records) {
            ((10, 2), 0) => false,
            ((5, 3), 1) => true,
            half => panic!("half written: {half:?}"),
        }
    })
}

diesel::table! {
    diesel_versioned_overwrites (id) {
        id -> BigInt,
    }
}
