//! Columns of PostgreSQL beside what `table!` says of them.

use crate::support::scenario::schema_check::declared::{declared, marked};

declared!(smallint, i16, SmallInt, {
    "SMALLINT" => "",
    "INTEGER" => "type",
    "NUMERIC" => "type",
    "MONEY" => "type",
});
declared!(integer, i32, Integer, {
    "INTEGER" => "",
    "SMALLINT" => "narrow",
    "OID" => "type",
    "MONEY" => "type",
    "XID" => "type",
    "BIT(32)" => "type",
    "INET" => "type",
    "NAME" => "type",
    "INT4RANGE" => "type",
    "INTEGER[]" => "type",
});
declared!(bigint, i64, BigInt, {
    "BIGINT" => "",
    "INTEGER" => "narrow",
    "NUMERIC" => "type",
    "MONEY" => "type",
    "OID" => "type",
    "TIMESTAMP" => "type",
});

declared!(timestamp, chrono::NaiveDateTime, Timestamp, {
    "TIMESTAMP" => "",
    "TIMESTAMP(3)" => "precision",
    "TIMESTAMPTZ" => "declare Timestamptz",
    "TIMESTAMPTZ(3)" => "declare Timestamptz",
    "TEXT" => "type",
    "VARCHAR(40)" => "type",
    "CHAR(40)" => "type",
    "DATE" => "type",
    "TIME" => "type",
    "TIMETZ" => "type",
    "INTERVAL" => "type",
    "BIGINT" => "type",
    "BYTEA" => "type",
    "JSONB" => "type",
});
declared!(timestamptz, chrono::DateTime<chrono::Utc>, Timestamptz, {
    "TIMESTAMPTZ" => "",
    "TIMESTAMPTZ(0)" => "precision",
    "TIMESTAMP" => "declare Timestamp",
    "TEXT" => "type",
    "DATE" => "type",
    "TIMETZ" => "type",
});
declared!(system_time, std::time::SystemTime, Timestamp, {
    "TIMESTAMP" => "",
    "TIMESTAMPTZ" => "declare Timestamptz",
});
declared!(offset_time, time::OffsetDateTime, Timestamptz, {
    "TIMESTAMPTZ" => "",
    "TIMESTAMP" => "declare Timestamp",
});
declared!(primitive_in_zone, time::PrimitiveDateTime, Timestamptz, {
    "TIMESTAMPTZ" => "",
    "TIMESTAMP" => "declare Timestamp",
});

declared!(uuid, uuid::Uuid, Uuid, {
    "UUID" => "",
    "TEXT" => "type",
    "VARCHAR(36)" => "type",
    "CHAR(36)" => "type",
    "BYTEA" => "type",
    "BIGINT" => "type",
    "XML" => "type",
});
declared!(uuid_as_bytes, crate::support::scenario::kinds::StoredUuid, Binary, {
    "BYTEA" => "",
    "UUID" => "type",
    "TEXT" => "type",
});
declared!(token, diesel_versioned::version::Token, Binary, {
    "BYTEA" => "",
    "UUID" => "type",
    "TEXT" => "type",
    "VARCHAR(16)" => "type",
    "BIT(128)" => "type",
    "JSON" => "type",
});

marked!(mark, Option<chrono::NaiveDateTime>, Nullable<Timestamp>, {
    "TIMESTAMP" => "",
    "TIMESTAMP(0)" => "precision",
    "TIMESTAMPTZ" => "declare Timestamptz",
    "TEXT" => "type",
    "DATE" => "type",
});
marked!(mark_in_zone, Option<chrono::DateTime<chrono::Utc>>, Nullable<Timestamptz>, {
    "TIMESTAMPTZ" => "",
    "TIMESTAMP" => "declare Timestamp",
    "VARCHAR(40)" => "type",
});
marked!(mark_as_bool, bool, Bool, {
    "BOOLEAN NOT NULL" => "",
    "SMALLINT NOT NULL" => "type",
    "BIT NOT NULL" => "type",
    "\"char\" NOT NULL" => "type",
});

mod own_types {
    use diesel::prelude::*;
    use diesel_versioned::Versioned;

    use crate::flavor::prelude::*;
    use crate::support::scenario::schema_check::declared;

    diesel::table! {
        things (id) { id -> Integer, version -> Integer }
    }

    #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    #[diesel(table_name = things)]
    struct Thing {
        id: i32,
        #[version]
        version: i32,
    }

    #[test]
    fn a_type_of_the_users_is_what_it_is_made_of() {
        for (version, found) in [
            ("DOMAIN own AS INTEGER", ""),
            ("DOMAIN middle AS INTEGER; CREATE DOMAIN own AS middle", ""),
            (
                "DOMAIN middle AS BIGINT; CREATE DOMAIN own AS middle",
                "type",
            ),
            ("DOMAIN own AS OID", "type"),
            ("TYPE own AS ENUM ('1', '2')", "type"),
            ("TYPE own AS (one INTEGER)", "type"),
        ] {
            let db = declared::database(&format!(
                "CREATE {version}; CREATE TABLE things (id INTEGER PRIMARY KEY, version own NOT NULL)"
            ));
            let report = Thing::check_schema(&mut db.connect()).unwrap();
            assert_eq!(
                declared::found(&report, "version"),
                found,
                "{version}: {report}"
            );
        }
    }
}
