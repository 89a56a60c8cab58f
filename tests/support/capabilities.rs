//! What a backend can do and how it is said there. A scenario asks for a capability and never
//! for a backend by name; each `backend_*.rs` answers.

use diesel::{Connection, QueryResult};

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

    /// Inside a transaction: foreign keys are checked at COMMIT, not before.
    const DEFER_FOREIGN_KEYS: Option<&'static str>;

    /// The number under which the server knows this session, and the statement by which another
    /// session ends it.
    fn kill_statement(&mut self) -> Option<String>;

    /// Whether the connected server returns rows from INSERT (`RETURNING`).
    fn returns_inserted_rows(&mut self) -> QueryResult<bool>;

    /// Makes an empty database and says how to reach it.
    fn create_database() -> String;

    /// Settings of each new connection.
    fn configure(&mut self) -> QueryResult<()>;

    /// The tables of `schema.rs`.
    fn schema() -> &'static str;

    /// Removes what `create_database` made. It runs while a failed test unwinds: it reports
    /// and does not panic.
    fn drop_database(url: &str);
}
