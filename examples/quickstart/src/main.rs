//! Start here: a lost update that is refused, then two rows in one transaction.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel_versioned::prelude::*;

mod schema {
    diesel::table! {
        products (id) {
            id -> Integer,
            name -> Text,
            price_cents -> BigInt,
            stock -> Integer,
            version -> Integer,
        }
    }
}

#[derive(Debug, Clone, Queryable, Selectable, Versioned)]
#[diesel(table_name = schema::products)]
struct Product {
    id: i32,
    name: String,
    price_cents: i64,
    stock: i32,
    #[version]
    version: i32,
}

fn product(id: i32, name: &str, price_cents: i64, stock: i32) -> Product {
    let name = name.to_owned();
    Product {
        id,
        name,
        price_cents,
        stock,
        version: 0, // an insert begins at 1, whatever stands here
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut conn = SqliteConnection::establish(":memory:")?;
    conn.batch_execute(
        "CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL,
            price_cents BIGINT NOT NULL, stock INTEGER NOT NULL, version INTEGER NOT NULL)",
    )?;
    product(42, "Chai", 1000, 7).insert(&mut conn)?;

    // Ann and Bob read the same product. Ann is faster.
    let mut anns = Product::find(&mut conn, 42)?;
    let mut bobs = Product::find(&mut conn, 42)?;
    anns.price_cents = 1200;
    anns.save(&mut conn)?; // UPDATE … SET …, version = 2 WHERE id = 42 AND version = 1
    println!("Ann saved {anns:?}");

    // Bob's copy still has the old price: to save it would undo Ann's work.
    bobs.stock -= 2;
    match bobs.save(&mut conn) {
        Err(SaveError::Conflict(c)) => {
            println!("Bob cannot save: {c}");
            println!(
                "  {}, expected {}, found {:?}",
                c.kind(),
                c.expected(),
                c.actual()
            );
            for change in c.changes() {
                println!("  {} differs", change.column);
            }
            assert_eq!(c.kind(), ConflictKind::Modified);
            assert_eq!((c.expected(), c.actual()), (&1, Some(&2)));
        }
        other => return Err(format!("Ann's price is lost: {other:?}").into()),
    }
    // So he reads it again and decides anew.
    bobs.reload(&mut conn)?;
    bobs.stock -= 2;
    bobs.save(&mut conn)?;
    println!("Bob saved {bobs:?}");
    assert_eq!((bobs.price_cents, bobs.stock, bobs.version), (1200, 5, 3));

    // Many rows, one transaction: all or none.
    let mut uow = UnitOfWork::new();
    let chai: Handle<Product> = uow.find(&mut conn, 42)?;
    let chang = uow.insert(product(43, "Chang", 1900, 17))?;
    uow[chai].stock += 10;
    let done = uow.commit(&mut conn)?;
    for row in done.iter() {
        println!("{:?} of {} {}", row.operation(), row.table(), row.key());
    }
    assert_eq!((uow[chai].stock, uow[chai].version), (15, 4));
    assert_eq!(uow[chang].version, 1);
    Ok(())
}
