//! Code that is generic over the connection, and what is expected of a connection.

use diesel::prelude::*;

use super::{conflict, lamp, row, stored_lamp};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::TestDb;
use crate::support::entities::Product;
use crate::support::schema::products;

/// One bound is enough.
pub fn sell<C>(conn: &mut C, id: i32) -> Result<Product, SaveError<Product>>
where
    Product: VersionedDsl<C>,
{
    let mut product = Product::find(conn, id)?;
    product.stock -= 1;
    product.save(conn)?;
    Ok(product)
}

/// Every command.
pub fn all_commands<C>(conn: &mut C, id: i32)
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

/// A write of what stands there already counts.
pub fn assert_counts_matched(conn: &mut Conn, stored: &Product) {
    let rows = diesel::update(products::table.find(stored.id))
        .set((
            products::stock.eq(stored.stock),
            products::version.eq(stored.version),
        ))
        .execute(conn)
        .unwrap();
    let lacks = "the connection counts changed rows and not matched ones (MySQL: it lacks \
                 CLIENT_FOUND_ROWS); every row count that the library decides by would be wrong";
    assert_eq!(rows, 1, "{lacks}");
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
fn rule_08_a_write_that_changes_no_value_is_matched() {
    let db = TestDb::new();
    let mine = stored_lamp(&db, 42);
    assert_counts_matched(&mut db.connect(), &mine);
}
