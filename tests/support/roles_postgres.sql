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
    version TIMESTAMP NOT NULL DEFAULT clock_timestamp()
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

CREATE FUNCTION count_on() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN NEW.version := OLD.version + 1; RETURN NEW; END';

CREATE TRIGGER move_counted BEFORE UPDATE ON counted FOR EACH ROW EXECUTE FUNCTION count_on();

CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN NEW.version := clock_timestamp(); RETURN NEW; END';

CREATE TRIGGER move_stamped BEFORE UPDATE ON stamped FOR EACH ROW EXECUTE FUNCTION stamp();

-- Its version is `xmin`.
CREATE TABLE written (
    id INTEGER NOT NULL PRIMARY KEY,
    name VARCHAR(64) NOT NULL,
    amount INTEGER NOT NULL,
    twice INTEGER GENERATED ALWAYS AS (amount * 2) STORED
);
