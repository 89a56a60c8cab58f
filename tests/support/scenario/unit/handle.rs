//! Handles: copies, foreign ones, stale ones; units and handles change threads.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Unit, conflicts, product, sell, shop, stocks};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::Product;

/// The message of a panic that must happen.
#[track_caller]
fn panics(run: impl FnOnce()) -> String {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(()) => panic!("no panic"),
        Err(message) => *message
            .downcast::<String>()
            .expect("a message that was formatted"),
    }
}

#[test]
fn a_handle_of_another_unit_panics_as_an_index_and_is_none_for_get() {
    let (mut mine, mut theirs) = (Unit::new(), Unit::new());
    let here = mine.attach(product(1)).unwrap();
    let foreign = theirs.attach(product(1)).unwrap();
    assert_ne!(here, foreign);

    assert_eq!(mine.get(foreign), None);
    assert_eq!(mine.get_mut(foreign), None);
    assert_eq!(mine.base(foreign), None);
    assert!(!mine.is_dirty(foreign));
    assert!(panics(|| drop(mine[foreign].clone())).contains("does not belong to this unit"));
    panics(|| mine[foreign].stock = 1);
    panics(|| mine.delete(foreign));
    panics(|| mine.touch(foreign));
    panics(|| mine.expect_unchanged(foreign));
    panics(|| mine.discard(foreign));
    assert_eq!(mine[here], product(1));
    assert!(!mine.is_dirty(here));
}

#[test]
fn a_handle_is_copied_freely() {
    let mut uow = Unit::new();
    let handle = uow.attach(product(1)).unwrap();
    let copy = handle;
    uow[copy].stock = 4;
    assert_eq!(uow[handle].stock, 4);
    assert_eq!(handle, copy);
}

#[test]
fn a_discarded_entity_is_out_of_reach() {
    let mut uow = Unit::new();
    let gone = uow.attach(product(1)).unwrap();
    let stays = uow.attach(product(2)).unwrap();
    uow.discard(gone);
    assert_eq!(uow.get(gone), None);
    panics(|| uow[gone].stock = 1);
    panics(|| uow.touch(gone));
    uow.delete(gone);
    uow.discard(gone);
    assert_eq!(uow.len(), 1);
    assert_eq!(uow.get(stays), Some(&product(2)));
    assert!(uow.insert_with(gone, |_| product(3)).is_err());
    let again = uow.attach(product(1)).unwrap();
    assert_ne!(again, gone);
    assert_eq!(uow.get(gone), None, "a slot is not given out twice");
}

#[test]
fn a_handle_of_a_deleted_row_ends_with_the_commit() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow.delete(handle);
    assert_eq!(uow.get(handle), Some(&product(1)), "until the commit");
    let done = uow.commit(conn).unwrap();
    assert_eq!(done.len(), 1);
    assert_eq!(uow.get(handle), None);
    assert!(uow.is_empty());
    uow.insert(product(1)).unwrap();
}

#[test]
fn units_handles_and_what_they_return_change_threads() {
    fn send<T: Send>(value: T) -> T {
        value
    }
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Handle<Product>>();
    shared::<CommitError>();
    shared::<Conflicts>();
    shared::<TrackError>();

    let db = shop(1);
    let mut uow = send(Unit::new());
    let handle = uow.attach(product(1)).unwrap();
    uow[handle].stock = 0;
    uow.also(|_| Ok(()));
    uow.after_commit(|_| {});
    let uow = std::thread::scope(|scope| {
        let mut conn = db.connect();
        scope
            .spawn(move || {
                drop(send(uow.commit(&mut conn).unwrap()));
                uow
            })
            .join()
            .unwrap()
    });
    assert_eq!(uow[handle].version, 2);
    assert_eq!(stocks(&mut db.connect()), [(1, 0, 2)]);
}

#[test]
fn conflicts_of_another_unit_discard_nothing() {
    let db = shop(1);
    let conn: &mut Conn = &mut db.connect();
    let (mut mine, mut theirs) = (Unit::new(), Unit::new());
    let here = mine.attach(product(1)).unwrap();
    let there = theirs.attach(product(1)).unwrap();
    sell(&db, 1, 5);
    theirs.touch(there);
    let lost = conflicts(theirs.commit(conn));
    mine.discard(&lost);
    assert_eq!(mine.get(here), Some(&product(1)));
    theirs.discard(&lost);
    assert_eq!(theirs.get(there), None);
}
