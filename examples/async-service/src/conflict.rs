//! A conflict as JSON: what was expected, what was wanted, what stands there, who changed what.

use diesel_versioned::async_prelude::*;
use serde::Serialize;

use crate::catalogue::Product;

/// One row that was not written.
#[derive(Debug, Serialize)]
pub(crate) struct ConflictView {
    code: &'static str,
    table: &'static str,
    id: i64,
    /// The version that the write was guarded by.
    expected: i32,
    /// The version that stands there; null if the row is gone.
    actual: Option<i32>,
    mine: Product,
    current: Option<Product>,
    changes: Vec<Change>,
}

/// One column that differs.
#[derive(Debug, Serialize)]
struct Change {
    column: &'static str,
    by: &'static str,
}

impl ConflictView {
    /// A conflict that tells itself who changed what, as those of a unit do.
    pub(crate) fn new(conflict: &Conflict<Product>) -> Self {
        Self {
            code: conflict.kind().code(),
            table: conflict.table(),
            id: *conflict.key(),
            expected: *conflict.expected(),
            actual: conflict.actual().copied(),
            mine: conflict.mine().clone(),
            current: conflict.current().cloned(),
            changes: conflict
                .changes()
                .into_iter()
                .map(|change| Change {
                    column: change.column,
                    by: by(change.by),
                })
                .collect(),
        }
    }

    /// The same for a lone save. It has no base, so who changed what is told by the product as the
    /// client says that it was.
    pub(crate) fn with_base(conflict: &Conflict<Product>, was: Option<&Product>) -> Self {
        let mut view = Self::new(conflict);
        if let (Some(was), Some(current)) = (was, conflict.current()) {
            let (mine, theirs) = (conflict.mine().changed(was), current.changed(was));
            view.changes = (0..Product::COLUMN_COUNT)
                .filter_map(|index| {
                    let by = match (mine.contains(index), theirs.contains(index)) {
                        (true, true) => ChangedBy::Both,
                        (true, false) => ChangedBy::Me,
                        (false, true) => ChangedBy::Them,
                        (false, false) => return None,
                    };
                    Some((Product::column(index).name, by))
                })
                .map(|(column, changed_by)| Change {
                    column,
                    by: by(changed_by),
                })
                .collect();
        }
        view
    }
}

fn by(changed_by: ChangedBy) -> &'static str {
    match changed_by {
        ChangedBy::Me => "me",
        ChangedBy::Them => "them",
        ChangedBy::Both => "both",
        _ => "unknown",
    }
}
