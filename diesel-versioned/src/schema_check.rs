//! Whether a table is what its entity says: found out at the start of a program, not by its users.
//!
//! [`check_schema`](crate::VersionedDsl::check_schema) compares what the derive knows with the live
//! table and returns all that it finds, as data. It reads the database's catalog and writes nothing of
//! yours.
//!
//! | [`code`](SchemaFinding::code) | what is wrong |
//! | --- | --- |
//! | `schema.table_missing` | there is no such table, or the user may not see it |
//! | `schema.column_missing` | a column of the entity is not there; the version's is one of them |
//! | `schema.version_nullable` | the version may be NULL, and is then never matched |
//! | `schema.version_type` | the version's column is of another type, or of another than `table!` says |
//! | `schema.version_narrow` | it ends before the type of the version does |
//! | `schema.version_precision` | it keeps fewer digits of a second than the version has |
//! | `schema.mark_not_null` | the mark of deletion is a time and its column NOT NULL |
//! | `schema.mark_nullable` | it is a `bool` and its column may be NULL |
//! | `schema.mark_type` | its column is of another type, or of another than `table!` says |
//! | `schema.mark_precision` | its column keeps fewer digits of a second than the mark has |
//! | `schema.key_not_unique` | nothing in the database keeps the key unique, as `=` compares it |
//! | `schema.found_rows` | the connection counts changed rows, not matched ones (MySQL, MariaDB) |
//! | `schema.default_missing` | *warning*: rows of other writers get no version |
//! | `schema.not_checked` | *warning*: something cannot be found out, such as the keys behind a view |
//!
//! All but the last two are [errors](Severity::Error): writes will fail, or updates may be lost.
//!
//! ```
//! use diesel::connection::SimpleConnection;
//! use diesel::prelude::*;
//! use diesel_versioned::prelude::*;
//! use diesel_versioned::schema_check::Severity;
//!
//! diesel::table! {
//!     products (id) { id -> Integer, stock -> Integer, version -> Integer }
//! }
//!
//! #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
//! #[diesel(table_name = products)]
//! struct Product { id: i32, stock: i32, #[version] version: i32 }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut conn = SqliteConnection::establish(":memory:")?;
//! conn.batch_execute("CREATE TABLE products (id INTEGER, version INTEGER)")?;
//! let report = Product::check_schema(&mut conn)?;
//! let codes: Vec<_> = report.iter().map(|finding| finding.code()).collect();
//! assert_eq!(
//!     codes,
//!     [
//!         "schema.column_missing",
//!         "schema.version_nullable",
//!         "schema.key_not_unique",
//!         "schema.default_missing",
//!     ]
//! );
//! assert_eq!(report.iter().next().and_then(|finding| finding.column()), Some("stock"));
//! assert_eq!(report.errors().count(), 3);
//! assert!(report.into_result().is_err());
//!
//! conn.batch_execute(
//!     "DROP TABLE products;
//!      CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
//!          version INTEGER NOT NULL DEFAULT 1)",
//! )?;
//! let warnings = Product::check_schema(&mut conn)?.into_result()?;
//! assert!(warnings.is_empty());
//! # Ok(())
//! # }
//! ```

mod compare;
mod declared;
mod finding;
mod fit;
mod found;
mod inspection;
mod report;
mod shape;

pub use declared::Declared;
pub use finding::{Problem, SchemaFinding, Severity};
pub use report::{SchemaError, SchemaReport};
pub use shape::Shape;

#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
pub(crate) use declared::is;
pub(crate) use inspection::{Inspection, Question};
