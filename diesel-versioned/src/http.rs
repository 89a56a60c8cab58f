//! HTTP: the version as an entity tag, conditional requests, and what failed as a problem.
//!
//! The version that the database guards is what HTTP calls an entity tag. A client reads a row and
//! its `ETag`; when it writes, it says in `If-Match` which one it has read; if somebody else has
//! written meanwhile, the answer is 412 and nothing is lost. This module has the way there and back,
//! in the types of the crate `http`, for any framework: `examples/async-service` is a whole service
//! with axum.
//!
//! | to | |
//! | --- | --- |
//! | tell a client what it has read | [`HttpDsl::etag`], [`HttpDsl::etag_of`] a group, [`ETag::of_version`] |
//! | guard a write by what a client has read | [`IfMatch`], [`HttpDsl::expect`], [`HttpDsl::expect_group`], [`HttpDsl::expect_loaded`] |
//! | answer 304, or create only what is not there | [`IfNoneMatch`] |
//! | answer what was not done | [`Problem`], [`Expected::problem`] |
//!
//! # A resource
//!
//! ```
//! # use diesel::connection::SimpleConnection;
//! # use diesel::prelude::*;
//! use diesel_versioned::http::{IfMatch, IfNoneMatch, Problem};
//! use diesel_versioned::prelude::*;
//! use http::header::{ETAG, IF_MATCH, IF_NONE_MATCH};
//! use http::{HeaderMap, Response, StatusCode};
//!
//! # diesel::table! {
//! #     products (id) { id -> Integer, name -> Text, stock -> Integer, version -> Integer }
//! # }
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
//! # fn shown(product: &Product, status: StatusCode) -> Response<String> {
//! #     let mut response = Response::new(product.name.clone());
//! #     *response.status_mut() = status;
//! #     response.headers_mut().insert(ETAG, product.etag().into());
//! #     response
//! # }
//! fn get(conn: &mut SqliteConnection, id: i32, headers: &HeaderMap) -> Result<Response<String>, Problem> {
//!     let condition = IfNoneMatch::from_headers(headers)?; // or 400
//!     let product = Product::find(conn, id)?; // or 404
//!     if condition.is_some_and(|condition| condition.not_modified(&product.etag())) {
//!         return Ok(shown(&product, StatusCode::NOT_MODIFIED));
//!     }
//!     Ok(shown(&product, StatusCode::OK))
//! }
//!
//! /// The whole row, as it was edited. It is not read first.
//! fn put(
//!     conn: &mut SqliteConnection,
//!     headers: &HeaderMap,
//!     mut edited: Product,
//! ) -> Result<Response<String>, Problem> {
//!     let if_match = IfMatch::required(headers)?; // or 428
//!     let expected = edited.expect(&if_match)?;
//!     edited.save(conn).map_err(|error| expected.problem(error))?; // or 412, 410
//!     Ok(shown(&edited, StatusCode::OK))
//! }
//!
//! /// The row is read first: the header may be `*`, or name several tags.
//! fn delete(conn: &mut SqliteConnection, id: i32, headers: &HeaderMap) -> Result<Response<String>, Problem> {
//!     let if_match = IfMatch::required(headers)?;
//!     let mut product = Product::find(conn, id)?;
//!     let expected = product.expect_loaded(&if_match)?; // or 412
//!     product.delete(conn).map_err(|error| expected.problem(error))?; // or 412, 409: just now
//!     Ok(shown(&product, StatusCode::NO_CONTENT))
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut conn = SqliteConnection::establish(":memory:")?;
//! # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
//! #     stock INTEGER NOT NULL, version INTEGER NOT NULL);
//! #     INSERT INTO products VALUES (42, 'Chai', 7, 7)")?;
//! let none = HeaderMap::new();
//! let read = get(&mut conn, 42, &none)?;
//! assert_eq!(read.headers()[ETAG], r#""v7""#);
//! let known = HeaderMap::from_iter([(IF_NONE_MATCH, read.headers()[ETAG].clone())]);
//! assert_eq!(get(&mut conn, 42, &known)?.status(), 304);
//!
//! let anns = Product { id: 42, name: "Chai".into(), stock: 5, version: 0 };
//! let bobs = Product { stock: 4, ..anns.clone() };
//! let seven = HeaderMap::from_iter([(IF_MATCH, read.headers()[ETAG].clone())]);
//! assert_eq!(put(&mut conn, &seven, anns)?.headers()[ETAG], r#""v8""#);
//!
//! let lost = put(&mut conn, &seven, bobs.clone()).unwrap_err().into_response();
//! assert_eq!(lost.status(), 412);
//! assert_eq!(lost.headers()["content-type"], "application/problem+json");
//! assert_eq!(
//!     serde_json::from_str::<serde_json::Value>(lost.body())?,
//!     serde_json::json!({
//!         "type": "about:blank",
//!         "title": "Precondition Failed",
//!         "status": 412,
//!         "code": "precondition.failed",
//!         "detail": "`products` 42 was changed by someone else (expected version 7, found 8); \
//!                    reload it and apply the change again",
//!         "etag": "\"v8\"",
//!         "conflicts": [{
//!             "table": "products",
//!             "key": "42",
//!             "kind": "modified",
//!             "code": "conflict.modified",
//!             "expected": "7",
//!             "actual": "8",
//!             "changes": [
//!                 { "column": "stock", "by": "unknown", "base": null, "mine": "4", "theirs": "5" },
//!             ],
//!             "etag": "\"v8\"",
//!         }],
//!     })
//! );
//!
//! assert_eq!(put(&mut conn, &none, bobs.clone()).unwrap_err().status(), 428);
//! assert_eq!(delete(&mut conn, 42, &seven).unwrap_err().status(), 412);
//! let any = HeaderMap::from_iter([(IF_MATCH, "*".parse()?)]);
//! assert_eq!(delete(&mut conn, 42, &any)?.status(), 204);
//! assert_eq!(get(&mut conn, 42, &none).unwrap_err().status(), 404);
//! assert_eq!(put(&mut conn, &seven, bobs).unwrap_err().status(), 410);
//! # Ok(())
//! # }
//! ```
//!
//! A version may as well come in the body, or in a form's hidden field. What fails then is not a
//! precondition of the request but the write: let `?` make the problem, without [`Expected`], and it
//! is 409.
//!
//! In a framework, wrap [`Problem`] in a type of your own that is `From<impl Into<Problem>>` and
//! turns into a response by [`into_response`](Problem::into_response). That is also the place to log
//! [`source`](std::error::Error::source) where the status is 500 or above, and to decide once for
//! all answers about [`without_values`](Problem::without_values), for
//! **the diff shows what stands in the database**.
//!
//! # What a client meets
//!
//! - *A PUT without `If-Match` is refused*, by 428. Done all the same, it would overwrite whatever
//!   somebody else had saved since this client read the row, which is what the version is for.
//!   `If-Match: *` asks for a row, not for the one that was read: it does not guard against that, so
//!   [`expect`](HttpDsl::expect) does not take it. [`expect_loaded`](HttpDsl::expect_loaded) does, for
//!   a client that says so explicitly means it: to delete whatever is there, for example.
//! - *A 412 may be the client's own success.* If the answer to a PUT was lost on its way and the
//!   client sends it again, the row has moved: by itself. The `changes` of such a conflict are empty,
//!   since what stands there is what was to be written; a client that does not see them reads the
//!   row and compares.
//! - *Weak tags never match* in `If-Match` (RFC 9110, 13.1.1). A proxy that compresses answers makes
//!   `W/"v7"` of our `"v7"`, or `"v7-gzip"`; let it leave `ETag` alone where clients write. In
//!   `If-None-Match` weak tags do match.
//! - *A tag of someone else* is no error: it never matches.
//! - *Several tags*, or `*`, cannot guard a write that is made without reading the row: one version
//!   does. Read it and use [`expect_loaded`](HttpDsl::expect_loaded); otherwise the answer is 400 and
//!   says so.
//! - *A row that never was* and one that was deleted look alike to [`expect`](HttpDsl::expect): 410,
//!   or 412 if the header can match no row at all. After a `find` it is 404.
//! - *Trying again does not help.* The version of a header is what the client has read; work that
//!   reads again by itself ([`guide`](crate::guide#do-it-again)) needs no `If-Match`.
//! - *Rows come back.* Where the version is an integer, a row that is deleted and inserted again under the
//!   same key starts at 1 again, so a tag from before may match it once the numbers meet, and a cache may
//!   take the new row for the old one. A token never comes back
//!   ([`which_version`](crate::which_version)); or let the database never give a key twice
//!   (`AUTOINCREMENT`, a sequence, a UUID). A hash is the same whenever the row holds the same.
//! - *A tag tells the row's version and nothing else.* Answer 304 by it only if the answer is made of
//!   this row alone, in one form: not with rows of other tables in it, not in several languages or
//!   formats at one URL.
//!
//! # Codes
//!
//! The `code` of a [`Problem`] is stable, as that of the error that it was made of; new ones may
//! come. Of a unit's conflicts the status is 409 even if a row is gone, for the request may be about
//! another one.
//!
//! | code | status | what happened |
//! | --- | --- | --- |
//! | `header.malformed` | 400 | `If-Match` or `If-None-Match` cannot be read; the detail says where and why |
//! | `precondition.not_one_version` | 400 | `If-Match` is `*` or names several versions, and one is needed |
//! | `replay.key` | 400 | a text cannot be an idempotency key |
//! | `overwrite.reason` | 400 | the reason to overwrite is empty, too long or has control characters in it |
//! | `row.not_found` | 404 | there is no such row |
//! | `conflict.modified` | 409 | the row is at another version, and the expected one did not come from a header, or the header (`*`, a list) holds for this one too |
//! | `conflict.refused` | 409 | the row is at the expected version, and the database held the write back |
//! | `apply.condition` | 409 | a relative update whose condition the row does not meet |
//! | `apply.refused` | 409 | a relative update that the database held back |
//! | `merge.columns` | 409 | the rule cannot put both changes together; the member `columns` has which |
//! | `merge.overwrites` | 409 | the rule would undo what only they changed |
//! | `merge.no_base` | 409 | it is not known who changed what |
//! | `merge.wrong_base` | 409 | what was given as the base is another row or another version |
//! | `merge.delete` | 409 | it was to be deleted |
//! | `merge.expect_unchanged` | 409 | it was not to be changed by anyone |
//! | `merge.outdated` | 409 | the conflict is no longer the unit's |
//! | `overwrite.outdated` | 409 | the unit has gone on since the conflict that was to be overwritten |
//! | `overwrite.expect_unchanged` | 409 | what was to be overwritten was not to be changed by anyone |
//! | `lease.lost` | 409 | the lease under which it was to be written is over; `holder`, `since` and `until` say whose it is now |
//! | `conflict.deleted` | 410 | the row is gone |
//! | `apply.gone` | 410 | a relative update of a row that is not there |
//! | `precondition.failed` | 412 | `If-Match` or `If-None-Match` does not hold; nothing was done |
//! | `constraint.unique` | 422 | a value that must be unique is taken |
//! | `constraint.foreign_key` | 422 | a foreign key was violated |
//! | `constraint.not_null` | 422 | a `NOT NULL` was violated |
//! | `constraint.check` | 422 | a `CHECK` was violated |
//! | `unit.already_tracked` | 422 | the same row twice in one unit |
//! | `unit.invalid` | 422 | the unit contradicts itself |
//! | `replay.other_payload` | 422 | something else was asked for under the idempotency key |
//! | `lease.held` | 423 | someone else holds the lease; `holder`, `since` and `until` say who |
//! | `precondition.required` | 428 | there is no `If-Match` |
//! | `header.too_long` | 431 | more than 8,192 bytes or 128 tags in `If-Match` or `If-None-Match` |
//! | `outcome.unknown` | 500 | the connection was lost during COMMIT: it is done or not |
//! | `precondition.unknown_group` | 500 | the program asked for a group of columns that the entity does not have |
//! | `version.exhausted` | 500 | the version is the greatest of its type |
//! | `version.unavailable` | 500 | no version can be made: there is no randomness, or the entity has none, for example |
//! | `key.not_unique` | 500 | the key columns are not unique |
//! | `unit.full` | 500 | the unit is full |
//! | `unit.unknown_handle` | 500 | a handle of another unit |
//! | `retry.in_transaction` | 500 | a retry was begun inside a transaction |
//! | `retry.policy` | 500 | the retry policy allows nothing |
//! | `overwrite.actor` | 500 | who overwrites is no actor |
//! | `overwrite.audit` | 500 | that a row was overwritten could not be recorded, so it was not |
//! | `lease.other_row` | 500 | the lease is of another row |
//! | `lease.holder` | 500 | a text cannot name the holder of a lease |
//! | `lease.ttl` | 500 | a lease cannot last so long, or so short |
//! | `lease.key` | 500 | the primary key is too long for the table of leases |
//! | `transaction.read_only` | 500 | the transaction is read-only |
//! | `database` | 500 | whatever else the database reported; its words are in the problem's `source()` |
//! | `lock.no_transaction` | 500 | a row was to be locked outside of a transaction |
//! | `lock.unsupported` | 500 | the database has no such lock |
//! | `isolation.in_transaction` | 500 | the isolation of a transaction that has begun was to be changed |
//! | `isolation.unsupported` | 500 | it is not known how the database is told about isolation |
//! | `unit.read_only` | 500 | a read-only unit has something to write |
//! | `lock.timeout` | 503 | a lock was not had in time; with `Retry-After` |
//! | `lock.refused` | 503 | a lock was not had at once; with `Retry-After` |
//! | `lock.deadlock` | 503 | a deadlock; with `Retry-After` |
//! | `database.transient` | 503 | a serialization failure, or what else passes; with `Retry-After` |
//! | `connection.closed` | 503 | the connection is lost: what was one statement is done or not, so there is no `Retry-After` |
//! | `retry.exhausted` | 503 | each attempt failed; with `Retry-After` |

mod condition;
mod escape;
mod etag;
mod expect;
mod header;
mod problem;
#[cfg(test)]
mod tests;

pub use self::condition::{IfMatch, IfNoneMatch};
pub use self::etag::ETag;
pub use self::expect::{Expected, HttpDsl, PreconditionError};
pub use self::header::HeaderError;
pub use self::problem::{Problem, ProblemConflict};

/// The code of every condition that does not hold.
const FAILED: &str = "precondition.failed";
