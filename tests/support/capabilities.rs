//! What a backend can do and how it is said there. A scenario asks for a capability and never
//! for a backend by name; each `backend_*.rs` answers.

use diesel::{Connection, QueryResult};
use diesel_migrations::EmbeddedMigrations;

/// The answers of one backend, implemented on its connection type.
///
/// An `Option` is `None` where the backend has no such thing; the scenario then has nothing to
/// show there and returns early.
pub trait TestBackend: Connection {
    /// For messages only.
    const NAME: &'static str;

    /// Several transactions may hold uncommitted writes at the same time, so that one waits for
    /// the other's row. Where there is a single writer, the second BEGIN waits or fails instead.
    const CONCURRENT_WRITERS: bool;

    /// A row that someone else has locked can be left out. Where the database is locked as a whole
    /// there is nothing to leave out.
    const SKIPS_LOCKED: bool = true;

    /// Several transactions may have locked the same row against writers.
    const SHARES_LOCKS: bool = true;

    /// What a serializable transaction reads cannot be written by others until it ends.
    const SERIALIZABLE_READS_LOCK: bool = false;

    /// A query for how long a lock is waited for, where a lock that is not waited for changes that.
    const LOCK_WAIT: Option<&'static str> = None;

    /// Null-safe equality.
    const NULL_SAFE_EQUALS: &'static str;

    /// Opens a transaction whose reads all see one snapshot.
    const BEGIN_SNAPSHOT: Option<&'static str>;

    /// Opens a transaction at the strictest level.
    const BEGIN_SERIALIZABLE: Option<&'static str>;

    /// Makes the database skip every update of `products` without an error: zero rows although
    /// the row stands at the expected version.
    const REFUSE_PRODUCT_UPDATES: Option<&'static str>;

    /// The same for deletes of `products`.
    const REFUSE_PRODUCT_DELETES: Option<&'static str>;

    /// The same for inserts into `products`.
    const REFUSE_PRODUCT_INSERTS: Option<&'static str>;

    /// Makes the database skip the first update of one of `products`, and no other, whatever is
    /// rolled back.
    const REFUSE_ONE_PRODUCT_UPDATE: Option<&'static str> = None;

    /// Puts a view in the place of `products` that shows its rows and drops what is written.
    const DROP_PRODUCT_UPDATES_BY_A_VIEW: Option<&'static str>;

    /// Lets this session go on as one that sees all of `products` and may update no row of it.
    const MAY_ONLY_SEE_PRODUCTS: Option<&'static str>;

    /// Makes every update of `products` fail with the message `not today`.
    const FAIL_PRODUCT_UPDATES: &'static str;

    /// After an update of one of `products`, every row of `customers` moves to `Paris`.
    const MOVE_CUSTOMERS_AFTER_PRODUCT_UPDATES: &'static str;

    /// What a guarded write meets in a [`BEGIN_SNAPSHOT`](Self::BEGIN_SNAPSHOT) transaction when
    /// the row was changed after the snapshot.
    const LOST_IN_SNAPSHOT: LostInSnapshot;

    /// A setting under which the server turns such a write away with an error of its own, where
    /// the server has one.
    fn strict_snapshots(&mut self) -> Option<&'static str>;

    /// From now on this session takes values that do not fit, and makes others of them.
    const LENIENT: Option<&'static str> = None;

    /// From now on this session waits for a lock for a second at most.
    const WAIT_SHORTLY: &'static str;

    /// From now on this session's errors are in another language, where a session can choose.
    const LANGUAGES: &'static [&'static str] = &[];

    /// What identifiers are quoted with.
    const IDENTIFIER_QUOTE: char;

    /// Binds are `$1`, `$2`, … and not `?`.
    const NUMBERED_BINDS: bool;

    /// What the read after a lost write ends with, so that it sees the row as it is now.
    const LOCK_CURRENT: &'static str;

    /// A lone insert reads back by `RETURNING`, without asking the server whether it can.
    const LONE_INSERT_RETURNS: bool;

    /// Makes the database skip one kind of write, without an error, to those rows of a table for
    /// which a condition on `OLD` or `NEW` holds.
    fn refuse_rows(write: Write, table: &str, rows: &str) -> Option<String>;

    /// From now on the transactions of this session are at an isolation level.
    fn isolate(level: Isolation) -> Option<&'static str>;

    /// How many cases a property is tried with in every run.
    const PROPERTY_CASES: u32 = 300;

    /// Makes the schema `second_schema`, a namespace of tables beside that of the test's database,
    /// and empty; from now on the session reaches it.
    const CREATE_SECOND_SCHEMA: &'static str;

    /// Removes it, where it does not go with the test's database.
    const DROP_SECOND_SCHEMA: Option<&'static str>;

    /// Defines what [`CASE_BLIND_TEXT`](Self::CASE_BLIND_TEXT) needs.
    const DEFINE_CASE_BLIND_TEXT: &'static str;

    /// The type of a text column, a key as well, that does not tell `a` from `A`.
    const CASE_BLIND_TEXT: &'static str;

    /// The type of a text column that does.
    const EXACT_TEXT: &'static str;

    /// Makes the database put capitals into a text column of each row that is inserted.
    fn capitalize_inserted(table: &str, column: &str) -> String;

    /// A statement about the schema commits the transaction in which it runs; the savepoints are
    /// gone then.
    const DDL_COMMITS: bool;

    /// Inside a transaction: foreign keys are checked at COMMIT, not before.
    const DEFER_FOREIGN_KEYS: Option<&'static str>;

    /// The number under which the server knows this session, and the statement by which another
    /// session ends it.
    fn kill_statement(&mut self) -> Option<String>;

    /// Whether the connected server returns rows from INSERT (`RETURNING`).
    fn returns_inserted_rows(&mut self) -> QueryResult<bool>;

    /// How to reach a database that is always there.
    fn any_database() -> String;

    /// Makes an empty database and says how to reach it.
    fn create_database() -> String;

    /// The library's own tables.
    const OWN_TABLES: EmbeddedMigrations;

    /// From now on this session is in a time zone that is far from UTC, where sessions have one.
    const FAR_TIME_ZONE: Option<&'static str>;

    /// SQL for a value in a column that holds a JSON object, as text.
    fn json_field(column: &str, field: &str) -> String;

    /// SQL for a time of the library's own tables as milliseconds since 1970.
    fn millis_of(column: &str) -> String;

    /// Tables `wares (id, stock, version)` with which nothing is wrong, beside the plain one.
    const RIGHT_WARES: &'static [&'static str];

    /// The same with everything right but a key that is not unique.
    const WARES_WITHOUT_KEY: &'static [&'static str];

    /// Tables `stock_levels` whose key is kept unique by something other than a primary key.
    const RIGHT_STOCK_LEVELS: &'static [&'static str];

    /// Texts as a type in SQL, and collations by which a unique index keeps them unique.
    const RIGHT_COLLATIONS: &'static [(&'static str, &'static str)];

    /// The same with collations by which it does not.
    const WRONG_COLLATIONS: &'static [(&'static str, &'static str)];

    /// An integer is read only from a column of its own width, and integers have a width.
    const INTEGERS_ARE_EXACT: bool;

    /// The type of a time without fractions, of one with six digits, of a UUID and of 16 bytes, where
    /// the columns of a table have such types.
    const TIMES_AND_TOKENS: Option<[&'static str; 4]>;

    /// Columns whose names differ in case only are the same.
    const COLUMNS_FOLD_CASE: bool;

    /// From now on this session cannot write.
    const READ_ONLY: &'static str;

    /// Connections may differ in what an update counts, which has to be tried.
    const COUNTS_DIFFER: bool;

    /// Settings of each new connection.
    const SETTINGS: Option<&'static str>;

    /// The tables of `schema.rs`.
    fn schema() -> &'static str;

    /// A version that is a timestamp moves with a write that changes no value.
    const TOUCH_MOVES_STAMPS: bool = true;

    /// The tables of `scenario/roles/`, with their triggers.
    fn roles_schema() -> &'static str;

    /// Removes what `create_database` made. It runs while a failed test unwinds: it reports
    /// and does not panic.
    fn drop_database(url: &str);
}

/// See [`TestBackend::LOST_IN_SNAPSHOT`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LostInSnapshot {
    /// No row is matched.
    Conflict,
    /// The database turns the write away: the transaction has to be done again.
    Transient,
}

/// See [`TestBackend::refuse_rows`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Write {
    Insert,
    Update,
    Delete,
}

impl Write {
    /// The word in SQL.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Insert => "INSERT",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
}

/// See [`TestBackend::isolate`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    RepeatableRead,
    Serializable,
}
