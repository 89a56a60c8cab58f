//! Which version should I use?
//!
//! An `i32` or `i64`, unless one of these is your case:
//!
//! | you have or want | take | see |
//! | --- | --- | --- |
//! | nothing special | `i32`, `i64` | [integers](#integers) |
//! | a column like `updated_at` that every program writes already | a timestamp with the precision of that column | [timestamps](#timestamps) |
//! | rows that are deleted and inserted again under the same key | a token, or an integer with `initial` | [tokens](#tokens) |
//! | versions that clients bring back and must not count or guess | a token | [tokens](#tokens) |
//! | parts of a row that different people edit | a version for each part | [groups](derive@crate::Versioned#groups) |
//! | a table that has no version and may not be given one, or writers who would not move it | none: `check = "changed"` or `"all"` | [no version](derive@crate::Versioned#no-version) |
//! | such a table, and clients that hold only a token | none: `check = "hash"` | [no version](derive@crate::Versioned#no-version), the module `hash` |
//! | a version that triggers of the database make | `#[version(db)]` | [a version that the database makes](derive@crate::Versioned#a-version-that-the-database-makes) |
//! | PostgreSQL, and no column to be added | `xmin`, as `pg::Xid` | the module `pg` |
//! | a type of your own around one of these | derive [`VersionValue`](derive@crate::VersionValue) | [an example](crate::VersionValue#a-type-of-your-own) |
//!
//! # What each promises
//!
//! | | integer | timestamp | token |
//! | --- | --- | --- | --- |
//! | of two writers at one version one wins | always | always, if the precision is that of the column | always |
//! | a write right after a write of one's own succeeds | yes | yes, it is a tick later | yes |
//! | a row that was inserted again is another one | no, it starts at 1 again; with `initial` from a function yes | if a tick lies between | yes |
//! | it says when the row was written | no | about | v7 about, others no |
//! | it ends | at the maximum: [`VersionExhausted`](crate::SaveError::VersionExhausted), or `wrap` | in the year 9999 or later | no |
//! | needs | nothing | a clock | the randomness of the operating system |
//! | bytes in the row | 2, 4 or 8 | 8 (text on SQLite: 26) | 16, or as many as you like from 8 on |
//!
//! # What each costs
//!
//! Instructions on SQLite against the same with an `i32`: of a `save` of an entity with four other
//! columns, and of a commit of 10,000 such rows. How to repeat it is in `docs/performance.md`.
//!
//! | version | `save` | commit of 10,000 |
//! | --- | --- | --- |
//! | `i32`, `i64` | 1.0 | 1.0 |
//! | a time in an integer | 1.04 | 1.07 |
//! | a time as text, by `chrono` or `time` | 1.57 | 1.15 |
//! | `Token` | 1.07 | 1.05 |
//! | `Vec<u8>` | 1.12 | 1.30 |
//! | `Uuid` as bytes, v7 | 1.08 | 1.06 |
//! | `Uuid` as bytes, v4 | 1.07 | 1.06 |
//!
//! Of the other guards against one version, where what changed is written (`save_changes`, and a unit):
//!
//! | guard | one row | commit of 10,000 |
//! | --- | --- | --- |
//! | one version | 1.0 | 1.0 |
//! | the version of one of its groups | 1.00 | 1.01 |
//! | `check = "changed"`, all four columns changed | 1.23 | 1.32 |
//! | `check = "all"`, `"hash"` | 1.22 | 1.30 |
//!
//! A content hash is computed only when it is asked for. A version that the database makes was not
//! measured: on PostgreSQL it comes back by `RETURNING`, elsewhere a second statement reads it.
//!
//! Without a version each row's old values are sent as well, so a statement has room for fewer rows and the
//! database compares more. A `save_changes` of one version costs 1.47 of a `save`, whose statement is found
//! without being built.
//!
//! A token asks the operating system for randomness besides, once for a `save` and once for a commit,
//! however many rows it has; that call is not counted here. A time asks the clock as often. An integer
//! asks neither. Where a server is at the other end, its round trip hides all of this.
//!
//! # Which type on which database
//!
//! What Diesel 2.3 can store. A column is `NOT NULL` in any case.
//!
//! | type | SQLite | PostgreSQL | MySQL, MariaDB |
//! | --- | --- | --- | --- |
//! | `i16`, `i32`, `i64` | `INTEGER` | `SMALLINT`, `INTEGER`, `BIGINT` | the same |
//! | `u32`, `u64` | | | `INTEGER UNSIGNED`, `BIGINT UNSIGNED` |
//! | `chrono::NaiveDateTime` | text (`Timestamp`) | `TIMESTAMP` | `DATETIME(n)` (`Datetime`), `TIMESTAMP(n)` |
//! | `chrono::DateTime<Utc>` | text (`TimestamptzSqlite`) | `TIMESTAMPTZ` | |
//! | `time::PrimitiveDateTime` | text (`Timestamp`) | `TIMESTAMP` | `DATETIME(n)` (`Datetime`), `TIMESTAMP(n)` |
//! | `time::OffsetDateTime` | text (`TimestamptzSqlite`) | `TIMESTAMPTZ` | `DATETIME(n)` (`Datetime`), `TIMESTAMP(n)` |
//! | `SystemTime` | [in an integer](#a-time-in-an-integer-on-sqlite) | `TIMESTAMP` | |
//! | `uuid::Uuid` | [as bytes](#a-uuid-as-bytes) | `UUID` | [as bytes](#a-uuid-as-bytes) |
//! | `Token<N>`, `Vec<u8>` | `BLOB` | `BYTEA` | `BINARY(N)`, `VARBINARY(N)` |
//!
//! The types of `chrono`, `time` and `uuid`, and all tokens, need the feature of that name.
//!
//! # Integers
//!
//! They count: 1, 2, 3. At the maximum of the type a write is
//! [`VersionExhausted`](crate::SaveError::VersionExhausted) and nothing is written; a row that is written
//! once a second reaches the end of an `i32` after 68 years, that of an `i64` never. Where an `i16` has
//! to do, `#[version(wrap)]` starts again at the initial version: a copy that is exactly as many writes
//! old as the type has numbers would pass then.
//!
//! A row that is deleted and inserted again starts at 1 again, so a copy of the old row may pass for one
//! of the new. Integers that restart cannot promise otherwise. If that can happen, let each row begin
//! somewhere else, by a function that is asked once for each row:
//!
//! ```
//! use diesel::prelude::*;
//! use diesel_versioned::prelude::*;
//!
//! diesel::table! {
//!     seats (number) { number -> Integer, guest -> Text, version -> BigInt }
//! }
//!
//! #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
//! #[diesel(primary_key(number))]
//! struct Seat {
//!     number: i32,
//!     guest: String,
//!     #[version(initial = nanoseconds())]
//!     version: i64,
//! }
//!
//! fn nanoseconds() -> i64 {
//!     let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
//!     i64::try_from(since.as_nanos()).unwrap_or_default()
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use diesel::connection::SimpleConnection;
//! # let mut conn = SqliteConnection::establish(":memory:")?;
//! # conn.batch_execute("CREATE TABLE seats (number INTEGER PRIMARY KEY, guest TEXT NOT NULL,
//! #     version INTEGER NOT NULL)")?;
//! let mut seat = Seat { number: 7, guest: "Ada".to_owned(), version: 0 };
//! seat.insert(&mut conn)?;
//! let mut old = seat.clone();
//! seat.delete(&mut conn)?;
//! seat.guest = "Bob".to_owned();
//! seat.insert(&mut conn)?;
//! assert!(old.save(&mut conn).unwrap_err().is_conflict());
//! # Ok(())
//! # }
//! ```
//!
//! # Timestamps
//!
//! A new version is the time of the write, cut to the precision of its column, and at least a tick of
//! that precision later than the one before: also when two writes fall into one tick, when the clock is
//! set back, and when the writer before had a clock that is ahead. So a version may run ahead of the
//! clock, by a tick for each write that was too fast. All rows of a commit get one time.
//!
//! - **Two clocks.** The clock is that of the program, not of the database. Programs whose clocks differ
//!   do no harm, for a version never goes back; but it is not exactly *when* a row was written.
//! - **The precision must be that of the column**, or coarser. It is microseconds unless
//!   `#[version(precision = "seconds")]` or `"millis"` says otherwise. A database rounds what is finer
//!   than its column without a word. Then the next write is a conflict with oneself; and two writes in
//!   one tick of the column may leave the same value there, so that **the second one is not noticed and
//!   an update is lost**. `DATETIME` of MySQL without a number has seconds. PostgreSQL's types have
//!   microseconds unless there is a number.
//! - **Every writer must move it.** `ON UPDATE CURRENT_TIMESTAMP` of MySQL and MariaDB does that for a
//!   program that does not name the column, and leaves alone what this library writes. It does *not* move
//!   it for a write that changes no value, nor for a writer that sets the column itself, as a program does
//!   that writes all columns back: what it sets stands there then, be it the old value. Nor does it move
//!   it twice in one tick. Such writes are not noticed.
//! - **Nobody may move it once more.** An `updated_at` that a trigger sets whatever the statement says ends
//!   up as another value than the one in memory, and the next write of this copy conflicts. Let the
//!   trigger alone make it: [`#[version(db)]`](derive@crate::Versioned#a-version-that-the-database-makes).
//! - **Text on SQLite** is compared as text. `chrono` and `time` write the fraction of a second in
//!   different ways, and other programs may write a `T` or a zone: a row whose text is not as Diesel
//!   writes the value is never matched, which is a conflict of the kind
//!   [`Refused`](crate::ConflictKind::Refused). Rewrite such rows once, and let all programs use one of
//!   the two crates: `UPDATE t SET version = datetime(version)`.
//! - **`TIMESTAMP` of MySQL** is stored in UTC and shown in the session's time zone, and ends in 2038.
//!   Diesel sets each session to UTC; leave it so.
//! - **A `DATETIME` column of MySQL or MariaDB is `Datetime` in `table!`**, as `diesel print-schema` writes
//!   it. As `Timestamp` it is sent a `TIMESTAMP`, which has nothing before 1970 and nothing after 2038
//!   (MariaDB from 11.5 on: 2106): such a time becomes NULL, and no guard matches it.
//!   [`check_schema`](crate::VersionedDsl::check_schema) finds it.
//! - **A row that is deleted and inserted again within one tick** has the same version.
//!
#![cfg_attr(feature = "chrono", doc = "```")]
#![cfg_attr(not(feature = "chrono"), doc = "```ignore")]
//! use chrono::{DateTime, NaiveDateTime};
//! use diesel::prelude::*;
//! use diesel_versioned::prelude::*;
//!
//! diesel::table! {
//!     articles (id) { id -> Integer, title -> Text, updated_at -> Timestamp }
//! }
//!
//! #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
//! struct Article {
//!     id: i32,
//!     title: String,
//!     #[version(precision = "millis")]
//!     updated_at: NaiveDateTime,
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use diesel::connection::SimpleConnection;
//! # let mut conn = SqliteConnection::establish(":memory:")?;
//! # conn.batch_execute("CREATE TABLE articles (id INTEGER PRIMARY KEY, title TEXT NOT NULL,
//! #     updated_at TEXT NOT NULL)")?;
//! let mut tea = Article { id: 1, title: "Tea".into(), updated_at: DateTime::UNIX_EPOCH.naive_utc() };
//! tea.insert(&mut conn)?;
//! let first = tea.updated_at;
//! tea.save(&mut conn)?;
//! tea.save(&mut conn)?; // at once
//! assert!(tea.updated_at >= first + chrono::TimeDelta::milliseconds(2));
//! # Ok(())
//! # }
//! ```
//!
//! ## A time in an integer on SQLite
//!
//! Eight bytes instead of 26, and nothing to spell differently: a type around `SystemTime`.
//!
//! ```
//! use std::time::{Duration, SystemTime, UNIX_EPOCH};
//!
//! use diesel::deserialize::{self, FromSql, FromSqlRow};
//! use diesel::expression::AsExpression;
//! use diesel::serialize::{self, IsNull, Output, ToSql};
//! use diesel::sql_types::BigInt;
//! use diesel::sqlite::{Sqlite, SqliteValue};
//! use diesel_versioned::VersionValue;
//! use diesel_versioned::version::{Moment, NoVersion, TimestampVersion};
//!
//! /// Microseconds since 1970.
//! #[derive(Debug, Clone, Copy, PartialEq, AsExpression, FromSqlRow)]
//! #[diesel(sql_type = BigInt)]
//! struct Micros(SystemTime);
//!
//! impl ToSql<BigInt, Sqlite> for Micros {
//!     fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
//!         let micros = self.0.duration_since(UNIX_EPOCH)?.as_micros();
//!         out.set_value(i64::try_from(micros)?);
//!         Ok(IsNull::No)
//!     }
//! }
//!
//! impl FromSql<BigInt, Sqlite> for Micros {
//!     fn from_sql(value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
//!         let micros = <i64 as FromSql<BigInt, Sqlite>>::from_sql(value)?;
//!         Ok(Self(UNIX_EPOCH + Duration::from_micros(micros.try_into()?)))
//!     }
//! }
//!
//! impl VersionValue for Micros {
//!     fn initial(moment: &Moment) -> Result<Self, NoVersion> {
//!         SystemTime::initial(moment).map(Self)
//!     }
//!
//!     fn next(&self, moment: &Moment) -> Result<Self, NoVersion> {
//!         self.0.next(moment).map(Self)
//!     }
//!
//!     fn to_text(&self) -> String {
//!         self.0.to_text()
//!     }
//!
//!     fn from_text(text: &str) -> Option<Self> {
//!         SystemTime::from_text(text).map(Self)
//!     }
//! }
//!
//! // For `#[version(precision = …)]`.
//! impl TimestampVersion for Micros {}
//! ```
//!
//! # Tokens
//!
//! A new version is random and has nothing to do with the one before, so it never comes again: a copy
//! of a row that is gone does not pass for a row that was inserted under its key. A client that is
//! handed one learns nothing from it (but the time, of a v7) and cannot guess another.
//!
//! - `Uuid` is a v7, which begins with the milliseconds of the commit, or with
//!   `#[version(uuid = "v4")]` random throughout.
//! - `Token<N>` is `N` random bytes, 16 of them unless you say otherwise; a `Vec<u8>` has 16, or keeps
//!   the length that the row has. A `[u8; N]` Diesel writes but does not read.
//! - **All rows of a commit get the same token**, so that the next batch can write them together: a
//!   token identifies a state of its row, not the row. Do not put a unique index on it.
//! - **An index** over a token is larger than one over an integer, and v4 and random bytes are spread
//!   all over it. The guard needs none: it looks the row up by its key.
//! - Where the operating system gives no randomness, a write is
//!   [`NoVersion`](crate::SaveError::NoVersion) and nothing is written.
//!
//! ## A UUID as bytes
//!
//! Diesel stores a `Uuid` on PostgreSQL alone. On the others a type around it is stored as 16 bytes:
//!
#![cfg_attr(feature = "uuid", doc = "```")]
#![cfg_attr(not(feature = "uuid"), doc = "```ignore")]
//! use diesel::backend::Backend;
//! use diesel::deserialize::{self, FromSql, FromSqlRow};
//! use diesel::expression::AsExpression;
//! use diesel::serialize::{self, Output, ToSql};
//! use diesel::sql_types::Binary;
//! use diesel_versioned::VersionValue;
//! use diesel_versioned::version::{Moment, NoVersion, UuidVersion};
//! use uuid::Uuid;
//!
//! #[derive(Debug, Clone, Copy, PartialEq, AsExpression, FromSqlRow)]
//! #[diesel(sql_type = Binary)]
//! struct Bytes(Uuid);
//!
//! impl<DB: Backend> ToSql<Binary, DB> for Bytes
//! where
//!     [u8; 16]: ToSql<Binary, DB>,
//! {
//!     fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
//!         self.0.as_bytes().to_sql(out)
//!     }
//! }
//!
//! impl<DB: Backend> FromSql<Binary, DB> for Bytes
//! where
//!     Vec<u8>: FromSql<Binary, DB>,
//! {
//!     fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<Self> {
//!         Ok(Self(Uuid::from_slice(&Vec::from_sql(bytes)?)?))
//!     }
//! }
//!
//! impl VersionValue for Bytes {
//!     fn initial(moment: &Moment) -> Result<Self, NoVersion> {
//!         Uuid::initial(moment).map(Self)
//!     }
//!
//!     fn next(&self, moment: &Moment) -> Result<Self, NoVersion> {
//!         self.0.next(moment).map(Self)
//!     }
//!
//!     fn to_text(&self) -> String {
//!         self.0.to_text()
//!     }
//!
//!     fn from_text(text: &str) -> Option<Self> {
//!         Uuid::from_text(text).map(Self)
//!     }
//! }
//!
//! // For `#[version(uuid = …)]`.
//! impl UuidVersion for Bytes {}
//! ```
//!
//! # From one kind to another
//!
//! A column that is added to a table with rows needs a value in each of them, and any will do: a default
//! of 1, `CURRENT_TIMESTAMP`, zeros. The first write of a row replaces it, and until then it guards the
//! row like any other value. The kind of a version is one for all programs that write the table: change
//! the column and deploy them together.
