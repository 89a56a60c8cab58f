-- Rows that were overwritten on purpose: by whom and why, and what was lost by it.
CREATE TABLE diesel_versioned_overwrites (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- In UTC, to the millisecond.
    written_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now')),
    actor TEXT NOT NULL,
    table_name TEXT NOT NULL,
    row_key TEXT NOT NULL,
    overwritten_version TEXT NOT NULL,
    -- NULL: the row was deleted.
    new_version TEXT,
    -- An object: column to value.
    overwritten_values TEXT NOT NULL CHECK (json_valid(overwritten_values)),
    reason TEXT NOT NULL
);

CREATE INDEX diesel_versioned_overwrites_row
    ON diesel_versioned_overwrites (table_name, row_key);
