-- A binary collation: an SKU is equal to itself only, as it is in the other databases.
CREATE TABLE products (
    id BIGINT NOT NULL PRIMARY KEY,
    sku VARCHAR(64) UNIQUE,
    name VARCHAR(255) NOT NULL,
    price_cents BIGINT NOT NULL CHECK (price_cents >= 0),
    stock BIGINT NOT NULL CHECK (stock >= 0),
    version INTEGER NOT NULL DEFAULT 1
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- A price list, known by its content; `pass` counts how often it was begun anew.
CREATE TABLE imports (
    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    source VARCHAR(32) NOT NULL,
    pass BIGINT NOT NULL,
    UNIQUE (source, pass)
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

-- The rows of a price list that were applied, written in the transaction that applies them.
CREATE TABLE import_journal (
    id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
    import_id BIGINT NOT NULL REFERENCES imports (id),
    source_row BIGINT NOT NULL,
    product_id BIGINT NOT NULL,
    price_cents BIGINT NOT NULL,
    quantity BIGINT NOT NULL
) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;

CREATE INDEX import_journal_row ON import_journal (import_id, source_row);
