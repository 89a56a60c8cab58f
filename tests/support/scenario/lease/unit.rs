//! Units under leases.

use diesel::connection::Connection;
use diesel::prelude::*;
use diesel::result::Error;
use diesel_versioned::lease::{Lease, LostLease};

use super::{HOUR, let_expire, lost, product, shop, stands};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::Queries;
use crate::support::entities::Product;

type Unit = UnitOfWork<Conn>;

#[test]
fn a_unit_writes_whatever_it_likes_under_its_lease_and_nothing_without_it() {
    let db = shop(2);
    let conn = &mut db.connect();
    let lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    let mut uow = Unit::new();
    uow.under(&lease);
    let one: Handle<Product> = uow.find(conn, 1).unwrap();
    let two: Handle<Product> = uow.find(conn, 2).unwrap();
    uow[one].stock = 9;
    uow[two].stock = 11;
    assert_eq!(uow.commit(conn).unwrap().len(), 2);

    let (pauls, _) = Lease::steal(&mut db.connect(), &product(1), "paul", HOUR).unwrap();
    uow[two].stock = 12;
    // A unit stays under its lease, and a row that is not leased is not written either.
    let Err(error) = uow.commit(conn) else {
        panic!("Paul has it");
    };
    assert_eq!(error.code(), "lease.lost");
    assert!(!error.is_conflict() && !error.is_transient() && !error.is_retryable());
    assert!(error.to_string().contains("it is held by paul"), "{error}");
    assert_eq!((uow[two].stock, uow[two].version), (12, 2));
    assert!(uow.is_dirty(two));
    assert_eq!((stands(&db, 1), stands(&db, 2)), ((9, 2), (11, 2)));

    // A newer lease takes the place of that one.
    pauls.release(conn).unwrap();
    let again = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    uow.under(&again);
    uow.commit(conn).unwrap();
    assert_eq!(stands(&db, 2), (12, 3));
}

#[test]
fn a_unit_under_several_leases_needs_all_of_them() {
    let db = shop(3);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let leases: Vec<Lease> = [3, 1, 2]
        .map(|id| Lease::acquire(conn, &product(id), "maria", HOUR).unwrap())
        .into();
    for lease in &leases {
        uow.under(lease);
    }
    let one: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[one].stock = 9;
    uow.commit(conn).unwrap();
    for (lost_one, lease) in leases.iter().enumerate() {
        let (thief, _) = Lease::steal(conn, &product([3, 1, 2][lost_one]), "paul", HOUR).unwrap();
        uow[one].stock -= 1;
        let before = stands(&db, 1);
        let refused = lost(uow.commit(conn));
        assert!(matches!(refused, LostLease::Taken { by } if by.token() == thief.token()));
        assert_eq!(stands(&db, 1), before, "{lease:?}");
        thief.release(conn).unwrap();
        let id = [3, 1, 2][lost_one];
        uow.under(&Lease::acquire(conn, &product(id), "maria", HOUR).unwrap());
        uow.commit(conn).unwrap();
    }
}

#[test]
fn inserts_deletes_and_closures_are_under_the_lease_as_well() {
    let db = shop(2);
    let conn = &mut db.connect();
    let lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    let_expire(&db);
    let mut units: Vec<Unit> = (0..3).map(|_| Unit::new()).collect();
    units[0].insert(product(3)).unwrap();
    let gone = units[1].attach(product(2)).unwrap();
    units[1].delete(gone);
    units[2].also(|conn| {
        diesel::sql_query("DELETE FROM products")
            .execute(conn)
            .map(drop)
    });
    for uow in &mut units {
        uow.under(&lease);
        assert!(matches!(lost(uow.commit(conn)), LostLease::Expired { .. }));
    }
    assert_eq!((stands(&db, 1), stands(&db, 2)), ((10, 1), (10, 1)));
    assert!(Product::find(conn, 3).is_err());
    // One that writes nothing has nothing to be refused.
    let mut idle = Unit::new();
    idle.under(&lease);
    assert_eq!(idle.commit(conn).unwrap().len(), 0);
}

#[test]
fn inside_a_transaction_only_the_unit_is_refused() {
    let db = shop(2);
    let conn = &mut db.connect();
    let lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    Lease::steal(conn, &product(1), "paul", HOUR).unwrap();
    conn.transaction::<_, Error, _>(|conn| {
        let mut two = Product::find(conn, 2)?;
        two.stock = 5;
        two.save(conn).unwrap();
        let mut uow = Unit::new();
        uow.under(&lease);
        let one: Handle<Product> = uow.find(conn, 1)?;
        uow[one].stock = 5;
        assert!(matches!(lost(uow.commit(conn)), LostLease::Taken { .. }));
        Ok(())
    })
    .unwrap();
    assert_eq!((stands(&db, 1), stands(&db, 2)), ((10, 1), (5, 2)));
}

#[test]
fn what_was_written_under_a_key_is_told_though_the_lease_is_over() {
    let db = shop(1);
    let conn = &mut db.connect();
    let lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    let request = |conn: &mut Conn| {
        let mut uow = Unit::new();
        uow.under(&lease);
        uow.idempotency_key("a").unwrap();
        let mut form = product(1);
        form.stock = 4;
        uow.save(form).unwrap();
        uow.commit(conn).map(|done| done.is_replayed())
    };
    assert!(!request(conn).unwrap());
    lease.release(conn).unwrap();
    assert!(request(conn).unwrap(), "the second click");
    assert_eq!(stands(&db, 1), (4, 2));
    // What fails for the lease leaves no key.
    let mut uow = Unit::new();
    uow.under(&lease);
    uow.idempotency_key("b").unwrap();
    let one: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[one].stock = 3;
    assert_eq!(lost(uow.commit(conn)), LostLease::Released);
    uow.under(&Lease::acquire(conn, &product(1), "maria", HOUR).unwrap());
    assert!(!uow.commit(conn).unwrap().is_replayed());
}

#[test]
fn the_lease_is_looked_at_once_and_before_the_first_write() {
    let db = shop(1);
    let conn = &mut db.connect();
    let lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    let queries = Queries::of(conn);
    lease.save(conn, &mut product(1)).unwrap();
    let texts = queries.take();
    let position = |what: &str| {
        let mut found = texts
            .iter()
            .enumerate()
            .filter(|(_, sql)| sql.contains(what));
        let (position, _) = found.next().unwrap_or_else(|| panic!("{what}: {texts:?}"));
        assert!(found.next().is_none(), "{what}: {texts:?}");
        position
    };
    let (check, write) = (position("diesel_versioned_leases"), position("UPDATE "));
    assert!(check < write, "{texts:?}");
}

#[test]
fn a_read_only_unit_locks_no_lease() {
    let db = shop(1);
    let conn = &mut db.connect();
    let lease = Lease::acquire(conn, &product(1), "maria", HOUR).unwrap();
    let mut uow = Unit::new();
    uow.read_only();
    uow.under(&lease);
    uow.find::<Product>(conn, 1).unwrap();
    // There is nothing to do under it.
    assert_eq!(uow.commit(conn).unwrap().len(), 0);
    uow.also(|_| panic!("the lease cannot be locked"));
    let queries = Queries::of(conn);
    let error = uow.commit(conn).unwrap_err();
    assert_eq!(error.code(), "unit.read_only");
    assert_eq!(queries.take(), Vec::<String>::new());
}
