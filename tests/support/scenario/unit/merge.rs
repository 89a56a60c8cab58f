//! A conflict that is resolved inside its unit, which then commits again.

use diesel::prelude::*;
use diesel::result::Error;

use super::{Unit, conflicts, kinds, one, product, sell, shop, stocks};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::capabilities::Write;
use crate::support::entities::{Document, Product};
use crate::support::{Queries, TestBackend, TestDb};

/// What I sell and what they sold are both sold; the rest is theirs, but for my name.
fn add_stocks(base: &Product, mine: &Product, theirs: Product) -> Result<Product, Unmergeable> {
    let stock = theirs.stock + (mine.stock - base.stock);
    if stock < 0 {
        return Err(Unmergeable::new(["stock"], "there are not enough left"));
    }
    Ok(Product {
        stock,
        name: mine.name.clone(),
        ..theirs
    })
}

fn never(_: &Product, _: &Product, _: Product) -> Result<Product, Unmergeable> {
    panic!("the rule is not to be asked")
}

/// The only conflict of a commit.
#[track_caller]
fn only(result: Result<Committed, CommitError>) -> Conflict<Product> {
    let lost = conflicts(result);
    assert_eq!(lost.len(), 1, "{lost:?}");
    lost.of::<Product>().next().unwrap().clone()
}

/// A unit that has made the stock of product 1 this, and has lost to someone who made it 8.
fn in_conflict(stock: i32) -> (TestDb, Conn, Unit, Handle<Product>, Conflict<Product>) {
    let (db, mut conn, mut uow, handle) = one();
    uow[handle].stock = stock;
    sell(&db, 1, 8);
    let lost = only(uow.commit(&mut conn));
    (db, conn, uow, handle, lost)
}

/// The statements that write products.
fn updates(queries: &Queries) -> Vec<String> {
    let texts = queries.take().into_iter();
    texts
        .filter(|text| text.contains("UPDATE") && text.contains("SET"))
        .collect()
}

#[test]
fn a_resolved_entity_is_committed_with_the_rest_of_its_unit() {
    let db = shop(3);
    db.execute(
        "INSERT INTO documents VALUES (1, 'Tea', 'note', 1, NULL, 1), (2, 'Milk', 'note', 2, NULL, 1)",
    );
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handles = [1, 2, 3].map(|id| uow.find::<Product>(conn, id).unwrap());
    for handle in handles {
        uow[handle].stock -= 3;
    }
    let tea: Handle<Document> = uow.find(conn, 1).unwrap();
    uow[tea].title = "On tea".into();
    sell(&db, 1, 8);
    sell(&db, 3, 6);
    db.execute("UPDATE documents SET body = 'Leaves.', lock_version = 2 WHERE id = 1");

    let lost = conflicts(uow.commit(conn));
    assert_eq!(lost.len(), 3);
    for conflict in lost.of::<Product>() {
        let handle = uow.resolve(conflict, add_stocks).unwrap();
        assert_eq!(Some(handle), conflict.handle());
        assert_eq!(uow.base(handle), conflict.current());
    }
    for conflict in lost.of::<Document>() {
        assert!(conflict.is_disjoint());
        uow.resolve(conflict, Document::merge).unwrap();
    }
    // Merging writes nothing.
    assert_eq!(stocks(conn), [(1, 8, 2), (2, 10, 1), (3, 6, 2)]);
    assert_eq!(uow.commit(conn).unwrap().len(), 4);
    assert_eq!(stocks(conn), [(1, 5, 3), (2, 7, 2), (3, 3, 3)]);
    assert_eq!((uow[handles[2]].stock, uow[handles[2]].version), (3, 3));
    let document = Document::find(conn, 1).unwrap();
    assert_eq!((&*document.title, document.lock_version), ("On tea", 3));
    assert_eq!(document.body.as_deref(), Some("Leaves."));
    assert_eq!(document, uow[tea]);
}

#[test]
fn only_what_differs_from_the_current_row_is_written() {
    let (db, mut conn, mut uow, handle) = one();
    let conn = &mut conn;
    uow[handle].stock = 7;
    uow[handle].name = "theirs too".into();
    db.execute("UPDATE products SET name = 'theirs too', price_cents = 5, version = 2");
    let lost = only(uow.commit(conn));
    uow.resolve(&lost, add_stocks).unwrap();
    // Past the version, so that a column which is written would show.
    db.execute("UPDATE products SET name = 'past', price_cents = 6");
    let queries = Queries::of(conn);
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    let sent = updates(&queries);
    assert_eq!(sent.len(), 1, "{sent:?}");
    let row = Product::find(conn, 1).unwrap();
    assert_eq!((&*row.name, row.price_cents), ("past", 6));
    assert_eq!((row.stock, row.version), (7, 3));
}

#[test]
fn nothing_is_written_if_nothing_differs_from_the_current_row() {
    let (_db, mut conn, mut uow, handle, lost) = in_conflict(4);
    let conn = &mut conn;
    uow.resolve(&lost, |_, _, theirs| Ok(theirs)).unwrap();
    assert!(!uow.is_dirty(handle));
    let queries = Queries::of(conn);
    assert!(uow.commit(conn).unwrap().is_empty());
    assert_eq!(queries.count(), 0, "{:?}", queries.take());
    assert_eq!((uow[handle].stock, uow[handle].version), (8, 2));
    // It can be changed again.
    uow[handle].stock = 7;
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    assert_eq!(stocks(conn), [(1, 7, 3)]);
}

#[test]
fn whoever_is_faster_again_is_merged_with_again() {
    let (db, mut conn, mut uow, handle) = one();
    let conn = &mut conn;
    uow[handle].stock -= 1;
    for stock in [9, 8, 7] {
        sell(&db, 1, stock);
        let lost = only(uow.commit(conn));
        assert_eq!(lost.base().map(|base| base.stock), Some(stock + 1));
        uow.resolve(&lost, add_stocks).unwrap();
        assert_eq!(uow[handle].stock, stock - 1);
    }
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    assert_eq!(stocks(conn), [(1, 6, 5)]);
}

#[test]
fn mine_is_the_entity_as_the_unit_has_it_now() {
    let (_db, _conn, mut uow, handle, lost) = in_conflict(9);
    uow[handle].stock -= 1;
    uow.resolve(&lost, add_stocks).unwrap();
    assert_eq!(uow[handle].stock, 6);
}

#[test]
fn key_and_version_are_those_of_the_row_whatever_the_rule_does() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 4;
    sell(&db, 1, 8);
    let lost = only(uow.commit(conn));
    let rule = |_: &Product, mine: &Product, theirs: Product| {
        Ok(Product {
            id: 2,
            version: 77,
            stock: mine.stock,
            ..theirs
        })
    };
    uow.resolve(&lost, rule).unwrap();
    assert_eq!((uow[handle].id, uow[handle].version), (1, 2));
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    assert_eq!(stocks(conn), [(1, 4, 3), (2, 10, 1)]);
}

#[test]
fn what_the_rule_refuses_leaves_the_unit_as_it_was() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 0;
    let other: Handle<Product> = uow.find(conn, 2).unwrap();
    uow[other].stock = 0;
    sell(&db, 1, 5);
    let lost = only(uow.commit(conn));
    let error = uow.resolve(&lost, add_stocks).unwrap_err();
    assert_eq!(error.columns(), ["stock"]);
    assert_eq!((uow[handle].stock, uow[handle].version), (0, 1));
    assert_eq!(uow.base(handle), Some(&product(1)));
    let lost = conflicts(uow.commit(conn));
    assert_eq!(
        kinds(&lost),
        [("products", "1".into(), ConflictKind::Modified)]
    );
    uow.discard(&lost);
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    assert_eq!(stocks(conn), [(1, 5, 2), (2, 0, 2)]);
}

#[test]
fn a_touch_stays() {
    let (db, mut conn, mut uow, handle) = one();
    let conn = &mut conn;
    uow.touch(handle);
    sell(&db, 1, 8);
    let lost = only(uow.commit(conn));
    uow.resolve(&lost, add_stocks).unwrap();
    let done = uow.commit(conn).unwrap();
    let operations: Vec<_> = done.iter().map(|row| row.operation()).collect();
    assert_eq!(operations, [Operation::Touch]);
    assert_eq!(stocks(conn), [(1, 8, 3)]);
}

#[test]
fn what_was_expected_to_be_unchanged_is_not_merged() {
    let db = shop(1);
    let conn = &mut db.connect();
    for changed in [false, true] {
        let mut uow = Unit::new();
        let handle: Handle<Product> = uow.find(conn, 1).unwrap();
        uow.expect_unchanged(handle);
        if changed {
            uow[handle].name = "mine".into();
        }
        sell(&db, 1, 8);
        let lost = only(uow.commit(conn));
        let error = uow.resolve(&lost, never).unwrap_err();
        assert_eq!(error.code(), "merge.expect_unchanged");
        assert_eq!(only(uow.commit(conn)).expected(), lost.expected());
    }
}

#[test]
fn a_deletion_is_not_made_a_write_by_merging() {
    let (db, mut conn, mut uow, handle) = one();
    let conn = &mut conn;
    uow.delete(handle);
    sell(&db, 1, 8);
    let lost = only(uow.commit(conn));
    assert_eq!(
        uow.resolve(&lost, never).unwrap_err().code(),
        "merge.delete"
    );
    assert_eq!(lost.resolve(never).unwrap_err().code(), "merge.delete");
    assert_eq!(only(uow.commit(conn)).kind(), ConflictKind::Modified);
    // After a look at it.
    uow.discard(handle);
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow.delete(handle);
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    assert_eq!(stocks(conn), []);
}

#[test]
fn an_entity_that_is_deleted_after_the_conflict_is_not_merged() {
    let (_db, _conn, mut uow, handle, lost) = in_conflict(1);
    uow.delete(handle);
    assert_eq!(
        uow.resolve(&lost, never).unwrap_err().code(),
        "merge.delete"
    );
}

#[test]
fn a_form_has_no_base_unless_it_is_given_one() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let form = Product {
        stock: 7,
        ..product(1)
    };
    let handle = uow.save(form).unwrap();
    sell(&db, 1, 8);
    let lost = only(uow.commit(conn));
    let error = uow.resolve(&lost, never).unwrap_err();
    assert_eq!(error.code(), "merge.no_base");
    assert_eq!((uow[handle].stock, uow.base(handle)), (7, None));

    let lost = lost.with_base(product(1)).unwrap();
    uow.resolve(&lost, add_stocks).unwrap();
    db.execute("UPDATE products SET name = 'past the version'");
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    assert_eq!(stocks(conn), [(1, 5, 3)]);
    // It is no longer written as a whole row.
    assert_eq!(Product::find(conn, 1).unwrap().name, "past the version");
}

#[test]
fn a_row_that_is_gone_cannot_be_merged_with() {
    let (db, mut conn, mut uow, handle) = one();
    let conn = &mut conn;
    uow[handle].stock = 7;
    db.execute("DELETE FROM products");
    let lost = only(uow.commit(conn));
    let error = uow.resolve(&lost, never).unwrap_err();
    assert_eq!(error.code(), "conflict.deleted");
    // Its values can still be seen.
    let text = lost.changes().to_string();
    assert!(
        text.ends_with("stock  | 10   | 7    | -      | me"),
        "{text}"
    );
}

#[test]
fn what_the_database_refused_is_not_helped_by_merging() {
    for (write, rows) in [(Write::Update, "OLD.id = 1"), (Write::Insert, "NEW.id = 2")] {
        let Some(refuse) = Conn::refuse_rows(write, "products", rows) else {
            return;
        };
        let db = shop(1);
        db.execute(&refuse);
        let conn = &mut db.connect();
        let mut uow = Unit::new();
        if let Write::Insert = write {
            uow.insert(product(2)).unwrap();
        } else {
            let handle: Handle<Product> = uow.find(conn, 1).unwrap();
            uow[handle].stock = 1;
        }
        let lost = only(uow.commit(conn));
        let error = uow.resolve(&lost, never).unwrap_err();
        assert_eq!(error.code(), "conflict.refused");
    }
}

#[test]
fn a_conflict_that_is_none_of_the_unit_is_not_resolved() {
    let db = shop(1);
    let conn = &mut db.connect();
    let (mut uow, mut other) = (Unit::new(), Unit::new());
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].stock = 7;
    let elsewhere: Handle<Product> = other.find(conn, 1).unwrap();
    other[elsewhere].stock = 6;
    sell(&db, 1, 8);
    let mut single = product(1);
    let Err(SaveError::Conflict(of_no_unit)) = single.save(conn) else {
        panic!("it is stale");
    };
    let (mine, theirs) = (only(uow.commit(conn)), only(other.commit(conn)));
    let (mut empty, mut new) = (Unit::new(), Unit::new());
    for (uow, conflict) in [
        (&mut uow, &theirs),
        (&mut other, &mine),
        (&mut empty, &mine),
        (&mut new, &*of_no_unit),
    ] {
        let error = uow.resolve(conflict, never).unwrap_err();
        assert_eq!(error.code(), "unit.unknown_handle");
    }
    uow.discard(handle);
    let error = uow.resolve(&mine, never).unwrap_err();
    assert_eq!(error.code(), "unit.unknown_handle");
    assert_eq!(other[elsewhere].stock, 6);
}

#[test]
fn a_conflict_is_resolved_once() {
    let (_db, mut conn, mut uow, handle, lost) = in_conflict(7);
    let conn = &mut conn;
    uow.resolve(&lost, add_stocks).unwrap();
    let error = uow.resolve(&lost, never).unwrap_err();
    assert_eq!(error.code(), "merge.outdated");
    assert_eq!(uow[handle].stock, 5);
    uow.commit(conn).unwrap();
    assert_eq!(
        uow.resolve(&lost, never).unwrap_err().code(),
        "merge.outdated"
    );
    assert_eq!(stocks(conn), [(1, 5, 3)]);
}

#[test]
fn a_resolved_entity_that_is_rolled_back_by_the_caller_is_as_it_was_resolved() {
    let (_db, mut conn, mut uow, handle, lost) = in_conflict(7);
    let conn = &mut conn;
    uow.resolve(&lost, add_stocks).unwrap();
    let mut done = None;
    let rolled_back = conn.transaction::<(), Error, _>(|conn| {
        done = Some(uow.commit(conn).unwrap());
        Err(Error::RollbackTransaction)
    });
    assert_eq!(rolled_back, Err(Error::RollbackTransaction));
    assert_eq!(uow[handle].version, 3);
    done.unwrap().undo(&mut uow).unwrap();
    assert_eq!((uow[handle].stock, uow[handle].version), (5, 2));
    assert_eq!(uow.base(handle).map(|base| base.stock), Some(8));
    assert_eq!(uow.commit(conn).unwrap().len(), 1);
    assert_eq!(stocks(conn), [(1, 5, 3)]);
}
