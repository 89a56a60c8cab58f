//! What is told to `tracing`, with the feature of that name. Never the value of a column; keys and
//! versions are told.
//!
//! | what | level | fields |
//! | --- | --- | --- |
//! | span `commit` | info | `rows`, `deleted`, `updated` (touched ones among them), `inserted` of a unit that was committed, or `replayed` if an earlier one had written it; `conflicts` and the `code` of the error of one that was not |
//! | event `batch`, in a commit | debug | `table`, `operation`, `meant` and `rows`: how many rows were to be written and how many were there |
//! | event `conflict` | info | `table`, `key`, `expected`, `actual`, `groups` (where the columns are in some), `kind` |
//! | event `overwrite` | info | `table`, `key`, `overwritten` (the version that was), `written` (the version that is, none if it was deleted) and the `actor`; not the reason |
//! | event `retry` | info | `attempt` that failed, `delay` and `elapsed` in milliseconds |
//!
//! The target of all of them is `diesel_versioned`. Metrics are made from them by a layer of
//! `tracing-subscriber`: conflicts per table, for example.
//!
//! ```
//! use std::collections::HashMap;
//! use std::sync::{Arc, Mutex, PoisonError};
//!
//! use tracing::field::{Field, Visit};
//! use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
//!
//! #[derive(Clone, Default)]
//! struct Conflicts {
//!     per_table: Arc<Mutex<HashMap<String, u64>>>,
//! }
//!
//! #[derive(Default)]
//! struct Seen {
//!     is_conflict: bool,
//!     table: String,
//! }
//!
//! impl Visit for Seen {
//!     fn record_str(&mut self, field: &Field, value: &str) {
//!         if field.name() == "table" {
//!             self.table = value.to_owned();
//!         }
//!     }
//!
//!     fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
//!         if field.name() == "message" {
//!             self.is_conflict = format!("{value:?}") == "conflict";
//!         }
//!     }
//! }
//!
//! impl<S: tracing::Subscriber> Layer<S> for Conflicts {
//!     fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
//!         let mut seen = Seen::default();
//!         event.record(&mut seen);
//!         if seen.is_conflict {
//!             let mut counts = self.per_table.lock().unwrap_or_else(PoisonError::into_inner);
//!             *counts.entry(seen.table).or_default() += 1;
//!         }
//!     }
//! }
//!
//! # use diesel::connection::SimpleConnection;
//! # use diesel::prelude::*;
//! # use diesel_versioned::prelude::{Versioned, VersionedDsl};
//! # diesel::table! { products (id) { id -> Integer, version -> Integer } }
//! # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
//! # #[diesel(table_name = products)]
//! # struct Product { id: i32, #[version] version: i32 }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut conn = SqliteConnection::establish(":memory:")?;
//! # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, version INTEGER NOT NULL);
//! #     INSERT INTO products VALUES (42, 1)")?;
//! let conflicts = Conflicts::default();
//! let subscriber = tracing_subscriber::registry().with(conflicts.clone());
//! tracing::subscriber::with_default(subscriber, || -> Result<(), Box<dyn std::error::Error>> {
//!     let mut product = Product::find(&mut conn, 42)?;
//!     let mut stale = product.clone();
//!     product.save(&mut conn)?;
//!     assert!(stale.save(&mut conn).is_err());
//!     Ok(())
//! })?;
//! let counts = conflicts.per_table.lock().unwrap_or_else(PoisonError::into_inner);
//! assert_eq!(counts.get("products"), Some(&1));
//! # Ok(())
//! # }
//! ```

use std::time::Duration;

use crate::conflicts::AnyConflict;
use crate::error::CommitError;
use crate::overwrite::Overwrite;
use crate::unit_of_work::{Committed, Operation};

const TARGET: &str = "diesel_versioned";

/// A row was not at its version.
pub(crate) fn conflict(conflict: &dyn AnyConflict) {
    let groups = conflict.groups();
    let groups = (!groups.is_empty()).then(|| groups.join(", "));
    tracing::info!(
        target: TARGET,
        table = conflict.table(),
        key = conflict.key(),
        expected = conflict.expected(),
        actual = conflict.actual(),
        groups = groups.as_deref(),
        kind = conflict.kind().code(),
        "conflict"
    );
}

/// A row was overwritten on purpose.
pub(crate) fn overwrite(overwrite: &Overwrite) {
    tracing::info!(
        target: TARGET,
        table = overwrite.table(),
        key = overwrite.key(),
        overwritten = overwrite.overwritten_version(),
        written = overwrite.new_version(),
        actor = overwrite.actor().as_str(),
        "overwrite"
    );
}

/// Rows of one table were written by one kind of statement.
pub(crate) fn batch(table: &str, operation: &str, meant: usize, rows: usize) {
    tracing::debug!(target: TARGET, table, operation, meant, rows, "batch");
}

/// An attempt has failed, and another one follows.
pub(crate) fn retry(attempt: u32, delay: Duration, elapsed: Duration) {
    let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    tracing::info!(
        target: TARGET,
        attempt,
        delay = milliseconds(delay),
        elapsed = milliseconds(elapsed),
        "retry"
    );
}

/// A commit, from its beginning to its end.
pub(crate) struct Commit {
    span: tracing::Span,
}

impl Commit {
    pub(crate) fn begin() -> Self {
        Self {
            span: tracing::info_span!(
                target: TARGET,
                "commit",
                rows = tracing::field::Empty,
                deleted = tracing::field::Empty,
                updated = tracing::field::Empty,
                inserted = tracing::field::Empty,
                replayed = tracing::field::Empty,
                conflicts = tracing::field::Empty,
                code = tracing::field::Empty,
            ),
        }
    }

    /// Does the work of the commit.
    pub(crate) fn during<R>(&self, work: impl FnOnce() -> R) -> R {
        self.span.in_scope(work)
    }

    /// The same for work that is waited for.
    #[cfg(feature = "async")]
    pub(crate) fn while_waiting<F: Future>(
        &self,
        work: F,
    ) -> impl Future<Output = F::Output> + use<F> {
        tracing::Instrument::instrument(work, self.span.clone())
    }

    pub(crate) fn committed(&self, done: &Committed) {
        if self.span.is_disabled() {
            return;
        }
        if done.is_replayed() {
            self.span.record("replayed", true);
            return;
        }
        let count = |operations: &[Operation]| {
            done.iter()
                .filter(|change| operations.contains(&change.operation()))
                .count()
        };
        self.span.record("rows", done.len());
        self.span
            .record("deleted", count(&[Operation::Delete, Operation::Purge]));
        let updates = [Operation::Update, Operation::Touch, Operation::Restore];
        self.span.record("updated", count(&updates));
        self.span.record("inserted", count(&[Operation::Insert]));
    }

    pub(crate) fn failed(&self, error: &CommitError) {
        self.span.record("code", error.code());
        if let Some(conflicts) = error.conflicts() {
            self.span.record("conflicts", conflicts.len());
        }
    }
}
