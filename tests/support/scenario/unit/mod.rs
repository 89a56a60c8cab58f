//! Units of work: many entities, one transaction, all or none.

mod batch;
mod combine;
mod committed;
mod conflict;
mod constraint;
mod handle;
mod insert;
mod isolation;
mod landed;
mod lost_connection;
mod lost_savepoint;
mod memory;
mod merge;
mod names;
mod nested;
mod order;
mod race;
mod refused;
mod replay;
mod reuse;
mod schemas;
mod track;
mod write;

use diesel::connection::{SimpleConnection, TransactionManager};
use diesel::prelude::*;

use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::TestDb;
use crate::support::entities::Product;
use crate::support::scenario::outcome::conflicts;
use crate::support::schema::products;

type Unit = UnitOfWork<Conn>;

/// A database with the products 1 to `count`, each with a stock of 10, at version 1.
pub fn shop(count: i32) -> TestDb {
    let db = TestDb::new();
    let conn = &mut db.connect();
    for ids in (1..=count).collect::<Vec<_>>().chunks(500) {
        let rows: Vec<String> = ids
            .iter()
            .map(|id| format!("({id}, 'P{id}', 100, 10, 1)"))
            .collect();
        conn.batch_execute(&format!("INSERT INTO products VALUES {}", rows.join(", ")))
            .unwrap();
    }
    db
}

pub fn product(id: i32) -> Product {
    Product {
        id,
        name: format!("P{id}"),
        price_cents: 100,
        stock: 10,
        version: 1,
    }
}

/// A unit that has read product 1 of a fresh shop.
fn one() -> (TestDb, Conn, Unit, Handle<Product>) {
    let db = shop(1);
    let mut conn = db.connect();
    let mut uow = Unit::new();
    let handle = uow.find(&mut conn, 1).unwrap();
    (db, conn, uow, handle)
}

/// Someone else changes the stock of a product.
pub fn sell(db: &TestDb, id: i32, stock: i32) {
    db.execute(&format!(
        "UPDATE products SET stock = {stock}, version = version + 1 WHERE id = {id}"
    ));
}

/// Id, stock and version of every product.
pub fn stocks(conn: &mut Conn) -> Vec<(i32, i32, i32)> {
    products::table
        .select((products::id, products::stock, products::version))
        .order(products::id)
        .load(conn)
        .unwrap()
}

/// How many transactions are open on a connection.
pub fn depth(conn: &mut Conn) -> u32 {
    type Manager = <Conn as Connection>::TransactionManager;
    Manager::transaction_manager_status_mut(conn)
        .transaction_depth()
        .expect("the connection is not broken")
        .map_or(0, std::num::NonZeroU32::get)
}

/// What a commit that must not succeed says.
#[track_caller]
fn failure(result: Result<Committed, CommitError>) -> CommitError {
    match result {
        Ok(done) => panic!("committed: {done:?}"),
        Err(error) => error,
    }
}

/// Table, key and kind of each conflict.
fn kinds(conflicts: &Conflicts) -> Vec<(&'static str, String, ConflictKind)> {
    conflicts
        .iter()
        .map(|conflict| (conflict.table(), conflict.key(), conflict.kind()))
        .collect()
}
