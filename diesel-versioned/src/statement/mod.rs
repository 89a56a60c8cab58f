//! The statements: values that `debug_query` can print without a database.

mod delete;
mod insert;
mod row;
mod select;
mod target;
mod update;

pub(crate) use delete::Delete;
pub(crate) use insert::{Insert, InsertReturning, LastInserted};
pub(crate) use row::Row;
pub(crate) use select::{Find, Lock, Select};
pub use target::Entity;
pub(crate) use update::{Update, UpdateMany};

use std::iter;

/// How many rows the next statement of `rest` rows takes: few sizes, so that the prepared
/// statements of a connection stay few.
fn next_chunk(rest: usize, most: usize) -> usize {
    let most = most.max(1);
    if rest <= 8 {
        rest.min(most)
    } else {
        // The greatest power of two that fits both.
        1 << rest.min(most).ilog2()
    }
}

/// Cuts a slice into chunks of few sizes, none of which binds more than `max_binds` values.
pub(crate) fn chunks<T>(
    rows: &[T],
    most: usize,
    binds_per_row: usize,
    max_binds: usize,
) -> impl Iterator<Item = &[T]> {
    let most = most.min(max_binds / binds_per_row.max(1));
    let mut rest = rows;
    iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (chunk, tail) = rest.split_at(next_chunk(rest.len(), most));
        rest = tail;
        Some(chunk)
    })
}
