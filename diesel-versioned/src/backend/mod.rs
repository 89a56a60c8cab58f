//! What differs between the databases: one trait, a portable default for each difference.
//!
//! | | portable | SQLite | PostgreSQL | MySQL, MariaDB |
//! | --- | --- | --- | --- | --- |
//! | [`batch_update`](Syntax::batch_update) | `CASE` | `FROM (VALUES …)` | the same, rows locked in key order first | `CASE` |
//! | [`tuples`](Syntax::tuples) | `a = ? AND b = ? OR …` | `IN (VALUES …)` | `IN ((…), …)` | `IN ((…), …)` |
//! | [`lock_current`](Syntax::lock_current) | none | none (a unit begins immediate) | none | `LOCK IN SHARE MODE` |
//! | [`lock_write`](Syntax::lock_write) | none | none | `FOR NO KEY UPDATE` | `FOR UPDATE` |
//! | [`ordered_writes`](Syntax::ordered_writes) | no | no | no | `ORDER BY … LIMIT ?` |
//! | [`ROW_LOCKS`](Dialect::ROW_LOCKS) | none | none | in key order, deletes as found | in key order |
//! | [`LOCKS`](Dialect::LOCKS) | unknown | by a write of no row, the database as a whole | `FOR NO KEY UPDATE`, `FOR SHARE` | `FOR UPDATE`, `LOCK IN SHARE MODE` |
//! | [`ISOLATION`](Dialect::ISOLATION) | unknown | always serializable; `PRAGMA query_only` | `SET TRANSACTION` after BEGIN | `SET TRANSACTION` before BEGIN |
//! | [`last_inserted`](Syntax::last_inserted) | – | `last_insert_rowid()` | `LASTVAL()` | `LAST_INSERT_ID()` |
//! | [`prepare_locking_reads_anew`](Syntax::prepare_locking_reads_anew) | no | no | no | yes |
//! | [`null_safe`](Syntax::null_safe) | `EXISTS (SELECT a INTERSECT SELECT ?)` | `a IS ?` | `a IS NOT DISTINCT FROM ?` | `a <=> ?` |
//! | [`exact_text`](Syntax::exact_text) | by the collation | `COLLATE BINARY` | `COLLATE "C"` | `CAST(… AS BINARY)` |
//! | [`unix_millis`](Syntax::unix_millis) | – | `julianday('now')` | `clock_timestamp()` | `UTC_TIMESTAMP(6)` |
//! | [`insert_or_skip`](Syntax::insert_or_skip) | `ON CONFLICT DO NOTHING` | the same | the same | `INSERT IGNORE` |
//! | [`insert_or_update`](Syntax::insert_or_update) | `ON CONFLICT … DO UPDATE` | the same | the same | `ON DUPLICATE KEY UPDATE` |
//! | [`json_type`](Syntax::json_type) | none: text | none: text | `JSONB` | none: text is taken |
//! | [`later`](Syntax::later) | – | text, by `strftime` | `INTERVAL '…'` | `INTERVAL …` |
//! | [`out_of_range`](Syntax::out_of_range) | `NULL` | `NULL` | `NULL` | a sum that overflows |
//! | [`skips_taken_keys`](Syntax::skips_taken_keys) | yes | yes | yes | no: an error |
//! | [`catalog`](Syntax::catalog) | – | functions of pragmas | `pg_catalog` | `SHOW`; a try of found rows |
//! | [`RETURNING`](Dialect::RETURNING) | yes | yes | yes | no |
//! | [`RETURNING_SHOWS_ALL`](Dialect::RETURNING_SHOWS_ALL) | no | no: what `AFTER` triggers change | yes | no |
//! | [`FORGET_LAST_INSERTED`](Dialect::FORGET_LAST_INSERTED) | – | – | – | `DO LAST_INSERT_ID(0)` |
//! | [`LEAVES_ANSWERS`](Dialect::LEAVES_ANSWERS) | no | no | no | yes |
//! | [`BEGIN_TO_WRITE`](Dialect::BEGIN_TO_WRITE) | – | `BEGIN IMMEDIATE` | – | – |
//! | [`MAX_BINDS`](Dialect::MAX_BINDS) | 32,766 | 32,766 | 65,535 | 65,535 |
//! | [`UPDATE_ROWS`](Dialect::UPDATE_ROWS) | 64 | 256 | 1,024 | 64 |
//! | [`OTHER_ROWS`](Dialect::OTHER_ROWS) | 512 | 512 | 1,024 | 512 |

#[cfg_attr(
    not(all(feature = "mysql", feature = "postgres", feature = "sqlite")),
    allow(dead_code, reason = "each backend uses a part of it")
)]
pub(crate) mod catalog;
#[cfg(feature = "mysql")]
mod mysql;
#[cfg(feature = "postgres")]
mod pg;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::any::TypeId;

use diesel::backend::Backend;

use crate::lock::{Lock, Wait};
use crate::schema_check::Declared;

pub use self::catalog::Catalog;

/// What is known of the SQL types that only some of the databases have.
pub(crate) fn declared(id: TypeId) -> Option<Declared> {
    let of: &[fn(TypeId) -> Option<Declared>] = &[
        #[cfg(feature = "mysql")]
        mysql::declared,
        #[cfg(feature = "postgres")]
        pg::declared,
        #[cfg(feature = "sqlite")]
        sqlite::declared,
    ];
    of.iter().find_map(|declared| declared(id))
}

/// A database that entities can be written to.
///
/// Implemented for `Sqlite`, `Pg` and `Mysql` by the features `sqlite`, `postgres` and `mysql`.
/// The backend of a `#[derive(MultiConnection)]` enum gets the portable defaults with an empty
/// impl, `impl Dialect for MultiBackend {}`, or each database's own by handing
/// [`syntax`](Dialect::syntax) on to the backend that is inside. With MySQL or MariaDB among them
/// hand it on, and set [`RETURNING`](Dialect::RETURNING) to `false`:
///
/// ```
/// # mod example {
/// use diesel::prelude::*;
/// use diesel_versioned::{Dialect, Syntax};
///
/// #[derive(diesel::MultiConnection)]
/// pub enum AnyConnection {
///     Sqlite(SqliteConnection),
///     // Mysql(MysqlConnection), …
/// }
///
/// impl Dialect for MultiBackend {
///     const RETURNING: bool = false;
///
///     fn syntax(&self) -> Syntax {
///         match self {
///             Self::Sqlite(inner) => inner.syntax(),
///             // Self::Mysql(inner) => inner.syntax(), …
///         }
///     }
/// }
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "diesel-versioned does not know the database `{Self}`",
    label = "no `Dialect` for this backend",
    note = "enable the feature of diesel-versioned that is called like the database: `sqlite`, `postgres` or `mysql`",
    note = "for a `#[derive(MultiConnection)]` enum, write `impl diesel_versioned::Dialect for MultiBackend {{}}`"
)]
pub trait Dialect: Backend {
    /// How many values one statement may bind.
    const MAX_BINDS: usize = 32_766;

    /// How many rows one batched update writes at most.
    const UPDATE_ROWS: usize = 64;

    /// How many rows one batched insert, delete or read has at most.
    const OTHER_ROWS: usize = 512;

    /// Whether writers wait for each other row by row, so that rows must be locked in an order.
    const ROW_LOCKS: RowLocks = RowLocks::None;

    /// How a transaction is told how much it sees of others, and that it only reads.
    const ISOLATION: IsolationSyntax = IsolationSyntax::Unknown;

    /// How a row is locked when it is asked for.
    const LOCKS: LockSyntax = LockSyntax::Unknown;

    /// Whether `INSERT … RETURNING` hands back what the database made. Where it cannot be used, that
    /// is read after the insert, in the same transaction.
    const RETURNING: bool = true;

    /// Whether `UPDATE … RETURNING` and `INSERT … RETURNING` hand back what triggers and generated
    /// columns make of the row. Where they do not, such a row is read after the write, in the same
    /// transaction.
    const RETURNING_SHOWS_ALL: bool = false;

    /// SQL that makes a connection forget the key that the database made last, so that
    /// [`last_inserted`](Syntax::last_inserted) is never that of an earlier insert.
    const FORGET_LAST_INSERTED: Option<&str> = None;

    /// SQL that turns a transaction that was just begun into one that holds the write lock, and
    /// SQL that begins it again when that fails. `None` where BEGIN is enough.
    const BEGIN_TO_WRITE: Option<BeginToWrite> = None;

    /// Whether the answer to a statement stays behind for the next one if nobody waits for it any
    /// more, as when an asynchronous future is dropped. The connection is then marked as broken.
    const LEAVES_ANSWERS: bool = false;

    /// The SQL of this backend.
    fn syntax(&self) -> Syntax {
        Syntax::PORTABLE
    }
}

/// The SQL of one backend, where it differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Syntax {
    /// How several rows are updated by one statement.
    pub batch_update: BatchUpdateSyntax,
    /// How several tuples are looked up.
    pub tuples: TupleSyntax,
    /// What makes the read after a lost write see the row as it is now, not a snapshot.
    pub lock_current: &'static str,
    /// What makes a read lock its rows against other writers.
    pub lock_write: &'static str,
    /// Whether an update or delete of several rows ends in `ORDER BY` and `LIMIT`, by which the
    /// database looks its rows up by their key instead of reading, and locking, the whole table.
    pub ordered_writes: bool,
    /// The key that the database made last for this connection, where
    /// [`RETURNING`](Dialect::RETURNING) cannot be used.
    pub last_inserted: &'static str,
    /// Whether a read that locks is prepared anew each time.
    pub prepare_locking_reads_anew: bool,
    /// What stands before, between and behind two values that are compared so that NULL is equal to
    /// NULL.
    pub null_safe: [&'static str; 3],
    /// What stands before and behind a text that is equal to no other text, whatever its collation.
    pub exact_text: (&'static str, &'static str),
    /// The database's clock as milliseconds since 1970, a 64-bit integer: in UTC whatever the time
    /// zone of the session, and never that of the beginning of a transaction.
    pub unix_millis: Option<&'static str>,
    /// What follows an insert that updates the row which has its key already: what comes before and
    /// after the columns of the key; these are left out where the second is empty.
    pub insert_or_update: (&'static str, &'static str),
    /// The type that a bound text must be cast to where a column holds JSON.
    pub json_type: Option<&'static str>,
    /// What begins and what ends an insert that skips a row whose key is taken.
    pub insert_or_skip: (&'static str, &'static str),
    /// How the database is asked about its tables.
    pub catalog: Option<&'static Catalog>,
    /// How a time is made that is a little later than a column's.
    pub later: LaterSyntax,
    /// What a version that has no successor is added to, so that the statement fails. Without it the
    /// version becomes NULL, which its column does not take.
    pub out_of_range: Option<&'static str>,
    /// Whether an insert may name the columns of the key, `ON CONFLICT (id) DO NOTHING`, to skip a row
    /// whose key is taken. Where it may not, as on MySQL, a key that is taken is an error that leaves
    /// the transaction as it was.
    pub skips_taken_keys: bool,
}

impl Syntax {
    /// SQL that SQLite, PostgreSQL, MySQL and MariaDB all understand.
    pub const PORTABLE: Self = Self {
        batch_update: BatchUpdateSyntax::Case,
        tuples: TupleSyntax::Or,
        lock_current: "",
        lock_write: "",
        ordered_writes: false,
        // Without a meaning: the portable way is RETURNING.
        last_inserted: "NULL",
        prepare_locking_reads_anew: false,
        // MySQL has it from 8.0.31 on.
        null_safe: ["EXISTS (SELECT ", " INTERSECT SELECT ", ")"],
        exact_text: ("", ""),
        unix_millis: None,
        json_type: None,
        insert_or_skip: ("INSERT INTO ", " ON CONFLICT DO NOTHING"),
        insert_or_update: (" ON CONFLICT (", ") DO UPDATE SET "),
        catalog: None,
        later: LaterSyntax::Unknown,
        out_of_range: None,
        skips_taken_keys: true,
    };
}

/// How a time is made that is a little later than a column's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LaterSyntax {
    /// It is not known.
    Unknown,
    /// `version + INTERVAL '1 microsecond'`
    Interval,
    /// `version + INTERVAL 1 MICROSECOND`
    IntervalUnit,
    /// By the functions of SQLite, as the text that Diesel makes of a time.
    Text,
}

/// How writers lock rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowLocks {
    /// Not row by row: there is one writer at a time.
    None,
    /// Each statement locks its rows in the order of their keys.
    InKeyOrder,
    /// The same, but one that deletes several rows locks them in the order in which it finds them.
    DeletesAsFound,
}

/// How a row is locked when it is asked for.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum LockSyntax {
    /// It is not known, and an error to ask for.
    Unknown,
    /// By what a `SELECT` ends in; `None` is not to be had.
    Clauses(fn(Lock, Wait) -> Option<&'static str>),
    /// Not by itself: the database is locked as a whole, by a write.
    WholeDatabase(WholeDatabase),
}

/// How a transaction is told how much it sees of others, and that it only reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IsolationSyntax {
    /// It is not known, and an error to ask for.
    Unknown,
    /// By `SET TRANSACTION` before BEGIN.
    SetBefore,
    /// By `SET TRANSACTION` as the first statement after BEGIN.
    SetInside,
    /// Every transaction is serializable, and a setting of the session keeps it from writing.
    Serializable(Switch),
}

/// A setting of a session that is on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Switch {
    /// A query that has a row if it is on.
    pub is_on: &'static str,
    /// Switches it on.
    pub on: &'static str,
    /// Switches it off.
    pub off: &'static str,
}

/// How a database is asked how long a write waits for its lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct WholeDatabase {
    /// Asks for the time, in milliseconds.
    pub waits: &'static str,
    /// Sets the time, which follows.
    pub wait: &'static str,
}

/// How several rows are updated by one statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BatchUpdateSyntax {
    /// `SET a = CASE id WHEN ? THEN ? … END WHERE (id, version) IN …`
    Case,
    /// `SET a = v.column3 … FROM (VALUES …) AS v WHERE id = v.column1 AND version = v.column2`
    Values,
    /// The same, from a common table expression that locks the rows in key order first.
    LockedValues,
}

/// How several tuples are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TupleSyntax {
    /// `(a = ? AND b = ?) OR (a = ? AND b = ?)`
    Or,
    /// `(a, b) IN ((?, ?), (?, ?))`
    In,
    /// `(a, b) IN (VALUES (?, ?), (?, ?))`
    InValues,
}

/// How a transaction takes the write lock; see [`Dialect::BEGIN_TO_WRITE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BeginToWrite {
    /// Runs inside a transaction that has done nothing yet.
    pub take: &'static str,
    /// Runs when `take` failed, so that the transaction that Diesel counts is there to roll back.
    pub restore: &'static str,
}
