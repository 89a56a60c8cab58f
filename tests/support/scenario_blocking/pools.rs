//! Connections of an r2d2 pool.

use diesel::prelude::*;
use diesel::r2d2::{self, ConnectionManager, CustomizeConnection, Pool, PooledConnection};

use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::TestDb;
use crate::support::db::configure;
use crate::support::entities::{Order, Product};
use crate::support::scenario::outcome::conflict;
use crate::support::scenario::single::connections::{all_commands, assert_counts_matched, sell};
use crate::support::scenario::single::{row, stored_lamp};
use crate::support::schema::products;

/// Its connections have the same settings as those of [`TestDb::connect`].
fn pool(db: &TestDb, size: u32) -> Pool<ConnectionManager<Conn>> {
    Pool::builder()
        .max_size(size)
        .connection_customizer(Box::new(Configure))
        .build(ConnectionManager::new(db.url()))
        .expect("the pool connects")
}

#[derive(Debug)]
struct Configure;

impl CustomizeConnection<Conn, r2d2::Error> for Configure {
    fn on_acquire(&self, conn: &mut Conn) -> Result<(), r2d2::Error> {
        configure(conn).map_err(r2d2::Error::QueryError)
    }
}

#[test]
fn the_pool_hands_out_configured_connections() {
    let db = TestDb::new();
    let pool = pool(&db, 2);
    let (mut one, mut other) = (pool.get().unwrap(), pool.get().unwrap());
    for conn in [&mut one, &mut other] {
        assert_eq!(products::table.count().get_result::<i64>(conn).unwrap(), 0);
    }
}

#[test]
fn generic_code_takes_a_pooled_connection() {
    let db = TestDb::new();
    stored_lamp(&db, 42);
    let pool = pool(&db, 2);
    let mut conn: PooledConnection<ConnectionManager<Conn>> = pool.get().unwrap();
    assert_eq!(sell(&mut conn, 42).unwrap(), row(&db, 42));
    all_commands(&mut conn, 43);
    // And what is inside.
    assert_eq!(sell(&mut *conn, 42).unwrap().stock, 3);
}

#[test]
fn a_pooled_connection_inserts_with_a_generated_key_and_commits_units() {
    let db = TestDb::new();
    stored_lamp(&db, 42);
    let pool = pool(&db, 1);
    let conn = &mut pool.get().unwrap();
    let mut order = Order {
        id: 0,
        customer: "Ada".to_owned(),
        total_cents: 1,
        version: 0,
    };
    order.insert(conn).unwrap();
    assert_eq!(order.id, 1);

    let mut uow = UnitOfWork::new();
    let product = uow.find::<Product>(conn, 42).unwrap();
    uow[product].stock = 0;
    let order = uow.attach(order).unwrap();
    uow[order].total_cents = 2;
    uow.commit(conn).unwrap();
    assert_eq!((uow[product].version, uow[order].version), (2, 2));
    assert_eq!(row(&db, 42), uow[product]);
}

#[test]
fn a_conflict_does_not_spoil_a_pooled_connection() {
    let db = TestDb::new();
    let mut stale = stored_lamp(&db, 42);
    let pool = pool(&db, 1);
    sell(&mut pool.get().unwrap(), 42).unwrap();
    for _ in 0..3 {
        conflict(stale.save(&mut pool.get().unwrap()));
        Product::save_all(&mut pool.get().unwrap(), std::slice::from_mut(&mut stale)).unwrap_err();
    }
    assert_eq!(sell(&mut pool.get().unwrap(), 42).unwrap().version, 3);
}

#[test]
fn rule_08_a_write_that_changes_no_value_is_matched() {
    let db = TestDb::new();
    let mine = stored_lamp(&db, 42);
    assert_counts_matched(&mut pool(&db, 1).get().unwrap(), &mine);
}
