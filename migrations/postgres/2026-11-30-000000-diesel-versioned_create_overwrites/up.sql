-- Rows that were overwritten on purpose: by whom and why, and what was lost by it.
CREATE TABLE diesel_versioned_overwrites (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Of the statement: a transaction may overwrite several rows.
    written_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    actor TEXT NOT NULL,
    table_name TEXT NOT NULL,
    row_key TEXT NOT NULL,
    overwritten_version TEXT NOT NULL,
    -- NULL: the row was deleted.
    new_version TEXT,
    -- An object: column to value.
    overwritten_values JSONB NOT NULL,
    reason TEXT NOT NULL
);

-- By a hash, which has no limit on the length of a key.
CREATE INDEX diesel_versioned_overwrites_row
    ON diesel_versioned_overwrites USING hash (row_key);
