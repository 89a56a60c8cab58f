//! The statements: values that `debug_query` can print without a database.

mod assigned;
mod bump;
mod catalog;
mod delete;
mod insert;
#[cfg(feature = "lease")]
pub(crate) mod lease;
mod lock;
#[cfg_attr(
    not(all(feature = "lease", feature = "replay")),
    allow(dead_code, reason = "the features read and count")
)]
mod own;
mod relative;
#[cfg(feature = "replay")]
pub(crate) mod replay;
mod returning;
mod row;
mod select;
mod setting;
mod target;
mod update;
mod update_many;
mod versions;

pub use assigned::Readable;
pub(crate) use assigned::check_assigned;
pub(crate) use bump::{Stepped, step_of, touched};
pub(crate) use catalog::{Ask, KnownCatalog, TableName, read_cells};
pub(crate) use delete::Delete;
pub(crate) use insert::{Insert, LastInserted};
pub(crate) use lock::WriteNothing;
pub(crate) use own::Own;
pub use own::OwnTables;
#[cfg(any(feature = "lease", feature = "replay"))]
pub(crate) use own::{OwnRow, Reading};
pub use relative::{Always, Both, Condition};
pub(crate) use relative::{UpdateOne, walk_bump, walk_update_where};
pub(crate) use returning::Returning;
pub(crate) use row::{Next, Row};
pub(crate) use select::{Find, Lock, Select, key_chunks};
pub(crate) use setting::Setting;
pub use target::Entity;
pub(crate) use update::{Scope, Update};
pub(crate) use update_many::UpdateMany;

use std::iter;

/// How many rows a statement for so many has room for: few sizes, so that the prepared statements
/// of a connection stay few.
fn room(rows: usize) -> usize {
    if rows <= 8 {
        rows
    } else {
        rows.next_power_of_two()
    }
}

/// The greatest of those sizes that binds no more than `max_binds` values.
fn most_rows(most: usize, binds_per_row: usize, max_binds: usize) -> usize {
    let most = most.min(max_binds / binds_per_row.max(1)).max(1);
    if most <= 8 { most } else { 1 << most.ilog2() }
}

/// Cuts a slice into chunks of few sizes, none of which binds more than `max_binds` values.
pub(crate) fn chunks<T>(
    rows: &[T],
    most: usize,
    binds_per_row: usize,
    max_binds: usize,
) -> impl Iterator<Item = &[T]> {
    let most = most_rows(most, binds_per_row, max_binds);
    let mut rest = rows;
    iter::from_fn(move || {
        let size = match rest.len() {
            0 => return None,
            // The greatest size that fits.
            len if len < most && room(len) > len => room(len) / 2,
            len => len.min(most),
        };
        let (chunk, tail) = rest.split_at(size);
        rest = tail;
        Some(chunk)
    })
}

/// Cuts a slice into as few chunks as there can be, each with how many rows its statement has
/// room for.
pub(crate) fn padded_chunks<T>(
    rows: &[T],
    most: usize,
    binds_per_row: usize,
    max_binds: usize,
) -> impl Iterator<Item = (&[T], usize)> {
    rows.chunks(most_rows(most, binds_per_row, max_binds))
        .map(|chunk| (chunk, room(chunk.len())))
}
