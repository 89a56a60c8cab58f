//! SQL types that Diesel does not have, for `table!`.

use diesel::query_builder::QueryId;
use diesel::sql_types::SqlType;

/// PostgreSQL's `xid`, the type of the system column `xmin`; see [`pg::Xid`](crate::pg::Xid).
///
/// ```
/// diesel::table! {
///     products (id) {
///         id -> Integer,
///         xmin -> diesel_versioned::sql_types::Xid,
///     }
/// }
/// ```
#[derive(Debug, Clone, Copy, Default, QueryId, SqlType)]
#[diesel(postgres_type(oid = 28, array_oid = 1011))]
pub struct Xid;
