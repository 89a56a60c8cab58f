//! The kinds of versions that SQLite can store, and by which types.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::BigInt;
use diesel::sqlite::{Sqlite, SqliteValue};
use diesel_versioned::VersionValue;
use diesel_versioned::schema_check::Shape;
use diesel_versioned::version::{Moment, NoVersion, Step, SteppingVersion, TimestampVersion};

use crate::support::scenario::kinds::{Instant, kind};

kind!(smallint, i16, SmallInt, "SMALLINT");
kind!(integer, i32, Integer, "INTEGER");
kind!(bigint, i64, BigInt, "BIGINT");

kind!(chrono_text, chrono::NaiveDateTime, Timestamp, "TEXT");
kind!(
    chrono_text_millis,
    chrono::NaiveDateTime,
    Timestamp,
    "TEXT",
    precision = "millis"
);
kind!(
    chrono_text_seconds,
    chrono::NaiveDateTime,
    Timestamp,
    "TIMESTAMP",
    precision = "seconds"
);
kind!(
    chrono_utc_text,
    chrono::DateTime<chrono::Utc>,
    TimestamptzSqlite,
    "TEXT"
);
kind!(time_text, time::PrimitiveDateTime, Timestamp, "TEXT");
kind!(
    time_offset_text,
    time::OffsetDateTime,
    TimestamptzSqlite,
    "DATETIME",
    precision = "millis"
);
kind!(time_in_integer, super::Micros, BigInt, "INTEGER");
kind!(
    time_in_integer_seconds,
    super::Micros,
    BigInt,
    "INTEGER",
    precision = "seconds"
);

kind!(token, diesel_versioned::version::Token, Binary, "BLOB");
kind!(
    short_token,
    diesel_versioned::version::Token<8>,
    Binary,
    "BLOB"
);
kind!(bytes, Vec<u8>, Binary, "BLOB");
kind!(
    uuid_v7,
    crate::support::scenario::kinds::StoredUuid,
    Binary,
    "BLOB"
);
kind!(
    uuid_v4,
    crate::support::scenario::kinds::StoredUuid,
    Binary,
    "BLOB",
    uuid = "v4"
);

/// A time in an integer column: microseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, AsExpression, FromSqlRow)]
#[diesel(sql_type = BigInt)]
pub struct Micros(pub SystemTime);

impl VersionValue for Micros {
    fn initial(moment: &Moment) -> Result<Self, NoVersion> {
        SystemTime::initial(moment).map(Self)
    }

    fn next(&self, moment: &Moment) -> Result<Self, NoVersion> {
        self.0.next(moment).map(Self)
    }

    fn to_text(&self) -> String {
        self.0.to_text()
    }

    fn from_text(text: &str) -> Option<Self> {
        SystemTime::from_text(text).map(Self)
    }

    fn shape() -> Shape {
        SystemTime::shape()
    }
}

impl TimestampVersion for Micros {}

impl SteppingVersion for Micros {
    fn step(moment: &Moment) -> Result<Step<Self>, NoVersion> {
        let tick = moment.precision().tick().as_micros();
        let tick = i64::try_from(tick).map_err(NoVersion::failed)?;
        Ok(Step::later_by(Self::initial(moment)?, tick))
    }
}

impl ToSql<BigInt, Sqlite> for Micros {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        let micros = self.0.duration_since(UNIX_EPOCH)?.as_micros();
        out.set_value(i64::try_from(micros)?);
        Ok(IsNull::No)
    }
}

impl FromSql<BigInt, Sqlite> for Micros {
    fn from_sql(value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        let micros = <i64 as FromSql<BigInt, Sqlite>>::from_sql(value)?;
        Ok(Self(UNIX_EPOCH + Duration::from_micros(micros.try_into()?)))
    }
}

impl Instant for Micros {
    fn of_nanos(nanos: i128) -> Self {
        Self(SystemTime::of_nanos(nanos))
    }

    fn nanos(self) -> i128 {
        self.0.nanos()
    }
}

mod timestamps {
    use super::chrono_text::{Thing, store, thing};
    use crate::flavor::prelude::*;
    use crate::support::scenario::kinds::timestamp;

    /// A limit that the documents name: text is compared as text.
    #[test]
    fn a_time_that_another_program_spells_otherwise_is_refused_until_it_is_rewritten() {
        let db = store();
        let conn = &mut db.connect();
        thing(1).insert(conn).unwrap();
        db.execute("UPDATE things SET version = '2026-05-01T12:00:00'");
        let mut mine = Thing::find(conn, 1).unwrap();
        let lost = mine.save(conn).unwrap_err();
        assert_eq!(lost.code(), "conflict.refused");
        db.execute("UPDATE things SET version = datetime(version)");
        mine.save(conn).unwrap();
        // What SQLite itself calls the time is spelled as Diesel spells it.
        db.execute("UPDATE things SET version = CURRENT_TIMESTAMP");
        mine.reload(conn).unwrap();
        mine.save(conn).unwrap();
    }

    timestamp!(chrono_text, 1_000);
    timestamp!(chrono_text_millis, 1_000_000);
    timestamp!(chrono_text_seconds, 1_000_000_000);
    timestamp!(chrono_utc_text, 1_000);
    timestamp!(time_text, 1_000);
    timestamp!(time_offset_text, 1_000_000);
    timestamp!(time_in_integer, 1_000);
    timestamp!(time_in_integer_seconds, 1_000_000_000);
}

mod tokens {
    use crate::support::scenario::kinds::token as again;

    again!(token);
    again!(short_token);
    again!(bytes);
    again!(uuid_v7);
    again!(uuid_v4);
}
