//! An entity changes only after its write is known to have happened: after every kind of failure
//! the unit is as it was, and the connection takes other work.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::result::Error;

use super::{Unit, depth, failure, product, sell, shop, stocks};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::TestDb;
use crate::support::entities::{Order, Product};
use crate::support::schema::products;

/// A unit with one entity of each state.
struct Work {
    db: TestDb,
    conn: Conn,
    uow: Unit,
    /// Changed, touched, deleted, expected, from a form, inserted.
    handles: [Handle<Product>; 6],
    order: Handle<Order>,
    child: Handle<Product>,
}

/// All that can be seen of an entity.
type Seen = (Option<Product>, Option<Product>, bool);

impl Work {
    fn new() -> Self {
        let db = shop(6);
        let mut conn = db.connect();
        let mut uow = Unit::new();
        let [changed, touched, deleted, expected] =
            [1, 2, 3, 4].map(|id| uow.find::<Product>(&mut conn, id).unwrap());
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
        uow[changed].stock = 3;
        uow.touch(touched);
        uow.delete(deleted);
        uow.expect_unchanged(expected);
        let order = uow
            .insert(Order {
                id: -1,
                customer: "Ada".into(),
                total_cents: 4,
                version: 55,
            })
            .unwrap();
        let child = uow.insert_with(changed, |_| product(9)).unwrap();
        Self {
            db,
            conn,
            uow,
            handles: [changed, touched, deleted, expected, form, inserted],
            order,
            child,
        }
    }

    fn seen(&self) -> (Vec<Seen>, Option<Order>, Option<Product>, usize) {
        let entities = self.handles.iter().map(|&handle| {
            (
                self.uow.get(handle).cloned(),
                self.uow.base(handle).cloned(),
                self.uow.is_dirty(handle),
            )
        });
        (
            entities.collect(),
            self.uow.get(self.order).cloned(),
            self.uow.get(self.child).cloned(),
            self.uow.len(),
        )
    }

    /// Runs what must fail, twice; nothing may have changed in between or afterwards.
    #[track_caller]
    fn assert_unharmed_by(&mut self, fail: impl Fn(&mut Unit, &mut Conn)) {
        let before = (self.seen(), stocks(&mut self.conn));
        for _ in 0..2 {
            fail(&mut self.uow, &mut self.conn);
            assert_eq!(depth(&mut self.conn), 0);
            assert_eq!((self.seen(), stocks(&mut self.conn)), before);
            // It takes a transaction of someone else.
            self.conn
                .transaction(|conn| {
                    diesel::update(products::table)
                        .set(products::name.eq("seen"))
                        .execute(conn)
                })
                .unwrap();
        }
    }

    /// Once the reason is gone, the unit commits as if nothing had been.
    #[track_caller]
    fn assert_commits(&mut self) {
        let done = self.uow.commit(&mut self.conn).unwrap();
        assert_eq!(done.len(), 7);
        assert_eq!(
            stocks(&mut self.conn),
            [
                (1, 3, 2),
                (2, 10, 2),
                (4, 10, 1),
                (5, 0, 2),
                (6, 10, 1),
                (8, 10, 1),
                (9, 10, 1)
            ]
        );
        assert_eq!(self.uow[self.order].version, 1);
        assert_eq!(self.uow[self.child].version, 1);
    }
}

/// Runs what must panic.
#[track_caller]
fn panics(run: impl FnOnce()) {
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err(), "no panic");
}

#[test]
fn a_unit_without_failures_commits() {
    Work::new().assert_commits();
}

#[test]
fn rule_01_a_conflict_changes_nothing_in_memory() {
    let mut work = Work::new();
    sell(&work.db, 4, 10);
    work.assert_unharmed_by(|uow, conn| assert!(failure(uow.commit(conn)).is_conflict()));
    work.db.execute("UPDATE products SET version = 1");
    work.assert_commits();
}

#[test]
fn rule_01_a_constraint_changes_nothing_in_memory() {
    let mut work = Work::new();
    work.db
        .execute("INSERT INTO products VALUES (8, 'P', 1, 1, 1)");
    work.assert_unharmed_by(|uow, conn| {
        assert_eq!(failure(uow.commit(conn)).code(), "constraint.unique");
    });
    work.db.execute("DELETE FROM products WHERE id = 8");
    work.assert_commits();
}

#[test]
fn an_error_of_also_changes_nothing_in_memory() {
    let mut work = Work::new();
    let mut attempts = 0;
    work.uow.also(move |conn| {
        attempts += 1;
        match attempts {
            1 => Err(Error::RollbackTransaction),
            2 => conn.batch_execute("no SQL at all"),
            _ => Ok(()),
        }
    });
    work.assert_unharmed_by(|uow, conn| {
        assert!(matches!(
            failure(uow.commit(conn)),
            CommitError::Database { .. }
        ));
    });
    work.assert_commits();
}

#[test]
fn a_panic_in_also_changes_nothing_in_memory() {
    let mut work = Work::new();
    let mut attempts = 0;
    work.uow.also(move |conn| {
        attempts += 1;
        if attempts == 2 {
            // It may have opened a transaction of its own by then.
            return conn.transaction(|_| panic!("on purpose"));
        }
        assert!(attempts > 2, "on purpose");
        Ok(())
    });
    work.assert_unharmed_by(|uow, conn| panics(|| drop(uow.commit(conn))));
    work.assert_commits();
}

#[test]
fn a_panic_of_what_makes_a_row_changes_nothing_in_memory() {
    let mut work = Work::new();
    let parent = work.handles[0];
    work.uow.discard(work.child);
    let mut attempts = 0;
    work.child = work
        .uow
        .insert_with(parent, move |_| {
            attempts += 1;
            assert!(attempts > 2, "on purpose");
            product(9)
        })
        .unwrap();
    work.assert_unharmed_by(|uow, conn| panics(|| drop(uow.commit(conn))));
    work.assert_commits();
}

#[test]
fn also_that_ends_the_units_transaction_is_an_error() {
    let mut work = Work::new();
    let mut attempts = 0;
    type Manager = <Conn as Connection>::TransactionManager;
    use diesel::connection::TransactionManager;
    work.uow.also(move |conn| {
        attempts += 1;
        match attempts {
            1 => Manager::rollback_transaction(conn),
            2 => Manager::begin_transaction(conn),
            _ => Ok(()),
        }
    });
    work.assert_unharmed_by(|uow, conn| {
        let source = match failure(uow.commit(conn)) {
            // Ended: that it was by a rollback is more than can be seen.
            CommitError::OutcomeUnknown { source } => source,
            // Left open.
            CommitError::Database { source, .. } => source,
            error => panic!("{error:?}"),
        };
        assert!(source.to_string().contains("also"), "{source}");
    });
    work.assert_commits();
}

#[test]
fn an_unreachable_savepoint_is_not_mistaken_for_success() {
    // `also` may use transactions of its own, which are savepoints here.
    let mut work = Work::new();
    work.uow.also(|conn| {
        let rolled_back: Result<(), Error> = conn.transaction(|conn| {
            conn.batch_execute("DELETE FROM products")?;
            Err(Error::RollbackTransaction)
        });
        assert_eq!(rolled_back, Err(Error::RollbackTransaction));
        conn.transaction(|conn| conn.batch_execute("UPDATE products SET name = 'also'"))
    });
    work.assert_commits();
}

thread_local! {
    static CLONE_PANICS: Cell<bool> = const { Cell::new(false) };
}

/// An entity whose `Clone` panics on demand.
#[derive(Debug, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = products)]
struct Fragile {
    id: i32,
    stock: i32,
    #[version]
    version: i32,
}

impl Clone for Fragile {
    fn clone(&self) -> Self {
        assert!(!CLONE_PANICS.get(), "on purpose");
        Self { ..*self }
    }
}

#[test]
fn a_panic_of_an_entitys_clone_leaves_no_transaction_open() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handles = [1, 2].map(|id| uow.find::<Fragile>(conn, id).unwrap());
    for handle in handles {
        uow[handle].stock = 3;
    }
    sell(&db, 1, 9);
    CLONE_PANICS.set(true);
    panics(|| drop(uow.commit(conn)));
    CLONE_PANICS.set(false);
    assert_eq!(depth(conn), 0);
    assert_eq!(stocks(conn), [(1, 9, 2), (2, 10, 1)]);
    for handle in handles {
        assert_eq!((uow[handle].stock, uow[handle].version), (3, 1));
        assert!(uow.is_dirty(handle));
    }
    assert!(failure(uow.commit(conn)).is_conflict());
    db.execute("UPDATE products SET version = 1");
    // A commit itself clones no entity.
    CLONE_PANICS.set(true);
    let done = uow.commit(conn);
    CLONE_PANICS.set(false);
    assert_eq!(done.unwrap().len(), 2);
}
