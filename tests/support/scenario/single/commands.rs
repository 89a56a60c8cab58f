//! What each command does when nothing stands in its way.

use diesel::prelude::*;

use super::{Write, conflict, lamp, row, sold_by_someone_else, stored_lamp};
use crate::flavor::prelude::*;
use crate::support::entities::{Node, Order, Product};
use crate::support::schema::products;
use crate::support::{Queries, TestDb};

#[test]
fn find_reads_the_row() {
    let db = TestDb::new();
    let stored = stored_lamp(&db, 42);
    let conn = &mut db.connect();
    assert_eq!(Product::find(conn, 42).unwrap(), stored);
    assert_eq!(Product::find(conn, stored.id).unwrap(), stored);
}

#[test]
fn find_of_no_row_is_not_found_and_optional() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    assert_eq!(
        Product::find(conn, 42).unwrap_err(),
        diesel::result::Error::NotFound
    );
    assert_eq!(Product::find(conn, 42).optional().unwrap(), None);
}

#[test]
fn rule_07_insert_writes_the_initial_version_whatever_the_field_holds() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    for (id, held) in [(1, 0), (2, 1), (3, 77), (4, -5), (5, i32::MAX)] {
        let mut product = Product {
            version: held,
            ..lamp(id)
        };
        product.insert(conn).unwrap();
        assert_eq!(
            product,
            Product {
                version: 1,
                ..lamp(id)
            }
        );
        assert_eq!(row(&db, id), product);
    }
}

#[test]
fn rule_07_a_version_of_zero_means_nothing() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut new = lamp(1);
    assert_eq!(conflict(new.save(conn)).kind(), ConflictKind::Deleted);
    assert_eq!(conflict(new.touch(conn)).kind(), ConflictKind::Deleted);
    assert_eq!(conflict(new.delete(conn)).kind(), ConflictKind::Deleted);
    assert_eq!(products::table.count().get_result(conn), Ok(0_i64));

    db.execute("INSERT INTO products VALUES (2, 'Lamp', 2999, 5, 0)");
    let mut zero = Product::find(conn, 2).unwrap();
    zero.stock = 4;
    zero.save(conn).unwrap();
    assert_eq!((zero.version, row(&db, 2)), (1, zero));
}

#[test]
fn insert_reads_back_what_the_database_makes() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let order = |customer: &str| Order {
        id: 0,
        customer: customer.to_owned(),
        total_cents: 100,
        version: 0,
    };
    let (mut first, mut second) = (order("Ada"), order("Grace"));
    first.insert(conn).unwrap();
    second.insert(conn).unwrap();
    assert_eq!((first.id, first.version), (1, 1));
    assert_eq!((second.id, second.version), (2, 1));
    assert_eq!(Order::find(conn, 2).unwrap(), second);

    // The key that came back is the key that is written to.
    second.total_cents = 200;
    second.save(conn).unwrap();
    assert_eq!(Order::find(conn, 2).unwrap().total_cents, 200);
    assert_eq!(Order::find(conn, 1).unwrap(), first);
}

#[test]
fn a_generated_key_comes_back_inside_a_callers_transaction() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let (root, leaf) = conn
        .transaction::<_, SaveError<Node>, _>(|conn| {
            let mut root = Node {
                id: 0,
                parent_id: None,
                label: "root".to_owned(),
                version: 0,
            };
            root.insert(conn)?;
            let mut leaf = Node {
                id: 0,
                parent_id: Some(root.id),
                label: "leaf".to_owned(),
                version: 0,
            };
            leaf.insert(conn)?;
            Ok((root, leaf))
        })
        .unwrap();
    assert_eq!(leaf.parent_id, Some(root.id));
    assert_eq!(Node::find(conn, leaf.id).unwrap(), leaf);
}

#[test]
fn save_writes_the_row_and_moves_its_version_on() {
    let db = TestDb::new();
    let mut lamp = stored_lamp(&db, 42);
    stored_lamp(&db, 43);
    let conn = &mut db.connect();
    lamp.name = "Desk lamp".to_owned();
    lamp.stock = 4;
    lamp.save(conn).unwrap();
    assert_eq!(lamp.version, 2);
    assert_eq!(row(&db, 42), lamp);
    assert_eq!(row(&db, 43).version, 1, "another row was written");

    lamp.save(conn).unwrap();
    assert_eq!((lamp.version, row(&db, 42)), (3, lamp));
}

#[test]
fn rule_06_the_version_field_is_what_is_expected_and_never_what_is_written() {
    let db = TestDb::new();
    db.execute("INSERT INTO products VALUES (42, 'Lamp', 2999, 5, 7)");
    let conn = &mut db.connect();

    // A form brings version 7 back.
    let mut form = Product {
        version: 7,
        stock: 3,
        ..lamp(42)
    };
    form.save(conn).unwrap();
    assert_eq!((form.version, row(&db, 42)), (8, form.clone()));

    // A version that was made up is expected, not written.
    for made_up in [0, 7, 9, 1_000, -1] {
        form.version = made_up;
        assert_eq!(*conflict(form.save(conn)).expected(), made_up);
        assert_eq!(*conflict(form.touch(conn)).expected(), made_up);
        assert_eq!(*conflict(form.delete(conn)).expected(), made_up);
        assert_eq!(form.version, made_up);
    }
    assert_eq!(row(&db, 42).version, 8);
}

#[test]
fn rule_10_a_save_writes_every_writable_column() {
    let db = TestDb::new();
    let mut mine = stored_lamp(&db, 42);
    // Someone who does not know of versions.
    db.execute("UPDATE products SET name = 'Torch', price_cents = 1, stock = 99");
    mine.stock = 4;
    mine.save(&mut db.connect()).unwrap();
    assert_eq!(
        row(&db, 42),
        Product {
            stock: 4,
            version: 2,
            ..lamp(42)
        }
    );
}

#[test]
fn touch_moves_the_version_on_and_writes_nothing_else() {
    let db = TestDb::new();
    let mut mine = stored_lamp(&db, 42);
    let mut theirs = mine.clone();
    let conn = &mut db.connect();
    mine.stock = 0;
    mine.touch(conn).unwrap();
    assert_eq!((mine.version, mine.stock), (2, 0));
    assert_eq!(
        row(&db, 42),
        Product {
            version: 2,
            ..lamp(42)
        }
    );
    assert_eq!(conflict(theirs.save(conn)).kind(), ConflictKind::Modified);
}

#[test]
fn delete_removes_the_row_only() {
    let db = TestDb::new();
    let (mut gone, stays) = (stored_lamp(&db, 42), stored_lamp(&db, 43));
    let before = gone.clone();
    let conn = &mut db.connect();
    gone.delete(conn).unwrap();
    assert_eq!(gone, before, "the entity is still there to be looked at");
    assert_eq!(Product::find(conn, 42).optional().unwrap(), None);
    assert_eq!(row(&db, 43), stays);
    assert_eq!(conflict(gone.delete(conn)).kind(), ConflictKind::Deleted);
}

#[test]
fn what_was_deleted_can_be_inserted_again() {
    let db = TestDb::new();
    let mut lamp = stored_lamp(&db, 42);
    let conn = &mut db.connect();
    lamp.save(conn).unwrap();
    lamp.save(conn).unwrap();
    lamp.delete(conn).unwrap();
    assert_eq!(lamp.version, 3);
    lamp.insert(conn).unwrap();
    assert_eq!((lamp.version, row(&db, 42)), (1, lamp.clone()));
    lamp.save(conn).unwrap();
    assert_eq!(row(&db, 42).version, 2);
}

#[test]
fn reload_takes_the_row_as_it_stands() {
    let db = TestDb::new();
    let mut mine = stored_lamp(&db, 42);
    let theirs = sold_by_someone_else(&db, 42);
    let conn = &mut db.connect();
    mine.name = "Forgotten".to_owned();
    mine.reload(conn).unwrap();
    assert_eq!(mine, theirs);
    mine.save(conn).unwrap();
    assert_eq!(row(&db, 42).version, 3);
}

#[test]
fn reload_of_a_row_that_is_gone_is_not_found_and_changes_nothing() {
    let db = TestDb::new();
    let mut mine = stored_lamp(&db, 42);
    db.execute("DELETE FROM products");
    mine.stock = 1;
    let before = mine.clone();
    let error = mine.reload(&mut db.connect()).unwrap_err();
    assert_eq!(error, diesel::result::Error::NotFound);
    assert_eq!(mine, before);
}

#[test]
fn save_is_one_statement_and_no_transaction() {
    let db = TestDb::new();
    let mut lamp = stored_lamp(&db, 42);
    let conn = &mut db.connect();
    let queries = Queries::of(conn);
    for (name, write) in [
        ("save", Product::save as Write),
        ("save again", Product::save),
        ("touch", Product::touch),
        ("delete", Product::delete),
        ("insert", Product::insert),
    ] {
        write(&mut lamp, conn).unwrap();
        let sent = queries.take();
        assert_eq!(sent.len(), 1, "{name}: {sent:?}");
    }
    Product::find(conn, 42).unwrap();
    assert_eq!(queries.count(), 1);
    lamp.reload(conn).unwrap();
    assert_eq!(queries.count(), 2);
}

#[test]
fn a_conflict_is_two_statements_and_no_transaction() {
    let db = TestDb::new();
    let mut mine = stored_lamp(&db, 42);
    sold_by_someone_else(&db, 42);
    let conn = &mut db.connect();
    let queries = Queries::of(conn);
    conflict(mine.save(conn));
    let sent = queries.take();
    assert_eq!(sent.len(), 2, "{sent:?}");
    assert!(
        sent[0].starts_with("UPDATE") && sent[1].starts_with("SELECT"),
        "{sent:?}"
    );
}
