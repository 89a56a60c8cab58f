//! Start here: a lost update that is refused, then two rows in one transaction.

use diesel::{connection::SimpleConnection, prelude::*};
use diesel_versioned::prelude::*;

mod schema {
    diesel::table! {
        products (id) { id -> Integer, price_cents -> BigInt, stock -> Integer, version -> Integer }
    }
}

#[derive(Debug, Clone, Queryable, Selectable, Versioned)]
#[diesel(table_name = schema::products)]
struct Product {
    id: i32,
    price_cents: i64,
    stock: i32,
    #[version]
    version: i32,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut conn = SqliteConnection::establish(":memory:")?;
    conn.batch_execute(
        "CREATE TABLE products (id INTEGER PRIMARY KEY, price_cents BIGINT NOT NULL,
            stock INTEGER NOT NULL, version INTEGER NOT NULL DEFAULT 1)",
    )?;
    // At the start of a program: what would break writes is an error, the rest are warnings.
    let warnings = Product::check_schema(&mut conn)?.into_result()?;
    assert!(warnings.is_empty(), "{warnings}");

    // Ann and Bob have the same product. Ann is faster.
    let mut anns = Product {
        id: 42,
        price_cents: 1000,
        stock: 7,
        version: 0, // an insert begins at 1, whatever stands here
    };
    anns.insert(&mut conn)?;
    let mut bobs = Product::find(&mut conn, 42)?;
    anns.price_cents = 1200;
    anns.save(&mut conn)?; // UPDATE … SET …, version = 2 WHERE id = 42 AND version = 1
    println!("Ann saved {anns:?}");

    // Bob's copy still has the old price: to save it would undo Ann's work.
    bobs.stock -= 2;
    let Err(SaveError::Conflict(conflict)) = bobs.save(&mut conn) else {
        return Err("Ann's price is lost".into());
    };
    let (kind, expected, found) = (conflict.kind(), conflict.expected(), conflict.actual());
    println!("Bob cannot save: {conflict}\n  {kind}, expected {expected}, found {found:?}");
    for change in conflict.changes() {
        println!("  {} differs", change.column);
    }
    // So he reads it again and decides anew.
    bobs.reload(&mut conn)?;
    bobs.stock -= 2;
    bobs.save(&mut conn)?;
    println!("Bob saved {bobs:?}");
    assert_eq!((bobs.price_cents, bobs.stock, bobs.version), (1200, 5, 3));

    // Many rows, one transaction: all or none.
    let mut uow = UnitOfWork::new();
    let known: Handle<Product> = uow.find(&mut conn, 42)?;
    bobs.id = 43;
    let new = uow.insert(bobs)?;
    uow[known].stock += 10;
    for row in uow.commit(&mut conn)?.iter() {
        println!("{:?} of {} {}", row.operation(), row.table(), row.key());
    }
    assert_eq!((uow[known].stock, uow[known].version), (15, 4));
    assert_eq!(uow[new].version, 1);
    Ok(())
}
