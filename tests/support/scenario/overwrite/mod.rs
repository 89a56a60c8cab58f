//! Overwriting on purpose: a guarded write on top of what was seen, and its record, or neither.

mod audit;
mod race;
mod single;
mod transaction;
mod unit;

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text};

use super::outcome::conflict;
use super::single::{sold_by_someone_else, stored_lamp};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::{TestBackend, TestDb};

fn anna() -> Actor {
    Actor::new("anna").unwrap()
}

/// What the library's own table holds of one overwrite; `lost` is the value of one column.
#[derive(Debug, PartialEq, QueryableByName)]
struct Record {
    #[diesel(sql_type = Text)]
    actor: String,
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    row_key: String,
    #[diesel(sql_type = Text)]
    overwritten_version: String,
    #[diesel(sql_type = Nullable<Text>)]
    new_version: Option<String>,
    #[diesel(sql_type = Text)]
    reason: String,
    #[diesel(sql_type = Nullable<Text>)]
    lost: Option<String>,
    #[diesel(sql_type = BigInt)]
    millis: i64,
}

/// The records in the order in which they were made, with the lost value of one column, read out of
/// the JSON by the database.
fn records(db: &TestDb, column: &str) -> Vec<Record> {
    let lost = Conn::json_field("overwritten_values", column);
    let millis = Conn::millis_of("written_at");
    diesel::sql_query(format!(
        "SELECT actor, table_name, row_key, overwritten_version, new_version, reason, \
         {lost} AS lost, {millis} AS millis FROM diesel_versioned_overwrites ORDER BY id"
    ))
    .load(&mut db.connect())
    .unwrap()
}

/// Versions and reason of each record.
fn recorded(db: &TestDb) -> Vec<(String, Option<String>, String)> {
    let records = records(db, "stock").into_iter();
    records
        .map(|record| {
            (
                record.overwritten_version,
                record.new_version,
                record.reason,
            )
        })
        .collect()
}

/// A conflict over lamp 42: it stands at version 2 with a stock of 4, mine has another price.
fn met(db: &TestDb) -> Box<Conflict<Product>> {
    let mut mine = stored_lamp(db, 42);
    sold_by_someone_else(db, 42);
    mine.price_cents = 1_999;
    conflict(mine.save(&mut db.connect()))
}

/// What an overwrite that must not succeed says.
#[track_caller]
fn failure<T: Versioned + std::fmt::Debug>(
    result: Result<T, OverwriteError<T>>,
) -> OverwriteError<T> {
    match result {
        Ok(written) => panic!("overwritten: {written:?}"),
        Err(error) => error,
    }
}
