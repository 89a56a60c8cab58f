//! The conflict: what it says, and what it leaves as it was.

use super::{Write, conflict, lamp, row, sold_by_someone_else, stored_lamp};
use crate::flavor::prelude::*;
use crate::support::TestDb;
use crate::support::entities::Product;

const WRITES: [(&str, Write); 3] = [
    ("save", Product::save),
    ("touch", Product::touch),
    ("delete", Product::delete),
];

#[test]
fn rule_08_another_version_is_modified() {
    let db = TestDb::new();
    let mut mine = stored_lamp(&db, 42);
    let theirs = sold_by_someone_else(&db, 42);
    let conn = &mut db.connect();
    mine.name = "Desk lamp".to_owned();
    for (name, write) in WRITES {
        let conflict = conflict(write(&mut mine, conn));
        assert_eq!(conflict.kind(), ConflictKind::Modified, "{name}");
        assert_eq!(conflict.table(), "products");
        assert_eq!(*conflict.key(), 42);
        assert_eq!(*conflict.expected(), 1);
        assert_eq!(conflict.actual(), Some(&2));
        assert_eq!(conflict.base(), None);
        assert_eq!(*conflict.mine(), mine);
        assert_eq!(conflict.current(), Some(&theirs));
        assert_eq!(row(&db, 42), theirs, "{name}");

        let changes = conflict.changes();
        // Without a base it cannot be told who changed what.
        assert_eq!(
            changes.unattributed().collect::<Vec<_>>(),
            ["name", "stock"]
        );
        assert_eq!(changes.mine().count() + changes.theirs().count(), 0);

        let parts = conflict.into_parts();
        assert_eq!(parts, (None, mine.clone(), Some(theirs.clone())));
    }
}

#[test]
fn rule_08_no_row_is_deleted() {
    let db = TestDb::new();
    let mut mine = stored_lamp(&db, 42);
    let other = stored_lamp(&db, 43);
    db.execute("DELETE FROM products WHERE id = 42");
    let conn = &mut db.connect();
    for (name, write) in WRITES {
        let conflict = conflict(write(&mut mine, conn));
        assert_eq!(conflict.kind(), ConflictKind::Deleted, "{name}");
        assert_eq!((*conflict.key(), *conflict.expected()), (42, 1));
        assert_eq!((conflict.actual(), conflict.current()), (None, None));
        assert_eq!(*conflict.mine(), mine);
        assert!(conflict.changes().is_empty());
    }
    assert_eq!(row(&db, 43), other);
    assert_eq!(
        Product::find(conn, 42),
        Err(diesel::result::Error::NotFound)
    );
}

#[test]
fn rule_08_an_older_version_is_a_conflict_too() {
    let db = TestDb::new();
    let mut mine = stored_lamp(&db, 42);
    mine.version = 5;
    let conflict = conflict(mine.save(&mut db.connect()));
    assert_eq!(conflict.kind(), ConflictKind::Modified);
    assert_eq!((*conflict.expected(), conflict.actual()), (5, Some(&1)));
}

#[test]
fn rule_08_a_row_that_was_deleted_and_inserted_again_is_told_by_its_version() {
    let db = TestDb::new();
    let mut mine = stored_lamp(&db, 42);
    let conn = &mut db.connect();
    mine.save(conn).unwrap();
    mine.clone().delete(conn).unwrap();
    stored_lamp(&db, 42);
    let conflict = conflict(mine.save(conn));
    assert_eq!(conflict.kind(), ConflictKind::Modified);
    assert_eq!((*conflict.expected(), conflict.actual()), (2, Some(&1)));
}

#[test]
fn rule_01_a_conflict_changes_nothing_in_memory_and_conflicts_again() {
    let db = TestDb::new();
    let mut mine = stored_lamp(&db, 42);
    sold_by_someone_else(&db, 42);
    mine.stock = 0;
    let before = mine.clone();
    let conn = &mut db.connect();
    for _ in 0..3 {
        for (name, write) in WRITES {
            let conflict = conflict(write(&mut mine, conn));
            assert_eq!(
                (*conflict.expected(), conflict.actual()),
                (1, Some(&2)),
                "{name}"
            );
            assert_eq!(mine, before, "{name}");
        }
    }
    assert_eq!(row(&db, 42).version, 2);
}

#[test]
fn rule_03_after_a_reload_the_save_goes_through() {
    let db = TestDb::new();
    let mut mine = stored_lamp(&db, 42);
    sold_by_someone_else(&db, 42);
    let conn = &mut db.connect();
    mine.stock -= 2;
    conflict(mine.save(conn));
    mine.reload(conn).unwrap();
    mine.stock -= 2;
    mine.save(conn).unwrap();
    assert_eq!(
        row(&db, 42),
        Product {
            stock: 2,
            version: 3,
            ..lamp(42)
        }
    );
}

#[test]
fn a_conflict_is_resolved_by_taking_its_current_version() {
    let db = TestDb::new();
    let mut mine = stored_lamp(&db, 42);
    sold_by_someone_else(&db, 42);
    let conn = &mut db.connect();
    mine.name = "Desk lamp".to_owned();
    let (_, mine, current) = conflict(mine.save(conn)).into_parts();
    let mut merged = Product {
        name: mine.name,
        ..current.unwrap()
    };
    merged.save(conn).unwrap();
    assert_eq!((row(&db, 42).stock, row(&db, 42).version), (4, 3));
}

#[test]
fn the_conflict_shows_the_row_as_it_stands_when_it_is_read() {
    let db = std::sync::Arc::new(TestDb::new());
    let mut mine = stored_lamp(&db, 42);
    sold_by_someone_else(&db, 42);
    let conn = &mut db.connect();
    let other = std::sync::Arc::clone(&db);
    super::after_statement(conn, "UPDATE", move || {
        sold_by_someone_else(&other, 42);
    });
    let conflict = conflict(mine.save(conn));
    assert_eq!(conflict.actual(), Some(&3));
    assert_eq!(conflict.current(), Some(&row(&db, 42)));
}
