//! Inside a caller's transaction a unit is a savepoint, and what it did can be undone in memory.

use std::sync::mpsc;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::result::Error;
use diesel_versioned::UndoError;

use super::{Unit, conflicts, depth, failure, product, sell, shop, stocks};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::{Order, Product};
use crate::support::schema::orders;

/// Runs `work` in a transaction that is rolled back.
fn rolled_back<R>(conn: &mut Conn, work: impl FnOnce(&mut Conn) -> R) -> R {
    let mut result = None;
    let outcome = conn.transaction::<(), Error, _>(|conn| {
        result = Some(work(conn));
        Err(Error::RollbackTransaction)
    });
    assert_eq!(outcome, Err(Error::RollbackTransaction));
    result.unwrap()
}

fn order(customer: &str) -> Order {
    Order {
        id: -1,
        customer: customer.into(),
        total_cents: 0,
        version: 9,
    }
}

#[test]
fn units_within_units_do_not_take_each_others_marks() {
    let db = shop(3);
    let conn = &mut db.connect();
    let set = |conn: &mut Conn, id: i32, also: fn(&mut Conn) -> Result<(), Error>| {
        let mut uow = Unit::new();
        let handle: Handle<Product> = uow.find(conn, id)?;
        uow[handle].stock = id;
        uow.also(also);
        let done = uow.commit(conn);
        done.map(drop)
            .map_err(|error| Error::QueryBuilderError(format!("{error:?}").into()))
    };
    let outer = move |conn: &mut Conn| {
        set(conn, 1, |conn| {
            conn.batch_execute("UPDATE products SET name = 'within' WHERE id = 3")
        })
    };
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 2).unwrap();
    uow[handle].stock = 2;
    uow.also(outer);
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    assert_eq!(depth(conn), 0);
    assert_eq!(stocks(conn), [(1, 1, 2), (2, 2, 2), (3, 10, 1)]);
}

#[test]
fn rule_02_after_a_failure_the_callers_earlier_work_stands() {
    let db = shop(3);
    let conn = &mut db.connect();
    let (mut stale, mut violating) = (Unit::new(), Unit::new());
    for id in [1, 2] {
        let handle: Handle<Product> = stale.find(conn, id).unwrap();
        stale[handle].stock = 0;
    }
    sell(&db, 2, 5);
    violating.insert(product(7)).unwrap();
    violating.insert(product(3)).unwrap();
    conn.transaction::<(), Error, _>(|conn| {
        conn.batch_execute("INSERT INTO products VALUES (50, 'before', 0, 0, 1)")?;
        let lost = conflicts(stale.commit(conn));
        assert_eq!(lost.len(), 1);
        assert_eq!(depth(conn), 1);
        conn.batch_execute("INSERT INTO products VALUES (51, 'between', 0, 0, 1)")?;
        let error = failure(violating.commit(conn));
        assert_eq!(error.code(), "constraint.unique");
        assert_eq!(depth(conn), 1);
        stale.discard(&lost);
        assert_eq!(stale.commit(conn).unwrap().len(), 1);
        Ok(())
    })
    .unwrap();
    assert_eq!(
        stocks(conn),
        [(1, 0, 2), (2, 5, 2), (3, 10, 1), (50, 0, 1), (51, 0, 1)]
    );
}

#[test]
fn a_panic_leaves_the_callers_transaction_as_it_was() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 3;
    uow.also(|_| panic!("on purpose"));
    conn.transaction::<(), Error, _>(|conn| {
        conn.batch_execute("INSERT INTO products VALUES (50, 'before', 0, 0, 1)")?;
        let run = std::panic::AssertUnwindSafe(|| drop(uow.commit(conn)));
        std::panic::catch_unwind(run).unwrap_err();
        assert_eq!(depth(conn), 1);
        conn.batch_execute("INSERT INTO products VALUES (51, 'after', 0, 0, 1)")
    })
    .unwrap();
    assert_eq!(stocks(conn), [(1, 10, 1), (50, 0, 1), (51, 0, 1)]);
    assert!(uow.is_dirty(handle));
}

#[test]
fn rule_02_the_hooks_of_a_nested_unit_are_handed_back() {
    let db = shop(1);
    let conn = &mut db.connect();
    let (sender, runs) = mpsc::channel();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 3;
    uow.after_commit(move |done| sender.send((done.len(), done.is_nested())).unwrap());
    let mut done = conn
        .transaction(|conn| {
            let done = uow.commit(conn).unwrap();
            Ok::<_, Error>(done)
        })
        .unwrap();
    assert!(done.is_nested());
    assert_eq!(runs.try_iter().count(), 0, "it was not run yet");
    done.run_hooks();
    done.run_hooks();
    assert_eq!(runs.try_iter().collect::<Vec<_>>(), [(1, true)]);
    assert_eq!((uow[handle].version, uow.is_dirty(handle)), (2, false));
}

#[test]
fn rule_02_undo_brings_everything_back_to_the_savepoint() {
    let db = shop(6);
    let conn = &mut db.connect();
    let (sender, runs) = mpsc::channel();
    let mut uow = Unit::new();
    let [changed, touched, deleted, expected, replaced] =
        [1, 2, 3, 4, 6].map(|id| uow.find::<Product>(conn, id).unwrap());
    let form = uow
        .save(Product {
            stock: 0,
            ..product(5)
        })
        .unwrap();
    let inserted = uow
        .insert(Product {
            version: 33,
            ..product(8)
        })
        .unwrap();
    let generated = uow.insert(order("Ada")).unwrap();
    let child = uow
        .insert_with(generated, |parent| Order {
            total_cents: i64::from(parent.id),
            ..order("child")
        })
        .unwrap();
    uow[changed].stock = 3;
    uow.touch(touched);
    uow.delete(deleted);
    uow.delete(replaced);
    let replacement = uow
        .insert(Product {
            stock: 66,
            ..product(6)
        })
        .unwrap();
    uow.expect_unchanged(expected);
    let also_runs = sender.clone();
    uow.also(move |_| {
        also_runs.send("also").unwrap();
        Ok(())
    });
    uow.after_commit(move |_| sender.send("hook").unwrap());

    let all = [
        changed,
        touched,
        deleted,
        expected,
        replaced,
        form,
        inserted,
        replacement,
    ];
    let see = |uow: &Unit| {
        let entities = all.map(|handle| {
            (
                uow.get(handle).cloned(),
                uow.base(handle).cloned(),
                uow.is_dirty(handle),
            )
        });
        let keys = (1..=9)
            .map(|id| uow.handle::<Product>(id))
            .collect::<Vec<_>>();
        (
            entities,
            keys,
            uow.get(generated).cloned(),
            uow.get(child).cloned(),
            uow.len(),
        )
    };
    let before = see(&uow);
    for _ in 0..2 {
        let done = rolled_back(conn, |conn| {
            let done = uow.commit(conn).unwrap();
            assert_eq!(done.len(), 9);
            assert_eq!(uow.get(deleted), None);
            assert_eq!(uow[changed].version, 2);
            assert_eq!(uow.handle(6), Some(replacement));
            done
        });
        assert_ne!(see(&uow), before);
        done.undo(&mut uow).unwrap();
        assert_eq!(see(&uow), before);
        assert_eq!(runs.try_iter().collect::<Vec<_>>(), ["also"]);
        assert_eq!(
            stocks(conn),
            (1..=6).map(|id| (id, 10, 1)).collect::<Vec<_>>()
        );
    }
    assert_eq!(uow.commit(conn).unwrap().len(), 9);
    assert_eq!(runs.try_iter().collect::<Vec<_>>(), ["also", "hook"]);
    assert_eq!(
        stocks(conn),
        [
            (1, 3, 2),
            (2, 10, 2),
            (4, 10, 1),
            (5, 0, 2),
            (6, 66, 1),
            (8, 10, 1)
        ]
    );
    assert_eq!(uow[child].total_cents, i64::from(uow[generated].id));
    assert_eq!(orders::table.count().get_result::<i64>(conn), Ok(2));
}

#[test]
fn undo_takes_back_what_was_changed_after_the_commit() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 3;
    let done = rolled_back(conn, |conn| uow.commit(conn).unwrap());
    uow[handle].stock = 99;
    done.undo(&mut uow).unwrap();
    assert_eq!((uow[handle].stock, uow[handle].version), (3, 1));
    assert_eq!(uow.base(handle), Some(&product(1)));
}

#[test]
fn a_key_that_was_taken_again_after_the_commit_survives_the_undo() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let old: Handle<Product> = uow.find(conn, 1).unwrap();
    uow.delete(old);
    let done = rolled_back(conn, |conn| uow.commit(conn).unwrap());
    let new = uow
        .insert(Product {
            stock: 7,
            ..product(1)
        })
        .unwrap();
    done.undo(&mut uow).unwrap();
    assert_eq!(uow.handle(1), Some(new));
    assert_eq!(uow.commit(conn).unwrap().len(), 2);
    assert_eq!(stocks(conn), [(1, 7, 1)]);
}

#[test]
fn commits_are_undone_in_the_reverse_order() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    let (first, second) = rolled_back(conn, |conn| {
        uow[handle].stock = 3;
        let first = uow.commit(conn).unwrap();
        uow[handle].stock = 4;
        let second = uow.commit(conn).unwrap();
        assert_eq!(stocks(conn), [(1, 4, 3)]);
        (first, second)
    });
    second.undo(&mut uow).unwrap();
    assert_eq!((uow[handle].stock, uow[handle].version), (4, 2));
    first.undo(&mut uow).unwrap();
    assert_eq!((uow[handle].stock, uow[handle].version), (3, 1));
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    assert_eq!(stocks(conn), [(1, 3, 2)]);
}

#[test]
fn only_the_last_nested_commit_of_this_unit_is_undone() {
    let db = shop(2);
    let conn = &mut db.connect();
    let (mut uow, mut other) = (Unit::new(), Unit::new());
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    let elsewhere: Handle<Product> = other.find(conn, 2).unwrap();
    let (first, second, foreign) = rolled_back(conn, |conn| {
        uow[handle].stock = 3;
        let first = uow.commit(conn).unwrap();
        uow[handle].stock = 4;
        other[elsewhere].stock = 5;
        let second = uow.commit(conn).unwrap();
        (first, second, other.commit(conn).unwrap())
    });
    assert_eq!(first.undo(&mut uow), Err(UndoError::NotTheLast));
    assert_eq!(foreign.undo(&mut uow), Err(UndoError::OtherUnit));
    assert_eq!((uow[handle].stock, uow[handle].version), (4, 3));
    second.undo(&mut uow).unwrap();

    uow.discard(handle);
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 1;
    let durable = uow.commit(conn).unwrap();
    assert_eq!(durable.undo(&mut uow), Err(UndoError::Durable));
    assert_eq!((uow[handle].stock, uow[handle].version), (1, 2));
}

#[test]
fn a_unit_whose_caller_rolled_back_conflicts_unless_it_is_undone() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 3;
    drop(rolled_back(conn, |conn| uow.commit(conn).unwrap()));
    uow[handle].stock = 4;
    let lost = conflicts(uow.commit(conn));
    let conflict = lost.of::<Product>().next().unwrap();
    assert_eq!((*conflict.expected(), conflict.actual()), (2, Some(&1)));
}

#[test]
fn a_nested_unit_without_work_is_nested_too() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let (sender, runs) = mpsc::channel();
    uow.after_commit(move |_| sender.send(()).unwrap());
    let mut done = conn
        .transaction(|conn| Ok::<_, Error>(uow.commit(conn).unwrap()))
        .unwrap();
    assert!(done.is_nested());
    assert_eq!(runs.try_iter().count(), 0);
    done.run_hooks();
    assert_eq!(runs.try_iter().count(), 1);
}
