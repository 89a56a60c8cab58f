//! Row locks: `lock`, `lock_all`, `lock_loaded`, and those of units.

mod loaded;
mod order;
mod single;
mod unit;
mod wait;

use std::sync::Barrier;

use diesel::prelude::*;

use super::unit::shop;
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::TestDb;
use crate::support::entities::Product;

/// Runs `work` while someone else has locked rows of `products`.
fn while_locked<R>(db: &TestDb, keys: &[i32], lock: Lock, work: impl FnOnce() -> R) -> R {
    db.connect()
        .transaction::<_, SaveError<Product>, _>(|holder| {
            Product::lock_all(holder, keys.iter().copied(), lock, Wait::Block)?;
            Ok(work())
        })
        .unwrap()
}

/// What a transaction ends in that does nothing but lock.
fn in_transaction<R, E: From<diesel::result::Error>>(
    conn: &mut Conn,
    work: impl FnOnce(&mut Conn) -> Result<R, E>,
) -> Result<R, E> {
    conn.transaction(work)
}

/// Two threads, of which the second begins when the first has called the closure it is given.
fn one_after_the_other<A: Send, B: Send>(
    first: impl FnOnce(&dyn Fn()) -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    let there = Barrier::new(2);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| {
            first(&|| {
                there.wait();
            })
        });
        there.wait();
        let second = second();
        (first.join().unwrap(), second)
    })
}
