-- The tables of schema.rs for PostgreSQL.

CREATE TABLE products (
    id INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    price_cents BIGINT NOT NULL,
    stock INTEGER NOT NULL,
    version INTEGER NOT NULL
);

CREATE TABLE orders (
    id SERIAL PRIMARY KEY,
    customer TEXT NOT NULL,
    total_cents BIGINT NOT NULL,
    version INTEGER NOT NULL
);

CREATE TABLE order_lines (
    id SERIAL PRIMARY KEY,
    order_id INTEGER NOT NULL,
    product_id INTEGER NOT NULL,
    quantity INTEGER NOT NULL,
    version INTEGER NOT NULL,
    FOREIGN KEY (order_id) REFERENCES orders (id) DEFERRABLE INITIALLY IMMEDIATE,
    FOREIGN KEY (product_id) REFERENCES products (id) DEFERRABLE INITIALLY IMMEDIATE
);

CREATE TABLE stock_levels (
    warehouse INTEGER NOT NULL,
    sku VARCHAR(32) NOT NULL,
    quantity INTEGER NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (warehouse, sku)
);

CREATE TABLE accounts (
    id BIGINT NOT NULL PRIMARY KEY,
    email VARCHAR(255) NOT NULL UNIQUE,
    nickname TEXT,
    balance BIGINT NOT NULL,
    version SMALLINT NOT NULL
);

CREATE TABLE documents (
    id INTEGER NOT NULL PRIMARY KEY,
    title TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "order" INTEGER NOT NULL,
    body TEXT,
    lock_version INTEGER NOT NULL
);

CREATE TABLE nodes (
    id SERIAL PRIMARY KEY,
    parent_id INTEGER,
    label TEXT NOT NULL,
    version INTEGER NOT NULL,
    FOREIGN KEY (parent_id) REFERENCES nodes (id) DEFERRABLE INITIALLY IMMEDIATE
);

CREATE TABLE customers (
    id INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    street TEXT NOT NULL,
    city TEXT NOT NULL,
    version INTEGER NOT NULL
);
