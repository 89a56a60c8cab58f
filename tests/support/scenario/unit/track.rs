//! What joins a unit: one slot for each entity type and key.

use diesel::prelude::*;
use diesel::result::Error;

use super::{Unit, product, shop, stocks};
use crate::flavor::prelude::*;
use crate::support::Queries;
use crate::support::entities::Product;
use crate::support::schema::products;

/// Another view of `products`.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = products)]
struct Price {
    id: i32,
    price_cents: i64,
    #[version]
    version: i32,
}

#[track_caller]
fn assert_tracked<T>(result: Result<Handle<T>, TrackError>) {
    match result {
        Err(error @ TrackError::AlreadyTracked { .. }) => {
            assert_eq!(error.code(), "unit.already_tracked");
            assert!(error.to_string().contains("`products` 1"), "{error}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn rule_11_a_key_is_tracked_once() {
    let mut uow = Unit::new();
    uow.attach(product(1)).unwrap();
    assert_tracked(uow.attach(product(1)));
    assert_tracked(uow.insert(product(1)));
    assert_tracked(uow.save(product(1)));
    assert_eq!(uow.len(), 1);
    uow.attach(product(2)).unwrap();
    assert_eq!(uow.len(), 2);
}

#[test]
fn attach_all_takes_all_or_none() {
    let db = shop(4);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let third = uow.attach(product(3)).unwrap();

    let one_is_there = uow.attach_all([product(1), product(2), product(3), product(4)]);
    assert!(one_is_there.is_err());
    let twice_the_same = uow.attach_all([product(1), product(1)]);
    assert!(twice_the_same.is_err());
    assert_eq!(uow.len(), 1);
    assert_eq!(uow.handle(3), Some(third));
    assert_eq!(uow.handle::<Product>(1), None);

    let handles = uow
        .attach_all([product(1), product(2), product(4)])
        .unwrap();
    for &handle in &handles {
        uow[handle].stock = 0;
    }
    let done = uow.commit(conn).unwrap();
    assert_eq!(done.len(), 3);
    assert_eq!(stocks(conn)[2], (3, 10, 1));
}

#[test]
fn find_twice_reads_once_and_gives_the_same_handle() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let first: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[first].stock = 3;
    let queries = Queries::of(conn);
    let second: Handle<Product> = uow.find(conn, 1).unwrap();
    assert_eq!(queries.count(), 0, "{:?}", queries.take());
    assert_eq!(first, second);
    assert_eq!(uow[second].stock, 3);
}

#[test]
fn find_gives_the_handle_of_what_was_attached_or_inserted() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let attached = uow.attach(product(1)).unwrap();
    let inserted = uow.insert(product(2)).unwrap();
    assert_eq!(uow.find::<Product>(conn, 1).unwrap(), attached);
    assert_eq!(uow.find::<Product>(conn, 2).unwrap(), inserted);
}

#[test]
fn find_of_a_row_that_is_not_there_is_not_found() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    assert_eq!(uow.find::<Product>(conn, 9).unwrap_err(), Error::NotFound);
    let none: Option<Handle<Product>> = uow.find(conn, 9).optional().unwrap();
    assert_eq!(none, None);
    assert!(uow.is_empty());
}

#[test]
fn find_of_a_row_that_the_unit_deletes_is_not_found() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow.delete(handle);
    let queries = Queries::of(conn);
    assert_eq!(uow.find::<Product>(conn, 1).unwrap_err(), Error::NotFound);
    assert_eq!(queries.count(), 0);
    assert_eq!(uow.handle::<Product>(1), None);
    assert!(uow.attach(product(1)).is_err(), "its version is unknown");
}

#[test]
fn rule_11_two_types_on_one_table_are_two_slots() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let whole: Handle<Product> = uow.find(conn, 1).unwrap();
    let price: Handle<Price> = uow.find(conn, 1).unwrap();
    let other: Handle<Price> = uow.find(conn, 2).unwrap();
    assert_eq!(uow.len(), 3);
    uow[whole].stock = 1;
    uow[other].price_cents = 5;
    assert!(!uow.is_dirty(price));
    let done = uow.commit(conn).unwrap();
    assert_eq!(done.len(), 2);
    assert_eq!((uow[whole].version, uow[price].version), (2, 1));
    assert_eq!(stocks(conn), [(1, 1, 2), (2, 10, 2)]);
}

#[test]
fn one_row_written_through_two_types_is_invalid() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let whole: Handle<Product> = uow.find(conn, 1).unwrap();
    let price: Handle<Price> = uow.find(conn, 1).unwrap();
    uow[whole].stock = 1;
    uow[price].price_cents = 5;
    match super::failure(uow.commit(conn)) {
        CommitError::Invalid { table, key, .. } => {
            assert_eq!((table, key.as_str()), ("products", "1"));
        }
        error => panic!("{error:?}"),
    }
    assert_eq!(stocks(conn), [(1, 10, 1)]);
    // Read through one of them and written through the other, it is no contradiction.
    uow.discard(price);
    let price: Handle<Price> = uow.find(conn, 1).unwrap();
    uow.expect_unchanged(price);
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    assert_eq!(stocks(conn), [(1, 1, 2)]);
}

#[test]
fn equal_keys_in_different_tables_are_different_entities() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    uow.attach(product(1)).unwrap();
    let customer = crate::support::entities::Customer {
        id: 1,
        name: "Ada".into(),
        address: crate::support::entities::Address {
            street: "A".into(),
            city: "B".into(),
        },
        version: 0,
    };
    let customer = uow.insert(customer).unwrap();
    let done = uow.commit(conn).unwrap();
    assert_eq!(done.len(), 1);
    assert_eq!(uow[customer].version, 1);
}
