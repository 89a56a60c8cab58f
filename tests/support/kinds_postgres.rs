//! The kinds of versions that PostgreSQL can store, and by which types.

use crate::support::scenario::kinds::kind;

kind!(smallint, i16, SmallInt, "SMALLINT");
kind!(integer, i32, Integer, "INTEGER");
kind!(bigint, i64, BigInt, "BIGINT");

kind!(
    chrono_timestamp,
    chrono::NaiveDateTime,
    Timestamp,
    "TIMESTAMP"
);
kind!(
    chrono_timestamp_millis,
    chrono::NaiveDateTime,
    Timestamp,
    "TIMESTAMP(3)",
    precision = "millis"
);
kind!(
    chrono_timestamp_seconds,
    chrono::NaiveDateTime,
    Timestamp,
    "TIMESTAMP(0)",
    precision = "seconds"
);
kind!(
    chrono_timestamptz,
    chrono::DateTime<chrono::Utc>,
    Timestamptz,
    "TIMESTAMPTZ"
);
kind!(
    time_timestamp,
    time::PrimitiveDateTime,
    Timestamp,
    "TIMESTAMP"
);
kind!(
    time_timestamptz,
    time::OffsetDateTime,
    Timestamptz,
    "TIMESTAMPTZ"
);
kind!(
    time_timestamptz_millis,
    time::OffsetDateTime,
    Timestamptz,
    "TIMESTAMPTZ(3)",
    precision = "millis"
);
kind!(system_time, std::time::SystemTime, Timestamp, "TIMESTAMP");

kind!(uuid_v7, uuid::Uuid, Uuid, "UUID", uuid = "v7");
kind!(uuid_v4, uuid::Uuid, Uuid, "UUID", uuid = "v4");
kind!(
    uuid_bytes,
    crate::support::scenario::kinds::StoredUuid,
    Binary,
    "BYTEA"
);
kind!(token, diesel_versioned::version::Token, Binary, "BYTEA");
kind!(bytes, Vec<u8>, Binary, "BYTEA");

mod timestamps {
    use crate::support::scenario::kinds::timestamp;

    timestamp!(chrono_timestamp, 1_000);
    timestamp!(chrono_timestamp_millis, 1_000_000);
    timestamp!(chrono_timestamp_seconds, 1_000_000_000);
    timestamp!(chrono_timestamptz, 1_000);
    timestamp!(time_timestamp, 1_000);
    timestamp!(time_timestamptz, 1_000);
    timestamp!(time_timestamptz_millis, 1_000_000);
    timestamp!(system_time, 1_000);
}

mod tokens {
    use crate::support::scenario::kinds::token as again;

    again!(uuid_v7);
    again!(uuid_v4);
    again!(uuid_bytes);
    again!(token);
    again!(bytes);
}
