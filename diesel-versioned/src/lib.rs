//! Optimistic locking for Diesel: no lost updates, one row or a whole unit of work.
//!
//! ```text
//! entity ──derive──▶ change ──▶ statement ──▶ execution ──▶ outcome, or conflict
//!  plain data         plain      a value       I/O           plain data
//! ```
//!
//! Put [`#[derive(Versioned)]`](derive@Versioned) on a model and `#[version]` on one field (a table without one has
//! [other guards](derive@Versioned#no-version)). From
//! then on every write of [`VersionedDsl`] carries the version that was read as a predicate (the
//! *guard*) and moves it on, in one statement; a row that someone else has written meanwhile is not
//! touched, and the caller gets a [`Conflict`] with what was to be written and what stands there now; a
//! unit also knows what was read. A [`UnitOfWork`] does the same for many rows in one transaction.
//!
//! ```
//! use diesel::prelude::*;
//! use diesel_versioned::prelude::*;
//!
//! diesel::table! {
//!     products (id) { id -> Integer, name -> Text, stock -> Integer, version -> Integer }
//! }
//!
//! #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
//! #[diesel(table_name = products)]
//! struct Product {
//!     id: i32,
//!     name: String,
//!     stock: i32,
//!     #[version]
//!     version: i32,
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # use diesel::connection::SimpleConnection;
//! # let mut conn = SqliteConnection::establish(":memory:")?;
//! # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
//! #     stock INTEGER NOT NULL, version INTEGER NOT NULL);
//! #     INSERT INTO products VALUES (42, 'Chai', 7, 7)")?;
//! let mut product = Product::find(&mut conn, 42)?;
//! let mut stale = product.clone();
//!
//! product.stock -= 1;
//! product.save(&mut conn)?; // … SET …, version = 8 WHERE id = 42 AND version = 7
//! assert_eq!(product.version, 8);
//!
//! stale.stock -= 2;
//! let error = stale.save(&mut conn).unwrap_err();
//! assert!(error.is_conflict());
//! assert_eq!(error.code(), "conflict.modified");
//! # Ok(())
//! # }
//! ```
//!
//! # Words
//!
//! *Entity*: a struct with `#[derive(Versioned)]`. *Key*: its primary key. *Version*: the value that
//! must not have moved. *Base*: the entity as it was loaded. *Mine*: as I changed it. *Current*: as
//! the database has it now. *Guard*: what a write compares, the version or what was loaded. *Conflict*:
//! the guard did not hold.
//! *Unit of work*: many changes, one transaction, all or none.
//!
//! # Where to look
//!
//! | to do this | look at |
//! | --- | --- |
//! | choose the type of a version | [`which_version`], [`VersionValue`] |
//! | declare an entity | [`derive(Versioned)`](derive@Versioned), [`derive(VersionedPart)`](derive@VersionedPart), [`derive(VersionValue)`](derive@VersionValue) |
//! | leave a column to the database, or out of the guard | [its role](derive@Versioned#bookkeeping): `unguarded`, `read_only`, `insert_only`, `generated` |
//! | let different people edit different parts of a row | [groups](derive@Versioned#groups) |
//! | guard a table without a version column | [no version](derive@Versioned#no-version), the module `hash` |
//! | mark rows as deleted and bring them back | [`soft_delete`](derive@Versioned#soft-deletion): [`VersionedDsl::restore`], [`VersionedDsl::purge`] |
//! | let the database make the version | [`#[version(db)]`](derive@Versioned#a-version-that-the-database-makes), `pg::Xid` |
//! | read and write one | [`VersionedDsl`] |
//! | lock rows, and wait instead of colliding | [`LockDsl`], [`UnitOfWork::lock`], [`Lock`], [`Wait`], [`LockError`] |
//! | read several rows from one snapshot | [`UnitOfWork::read`], [`Isolation`] |
//! | let the database compute a change | [`VersionedDsl::apply`], [`UnitOfWork::apply`], [`RelativeDsl::update_where`], [`RelativeDsl::bump`] |
//! | insert, or save what is there | [`VersionedDsl::insert_or_save`] |
//! | let two who edit parts of one thing collide | [`touches`](derive@Versioned#a-parent-that-moves-with-its-children), [`UnitOfWork::expect_unchanged`] |
//! | write many together | [`UnitOfWork`], [`Handle`], [`Committed`] |
//! | do it again after a conflict | [`VersionedDsl::update_with`], [`UnitOfWork::run`], [`retry`](retry()), [`RetryPolicy`] |
//! | tell others who edits a row, for longer than a transaction | `lease`: leases, and a unit under one |
//! | write the same request once | `replay`: [`UnitOfWork`] with an idempotency key |
//! | do the same on an asynchronous connection | `async_prelude` |
//! | decide after a conflict | [`guide`], [`Conflict`], [`Conflicts`], [`Changes`], [`SaveError`], [`CommitError`], [`OverwriteError`] |
//! | merge two writes | [`Merge`], [`Conflict::resolve`], [`UnitOfWork::resolve`], [`Unmergeable`] |
//! | answer HTTP requests: `ETag`, `If-Match`, problem details | the module `http` |
//! | check at the start that tables fit | [`VersionedDsl::check_schema`], [`schema_check`] |
//! | write generic code | `where T: VersionedDsl<C>`; for a unit see [`plumbing`] |
//! | overwrite on purpose, on record | [`OverwriteDsl`], [`UnitOfWork::overwrite`], [`Actor`], [`Audit`], [`Overwrite`] |
//! | make the library's own tables | `migrations` |
//! | use another database | [`Dialect`], [`backend`] |
//!
//! # From Diesel to this crate
//!
//! | Diesel | here |
//! | --- | --- |
//! | `products.find(42).select(Product::as_select()).first(conn)` | [`Product::find(conn, 42)`](VersionedDsl::find) |
//! | `diesel::update(&p).set(&p).execute(conn)` | [`p.save(conn)`](VersionedDsl::save) |
//! | `diesel::delete(&p).execute(conn)` | [`p.delete(conn)`](VersionedDsl::delete) |
//! | `diesel::update(products.find(42)).set(stock.eq(stock - 3))` | [`Product::apply(conn, 42, stock.eq(stock - 3))`](VersionedDsl::apply) |
//! | `diesel::update(products.filter(…)).set(…)` | [`Product::update_where(…).set(…)`](RelativeDsl::update_where), or `.set((…, Product::bump()))` |
//! | `diesel::insert_into(products).values(&p).execute(conn)` | [`p.insert(conn)`](VersionedDsl::insert) |
//! | a loop of updates in `conn.transaction(…)` | [`UnitOfWork::commit`], [`VersionedDsl::save_all`] |
//!
//! # Features
//!
//! `sqlite`, `postgres`, `mysql`: the [`Dialect`] of each database. `postgres` and
//! `mysql` ask for Diesel's backend and for no client library; `sqlite` brings `libsqlite3-sys`, as in
//! Diesel. Any of them can be combined.
//!
//! `async`: entities and units on the connections of diesel-async 0.9, by the names of
//! `async_prelude`; `deadpool`, `bb8` and `mobc` recognise the pools' PostgreSQL connections, so that
//! a unit's statements are sent without waiting for each other. Without it nothing of tokio, and
//! none of Diesel's unstable features, is in the build.
//!
//! `chrono`, `time`: timestamps of these crates as versions. `uuid`: UUIDs and random bytes as versions.
//! Each asks for Diesel's feature of the same name.
//!
//! `tracing`: a span per commit, an event per conflict, overwrite, batch and retry: keys, versions and who
//! overwrote; no other value of a column.
//! The module `telling` lists them and shows how metrics are made of them.
//!
//! `hash`: a hash of what a row holds, in the module `hash`, of the crate `sha2`.
//!
//! `replay`: idempotency keys, in the module `replay`. They are compared by SHA-256, of the crate `sha2`.
//!
//! `lease`: leases of rows, in the module `lease`.
//!
//! `migrations`: the library's own tables as embedded migrations, in the module `migrations`.
//!
//! `serde`: [`Changes`], [`Conflict`] and [`Conflicts`] can be serialized, and with `hash` the content hash.
//!
//! `http`: the version as an entity tag, `If-Match` and `If-None-Match`, and errors as problem
//! details (RFC 9457), in the types of the crate `http`, for any framework. It includes `serde`.
//!
//! # How to read the compiler's errors
//!
//! - *"`Product` is not a versioned entity"*: `#[derive(Versioned)]` is missing.
//! - *"`Product` cannot be written to and read from a database through `…`"*: `Queryable` or
//!   `Selectable` is missing, the feature of the database is not enabled, or a field's type does not
//!   fit its column. `#[diesel(check_for_backend(…))]` on the struct shows which field.
//! - *"a version column must be `NOT NULL`"*: the `table!` says `Nullable<…>` for it.
//! - *"`Product` is a versioned entity and must be `Clone`"*: add `#[derive(Clone)]`.

#[cfg(feature = "async")]
pub mod async_prelude;
pub mod backend;
mod changes;
mod columns;
mod comparison;
mod conflict;
mod conflicts;
mod database_error;
mod derive;
mod entity;
mod error;
mod execute;
mod guard;
pub mod guide;
#[cfg(feature = "hash")]
pub mod hash;
#[cfg(feature = "http")]
pub mod http;
mod isolation;
mod key_text;
#[cfg(feature = "lease")]
pub mod lease;
#[cfg(not(feature = "lease"))]
#[allow(
    dead_code,
    rustdoc::broken_intra_doc_links,
    reason = "nobody has a lease without the feature"
)]
mod lease;
mod lock;
mod merge;
#[cfg(feature = "migrations")]
pub mod migrations;
mod outcome;
mod overwrite;
#[cfg(feature = "postgres")]
pub mod pg;
pub mod plumbing;
pub mod prelude;
mod relative;
#[cfg(feature = "replay")]
pub mod replay;
#[cfg(not(feature = "replay"))]
#[allow(dead_code, reason = "nobody gives a key without the feature")]
mod replay;
pub mod retry;
pub mod schema_check;
#[cfg(feature = "serde")]
mod serialize;
mod shown;
mod soft_delete;
#[cfg(feature = "postgres")]
pub mod sql_types;
mod statement;
#[cfg(feature = "tracing")]
pub mod telling;
#[cfg(not(feature = "tracing"))]
#[path = "silent.rs"]
mod telling;
mod unit_of_work;
mod unmergeable;
pub mod version;
pub mod which_version;

#[doc(inline)]
pub use backend::Dialect;
pub use changes::{ChangedBy, Changes, ColumnChange};
pub use columns::{Column, ColumnSet, Role};
pub use conflict::{Conflict, ConflictKind};
pub use conflicts::{AnyConflict, Conflicts};
pub use derive::{VersionValue, Versioned, VersionedPart};
pub use entity::{ForeignKey, IntoKey, ParentKey, Versioned, VersionedPart};
pub use error::{CommitError, EntityRef, IsolationError, LockError, SaveError, TrackError};
pub use execute::{Apply, Audit, LockDsl, OverwriteDsl, VersionedDsl, retry};
#[cfg(feature = "async")]
pub use execute::{AsyncApply, AsyncAudit, AsyncLockDsl, AsyncOverwriteDsl, AsyncVersionedDsl};
pub use guard::{Check, VersionGroup};
pub use isolation::Isolation;
pub use lease::{LeaseError, LeaseHolder, LostLease};
pub use lock::{Lock, Wait};
pub use merge::Merge;
pub use overwrite::{
    Actor, ActorError, NotOverwritable, Overwrite, OverwriteError, OverwriteTable, ReasonError,
};
pub use relative::{ApplyError, BulkUpdate, Bump, Relative, RelativeDsl, UpdateWhere};
pub use replay::KeyError;
pub use retry::{Attempt, RetryError, RetryPolicy, Retryable};
pub use schema_check::{SchemaError, SchemaReport};
pub use shown::ColumnValue;
pub use soft_delete::{MarkColumn, SoftDelete};
pub use unit_of_work::{
    Committed, CommittedChange, CommittedRow, Handle, Operation, UndoError, UnitOfWork,
};
pub use unmergeable::Unmergeable;
pub use version::VersionValue;

// Shown in their modules, so that the front page is what most programs need.
#[doc(hidden)]
pub use backend::{
    BatchUpdateSyntax, BeginToWrite, IsolationSyntax, LaterSyntax, LockSyntax, RowLocks, Switch,
    Syntax, TupleSyntax, WholeDatabase,
};
#[cfg(feature = "async")]
#[doc(hidden)]
pub use plumbing::{AlsoFn, AsyncExecutes, AsyncSet};
#[doc(hidden)]
pub use plumbing::{
    Bind, BindPart, BlockingSet, CloneEntity, Discard, Entity, EntityKey, Executes, Holds,
    OwnTables, Set, SetCore, SetKind,
};

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
