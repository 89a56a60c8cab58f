//! Single writes and units, each with the statements that it sends.

mod further;

use diesel::Connection;
use diesel::result::Error;

use super::Conn;
use super::prelude::*;
use crate::support::entities::{Account, Node, Order, OrderLine, Product, StockLevel};
use crate::support::scenario::single::lamp;
use crate::support::{Queries, TestDb};

/// The steps by name, with what was sent.
type Sent = Vec<(&'static str, Vec<String>)>;

/// Someone else writes a lamp.
fn sold(db: &TestDb, id: i32) {
    db.execute(&format!(
        "UPDATE products SET stock = 1, version = version + 1 WHERE id = {id}"
    ));
}

fn order(customer: &str) -> Order {
    Order {
        id: 0,
        customer: customer.to_owned(),
        total_cents: 1,
        version: 0,
    }
}

fn account(id: i64, email: &str) -> Account {
    Account {
        id,
        email: email.to_owned(),
        nickname: None,
        balance: 0,
        version: 0,
    }
}

/// Every step, on a database with the lamps 1 to 9 at version 1.
pub fn run(db: &TestDb, conn: &mut Conn) -> Sent {
    let queries = Queries::of(conn);
    let mut sent = Sent::new();
    single_writes(db, conn, &mut |step| sent.push((step, queries.take())));
    units(db, conn, &mut |step| sent.push((step, queries.take())));
    lost_units(db, conn, &mut |step| sent.push((step, queries.take())));
    nested_units(db, conn, &mut |step| sent.push((step, queries.take())));
    further::make_tables(db);
    further::guards(db, conn, &mut |step| sent.push((step, queries.take())));
    further::relative(db, conn, &mut |step| sent.push((step, queries.take())));
    further::locks(db, conn, &mut |step| sent.push((step, queries.take())));
    further::isolation(db, conn, &mut |step| sent.push((step, queries.take())));
    further::leases(db, conn, &mut |step| sent.push((step, queries.take())));
    sent
}

fn single_writes(db: &TestDb, conn: &mut Conn, done: &mut dyn FnMut(&'static str)) {
    let mut mine = lamp(10);
    mine.insert(conn).unwrap();
    done("insert");
    let mut first = order("Ada");
    first.insert(conn).unwrap();
    assert_eq!((first.id, first.version), (1, 1));
    done("insert with a generated key");
    Product::find(conn, 10).unwrap();
    done("find");
    assert_eq!(Product::check_schema(conn).unwrap().errors().count(), 0);
    done("check_schema");
    mine.stock = 7;
    mine.save(conn).unwrap();
    done("save");
    mine.touch(conn).unwrap();
    done("touch");
    mine.reload(conn).unwrap();
    done("reload");
    sold(db, 10);
    assert!(mine.save(conn).unwrap_err().is_conflict());
    done("save in conflict");
    assert!(mine.touch(conn).unwrap_err().is_conflict());
    done("touch in conflict");
    assert!(mine.delete(conn).unwrap_err().is_conflict());
    done("delete in conflict");
    mine.reload(conn).unwrap();
    mine.delete(conn).unwrap();
    done("reload and delete");
    assert_eq!(mine.save(conn).unwrap_err().code(), "conflict.deleted");
    done("save what is gone");
    assert!(lamp(1).insert(conn).is_err());
    done("insert what is there");
    let mut rows = [1, 2, 3].map(|id| Product::find(conn, id).unwrap());
    Product::save_all(conn, &mut rows).unwrap();
    done("save_all");
    sold(db, 2);
    assert!(
        Product::save_all(conn, &mut rows)
            .unwrap_err()
            .is_conflict()
    );
    done("save_all in conflict");
    Product::save_all(conn, &mut rows[..0]).unwrap();
    Product::save_all(conn, &mut rows[..1]).unwrap();
    done("save_all of none and of one");
}

fn units(_: &TestDb, conn: &mut Conn, done: &mut dyn FnMut(&'static str)) {
    let mut uow = UnitOfWork::<Conn>::new();
    let lamps = [1, 2, 3, 4, 5, 6].map(|id| uow.find::<Product>(conn, id).unwrap());
    assert_eq!(uow.find::<Product>(conn, 1).unwrap(), lamps[0]);
    done("find");
    assert_eq!(uow.commit(conn).unwrap().len(), 0);
    uow[lamps[0]].stock = 0;
    uow.commit(conn).unwrap();
    done("one column of one row");

    for lamp in &lamps[..2] {
        uow[*lamp].stock += 1;
    }
    for lamp in &lamps[2..4] {
        uow[*lamp].name.push('!');
    }
    uow.touch(lamps[4]);
    uow.commit(conn).unwrap();
    done("groups of updates");

    uow.insert(account(1, "ada@example.org")).unwrap();
    uow.insert(account(2, "eve@example.org")).unwrap();
    uow.insert(StockLevel {
        warehouse: 1,
        sku: "A-7".to_owned(),
        quantity: 3,
        version: 0,
    })
    .unwrap();
    uow.commit(conn).unwrap();
    done("inserts");

    let orders = ["Ada", "Eve"].map(|customer| uow.insert(order(customer)).unwrap());
    uow.commit(conn).unwrap();
    done("inserts with generated keys");

    let new = uow.insert(order("Mary")).unwrap();
    for quantity in [1, 2] {
        uow.insert_with(new, move |order| OrderLine {
            id: 0,
            order_id: order.id,
            product_id: 1,
            quantity,
            version: 0,
        })
        .unwrap();
    }
    let node = |parent_id, label: &str| Node {
        id: 0,
        parent_id,
        label: label.to_owned(),
        version: 0,
    };
    let root = uow.insert(node(None, "root")).unwrap();
    let child = uow
        .insert_with(root, move |root| node(Some(root.id), "child"))
        .unwrap();
    uow.insert_with(child, move |child| node(Some(child.id), "grandchild"))
        .unwrap();
    uow.commit(conn).unwrap();
    done("children of what is inserted");

    uow.delete(lamps[4]);
    uow.delete(lamps[5]);
    uow.delete(orders[0]);
    uow.commit(conn).unwrap();
    done("deletes");

    uow.expect_unchanged(lamps[1]);
    uow.expect_unchanged(lamps[2]);
    uow[lamps[0]].stock = 3;
    uow.commit(conn).unwrap();
    done("checks beside an update");
    uow.expect_unchanged(lamps[1]);
    uow.commit(conn).unwrap();
    done("checks alone");

    uow[lamps[0]].price_cents = 3;
    uow[orders[1]].total_cents = 3;
    uow.delete(lamps[1]);
    uow.insert(lamp(2)).unwrap();
    uow.also(|conn| diesel::connection::SimpleConnection::batch_execute(conn, "SELECT 1"));
    uow.commit(conn).unwrap();
    done("everything at once, and a closure");

    uow.also(|_| Err(Error::RollbackTransaction));
    assert!(uow.commit(conn).is_err());
    done("a closure that fails");
}

fn lost_units(db: &TestDb, conn: &mut Conn, done: &mut dyn FnMut(&'static str)) {
    let mut uow = UnitOfWork::<Conn>::new();
    let lamps = [1, 3, 4, 7].map(|id| uow.find::<Product>(conn, id).unwrap());
    done("find");
    for lamp in &lamps[..3] {
        uow[*lamp].stock = 50;
    }
    uow[lamps[3]].name.push('?');
    sold(db, 3);
    sold(db, 7);
    let error = uow.commit(conn).unwrap_err();
    assert_eq!(error.conflicts().unwrap().iter().count(), 2);
    done("updates in conflict");
    uow.discard(error.conflicts().unwrap());
    uow.commit(conn).unwrap();
    done("without what was in conflict");

    sold(db, 1);
    uow.delete(lamps[0]);
    assert!(uow.commit(conn).unwrap_err().is_conflict());
    done("a delete in conflict");

    let mut uow = UnitOfWork::<Conn>::new();
    let lamps = [3, 4].map(|id| uow.find::<Product>(conn, id).unwrap());
    uow.expect_unchanged(lamps[0]);
    uow[lamps[1]].stock = 51;
    sold(db, 3);
    assert!(uow.commit(conn).unwrap_err().is_conflict());
    done("a check in conflict");

    let mut uow = UnitOfWork::<Conn>::new();
    let lamp = uow.find::<Product>(conn, 8).unwrap();
    uow[lamp].stock = 9;
    uow.insert(account(3, "ada@example.org")).unwrap();
    let error = uow.commit(conn).unwrap_err();
    assert_eq!(error.code(), "constraint.unique");
    done("a constraint");
}

fn nested_units(db: &TestDb, conn: &mut Conn, done: &mut dyn FnMut(&'static str)) {
    let mut uow = UnitOfWork::<Conn>::new();
    let lamps = [8, 9].map(|id| uow.find::<Product>(conn, id).unwrap());
    uow[lamps[0]].stock = 1;
    conn.transaction::<_, Error, _>(|conn| {
        uow.insert(order("Grace")).unwrap();
        uow.commit(conn).unwrap();
        let mut own = lamp(20);
        own.insert(conn).unwrap();
        order("Ida").insert(conn).unwrap();
        Ok(())
    })
    .unwrap();
    done("inside a caller's transaction");

    sold(db, 9);
    uow[lamps[0]].stock = 2;
    uow[lamps[1]].stock = 2;
    conn.transaction::<_, Error, _>(|conn| {
        assert!(uow.commit(conn).unwrap_err().is_conflict());
        Ok(())
    })
    .unwrap();
    done("in conflict inside a caller's transaction");
}
