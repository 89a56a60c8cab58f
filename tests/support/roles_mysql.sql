-- The tables of scenario/roles/.

CREATE TABLE machines (
    id INTEGER NOT NULL PRIMARY KEY,
    name VARCHAR(64) NOT NULL,
    speed INTEGER NOT NULL,
    last_seen BIGINT NOT NULL,
    pings INTEGER NOT NULL,
    serial VARCHAR(32) NOT NULL,
    rating INTEGER NOT NULL DEFAULT 5,
    room VARCHAR(32) NOT NULL,
    room_seen INTEGER NOT NULL,
    version INTEGER NOT NULL
);

-- The database moves these versions.
CREATE TABLE counted (
    id INTEGER NOT NULL PRIMARY KEY,
    name VARCHAR(64) NOT NULL,
    amount INTEGER NOT NULL,
    twice INTEGER GENERATED ALWAYS AS (amount * 2) STORED,
    version INTEGER NOT NULL DEFAULT 1
);

CREATE TABLE stamped (
    id INTEGER NOT NULL PRIMARY KEY,
    name VARCHAR(64) NOT NULL,
    amount INTEGER NOT NULL,
    twice INTEGER GENERATED ALWAYS AS (amount * 2) STORED,
    version DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6)
);

CREATE TABLE boxes (
    id INTEGER NOT NULL PRIMARY KEY,
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    area INTEGER GENERATED ALWAYS AS (width * height) STORED,
    seen INTEGER NOT NULL,
    seen_twice INTEGER GENERATED ALWAYS AS (seen * 2) STORED,
    version INTEGER NOT NULL
);

-- Nobody moves this one.
CREATE TABLE stuck (
    id INTEGER NOT NULL PRIMARY KEY,
    name VARCHAR(64) NOT NULL,
    version INTEGER NOT NULL DEFAULT 1
);

CREATE TRIGGER move_counted BEFORE UPDATE ON counted FOR EACH ROW
    SET NEW.version = OLD.version + 1;
