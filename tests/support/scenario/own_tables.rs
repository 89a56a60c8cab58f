//! The library's own tables: they come and go, and the database's clock is told right.

use std::time::{SystemTime, UNIX_EPOCH};

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel_migrations::MigrationHarness;
use diesel_versioned::Dialect;

use crate::support::{TestBackend, TestDb};
use crate::{Backend, Conn};

#[test]
fn the_tables_come_once_and_go_again() {
    let db = TestDb::with_own_tables();
    let conn = &mut db.connect();
    let count = "SELECT count(*) AS n FROM diesel_versioned_overwrites";
    diesel::sql_query(count).execute(conn).unwrap();
    assert_eq!(
        conn.run_pending_migrations(Conn::OWN_TABLES).unwrap(),
        [],
        "they ran already"
    );
    for version in conn.applied_migrations().unwrap() {
        assert!(
            version.to_string().ends_with("dieselversioned"),
            "{version}"
        );
    }
    conn.revert_all_migrations(Conn::OWN_TABLES).unwrap();
    diesel::sql_query(count).execute(conn).unwrap_err();
}

#[derive(QueryableByName)]
struct Clock {
    #[diesel(sql_type = BigInt)]
    millis: i64,
}

#[test]
fn the_clock_is_in_utc_and_moves_within_a_transaction() {
    let db = TestDb::empty();
    let conn = &mut db.connect();
    let clock = Backend::default().syntax().unix_millis.unwrap();
    let read = |conn: &mut Conn| {
        let clock: Clock = diesel::sql_query(format!("SELECT {clock} AS millis"))
            .get_result(conn)
            .unwrap();
        clock.millis
    };
    let check = |millis: i64| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let off = i64::try_from(now.as_millis()).unwrap() - millis;
        assert!(off.abs() < 600_000, "{millis} is {off} ms off");
    };
    check(read(conn));
    if let Some(far) = Conn::FAR_TIME_ZONE {
        diesel::sql_query(far).execute(conn).unwrap();
        check(read(conn));
    }
    conn.transaction::<_, diesel::result::Error, _>(|conn| {
        let before = read(conn);
        assert!((0..100_000).any(|_| read(conn) > before), "it stands still");
        Ok(())
    })
    .unwrap();
}
