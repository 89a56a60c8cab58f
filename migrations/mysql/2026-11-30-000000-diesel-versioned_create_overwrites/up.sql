-- Rows that were overwritten on purpose: by whom and why, and what was lost by it.
-- The default of `written_at` needs MySQL 8.0.13 or MariaDB 10.2.
CREATE TABLE diesel_versioned_overwrites (
    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    -- In UTC, whatever the time zone of the session.
    written_at DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)),
    actor VARCHAR(255) NOT NULL,
    table_name VARCHAR(255) NOT NULL,
    row_key TEXT NOT NULL,
    overwritten_version VARCHAR(255) NOT NULL,
    -- NULL: the row was deleted.
    new_version VARCHAR(255),
    -- An object: column to value.
    overwritten_values JSON NOT NULL,
    reason TEXT NOT NULL,
    INDEX diesel_versioned_overwrites_row (table_name, row_key(191))
) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;
