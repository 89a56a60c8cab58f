//! Columns of MariaDB and MySQL beside what `table!` says of them.

use crate::support::scenario::schema_check::declared::{declared, marked};

declared!(integer, i32, Integer, {
    "INTEGER" => "",
    "BIGINT" => "",
    "INTEGER UNSIGNED" => "",
    "SMALLINT" => "narrow",
    "DECIMAL(10)" => "type",
    "BIT(32)" => "type",
    "YEAR" => "type",
    "TIMESTAMP" => "type",
    "ENUM('1')" => "type",
    "VARBINARY(8)" => "type",
});
declared!(unsigned, u32, Unsigned<Integer>, {
    "INTEGER UNSIGNED" => "",
    "INTEGER" => "narrow",
    "DOUBLE" => "type",
});

declared!(datetime, chrono::NaiveDateTime, Datetime, {
    "DATETIME(6)" => "",
    "TIMESTAMP(6)" => "",
    "DATETIME(3)" => "precision",
    "VARCHAR(40)" => "type",
    "CHAR(40)" => "type",
    "TEXT" => "type",
    "VARBINARY(40)" => "type",
    "DATE" => "type",
    "TIME(6)" => "type",
    "YEAR" => "type",
    "BIGINT" => "type",
});
declared!(timestamp, chrono::NaiveDateTime, Timestamp, {
    "TIMESTAMP(6)" => "",
    "TIMESTAMP" => "precision",
    "DATETIME(6)" => "declare Datetime",
    "DATETIME" => "declare Datetime",
    "VARCHAR(40)" => "type",
    "DATE" => "type",
    "TIME(6)" => "type",
});
declared!(primitive, time::PrimitiveDateTime, Timestamp, {
    "TIMESTAMP(6)" => "",
    "DATETIME(6)" => "declare Datetime",
    "TINYTEXT" => "type",
});
declared!(offset, time::OffsetDateTime, Datetime, {
    "DATETIME(6)" => "",
    "TIMESTAMP(6)" => "",
    "LONGTEXT" => "type",
});

declared!(uuid_as_bytes, crate::support::scenario::kinds::StoredUuid, Binary, {
    "BINARY(16)" => "",
    "VARBINARY(16)" => "",
    "CHAR(36)" => "type",
    "VARCHAR(36)" => "type",
});
declared!(token, diesel_versioned::version::Token, Binary, {
    "BINARY(16)" => "",
    "VARCHAR(16)" => "type",
    "BIT(64)" => "type",
});

marked!(mark, Option<chrono::NaiveDateTime>, Nullable<Datetime>, {
    "DATETIME(6)" => "",
    "TIMESTAMP(6) NULL" => "",
    "VARCHAR(40)" => "type",
    "DATE" => "type",
});
marked!(mark_by_timestamp, Option<chrono::NaiveDateTime>, Nullable<Timestamp>, {
    "TIMESTAMP(6) NULL" => "",
    "DATETIME(6)" => "declare Datetime",
    "TEXT" => "type",
});
marked!(mark_as_bool, bool, Bool, {
    "BOOLEAN NOT NULL" => "",
    "BIT NOT NULL" => "type",
    "CHAR(1) NOT NULL" => "type",
});
