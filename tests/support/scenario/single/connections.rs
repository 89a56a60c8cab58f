//! Pooled connections and code that is generic over the connection.

use diesel::r2d2::{ConnectionManager, PooledConnection};
use diesel_versioned::prelude::*;

use super::{conflict, lamp, row, stored_lamp};
use crate::support::TestDb;
use crate::support::entities::{Order, Product};

/// One bound is enough.
fn sell<C>(conn: &mut C, id: i32) -> Result<Product, SaveError<Product>>
where
    Product: VersionedDsl<C>,
{
    let mut product = Product::find(conn, id)?;
    product.stock -= 1;
    product.save(conn)?;
    Ok(product)
}

/// Every command.
fn all_commands<C>(conn: &mut C, id: i32)
where
    Product: VersionedDsl<C>,
{
    let mut product = lamp(id);
    product.insert(conn).unwrap();
    let mut stale = product.clone();
    product.save(conn).unwrap();
    product.touch(conn).unwrap();
    assert_eq!(conflict(stale.save(conn)).actual(), Some(&3));
    stale.reload(conn).unwrap();
    assert_eq!(stale, product);
    let mut slice = [product];
    Product::save_all(conn, &mut slice).unwrap();
    let [mut product] = slice;
    assert_eq!(product.version, 4);
    product.delete(conn).unwrap();
}

#[test]
fn generic_code_takes_a_connection() {
    let db = TestDb::new();
    stored_lamp(&db, 42);
    let conn = &mut db.connect();
    assert_eq!(sell(conn, 42).unwrap(), row(&db, 42));
    all_commands(conn, 43);
}

#[test]
fn generic_code_takes_a_pooled_connection() {
    let db = TestDb::new();
    stored_lamp(&db, 42);
    let pool = db.pool(2);
    let mut conn: PooledConnection<ConnectionManager<crate::Conn>> = pool.get().unwrap();
    assert_eq!(sell(&mut conn, 42).unwrap(), row(&db, 42));
    all_commands(&mut conn, 43);
    // And what is inside.
    assert_eq!(sell(&mut *conn, 42).unwrap().stock, 3);
}

#[test]
fn a_pooled_connection_inserts_with_a_generated_key_and_commits_units() {
    let db = TestDb::new();
    stored_lamp(&db, 42);
    let pool = db.pool(1);
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
    let pool = db.pool(1);
    sell(&mut pool.get().unwrap(), 42).unwrap();
    for _ in 0..3 {
        conflict(stale.save(&mut pool.get().unwrap()));
        Product::save_all(&mut pool.get().unwrap(), std::slice::from_mut(&mut stale)).unwrap_err();
    }
    assert_eq!(sell(&mut pool.get().unwrap(), 42).unwrap().version, 3);
}

#[test]
fn rule_08_a_write_that_changes_no_value_is_matched() {
    use crate::support::schema::products;
    use diesel::prelude::*;

    let db = TestDb::new();
    let mine = stored_lamp(&db, 42);
    let rows = |conn: &mut crate::Conn| {
        diesel::update(products::table.find(42))
            .set((
                products::stock.eq(mine.stock),
                products::version.eq(mine.version),
            ))
            .execute(conn)
            .unwrap()
    };
    let lacks = "the connection counts changed rows and not matched ones (MySQL: it lacks \
                 CLIENT_FOUND_ROWS); every row count that the library decides by would be wrong";
    assert_eq!(rows(&mut db.connect()), 1, "{lacks}");
    assert_eq!(rows(&mut db.pool(1).get().unwrap()), 1, "{lacks}");
}
