-- AUTOINCREMENT: the id of a deleted product never comes back with another one's versions.
CREATE TABLE products (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    price_cents BIGINT NOT NULL CHECK (price_cents >= 0),
    stock BIGINT NOT NULL CHECK (stock >= 0),
    version INTEGER NOT NULL DEFAULT 1
);

-- What was moved, written in the transaction that moves it.
CREATE TABLE transfers (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    from_id BIGINT NOT NULL,
    to_id BIGINT NOT NULL,
    quantity BIGINT NOT NULL CHECK (quantity > 0)
);
