//! The errors themselves: what they say, what they are, lost connections.

use std::error::Error;

use diesel_versioned::UndoError;

use super::{Write, lamp, row, sold_by_someone_else, stored_lamp};
use crate::flavor::prelude::*;
use crate::support::entities::{Product, StockLevel};
use crate::support::{TestBackend, TestDb};

#[test]
fn errors_travel() {
    fn travels<E: Error + Send + Sync + 'static>() {}
    travels::<SaveError<Product>>();
    travels::<SaveError<StockLevel>>();
    travels::<Conflict<Product>>();
    travels::<CommitError>();
    travels::<Conflicts>();
    travels::<TrackError>();
    travels::<UndoError>();

    fn anyhow(error: SaveError<Product>) -> Box<dyn Error + Send + Sync> {
        error.into()
    }
    let db = TestDb::new();
    let error = anyhow(lamp(1).save(&mut db.connect()).unwrap_err());
    let error = error.downcast::<SaveError<Product>>().unwrap();
    assert!(error.is_conflict());
}

#[test]
fn diesels_errors_convert() {
    let error = SaveError::<Product>::from(diesel::result::Error::NotFound);
    assert!(matches!(error, SaveError::Database(_)));
    assert_eq!(error.code(), "row.not_found");
    let error = CommitError::from(diesel::result::Error::NotFound);
    assert!(matches!(error, CommitError::Database { .. }));
}

#[test]
fn the_message_says_what_happened_to_which_row_and_what_to_do() {
    let db = TestDb::new();
    let mut mine = stored_lamp(&db, 42);
    sold_by_someone_else(&db, 42);
    let conn = &mut db.connect();

    let modified = mine.save(conn).unwrap_err();
    assert_eq!(modified.code(), "conflict.modified");
    assert_eq!(
        modified.to_string(),
        "`products` 42 was changed by someone else (expected version 1, found 2); \
         reload it and apply the change again"
    );

    db.execute("DELETE FROM products");
    let deleted = mine.save(conn).unwrap_err();
    assert_eq!(deleted.code(), "conflict.deleted");
    assert_eq!(
        deleted.to_string(),
        "`products` 42 was deleted by someone else (expected version 1); \
         insert it again or drop the change"
    );

    stored_lamp(&db, 42);
    let duplicate = mine.insert(conn).unwrap_err();
    assert_eq!(
        duplicate.to_string(),
        "the database reported an error on `products`; its source says which"
    );

    for error in [modified, deleted, duplicate] {
        says_nothing_twice(&error);
    }
}

/// No error of the chain repeats what the next one says.
fn says_nothing_twice(error: &dyn Error) {
    let mut error = error;
    while let Some(source) = error.source() {
        let (text, inner) = (error.to_string(), source.to_string());
        assert!(!text.contains(&inner), "{text:?} repeats {inner:?}");
        error = source;
    }
}

#[test]
fn a_refused_row_is_said_to_be_held_back() {
    let db = TestDb::new();
    let Some(refuse) = crate::Conn::REFUSE_PRODUCT_UPDATES else {
        return;
    };
    let mut mine = stored_lamp(&db, 42);
    db.execute(refuse);
    assert_eq!(
        mine.save(&mut db.connect()).unwrap_err().to_string(),
        "the database did not write `products` 42 although it stands at the expected version 1; \
         look for a trigger, a rule or row-level security that holds it back, or for a value that is not \
         stored as Diesel writes it"
    );
}

#[test]
fn a_batch_says_how_many_more() {
    let db = TestDb::new();
    let mut mine: Vec<_> = (1..=3).map(|id| stored_lamp(&db, id)).collect();
    sold_by_someone_else(&db, 1);
    sold_by_someone_else(&db, 3);
    let error = Product::save_all(&mut db.connect(), &mut mine).unwrap_err();
    assert_eq!(error.code(), "conflict.modified");
    assert!(error.is_conflict() && !error.is_transient());
    let text = error.to_string();
    assert!(
        text.starts_with("`products` 1 was changed by someone else (expected version 1, found 2)"),
        "{text}"
    );
    assert!(text.contains("1 more conflict"), "{text}");
    says_nothing_twice(&error);
}

#[test]
fn debug_names_the_row_but_does_not_dump_it() {
    let db = TestDb::new();
    let mut mine = stored_lamp(&db, 42);
    sold_by_someone_else(&db, 42);
    let error = mine.save(&mut db.connect()).unwrap_err();
    let text = format!("{error:?}");
    for part in ["Modified", "products", "42"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!text.contains("2999"), "{text}");
}

#[test]
fn rule_01_a_lost_connection_leaves_the_entity_alone() {
    let db = TestDb::new();
    let writes: [Write; 4] = [
        Product::save,
        Product::touch,
        Product::delete,
        Product::insert,
    ];
    for (id, write) in (1..).zip(writes) {
        let mut mine = stored_lamp(&db, id);
        mine.stock = 0;
        let before = mine.clone();
        let conn = &mut db.connect();
        let Some(kill) = conn.kill_statement() else {
            return;
        };
        db.execute(&kill);
        let error = write(&mut mine, conn).unwrap_err();
        assert!(matches!(error, SaveError::Database(_)), "{error:?}");
        assert_eq!(error.code(), "connection.closed", "{error:?}");
        assert!(!error.is_conflict() && !error.is_transient());
        assert_eq!(mine, before);
        assert_eq!(row(&db, id).stock, 5);

        // The second use of a connection that is known to be lost.
        let error = write(&mut mine, conn).unwrap_err();
        assert_eq!(error.code(), "connection.closed", "{error:?}");
        let result: Result<_, diesel::result::Error> = mine.reload(conn);
        assert!(result.is_err());
        assert_eq!(mine, before);
        let error = Product::save_all(conn, std::slice::from_mut(&mut mine)).unwrap_err();
        assert!(matches!(error, CommitError::Database { .. }), "{error:?}");
        assert_eq!(mine, before);

        mine.save(&mut db.connect()).unwrap();
    }
}

#[test]
fn rule_01_a_connection_lost_before_the_classifying_read_is_no_conflict() {
    let db = std::sync::Arc::new(TestDb::new());
    let mut mine = stored_lamp(&db, 42);
    sold_by_someone_else(&db, 42);
    let before = mine.clone();
    let conn = &mut db.connect();
    let Some(kill) = conn.kill_statement() else {
        return;
    };
    let other = std::sync::Arc::clone(&db);
    super::after_statement(conn, "UPDATE", move || other.execute(&kill));
    let error = mine.save(conn).unwrap_err();
    assert!(matches!(error, SaveError::Database(_)), "{error:?}");
    assert_eq!(mine, before);
}
