//! Whatever the order in which rows are asked for, nobody deadlocks.

use diesel::prelude::*;

use super::shop;
use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::{TestBackend, race};

const THREADS: usize = 6;
const ROUNDS: i32 = 25;
const ROWS: i32 = 12;

/// Every row in another order in each thread and each round.
fn shuffled(number: usize, round: i32) -> Vec<i32> {
    let mut keys: Vec<i32> = (1..=ROWS).collect();
    let first = (number * 5 + usize::try_from(round).unwrap()) % keys.len();
    keys.rotate_left(first);
    if number % 2 == 1 {
        keys.reverse();
    }
    keys
}

#[test]
fn rows_that_are_locked_in_opposite_orders_never_deadlock() {
    let db = shop(ROWS);
    let results = race(&db, THREADS, |number, conn| {
        for round in 0..ROUNDS {
            conn.transaction::<_, SaveError<Product>, _>(|conn| {
                let keys = shuffled(number, round);
                let mut rows = Product::lock_all(conn, keys, Lock::Update, Wait::Block)?;
                for row in &mut rows {
                    row.stock += 1;
                    row.save(conn)?;
                }
                Ok(())
            })?;
        }
        Ok::<_, SaveError<Product>>(())
    });
    for result in results {
        result.unwrap();
    }
    let written = ROUNDS * i32::try_from(THREADS).unwrap();
    for id in 1..=ROWS {
        let row = Product::find(&mut db.connect(), id).unwrap();
        assert_eq!((row.stock, row.version), (10 + written, 1 + written));
    }
}

#[test]
fn units_that_lock_in_opposite_orders_never_deadlock_nor_conflict() {
    let db = shop(ROWS);
    let once = RetryPolicy::new().attempts(1);
    let results = race(&db, THREADS, |number, conn| {
        for round in 0..ROUNDS {
            UnitOfWork::run(conn, &once, |uow, conn| {
                let keys = shuffled(number, round);
                let rows = uow.lock_all::<Product, _>(conn, keys, Lock::Update, Wait::Block)?;
                for row in rows {
                    uow[row].stock += 1;
                }
                Ok::<_, CommitError>(())
            })?;
        }
        Ok::<_, RetryError<CommitError>>(())
    });
    for result in results {
        result.unwrap_or_else(|error| panic!("{}: {error:?}", crate::Conn::NAME));
    }
    let written = ROUNDS * i32::try_from(THREADS).unwrap();
    assert_eq!(
        Product::find(&mut db.connect(), ROWS).unwrap().stock,
        10 + written
    );
}

#[test]
fn readers_and_writers_that_lock_all_never_deadlock() {
    let db = shop(ROWS);
    let results = race(&db, THREADS, |number, conn| {
        let lock = if number < 2 {
            Lock::Update
        } else {
            Lock::Share
        };
        for round in 0..ROUNDS {
            let sum = conn.transaction::<_, SaveError<Product>, _>(|conn| {
                let mut rows = Product::lock_all(conn, shuffled(number, round), lock, Wait::Block)?;
                let sum: i32 = rows.iter().map(|row| row.stock).sum();
                if let (Lock::Update, [first, second, ..]) = (lock, rows.as_mut_slice()) {
                    first.stock -= 1;
                    second.stock += 1;
                    first.save(conn)?;
                    second.save(conn)?;
                }
                Ok(sum)
            })?;
            assert_eq!(sum, 10 * ROWS);
        }
        Ok::<_, SaveError<Product>>(())
    });
    for result in results {
        result.unwrap();
    }
}
