//! A conflict that is resolved by a rule: what comes of it can be saved.

use super::{conflict, row, sold_by_someone_else, stored_lamp};
use crate::flavor::prelude::*;
use crate::support::entities::{Address, Customer, Document, Product};
use crate::support::{TestBackend, TestDb};

/// What I sell and what they sold are both sold.
fn add_stocks(base: &Product, mine: &Product, theirs: Product) -> Result<Product, Unmergeable> {
    let stock = theirs.stock + (mine.stock - base.stock);
    if stock < 0 {
        return Err(Unmergeable::new(["stock"], "there are not enough left"));
    }
    Ok(Product { stock, ..theirs })
}

fn never(_: &Product, _: &Product, _: Product) -> Result<Product, Unmergeable> {
    panic!("the rule is not to be asked")
}

/// My lamp with this stock, which someone else has sold one of; with the conflict of saving it.
fn stale_lamp(db: &TestDb, stock: i32) -> (Product, Box<Conflict<Product>>) {
    let base = stored_lamp(db, 42);
    sold_by_someone_else(db, 42);
    let mut mine = Product {
        stock,
        ..base.clone()
    };
    let conflict = conflict(mine.save(&mut db.connect()));
    (base, conflict)
}

#[test]
fn what_a_rule_makes_is_saved_on_the_current_row() {
    let db = TestDb::new();
    let (base, conflict) = stale_lamp(&db, 3);
    let conflict = conflict.with_base(base).unwrap();
    assert_eq!(
        conflict.changes().to_string(),
        "column | base | mine | theirs | who\n\
         stock  | 5    | 3    | 4      | both"
    );
    let mut merged = conflict.resolve(add_stocks).unwrap();
    assert_eq!((merged.stock, merged.version), (2, 2));
    // Nothing is written by merging.
    assert_eq!((row(&db, 42).stock, row(&db, 42).version), (4, 2));
    merged.save(&mut db.connect()).unwrap();
    assert_eq!(row(&db, 42), merged);
    assert_eq!((merged.stock, merged.version), (2, 3));
}

#[test]
fn the_save_of_what_was_merged_conflicts_if_someone_is_faster_again() {
    let db = TestDb::new();
    let (base, first) = stale_lamp(&db, 3);
    let first = first.with_base(base).unwrap();
    let mut merged = first.resolve(add_stocks).unwrap();
    sold_by_someone_else(&db, 42);
    let conn = &mut db.connect();
    let second = conflict(merged.save(conn));
    assert_eq!((*second.expected(), second.actual()), (2, Some(&3)));
    let base = first.current().unwrap().clone();
    let second = second.with_base(base).unwrap();
    second.resolve(add_stocks).unwrap().save(conn).unwrap();
    // Five, of which two and one and one were sold.
    assert_eq!(row(&db, 42).stock, 1);
}

#[test]
fn key_and_version_are_those_of_the_row_whatever_the_rule_does() {
    let db = TestDb::new();
    let (base, conflict) = stale_lamp(&db, 3);
    let conflict = conflict.with_base(base).unwrap();
    let merged = conflict.resolve(|_, mine, _| {
        Ok(Product {
            id: 7,
            version: 99,
            ..mine.clone()
        })
    });
    let merged = merged.unwrap();
    assert_eq!((merged.id, merged.version, merged.stock), (42, 2, 3));
}

#[test]
fn the_last_write_does_not_win_by_a_rule_that_gives_mine_back() {
    let db = TestDb::new();
    let base = stored_lamp(&db, 42);
    sold_by_someone_else(&db, 42);
    let mut mine = Product {
        name: "Desk lamp".to_owned(),
        ..base.clone()
    };
    let conflict = conflict(mine.save(&mut db.connect()));
    let conflict = conflict.with_base(base).unwrap();
    assert!(conflict.is_disjoint());
    let error = conflict.resolve(|_, mine, _| Ok(mine.clone())).unwrap_err();
    assert_eq!(error.code(), "merge.overwrites");
    assert_eq!(error.columns(), ["stock"]);
}

#[test]
fn without_a_base_merging_says_so() {
    let db = TestDb::new();
    let (base, conflict) = stale_lamp(&db, 3);
    assert!(!conflict.is_disjoint());
    let error = conflict.resolve(never).unwrap_err();
    assert_eq!(error.code(), "merge.no_base");
    assert!(error.columns().is_empty());
    let text = error.to_string();
    assert!(text.starts_with("`products` 42 cannot be merged"), "{text}");
    assert!(text.contains("no base"), "{text}");

    for wrong in [
        Product {
            id: 43,
            ..base.clone()
        },
        Product { version: 2, ..base },
    ] {
        let error = conflict.clone().with_base(wrong).unwrap_err();
        assert_eq!(error.code(), "merge.wrong_base");
    }
}

#[test]
fn what_the_rule_refuses_is_told_with_its_columns() {
    let db = TestDb::new();
    let (base, conflict) = stale_lamp(&db, 0);
    let conflict = conflict.with_base(base).unwrap();
    let error = conflict.resolve(add_stocks).unwrap_err();
    assert_eq!(error.code(), "merge.columns");
    assert_eq!(error.columns(), ["stock"]);
    assert_eq!(
        error.to_string(),
        "`stock` of `products` 42 cannot be merged: there are not enough left"
    );
    let entity = error.entity().unwrap();
    assert_eq!(
        (entity.table, entity.key.as_deref()),
        ("products", Some("42"))
    );
}

#[test]
fn a_row_that_is_gone_cannot_be_merged_with() {
    let db = TestDb::new();
    let base = stored_lamp(&db, 42);
    db.execute("DELETE FROM products");
    let conflict = conflict(base.clone().save(&mut db.connect()));
    let conflict = conflict.with_base(base).unwrap();
    assert!(!conflict.is_disjoint());
    let error = conflict.resolve(never).unwrap_err();
    assert_eq!(error.code(), "conflict.deleted");
}

#[test]
fn what_the_database_refused_is_not_helped_by_merging() {
    let db = TestDb::new();
    let Some(refuse) = crate::Conn::REFUSE_PRODUCT_UPDATES else {
        return;
    };
    let base = stored_lamp(&db, 42);
    db.execute(refuse);
    let mut mine = Product {
        stock: 1,
        ..base.clone()
    };
    let conflict = conflict(mine.save(&mut db.connect()));
    let conflict = conflict.with_base(base).unwrap();
    assert!(!conflict.is_disjoint());
    let error = conflict.resolve(never).unwrap_err();
    assert_eq!(error.code(), "conflict.refused");
}

#[test]
fn a_deletion_is_not_made_a_write_by_merging() {
    let db = TestDb::new();
    let base = stored_lamp(&db, 42);
    sold_by_someone_else(&db, 42);
    let conflict = conflict(base.clone().delete(&mut db.connect()));
    let conflict = conflict.with_base(base).unwrap();
    let error = conflict.resolve(never).unwrap_err();
    assert_eq!(error.code(), "merge.delete");
}

fn document() -> Document {
    Document {
        id: 1,
        title: "Tea".to_owned(),
        kind: "note".to_owned(),
        position: 1,
        body: None,
        lock_version: 1,
    }
}

/// Merges what I make of the document with what they make of it, in the database.
fn merged_documents(
    mine: impl Fn(&mut Document),
    theirs: impl Fn(&mut Document),
) -> Result<Document, Unmergeable> {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut base = document();
    base.insert(conn).unwrap();
    let mut there = base.clone();
    theirs(&mut there);
    there.save(conn).unwrap();
    let mut here = base.clone();
    mine(&mut here);
    let conflict = conflict(here.save(conn)).with_base(base).unwrap();
    let mut merged = conflict.resolve(Document::merge)?;
    merged.save(conn).unwrap();
    assert_eq!(Document::find(conn, 1).unwrap(), merged);
    Ok(merged)
}

#[test]
fn independent_columns_are_merged_by_the_derived_rule() {
    let merged = merged_documents(
        |mine| mine.title = "On tea".to_owned(),
        |theirs| {
            theirs.kind = "essay".to_owned();
            theirs.body = Some("Leaves.".to_owned());
        },
    );
    let expected = Document {
        title: "On tea".to_owned(),
        kind: "essay".to_owned(),
        body: Some("Leaves.".to_owned()),
        lock_version: 3,
        ..document()
    };
    assert_eq!(merged, Ok(expected));
}

#[test]
fn what_both_changed_to_the_same_value_is_that_value() {
    let merged = merged_documents(
        |mine| {
            mine.position = 5;
            mine.title = "On tea".to_owned();
        },
        |theirs| {
            theirs.position = 5;
            theirs.body = Some("Leaves.".to_owned());
        },
    );
    let merged = merged.unwrap();
    assert_eq!((&*merged.title, merged.position), ("On tea", 5));
    assert_eq!(merged.body.as_deref(), Some("Leaves."));
}

#[test]
fn a_column_that_both_changed_is_not_merged_by_the_derived_rule() {
    let merged = merged_documents(
        |mine| {
            mine.title = "On tea".to_owned();
            mine.body = Some("Leaves.".to_owned());
        },
        |theirs| theirs.title = "Of tea".to_owned(),
    );
    let error = merged.unwrap_err();
    assert_eq!(error.code(), "merge.columns");
    assert_eq!(error.columns(), ["title"]);
    assert_eq!(
        error.to_string(),
        "`title` of `documents` 1 cannot be merged: both changed them, to different values"
    );
}

#[test]
fn a_column_that_is_not_declared_independent_may_depend_on_every_other() {
    let position = |document: &mut Document| document.position = 5;
    let title = |document: &mut Document| document.title = "On tea".to_owned();
    for merged in [
        merged_documents(position, title),
        merged_documents(title, position),
    ] {
        // As it is called in the database.
        assert_eq!(merged.unwrap_err().columns(), ["order"]);
    }
    // Alone it is as its author saw it.
    let touched = merged_documents(position, |_| {}).unwrap();
    assert_eq!((touched.position, touched.lock_version), (5, 3));
    let untouched = merged_documents(|_| {}, position).unwrap();
    assert_eq!((untouched.position, untouched.lock_version), (5, 3));
}

#[test]
fn an_embedded_part_is_merged_as_one_value() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut base = Customer {
        id: 1,
        name: "Ada".to_owned(),
        address: Address {
            street: "High Street".to_owned(),
            city: "London".to_owned(),
        },
        version: 1,
    };
    base.insert(conn).unwrap();
    let mut theirs = base.clone();
    theirs.address.city = "Paris".to_owned();
    theirs.save(conn).unwrap();

    let mut renamed = base.clone();
    renamed.name = "Ada L.".to_owned();
    let lost = conflict(renamed.save(conn));
    let lost = lost.with_base(base.clone()).unwrap();
    assert!(lost.is_disjoint());
    let merged = lost.resolve(Customer::merge).unwrap();
    assert_eq!(
        (&*merged.name, &merged.address),
        ("Ada L.", &theirs.address)
    );

    // A street of one and a city of the other would be no address.
    let mut moved = base.clone();
    moved.address.street = "Broad Street".to_owned();
    let lost = conflict(moved.save(conn)).with_base(base).unwrap();
    assert!(lost.is_disjoint());
    let error = lost.resolve(Customer::merge).unwrap_err();
    assert_eq!(error.columns(), ["street", "city"]);
}
