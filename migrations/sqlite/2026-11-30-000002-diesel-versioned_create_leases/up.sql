-- Who holds which row for longer than a transaction, until when, and under which number. A row stays
-- when its lease is over, so that its number never comes again.
CREATE TABLE diesel_versioned_leases (
    -- With its schema, if the program names one.
    table_name TEXT NOT NULL,
    row_key TEXT NOT NULL,
    holder TEXT NOT NULL,
    -- Greater with each lease of the row.
    token BIGINT NOT NULL,
    -- Milliseconds since 1970, by the clock of the database.
    acquired_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    -- NULL: not before it expires.
    released_at BIGINT,
    PRIMARY KEY (table_name, row_key)
);

CREATE INDEX diesel_versioned_leases_expires_at ON diesel_versioned_leases (expires_at);
