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
