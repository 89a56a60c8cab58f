//! Statements about the table of idempotency keys.

use std::time::Duration;

use super::own::{Own, Reading};

/// Takes a key for a payload, unless it is taken. Waits for a transaction that has taken it and has
/// not ended.
pub(crate) fn claim(key: &str, payload: &str) -> Own {
    Own::insert_or_skip(
        "diesel_versioned_replays (idempotency_key, payload, written, made_at)",
        |insert| {
            insert
                .text(key.to_owned())
                .sql(", ")
                .text(payload.to_owned())
                .sql(", '', ")
                .unix_millis()
        },
    )
}

/// Reads what stands under a key: the payload, and what was written.
pub(crate) fn recall(key: &str) -> Reading<(String, String)> {
    Own::new("SELECT payload, written FROM diesel_versioned_replays WHERE idempotency_key = ")
        .text(key.to_owned())
        .lock_current()
        .reading()
}

/// Records under a key what was written.
pub(crate) fn record(key: &str, written: String) -> Own {
    Own::new("UPDATE diesel_versioned_replays SET written = ")
        .text(written)
        .sql(" WHERE idempotency_key = ")
        .text(key.to_owned())
}

/// Removes the keys that were given longer ago.
pub(crate) fn expire(older_than: Duration) -> Own {
    let millis = i64::try_from(older_than.as_millis()).unwrap_or(i64::MAX);
    Own::new("DELETE FROM diesel_versioned_replays WHERE made_at < ")
        .unix_millis()
        .sql(" - ")
        .number(millis)
}
