//! Writes of rows that were not read: `apply`, `update_where`, `bump`; and `insert_or_save`.

mod apply;
mod bulk;
mod exhausted;
mod statements;
mod unit;
mod upsert;
