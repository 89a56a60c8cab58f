//! The kinds of versions that MariaDB and MySQL can store, and by which types.

use crate::support::scenario::kinds::kind;

kind!(smallint, i16, SmallInt, "SMALLINT");
kind!(integer, i32, Integer, "INTEGER");
kind!(bigint, i64, BigInt, "BIGINT");
kind!(unsigned, u32, Unsigned<Integer>, "INTEGER UNSIGNED");
kind!(unsigned_bigint, u64, Unsigned<BigInt>, "BIGINT UNSIGNED");

kind!(
    chrono_datetime_0,
    chrono::NaiveDateTime,
    Datetime,
    "DATETIME(0)",
    precision = "seconds"
);
kind!(
    chrono_datetime_3,
    chrono::NaiveDateTime,
    Datetime,
    "DATETIME(3)",
    precision = "millis"
);
kind!(
    chrono_datetime_6,
    chrono::NaiveDateTime,
    Datetime,
    "DATETIME(6)",
    precision = "micros"
);
kind!(
    chrono_timestamp_6,
    chrono::NaiveDateTime,
    Timestamp,
    "TIMESTAMP(6)"
);
kind!(
    time_datetime_6,
    time::PrimitiveDateTime,
    Datetime,
    "DATETIME(6)"
);
kind!(
    time_datetime_0,
    time::PrimitiveDateTime,
    Datetime,
    "DATETIME",
    precision = "seconds"
);
kind!(
    time_offset_datetime_6,
    time::OffsetDateTime,
    Datetime,
    "DATETIME(6)"
);
kind!(
    time_offset_timestamp_6,
    time::OffsetDateTime,
    Timestamp,
    "TIMESTAMP(6)"
);

kind!(
    token,
    diesel_versioned::version::Token,
    Binary,
    "BINARY(16)"
);
kind!(
    short_token,
    diesel_versioned::version::Token<8>,
    Binary,
    "BINARY(8)"
);
kind!(bytes, Vec<u8>, Binary, "VARBINARY(16)");
kind!(
    uuid_v7,
    crate::support::scenario::kinds::StoredUuid,
    Binary,
    "BINARY(16)"
);
kind!(
    uuid_v4,
    crate::support::scenario::kinds::StoredUuid,
    Binary,
    "BINARY(16)",
    uuid = "v4"
);

mod timestamps {
    use crate::support::scenario::kinds::timestamp;

    timestamp!(chrono_datetime_0, 1_000_000_000);
    timestamp!(chrono_datetime_3, 1_000_000);
    timestamp!(chrono_datetime_6, 1_000);
    timestamp!(chrono_timestamp_6, 1_000);
    timestamp!(time_datetime_6, 1_000);
    timestamp!(time_datetime_0, 1_000_000_000);
    timestamp!(time_offset_datetime_6, 1_000);
}

mod tokens {
    use crate::support::scenario::kinds::token as again;

    again!(token);
    again!(short_token);
    again!(bytes);
    again!(uuid_v7);
    again!(uuid_v4);
}
