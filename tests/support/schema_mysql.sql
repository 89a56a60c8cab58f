-- The tables of schema.rs for MariaDB and MySQL.

CREATE TABLE products (
    id INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    price_cents BIGINT NOT NULL,
    stock INTEGER NOT NULL,
    version INTEGER NOT NULL
) ENGINE = InnoDB;

CREATE TABLE orders (
    id INTEGER NOT NULL AUTO_INCREMENT PRIMARY KEY,
    customer TEXT NOT NULL,
    total_cents BIGINT NOT NULL,
    version INTEGER NOT NULL
) ENGINE = InnoDB;

CREATE TABLE order_lines (
    id INTEGER NOT NULL AUTO_INCREMENT PRIMARY KEY,
    order_id INTEGER NOT NULL,
    product_id INTEGER NOT NULL,
    quantity INTEGER NOT NULL,
    version INTEGER NOT NULL,
    FOREIGN KEY (order_id) REFERENCES orders (id),
    FOREIGN KEY (product_id) REFERENCES products (id)
) ENGINE = InnoDB;

CREATE TABLE stock_levels (
    warehouse INTEGER NOT NULL,
    sku VARCHAR(32) NOT NULL,
    quantity INTEGER NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (warehouse, sku)
) ENGINE = InnoDB;

CREATE TABLE accounts (
    id BIGINT NOT NULL PRIMARY KEY,
    email VARCHAR(255) NOT NULL UNIQUE,
    nickname TEXT,
    balance BIGINT NOT NULL,
    version SMALLINT NOT NULL
) ENGINE = InnoDB;

CREATE TABLE documents (
    id INTEGER NOT NULL PRIMARY KEY,
    title TEXT NOT NULL,
    `type` TEXT NOT NULL,
    `order` INTEGER NOT NULL,
    body TEXT,
    lock_version INTEGER NOT NULL
) ENGINE = InnoDB;

CREATE TABLE nodes (
    id INTEGER NOT NULL AUTO_INCREMENT PRIMARY KEY,
    parent_id INTEGER,
    label TEXT NOT NULL,
    version INTEGER NOT NULL,
    FOREIGN KEY (parent_id) REFERENCES nodes (id)
) ENGINE = InnoDB;

CREATE TABLE customers (
    id INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    street TEXT NOT NULL,
    city TEXT NOT NULL,
    version INTEGER NOT NULL
) ENGINE = InnoDB;
