//! The journal of transfers: one row for each, written in the transaction that moves the stock.

use std::future::Future;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use crate::database::Pooled;

diesel::table! {
    transfers (id) {
        id -> BigInt,
        from_id -> BigInt,
        to_id -> BigInt,
        quantity -> BigInt,
    }
}

/// One transfer.
#[derive(Debug, Clone, Copy, Insertable)]
#[diesel(table_name = transfers)]
pub(crate) struct Entry {
    pub(crate) from_id: i64,
    pub(crate) to_id: i64,
    pub(crate) quantity: i64,
}

/// A connection that can write the journal. Diesel's inserts want to know their database, so this
/// is said for each of them.
pub(crate) trait Journal {
    fn write(&mut self, entry: Entry) -> impl Future<Output = QueryResult<()>> + Send;
}

macro_rules! journal {
    ($connection:ty) => {
        impl Journal for Pooled<$connection> {
            async fn write(&mut self, entry: Entry) -> QueryResult<()> {
                diesel::insert_into(transfers::table)
                    .values(entry)
                    .execute(self)
                    .await
                    .map(drop)
            }
        }
    };
}

journal!(crate::database::Sqlite);
#[cfg(feature = "postgres")]
journal!(diesel_async::AsyncPgConnection);
