//! Many writers at once: one winner, no deadlock, no skew.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use diesel::prelude::*;

use super::{Unit, product, shop, stocks};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::{Account, Product};
use crate::support::schema::products;
use crate::support::{TestBackend, TestDb, race};

#[test]
fn of_fifty_at_one_version_exactly_one_wins() {
    let db = shop(1);
    let hooks = Arc::new(AtomicUsize::new(0));
    let everyone_has_read = Barrier::new(50);
    let results = race(&db, 50, |number, conn| {
        let mut uow = Unit::new();
        let handle: Handle<Product> = uow.find(conn, 1).unwrap();
        uow[handle].stock = 100 + i32::try_from(number).unwrap();
        let hooks = Arc::clone(&hooks);
        uow.after_commit(move |_| {
            hooks.fetch_add(1, Ordering::SeqCst);
        });
        everyone_has_read.wait();
        let result = uow.commit(conn).map(|done| done.len());
        assert_eq!(uow[handle].version, if result.is_ok() { 2 } else { 1 });
        result
    });
    let won: Vec<usize> = (0..50).filter(|&number| results[number].is_ok()).collect();
    assert_eq!(won.len(), 1, "{results:?}");
    let lost = results
        .iter()
        .filter(|result| matches!(result, Err(error) if error.is_conflict()))
        .count();
    assert_eq!(lost, 49, "{results:?}");
    assert_eq!(
        stocks(&mut db.connect()),
        [(1, 100 + i32::try_from(won[0]).unwrap(), 2)]
    );
    assert_eq!(hooks.load(Ordering::SeqCst), 1);
}

#[test]
fn two_doctors_on_call_never_both_leave() {
    // Each may leave if the other stays: each writes its own row and expects the other's.
    let db = shop(2);
    for _ in 0..40 {
        db.execute("UPDATE products SET stock = 1");
        let everyone_has_read = Barrier::new(2);
        let results = race(&db, 2, |number, conn| {
            let (me, other) = if number == 0 { (1, 2) } else { (2, 1) };
            let mut uow = Unit::new();
            let me: Handle<Product> = uow.find(conn, me).unwrap();
            let other: Handle<Product> = uow.find(conn, other).unwrap();
            assert_eq!(uow[other].stock, 1);
            uow[me].stock = 0;
            uow.expect_unchanged(other);
            everyone_has_read.wait();
            uow.commit(conn).map(|done| done.len())
        });
        let left = results.iter().filter(|result| result.is_ok()).count();
        assert_eq!(left, 1, "{results:?}");
        for error in results.into_iter().filter_map(Result::err) {
            assert!(error.is_conflict(), "{error:?}");
        }
        let on_call: i64 = products::table
            .filter(products::stock.eq(1))
            .count()
            .get_result(&mut db.connect())
            .unwrap();
        assert_eq!(on_call, 1);
    }
}

/// The next of a sequence of numbers that look random (xorshift).
fn next(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}

const ROWS: u64 = 60;
const THREADS: usize = 4;

/// Which random rows the writers of a round want.
#[derive(Clone, Copy)]
enum Rows {
    /// All of them the same.
    Same,
    /// Each its own, of which some are also another's.
    Overlapping,
}

/// Writers commit units over random rows, half of them in the opposite order; each says what it
/// wants of a row. Returns how many committed, lost, and were turned away.
fn fight(
    db: &TestDb,
    rows: Rows,
    threads: usize,
    rounds: usize,
    wish: impl Fn(&mut Unit, Handle<Product>, usize, u64) + Sync,
) -> [usize; 3] {
    let together = Barrier::new(threads);
    let results = race(db, threads, |number, conn| {
        let mut counts = [0; 3];
        let mut wishes = 99 * (number as u64 + 1);
        for round in 0..rounds {
            let mut seed = 7_919 * (round as u64 + 1);
            if let Rows::Overlapping = rows {
                seed += 104_729 * number as u64;
            }
            let mut ids: Vec<i32> = (0..25)
                .map(|_| i32::try_from(next(&mut seed) % ROWS + 1).unwrap())
                .collect();
            if number % 2 == 1 {
                ids.reverse();
            }
            let mut uow = Unit::new();
            for id in ids {
                let found: Option<Handle<Product>> = uow.find(conn, id).optional().unwrap();
                if let Some(handle) = found {
                    wish(&mut uow, handle, number, next(&mut wishes));
                }
            }
            together.wait();
            match uow.commit(conn) {
                Ok(_) => counts[0] += 1,
                Err(error) if error.is_conflict() => counts[1] += 1,
                Err(error) => {
                    eprintln!("{number} in round {round}: {error:?}");
                    counts[2] += 1;
                }
            }
            if together.wait().is_leader() {
                refill(conn);
            }
            together.wait();
        }
        counts
    });
    results.into_iter().fold([0; 3], |sum, counts| {
        std::array::from_fn(|index| sum[index] + counts[index])
    })
}

/// Puts rows back that were deleted.
fn refill(conn: &mut Conn) {
    let there: Vec<i32> = products::table.select(products::id).load(conn).unwrap();
    let mut uow = Unit::new();
    for id in 1..=i32::try_from(ROWS).unwrap() {
        if !there.contains(&id) {
            uow.insert(product(id)).unwrap();
        }
    }
    uow.commit(conn).unwrap();
}

fn change(uow: &mut Unit, handle: Handle<Product>, wish: u64) {
    // Never what it was, so that it is written.
    uow[handle].stock = i32::try_from(1_000 + wish % 1_000_000).unwrap();
}

fn every_row() -> TestDb {
    shop(i32::try_from(ROWS).unwrap())
}

#[test]
fn rule_13_opposite_orders_never_deadlock() {
    for rows in [Rows::Same, Rows::Overlapping] {
        let [won, lost, turned_away] = fight(
            &every_row(),
            rows,
            THREADS,
            60,
            |uow, handle, _, wish| match wish % 6 {
                0 => uow[handle].price_cents = i64::try_from(wish % 1_000).unwrap(),
                1 => uow[handle].name = format!("{}", wish % 1_000),
                2 => uow.touch(handle),
                3 => uow.expect_unchanged(handle),
                4 => uow.delete(handle),
                _ => change(uow, handle, wish),
            },
        );
        assert_eq!(turned_away, 0, "{won} won, {lost} lost");
        assert_eq!(won + lost, 60 * THREADS);
        assert!(won >= 60, "of each round someone wins: {won}");
    }
}

/// A batch must lock its own rows and no others, also where it is a good part of the table, so that
/// the database would rather read all of it.
#[test]
fn rule_13_a_batch_locks_no_other_rows() {
    let [won, lost, turned_away] = fight(
        &every_row(),
        Rows::Overlapping,
        THREADS,
        60,
        |uow, handle, number, wish| {
            if wish % 8 == 0 {
                uow.expect_unchanged(handle);
            } else if number == 0 {
                uow.delete(handle);
            } else {
                change(uow, handle, wish);
            }
        },
    );
    assert_eq!(turned_away, 0, "{won} won, {lost} lost");
    assert_eq!(won + lost, 60 * THREADS);
}

#[test]
fn one_kind_of_write_never_deadlocks() {
    let [won, lost, turned_away] = fight(
        &every_row(),
        Rows::Same,
        THREADS,
        60,
        |uow, handle, _, wish| {
            change(uow, handle, wish);
        },
    );
    assert_eq!(turned_away, 0, "{won} won, {lost} lost");
    assert_eq!((won, lost), (60, 60 * (THREADS - 1)));
}

#[test]
fn deletes_never_deadlock_with_updates() {
    // Whole units of one kind. Rows are soon stored in another order than that of their keys. Two
    // writers: where three wait for a row that goes, InnoDB picks a victim whatever the order.
    let [won, lost, turned_away] = fight(
        &every_row(),
        Rows::Same,
        2,
        200,
        |uow, handle, number, wish| match number {
            0 => uow.delete(handle),
            _ => change(uow, handle, wish),
        },
    );
    assert_eq!(turned_away, 0, "{won} won, {lost} lost");
    assert_eq!((won, lost), (200, 200));
}

#[test]
fn two_types_on_one_table_never_deadlock() {
    let [won, lost, turned_away] = fight(
        &every_row(),
        Rows::Same,
        THREADS,
        60,
        |uow, handle, number, wish| {
            // One half of the rows through each type, the halves differ from writer to writer.
            let id = uow[handle].id;
            if (id + i32::try_from(number).unwrap()) % 2 == 0 {
                change(uow, handle, wish);
            } else {
                let stock = Stock {
                    id,
                    stock: uow[handle].stock,
                    version: uow[handle].version,
                };
                if let Ok(handle) = uow.attach(stock) {
                    uow[handle].stock = i32::try_from(1_000 + wish % 1_000_000).unwrap();
                }
            }
        },
    );
    assert_eq!(turned_away, 0, "{won} won, {lost} lost");
    assert_eq!(won + lost, 60 * THREADS);
}

#[test]
fn types_that_join_in_opposite_orders_never_deadlock() {
    let db = every_row();
    for id in 1..=4 {
        db.execute(&format!(
            "INSERT INTO accounts VALUES ({id}, 'a{id}', NULL, 0, 1)"
        ));
    }
    let together = Barrier::new(THREADS);
    let results = race(&db, THREADS, |number, conn| {
        let mut counts = [0; 2];
        for round in 0..60 {
            let mut uow = Unit::new();
            for step in 0..2 {
                if (step + number) % 2 == 0 {
                    for id in 1..=10 {
                        let handle: Handle<Product> = uow.find(conn, id).unwrap();
                        uow[handle].stock = 1_000 * round + i32::try_from(number).unwrap();
                    }
                } else {
                    for id in 1..=4_i64 {
                        let handle: Handle<Account> = uow.find(conn, id).unwrap();
                        uow.touch(handle);
                    }
                }
            }
            together.wait();
            match uow.commit(conn) {
                Ok(_) => counts[0] += 1,
                Err(error) if error.is_conflict() => {}
                Err(error) => {
                    eprintln!("{number} in round {round}: {error:?}");
                    counts[1] += 1;
                }
            }
            together.wait();
        }
        counts
    });
    let sum = |index: usize| results.iter().map(|counts| counts[index]).sum::<usize>();
    assert_eq!((sum(0), sum(1)), (60, 0), "{results:?}");
}

/// Another view of `products`.
#[derive(Debug, Clone, Queryable, Selectable, Versioned)]
#[diesel(table_name = products)]
struct Stock {
    id: i32,
    stock: i32,
    #[version]
    version: i32,
}

#[test]
fn readers_and_writers_of_two_rows_never_deadlock() {
    if !Conn::CONCURRENT_WRITERS {
        return;
    }
    // Each expects what the other writes, in both orders of keys.
    let db = shop(4);
    let results = race(&db, 4, |number, conn| {
        let mut turned_away = 0;
        for round in 0..60 {
            let mut uow = Unit::new();
            let ids = if number % 2 == 0 { [1, 2] } else { [2, 1] };
            let [read, written] = ids.map(|id| uow.find::<Product>(conn, id).unwrap());
            uow.expect_unchanged(read);
            uow[written].stock = round;
            if let Err(error) = uow.commit(conn) {
                turned_away += usize::from(!error.is_conflict());
            }
        }
        turned_away
    });
    assert_eq!(results, [0; 4]);
}
