//! The same request twice, written once: idempotency keys, with the feature `replay`.
//!
//! A client that gets no answer sends its request again; a user clicks twice; a connection is lost
//! during COMMIT. The version alone answers the second one with a conflict (the client collides with
//! itself) or, where the request inserts or is computed from what stands there, does it twice. Give
//! the unit the key of the request, and it is written once:
//!
//! ```
//! # use diesel::prelude::*;
//! # use diesel_versioned::prelude::*;
//! # diesel::table! {
//! #     orders (id) { id -> Integer, customer -> Text, version -> Integer }
//! # }
//! # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
//! # #[diesel(table_name = orders)]
//! # struct Order {
//! #     #[diesel(skip_insertion)] id: i32,
//! #     customer: String,
//! #     #[version] version: i32,
//! # }
//! # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//! # use diesel::connection::SimpleConnection;
//! use diesel_migrations::MigrationHarness;
//!
//! # let mut conn = SqliteConnection::establish(":memory:")?;
//! # conn.batch_execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT NOT NULL,
//! #     version INTEGER NOT NULL)")?;
//! conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
//!
//! /// What a handler does with a request and the key that came with it.
//! fn order(conn: &mut SqliteConnection, key: &str, customer: &str) -> Result<(i32, bool), CommitError> {
//!     let mut uow = UnitOfWork::new();
//!     uow.idempotency_key(key)?;
//!     let new = Order { id: 0, customer: customer.to_owned(), version: 0 };
//!     let order = uow.insert(new)?;
//!     let done = uow.commit(conn)?;
//!     Ok((uow[order].id, done.is_replayed()))
//! }
//!
//! assert_eq!(order(&mut conn, "7f3c", "Ann")?, (1, false));
//! assert_eq!(order(&mut conn, "7f3c", "Ann")?, (1, true)); // the second click
//! assert_eq!(order(&mut conn, "90aa", "Ann")?, (2, false)); // another order
//!
//! let error = order(&mut conn, "7f3c", "Bob").unwrap_err();
//! assert_eq!(error.code(), "replay.other_payload");
//! # Ok(())
//! # }
//! ```
//!
//! # What it does
//!
//! The key is written in the unit's transaction before anything else, and what the unit did is
//! recorded under it before COMMIT: both are there, or neither. A unit that fails leaves no key, so
//! the request can be sent again. Of two at the same time one writes, and the other waits for it: if
//! it succeeds, that is the answer to both, if it fails, the other one goes on.
//!
//! When the key is known already, nothing is written. [`commit`](crate::UnitOfWork::commit) returns
//! what was recorded ([`is_replayed`](crate::Committed::is_replayed)): the rows and versions that
//! the first one made. The entities that were to be written are taken from the database as they stand
//! now, which may be later than what was recorded; one that is gone since is no longer part of the
//! unit. An inserted row is known again by what was to be inserted; it too is no longer part of the unit
//! if the first one inserted something else, or if the database makes its key and the type of that does
//! not read (`FromStr`) what it shows (`Debug`), as integers and UUIDs do. Nor are rows that
//! [`insert_with`](crate::UnitOfWork::insert_with) makes: they are in the record, load them. What
//! [`also`](crate::UnitOfWork::also) was given is not run again: it was committed with the first one.
//! What [`after_commit`](crate::UnitOfWork::after_commit) was given is not run either, except for a
//! unit whose own commit got no answer. (If the program ended between COMMIT and its hooks, they have
//! never run; let what must not be lost read an outbox that `also` writes.) A key is used up by
//! success; give the unit another one before the next commit.
//!
//! # What counts as the same
//!
//! Without more, what the unit writes: which rows, at which versions, which values of which columns
//! ([`idempotency_key`](crate::UnitOfWork::idempotency_key)). That is right for an insert and for
//! what came from a form. Values are compared by their `Debug`; those of types that have none are
//! not, nor are the rows that `insert_with` makes and what `also` does.
//!
//! A request that is computed from what stands there ("three of these, please") writes something
//! else the second time, because it reads what the first one wrote; and an order may have other lines,
//! which `insert_with` makes. Say what it asks for:
//! [`idempotency_key_for`](crate::UnitOfWork::idempotency_key_for) takes the request itself, its
//! body for example.
//!
//! # After a lost connection
//!
//! [`OutcomeUnknown`](crate::CommitError::OutcomeUnknown) leaves it open whether the unit was
//! written. With a key that is no trouble: commit the same unit again on another connection; it is
//! written or replayed. To know without writing, ask
//! [`outcome`](crate::UnitOfWork::outcome).
//!
//! # The table
//!
//! The keys are in `diesel_versioned_replays`, made by the [`migrations`](crate::migrations). A key
//! is for the whole database: where clients make them up, put the client and what it asks for in
//! front (`"ann POST /orders 7f3c"`). Keys stay until
//! [`expire_idempotency_keys`](crate::UnitOfWork::expire_idempotency_keys) removes them; run that
//! now and then, with more time than a request takes and a client goes on repeating it.
//!
//! # Mind
//!
//! - [`run`](crate::UnitOfWork::run) returns what its closure has returned, also if nothing of it was
//!   written: look at [`is_replayed`](crate::Committed::is_replayed).
//! - A conflict that was [overwritten](crate::UnitOfWork::overwrite) is written at another version than the
//!   request was made of, and so is something else when the request comes again: say what is asked for, by
//!   [`idempotency_key_for`](crate::UnitOfWork::idempotency_key_for).
//! - A unit that has nothing left to write, after [`discard`](crate::UnitOfWork::discard) for example,
//!   uses its key up all the same.
//! - A key that the database gives to another row later (SQLite without `AUTOINCREMENT`) leads a replay to
//!   that row.
//!
//! On MySQL and MariaDB several units that wait for one key whose owner fails may be a deadlock for
//! all but one of them; that is transient, as any.

mod key;
mod name;
#[cfg(feature = "replay")]
mod payload;
pub(crate) mod record;

pub(crate) use key::IdempotencyKey;
pub use key::KeyError;
pub(crate) use name::lasting;
#[cfg(feature = "replay")]
pub(crate) use payload::{Payload, digest};
pub(crate) use record::RecordedChange;

/// Without the feature no unit has a key.
#[cfg(not(feature = "replay"))]
pub(crate) fn digest(_: impl FnOnce(&mut dyn FnMut(&str))) -> String {
    String::new()
}

/// The table that the keys are in.
pub(crate) const TABLE: &str = "diesel_versioned_replays";
