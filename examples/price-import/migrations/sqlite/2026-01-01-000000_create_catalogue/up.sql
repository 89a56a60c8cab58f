CREATE TABLE products (
    id BIGINT NOT NULL PRIMARY KEY,
    sku TEXT UNIQUE,
    name TEXT NOT NULL,
    price_cents BIGINT NOT NULL CHECK (price_cents >= 0),
    stock BIGINT NOT NULL CHECK (stock >= 0),
    version INTEGER NOT NULL DEFAULT 1
);

-- A price list, known by its content; `pass` counts how often it was begun anew.
CREATE TABLE imports (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    source TEXT NOT NULL,
    pass BIGINT NOT NULL,
    UNIQUE (source, pass)
);

-- The rows of a price list that were applied, written in the transaction that applies them.
CREATE TABLE import_journal (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    import_id BIGINT NOT NULL REFERENCES imports (id),
    source_row BIGINT NOT NULL,
    product_id BIGINT NOT NULL,
    price_cents BIGINT NOT NULL,
    quantity BIGINT NOT NULL
);

CREATE INDEX import_journal_row ON import_journal (import_id, source_row);
