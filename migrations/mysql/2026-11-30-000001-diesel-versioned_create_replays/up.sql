-- Requests that were written, by the key that each was sent with, and what was written.
CREATE TABLE diesel_versioned_replays (
    idempotency_key VARCHAR(255) NOT NULL PRIMARY KEY,
    -- A hash of what was asked for.
    payload VARCHAR(64) NOT NULL,
    -- A line for each row.
    written LONGTEXT NOT NULL,
    -- Milliseconds since 1970.
    made_at BIGINT NOT NULL,
    INDEX diesel_versioned_replays_made_at (made_at)
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
