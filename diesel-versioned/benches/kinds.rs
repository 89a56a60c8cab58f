//! The entity of every benchmark once for each kind of version: what a kind costs.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{BigInt, Binary};
use diesel::sqlite::{Sqlite, SqliteValue};
use diesel_versioned::VersionValue;
use diesel_versioned::version::{Moment, NoVersion, UuidVersion};
use uuid::Uuid;

/// Rows whose version is of one kind, in a table of their own.
pub trait Kind<C> {
    /// The name in tables.
    fn name(&self) -> &'static str;

    /// Changes and saves the first row so often.
    fn save(&mut self, conn: &mut C, count: usize);

    /// Changes all rows in a unit and commits it.
    fn commit(&mut self, conn: &mut C);
}

/// The same rows, written by what differs from what was loaded: with a version, with groups, without.
macro_rules! changes {
    ($connection:ident, $name:ident, [$($struct_option:meta)?], [$($group:meta)?], $versions:literal,
        $($member:ident $(: $option:meta)?),*) => {
        mod $name {
            use diesel::connection::SimpleConnection;
            use diesel::prelude::*;
            use diesel_versioned::prelude::*;

            use super::Kind;

            diesel::table! {
                $name (id) {
                    id -> Integer,
                    name -> Text,
                    price_cents -> BigInt,
                    stock -> Integer,
                    reserved -> Integer,
                    $($member -> Integer,)*
                }
            }

            #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
            #[diesel(table_name = $name)]
            $(#[versioned($struct_option)])?
            pub(super) struct Row {
                id: i32,
                $(#[versioned($group)])?
                name: String,
                $(#[versioned($group)])?
                price_cents: i64,
                $(#[versioned($group)])?
                stock: i32,
                $(#[versioned($group)])?
                reserved: i32,
                $(
                    #[version $(($option))?]
                    $member: i32,
                )*
            }

            impl Row {
                fn new(id: i32) -> Self {
                    Self {
                        id,
                        name: format!("A product, number {id:07}"),
                        price_cents: 1_000 + i64::from(id),
                        stock: 100,
                        reserved: 0,
                        $($member: 1,)*
                    }
                }

                fn change(&mut self) {
                    let other = if self.name.starts_with('A') { "B" } else { "A" };
                    self.name.replace_range(..1, other);
                    self.price_cents += 1;
                    self.stock += 1;
                    self.reserved += 1;
                }
            }

            struct Rows(Vec<Row>);

            pub(super) fn rows(conn: &mut $connection, count: i32) -> Box<dyn Kind<$connection>> {
                conn.batch_execute(concat!(
                    "DROP TABLE IF EXISTS ",
                    stringify!($name),
                    "; CREATE TABLE ",
                    stringify!($name),
                    " (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(100) NOT NULL,
                     price_cents BIGINT NOT NULL, stock INTEGER NOT NULL,
                     reserved INTEGER NOT NULL",
                    $versions,
                    ")"
                ))
                .expect("valid SQL");
                let mut uow = UnitOfWork::new();
                let handles: Vec<_> = (1..=count)
                    .map(|id| uow.insert(Row::new(id)).expect("each row once"))
                    .collect();
                uow.commit(conn).expect("the rows are new");
                let rows = handles.iter().map(|&handle| uow[handle].clone());
                Box::new(Rows(rows.collect()))
            }

            impl Kind<$connection> for Rows {
                fn name(&self) -> &'static str {
                    stringify!($name)
                }

                fn save(&mut self, conn: &mut $connection, count: usize) {
                    let Self(rows) = self;
                    for _ in 0..count {
                        let loaded = rows[0].clone();
                        rows[0].change();
                        let saved = rows[0].save_changes(conn, &loaded);
                        saved.expect("nobody else writes");
                    }
                }

                fn commit(&mut self, conn: &mut $connection) {
                    let Self(rows) = self;
                    let mut uow = UnitOfWork::new();
                    let handles = uow.attach_all(std::mem::take(rows)).expect("each row once");
                    for &handle in &handles {
                        uow[handle].change();
                    }
                    uow.commit(conn).expect("nobody else writes");
                    rows.extend(handles.iter().map(|&handle| uow[handle].clone()));
                }
            }
        }
    };
}

macro_rules! guards {
    ($(#[$meta:meta])* $list:ident on $connection:ident) => {
        $(#[$meta])*
        mod $list {
            use super::*;

            changes!($connection, one_version, [], [], ", version INTEGER NOT NULL", version);
            changes!(
                $connection, in_a_group, [], [group = "content"],
                ", version INTEGER NOT NULL", version: group = "content"
            );
            changes!($connection, check_changed, [check = "changed"], [], "",);
            changes!($connection, check_all, [check = "all"], [], "",);

            /// Each of the guards, the one of a version first.
            pub const ALL: &[(&str, MakeRows<diesel::$connection>)] = &[
                ("one_version", one_version::rows),
                ("in_a_group", in_a_group::rows),
                ("check_changed", check_changed::rows),
                ("check_all", check_all::rows),
            ];
        }
    };
}

macro_rules! kind {
    ($connection:ident, $name:ident, $version:ty, $sql:ty, $column:literal $(, $option:meta)?) => {
        mod $name {
            use diesel::connection::SimpleConnection;
            use diesel::prelude::*;
            use diesel_versioned::VersionValue;
            use diesel_versioned::prelude::*;
            use diesel_versioned::version::Moment;

            use super::Kind;

            diesel::table! {
                $name (id) {
                    id -> Integer,
                    name -> Text,
                    price_cents -> BigInt,
                    stock -> Integer,
                    reserved -> Integer,
                    version -> $sql,
                }
            }

            #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
            #[diesel(table_name = $name)]
            pub(super) struct Row {
                id: i32,
                name: String,
                price_cents: i64,
                stock: i32,
                reserved: i32,
                #[version $(($option))?]
                version: $version,
            }

            impl Row {
                fn new(id: i32) -> Self {
                    Self {
                        id,
                        name: format!("A product, number {id:07}"),
                        price_cents: 1_000 + i64::from(id),
                        stock: 100,
                        reserved: 0,
                        version: VersionValue::initial(&Moment::new()).expect("there is one"),
                    }
                }

                fn change(&mut self) {
                    let other = if self.name.starts_with('A') { "B" } else { "A" };
                    self.name.replace_range(..1, other);
                    self.price_cents += 1;
                    self.stock += 1;
                    self.reserved += 1;
                }
            }

            struct Rows(Vec<Row>);

            pub(super) fn rows(conn: &mut $connection, count: i32) -> Box<dyn Kind<$connection>> {
                conn.batch_execute(concat!(
                    "DROP TABLE IF EXISTS ",
                    stringify!($name),
                    "; CREATE TABLE ",
                    stringify!($name),
                    " (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(100) NOT NULL,
                     price_cents BIGINT NOT NULL, stock INTEGER NOT NULL,
                     reserved INTEGER NOT NULL, version ",
                    $column,
                    " NOT NULL)"
                ))
                .expect("valid SQL");
                let mut uow = UnitOfWork::new();
                let handles: Vec<_> = (1..=count)
                    .map(|id| uow.insert(Row::new(id)).expect("each row once"))
                    .collect();
                uow.commit(conn).expect("the rows are new");
                let rows = handles.iter().map(|&handle| uow[handle].clone());
                Box::new(Rows(rows.collect()))
            }

            impl Kind<$connection> for Rows {
                fn name(&self) -> &'static str {
                    stringify!($name)
                }

                fn save(&mut self, conn: &mut $connection, count: usize) {
                    let Self(rows) = self;
                    for _ in 0..count {
                        rows[0].change();
                        rows[0].save(conn).expect("nobody else writes");
                    }
                }

                fn commit(&mut self, conn: &mut $connection) {
                    let Self(rows) = self;
                    let mut uow = UnitOfWork::new();
                    let handles = uow.attach_all(std::mem::take(rows)).expect("each row once");
                    for &handle in &handles {
                        uow[handle].change();
                    }
                    uow.commit(conn).expect("nobody else writes");
                    rows.extend(handles.iter().map(|&handle| uow[handle].clone()));
                }
            }
        }
    };
}

/// Makes the table of one kind with so many rows.
pub type MakeRows<C> = fn(&mut C, i32) -> Box<dyn Kind<C>>;

macro_rules! kinds {
    ($(#[$meta:meta])* $list:ident on $connection:ident:
        $($name:ident, $version:ty, $sql:ty, $column:literal $(, $option:meta)?;)*) => {
        $(#[$meta])*
        mod $list {
            use super::*;
            $(kind!($connection, $name, $version, $sql, $column $(, $option)?);)*

            /// Each of the kinds, the integer first.
            pub const ALL: &[(&str, MakeRows<diesel::$connection>)] =
                &[$((stringify!($name), $name::rows)),*];
        }
    };
}

kinds! { sqlite on SqliteConnection:
    integer, i32, Integer, "INTEGER";
    bigint, i64, BigInt, "INTEGER";
    micros_in_integer, crate::kinds::Micros, BigInt, "INTEGER";
    chrono_text, chrono::NaiveDateTime, Timestamp, "TEXT";
    time_text, time::PrimitiveDateTime, Timestamp, "TEXT";
    token, diesel_versioned::version::Token, Binary, "BLOB";
    bytes, Vec<u8>, Binary, "BLOB";
    uuid_v7, crate::kinds::StoredUuid, Binary, "BLOB";
    uuid_v4, crate::kinds::StoredUuid, Binary, "BLOB", uuid = "v4";
}

kinds! {
    #[cfg(feature = "postgres")]
    postgres on PgConnection:
    integer, i32, Integer, "INTEGER";
    bigint, i64, BigInt, "BIGINT";
    chrono_timestamp, chrono::NaiveDateTime, Timestamp, "TIMESTAMP";
    time_timestamptz, time::OffsetDateTime, Timestamptz, "TIMESTAMPTZ";
    system_time, std::time::SystemTime, Timestamp, "TIMESTAMP";
    token, diesel_versioned::version::Token, Binary, "BYTEA";
    uuid_v7, uuid::Uuid, Uuid, "UUID";
    uuid_v4, uuid::Uuid, Uuid, "UUID", uuid = "v4";
}

kinds! {
    #[cfg(feature = "mysql")]
    mysql on MysqlConnection:
    integer, i32, Integer, "INTEGER";
    bigint, i64, BigInt, "BIGINT";
    chrono_datetime_6, chrono::NaiveDateTime, Datetime, "DATETIME(6)";
    time_timestamp_6, time::PrimitiveDateTime, Timestamp, "TIMESTAMP(6)";
    token, diesel_versioned::version::Token, Binary, "BINARY(16)";
    uuid_v7, crate::kinds::StoredUuid, Binary, "BINARY(16)";
}

guards! { guards_sqlite on SqliteConnection }
guards! { #[cfg(feature = "postgres")] guards_postgres on PgConnection }
guards! { #[cfg(feature = "mysql")] guards_mysql on MysqlConnection }

#[cfg(feature = "mysql")]
pub use guards_mysql::ALL as GUARDS_ON_MYSQL;
#[cfg(feature = "postgres")]
pub use guards_postgres::ALL as GUARDS_ON_POSTGRES;
pub use guards_sqlite::ALL as GUARDS_ON_SQLITE;
#[cfg(feature = "mysql")]
pub use mysql::ALL as ON_MYSQL;
#[cfg(feature = "postgres")]
pub use postgres::ALL as ON_POSTGRES;
pub use sqlite::ALL as ON_SQLITE;

/// A time in an integer column of SQLite: microseconds since 1970.
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

/// A UUID as 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Binary)]
pub struct StoredUuid(pub Uuid);

impl VersionValue for StoredUuid {
    fn initial(moment: &Moment) -> Result<Self, NoVersion> {
        Uuid::initial(moment).map(Self)
    }

    fn next(&self, moment: &Moment) -> Result<Self, NoVersion> {
        self.0.next(moment).map(Self)
    }

    fn to_text(&self) -> String {
        self.0.to_text()
    }

    fn from_text(text: &str) -> Option<Self> {
        Uuid::from_text(text).map(Self)
    }
}

impl UuidVersion for StoredUuid {}

impl<DB: Backend> ToSql<Binary, DB> for StoredUuid
where
    [u8; 16]: ToSql<Binary, DB>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
        self.0.as_bytes().to_sql(out)
    }
}

impl<DB: Backend> FromSql<Binary, DB> for StoredUuid
where
    Vec<u8>: FromSql<Binary, DB>,
{
    fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(Uuid::from_slice(&Vec::from_sql(bytes)?)?))
    }
}
