//! Columns of SQLite beside what `table!` says of them: most hold whatever is written.

use crate::support::scenario::schema_check::declared::{declared, marked};

declared!(integer, i32, Integer, {
    "INTEGER" => "",
    "NUMERIC" => "",
    "TEXT" => "type",
    "BLOB" => "type",
    "REAL" => "type",
});
declared!(timestamp, chrono::NaiveDateTime, Timestamp, {
    "TEXT" => "",
    "TIMESTAMP" => "",
    "DATETIME" => "",
    "INTEGER" => "type",
    "BLOB" => "type",
    "DOUBLE" => "type",
});
declared!(utc, chrono::DateTime<chrono::Utc>, TimestamptzSqlite, {
    "TEXT" => "",
    "TIMESTAMP" => "",
    "BIGINT" => "type",
});
declared!(uuid_as_bytes, crate::support::scenario::kinds::StoredUuid, Binary, {
    "BLOB" => "",
    "UUID" => "",
    "TEXT" => "",
    "INTEGER" => "type",
});
declared!(token, diesel_versioned::version::Token, Binary, {
    "BLOB" => "",
    "TEXT" => "type",
    "INTEGER" => "type",
});
// It says that it is a time, and is kept as a number.
declared!(time_in_integer, crate::kinds::Micros, BigInt, {
    "INTEGER" => "",
    "BIGINT" => "",
    "TEXT" => "type",
});

marked!(mark, Option<chrono::NaiveDateTime>, Nullable<Timestamp>, {
    "TEXT" => "",
    "TIMESTAMP" => "",
    "INTEGER" => "type",
});
marked!(mark_as_bool, bool, Bool, {
    "BOOLEAN NOT NULL" => "",
    "TEXT NOT NULL" => "type",
});
