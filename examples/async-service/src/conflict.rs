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
    changes: Changes,
}

impl ConflictView {
    pub(crate) fn new(conflict: &Conflict<Product>) -> Self {
        Self {
            code: conflict.kind().code(),
            table: conflict.table(),
            id: *conflict.key(),
            expected: *conflict.expected(),
            actual: conflict.actual().copied(),
            mine: conflict.mine().clone(),
            current: conflict.current().cloned(),
            changes: conflict.changes(),
        }
    }

    /// The same for a lone save. It has no base, so who changed what is told by the product as the
    /// client says that it was.
    pub(crate) fn with_base(conflict: &Conflict<Product>, was: Option<&Product>) -> Self {
        let based = was.and_then(|was| conflict.clone().with_base(was.clone()).ok());
        Self::new(based.as_ref().unwrap_or(conflict))
    }
}
