//! Single writes: `find`, `insert`, `save`, `touch`, `delete`, `reload`, `save_all`.
//!
//! A test that is called `rule_…` holds one of the rules of a single write:
//!
//! 1. An entity changes only after its write is known to have happened.
//! 2. Inside a caller's transaction a failure leaves the caller's earlier work alone.
//! 3. What failed can be done again, and fails or succeeds by what stands there then.
//! 4. The guard is inside the writing statement.
//! 5. The new version is computed in Rust from the expected one, checked for overflow, bound.
//! 6. The version is never written from user data; what the field holds is what is expected.
//! 7. An insert writes the initial version; nothing is inferred from a version of 0.
//! 8. One matched row is success, none a conflict by kind, several an error of its own.
//! 9. The read that classifies a conflict sees the truth.
//! 10. A save writes every writable column.

mod batch;
mod columns;
mod commands;
mod conflicts;
pub mod connections;
mod constraints;
mod errors;
mod isolation;
mod keys;
mod merge;
mod races;
mod refused;
mod statements;
mod transactions;
mod versions;

use diesel::Connection;
use diesel::connection::InstrumentationEvent;

use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::scenario::outcome::conflict;
use crate::support::{TestBackend, TestDb};

/// `Product::save` and its like.
type Write = fn(&mut Product, &mut crate::Conn) -> Result<(), SaveError<Product>>;

/// A product that no database has seen.
pub fn lamp(id: i32) -> Product {
    Product {
        id,
        name: "Lamp".to_owned(),
        price_cents: 2_999,
        stock: 5,
        version: 0,
    }
}

/// The lamp with this number, inserted: it stands at version 1.
pub fn stored_lamp(db: &TestDb, id: i32) -> Product {
    let mut lamp = lamp(id);
    lamp.insert(&mut db.connect()).unwrap();
    lamp
}

/// Someone else sells one, on a connection of their own.
pub fn sold_by_someone_else(db: &TestDb, id: i32) -> Product {
    let conn = &mut db.connect();
    let mut theirs = Product::find(conn, id).unwrap();
    theirs.stock -= 1;
    theirs.save(conn).unwrap();
    theirs
}

/// The row as the database has it.
pub fn row(db: &TestDb, id: i32) -> Product {
    Product::find(&mut db.connect(), id).unwrap()
}

/// SQL with `"quoted"` names and `?` binds, as this backend's connection sends it.
pub fn as_sent(sql: &str) -> String {
    let mut bind = 0;
    sql.chars().fold(String::new(), |mut sent, char| {
        match char {
            '"' => sent.push(crate::Conn::IDENTIFIER_QUOTE),
            '?' if crate::Conn::NUMBERED_BINDS => {
                bind += 1;
                sent.push_str(&format!("${bind}"));
            }
            other => sent.push(other),
        }
        sent
    })
}

/// Runs `work` once, right after the first statement that begins with `prefix` has ended.
fn after_statement(
    conn: &mut crate::Conn,
    prefix: &'static str,
    work: impl FnOnce() + Send + 'static,
) {
    let mut work = Some(work);
    conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
        if let InstrumentationEvent::FinishQuery { query, .. } = event
            && query.to_string().starts_with(prefix)
            && let Some(work) = work.take()
        {
            work();
        }
    });
}
