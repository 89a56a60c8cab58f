//! `syntax` handed on to the backend that is inside.

use std::time::Duration;

use diesel::prelude::*;
use diesel_versioned::prelude::*;
use diesel_versioned::{Dialect, Syntax};

use super::{generated_keys, scenario};
use crate::support::capabilities::LostInSnapshot;
use crate::support::entities::{Order, OrderLine, Product, StockLevel};
use crate::support::scenario::roles;
use crate::support::scenario::roles::by_database::counted;
use crate::support::scenario::single::{lamp, row, sold_by_someone_else, stored_lamp};
use crate::support::{Queries, TestBackend, TestDb};

#[derive(diesel::MultiConnection)]
pub enum AnyConnection {
    #[cfg(feature = "postgres")]
    Postgres(PgConnection),
    #[cfg(feature = "mysql")]
    Mysql(MysqlConnection),
    Sqlite(SqliteConnection),
}

impl Dialect for MultiBackend {
    const RETURNING: bool = false;

    fn syntax(&self) -> Syntax {
        match self {
            #[cfg(feature = "postgres")]
            Self::Postgres(inner) => inner.syntax(),
            #[cfg(feature = "mysql")]
            Self::Mysql(inner) => inner.syntax(),
            Self::Sqlite(inner) => inner.syntax(),
        }
    }
}

scenario!(AnyConnection);
generated_keys!(AnyConnection, true);

#[test]
fn an_upsert_inserts_saves_or_conflicts() {
    let db = TestDb::new();
    let conn = &mut AnyConnection::establish(db.url()).unwrap();
    conn.transaction(|conn| {
        let mut mine = lamp(42);
        mine.insert_or_save(conn).unwrap();
        mine.stock = 1;
        mine.insert_or_save(conn).unwrap();
        let lost = lamp(42).insert_or_save(conn).unwrap_err();
        assert_eq!(lost.code(), "conflict.modified");
        QueryResult::Ok(())
    })
    .unwrap();
    assert_eq!((row(&db, 42).stock, row(&db, 42).version), (1, 2));
}

#[test]
fn the_sql_is_that_of_the_backend_inside() {
    let db = TestDb::new();
    let mut rows = [stored_lamp(&db, 1), stored_lamp(&db, 2)];
    let (plain, any) = (
        &mut db.connect(),
        &mut AnyConnection::establish(db.url()).unwrap(),
    );
    let updates = |queries: Queries| -> Vec<String> {
        let mut sent = queries.take();
        sent.retain(|sql| sql.contains("UPDATE "));
        sent
    };
    let sent_plain = Queries::of(plain);
    Product::save_all(plain, &mut rows).unwrap();
    let sent_any = Queries::of(any);
    Product::save_all(any, &mut rows).unwrap();
    let (plain, any) = (updates(sent_plain), updates(sent_any));
    assert_eq!(plain.len(), 1);
    assert_eq!(plain, any);
}

#[test]
fn a_schema_is_checked_as_the_backend_inside_does() {
    let db = TestDb::new();
    let conn = &mut AnyConnection::establish(db.url()).unwrap();
    let report = Product::check_schema(conn).unwrap();
    assert_eq!(report.errors().count(), 0, "{report}");
    db.execute("ALTER TABLE products RENAME COLUMN version TO revision");
    let report = Product::check_schema(conn).unwrap();
    let codes: Vec<_> = report.iter().map(|finding| finding.code()).collect();
    assert_eq!(codes, ["schema.column_missing"]);
}

#[test]
fn rule_09_the_classifying_read_sees_the_truth() {
    let db = TestDb::new();
    if crate::Conn::LOST_IN_SNAPSHOT != LostInSnapshot::Conflict {
        return;
    }
    let mut mine = stored_lamp(&db, 42);
    let conn = &mut AnyConnection::establish(db.url()).unwrap();
    conn.transaction::<_, diesel::result::Error, _>(|conn| {
        Product::find(conn, 42)?;
        sold_by_someone_else(&db, 42);
        let error = mine.save(conn).unwrap_err();
        assert_eq!(error.code(), "conflict.modified");
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_conflict_is_overwritten_on_record() {
    let db = TestDb::with_own_tables();
    let conn = &mut AnyConnection::establish(db.url()).unwrap();
    let mut mine = stored_lamp(&db, 42);
    sold_by_someone_else(&db, 42);
    mine.stock = 0;
    let error = mine.save(conn).unwrap_err();
    let written = error
        .conflict()
        .unwrap()
        .overwrite(conn, Actor::new("anna").unwrap(), "counted")
        .unwrap();
    assert_eq!((row(&db, 42), written.version), (written.clone(), 3));
    let lost = crate::Conn::json_field("overwritten_values", "stock");
    let recorded = format!("DELETE FROM diesel_versioned_overwrites WHERE {lost} = '4'");
    assert_eq!(
        diesel::sql_query(recorded)
            .execute(&mut db.connect())
            .unwrap(),
        1
    );
}

#[test]
fn a_lease_is_held_by_the_clock_and_the_locks_of_the_backend_inside() {
    let db = TestDb::with_own_tables();
    let conn = &mut AnyConnection::establish(db.url()).unwrap();
    let mut mine = stored_lamp(&db, 42);
    let hour = Duration::from_secs(3_600);
    let lease = Lease::acquire(conn, &mine, "maria", hour).unwrap();
    mine.stock = 0;
    lease.save(conn, &mut mine).unwrap();
    assert_eq!(row(&db, 42), mine);
    // Beside a connection that is no enum: it is the same lease.
    let plain = &mut db.connect();
    assert_eq!(
        Lease::holder_of(plain, &mine).unwrap(),
        Lease::holder_of(conn, &mine).unwrap()
    );
    Lease::steal(plain, &mine, "paul", hour).unwrap();
    let error = lease.save(conn, &mut mine).unwrap_err();
    assert_eq!(error.code(), "lease.lost");
}
