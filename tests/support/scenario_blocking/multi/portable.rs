//! `impl Dialect for MultiBackend {}`.

use diesel::prelude::*;
use diesel_versioned::Dialect;
use diesel_versioned::prelude::*;

use super::{generated_keys, scenario};
use crate::support::entities::{Order, OrderLine, Product, StockLevel};
use crate::support::scenario::roles;
use crate::support::scenario::roles::by_database::counted;
use crate::support::scenario::single::{lamp, row, sold_by_someone_else};
use crate::support::{TestBackend, TestDb};

#[derive(diesel::MultiConnection)]
pub enum AnyConnection {
    #[cfg(feature = "postgres")]
    Postgres(PgConnection),
    #[cfg(feature = "mysql")]
    Mysql(MysqlConnection),
    Sqlite(SqliteConnection),
}

impl Dialect for MultiBackend {}

scenario!(AnyConnection);

// MySQL needs its own way to a generated key: `own_syntax.rs`.
generated_keys!(AnyConnection, crate::Conn::LONE_INSERT_RETURNS);

#[test]
fn a_schema_is_not_checked_as_nobody_knows_how() {
    let db = TestDb::new();
    let conn = &mut AnyConnection::establish(db.url()).unwrap();
    let error = Product::check_schema(conn).unwrap_err();
    assert!(
        error.to_string().contains("hand `Dialect::syntax` on"),
        "{error}"
    );
    assert_eq!(Product::find(conn, 1).optional().unwrap(), None);
}
