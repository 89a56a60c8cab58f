//! The library's own tables, as migrations for each database.
//!
//! Their names all begin with `diesel_versioned_`. Versions need none of them: they live in your own
//! tables. These do:
//!
//! | table | for |
//! | --- | --- |
//! | `diesel_versioned_overwrites` | the record of [`overwrite`](crate::OverwriteDsl::overwrite), see [`OverwriteTable`](crate::OverwriteTable) |
//! | `diesel_versioned_replays` | the idempotency keys, and what was written under each |
//! | `diesel_versioned_leases` | who holds which row, until when, and under which number |
//!
//! # Run them
//!
//! With the crate `diesel_migrations` 2.3, at the start of the program, beside the migrations of its own. What has run already is not run
//! again. The numbers of these migrations end in `dieselversioned`, so that none is ever taken for
//! one of yours.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//! use diesel::prelude::*;
//! use diesel_migrations::MigrationHarness;
//!
//! let mut conn = SqliteConnection::establish(":memory:")?;
//! let done = conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
//! assert!(!done.is_empty());
//! assert!(!conn.has_pending_migration(diesel_versioned::migrations::SQLITE)?);
//! # Ok(())
//! # }
//! ```
//!
//! On the connections of diesel-async its `AsyncMigrationHarness` does it (diesel-async's feature
//! `migrations`). It blocks, which it may on tokio's multi-threaded runtime only: run it once,
//! before the program serves anybody.
//!
//! ```
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//! use diesel::prelude::*;
//! use diesel_async::sync_connection_wrapper::SyncConnectionWrapper;
//! use diesel_async::{AsyncConnection, AsyncMigrationHarness};
//! use diesel_migrations::MigrationHarness;
//!
//! let conn = SyncConnectionWrapper::<SqliteConnection>::establish(":memory:").await?;
//! let mut harness = AsyncMigrationHarness::new(conn);
//! harness.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
//! assert!(!harness.has_pending_migration(diesel_versioned::migrations::SQLITE)?);
//! let conn = harness.into_inner();
//! # drop(conn);
//! # Ok(())
//! # }
//! ```
//!
//! On a `#[derive(MultiConnection)]` enum run them on the connection that is inside.
//!
//! # Or copy them
//!
//! The `diesel` command knows the migrations of its folder only. `diesel migration revert` and
//! `redo` stop with an error when the last migration that ran is one of these, and
//! `diesel print-schema` shows their tables. If you work with these commands, copy the folders from
//! `migrations/sqlite`, `postgres` or `mysql` of this crate into your own `migrations` folder, under
//! the same names, and do not run the embedded ones; this feature is not needed then. With the same
//! names a database where the embedded ones have run already takes the copies for the same: nothing
//! runs twice, and `revert` knows them. (`filter = { except_tables = ["diesel_versioned_overwrites", "diesel_versioned_replays", "diesel_versioned_leases"] }`
//! in `diesel.toml` keeps a table out of `schema.rs`.)
//!
//! To do without the tables again, revert with
//! `conn.revert_migration(…)`, or drop them and delete the rows
//! `version LIKE '%dieselversioned'` from `__diesel_schema_migrations`. What they hold is lost then.

#[cfg(any(feature = "sqlite", feature = "postgres", feature = "mysql"))]
use diesel_migrations::{EmbeddedMigrations, embed_migrations};

/// The tables on SQLite.
#[cfg(feature = "sqlite")]
pub const SQLITE: EmbeddedMigrations = embed_migrations!("migrations/sqlite");

/// The tables on PostgreSQL.
#[cfg(feature = "postgres")]
pub const POSTGRES: EmbeddedMigrations = embed_migrations!("migrations/postgres");

/// The tables on MySQL and MariaDB.
#[cfg(feature = "mysql")]
pub const MYSQL: EmbeddedMigrations = embed_migrations!("migrations/mysql");
