//! A relative update of one row.

use diesel::Connection;
use diesel::prelude::*;
use diesel::result::Error::RollbackTransaction;

use crate::flavor::prelude::*;
use crate::support::entities::{Document, Product, StockLevel};
use crate::support::scenario::single::{lamp, row, stored_lamp};
use crate::support::schema::{documents, products, products::stock as in_stock, stock_levels};
use crate::support::{Queries, TestBackend, TestDb, race};
use crate::{Backend, Conn};

fn sell(conn: &mut Conn, pieces: i32) -> Result<(), ApplyError<Product>> {
    Product::apply(conn, 42, in_stock.eq(in_stock - pieces))
        .filter(in_stock.ge(pieces))
        .execute()
}

#[test]
fn it_is_one_statement_and_nothing_is_read() {
    let db = TestDb::new();
    stored_lamp(&db, 42);
    let conn = &mut db.connect();
    let queries = Queries::of(conn);
    sell(conn, 3).unwrap();
    let sent = queries.take();
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert!(sent[0].starts_with("UPDATE "), "{sent:?}");
    let sold = row(&db, 42);
    assert_eq!((sold.stock, sold.version), (2, 2));
    assert_eq!(
        sold,
        Product {
            stock: 2,
            version: 2,
            ..lamp(42)
        }
    );
}

#[test]
fn where_the_condition_fails_the_row_is_shown_as_it_is() {
    let db = TestDb::new();
    let mine = stored_lamp(&db, 42);
    let conn = &mut db.connect();
    let error = sell(conn, 6).unwrap_err();
    assert_eq!(error.code(), "apply.condition");
    assert_eq!(error.current(), Some(&mine));
    assert_eq!(
        error.to_string(),
        "the row 42 of `products` does not meet the condition, so it is as it was"
    );
    assert!(!error.is_transient() && !error.is_retryable());
    assert!(!format!("{error:?}").contains("Lamp"));
    assert_eq!(row(&db, 42), mine);
    // Each condition counts.
    let error = Product::apply(conn, 42, in_stock.eq(in_stock - 1))
        .filter(in_stock.ge(1))
        .filter(products::name.eq("Chair").or(products::name.eq("Table")))
        .execute()
        .unwrap_err();
    assert!(matches!(error, ApplyError::ConditionFailed { .. }));
}

#[test]
fn a_row_that_is_not_there_is_gone() {
    let db = TestDb::new();
    let error = sell(&mut db.connect(), 1).unwrap_err();
    assert_eq!(error.code(), "apply.gone");
    assert_eq!(
        error.to_string(),
        "there is no row 42 in `products`; it was deleted, or never there"
    );
    assert_eq!(error.current(), None);
}

#[test]
fn of_sales_at_once_none_is_lost_and_none_is_too_much() {
    let db = TestDb::new();
    let mut stale = stored_lamp(&db, 42);
    let results = race(&db, 8, |_, conn| sell(conn, 1));
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 5);
    for error in results.into_iter().filter_map(Result::err) {
        assert_eq!(error.code(), "apply.condition", "{error:?}");
        assert_eq!(error.current().unwrap().stock, 0);
    }
    assert_eq!((row(&db, 42).stock, row(&db, 42).version), (0, 6));
    assert!(stale.save(&mut db.connect()).unwrap_err().is_conflict());
}

#[test]
fn it_is_a_part_of_the_callers_transaction_which_stays_usable() {
    let db = TestDb::new();
    let mine = stored_lamp(&db, 42);
    let conn = &mut db.connect();
    let failed = conn.transaction(|conn| {
        sell(conn, 3).unwrap();
        let error = sell(conn, 3).unwrap_err();
        assert_eq!(error.current().unwrap().stock, 2);
        Product::apply(conn, 42, products::name.eq("Sold"))
            .execute()
            .unwrap();
        assert_eq!(Product::find(conn, 42).unwrap().version, 3);
        QueryResult::<()>::Err(RollbackTransaction)
    });
    assert_eq!(failed, Err(RollbackTransaction));
    assert_eq!(row(&db, 42), mine);
}

#[test]
fn a_composite_key_and_renamed_columns() {
    let db = TestDb::new();
    db.execute("INSERT INTO stock_levels VALUES (1, 'A-7', 3, 7), (1, 'A-8', 3, 7)");
    let conn = &mut db.connect();
    let quantity = stock_levels::quantity;
    StockLevel::apply(conn, (1, "A-7".to_owned()), quantity.eq(quantity * 2))
        .execute()
        .unwrap();
    let level = StockLevel::find(conn, (1, "A-7".to_owned())).unwrap();
    assert_eq!((level.quantity, level.version), (6, 8));
    let other = StockLevel::find(conn, (1, "A-8".to_owned())).unwrap();
    assert_eq!((other.quantity, other.version), (3, 7));
    let rows = StockLevel::update_where(quantity.ge(3))
        .set(quantity.eq(quantity + 1))
        .execute(conn);
    assert_eq!(rows, Ok(2));
    // Both parts of the key are refused.
    for error in [
        StockLevel::apply(conn, (1, "A-7".to_owned()), stock_levels::warehouse.eq(2)).execute(),
        StockLevel::apply(conn, (1, "A-7".to_owned()), stock_levels::sku.eq("B")).execute(),
    ] {
        assert!(matches!(error, Err(ApplyError::Database(_))), "{error:?}");
    }

    db.execute(
        "INSERT INTO documents (id, title, type, \"order\", body, lock_version) \
         VALUES (1, 'A', 'memo', 1, NULL, 1)"
            .replace('"', &Conn::IDENTIFIER_QUOTE.to_string())
            .replace("type", &format!("{0}type{0}", Conn::IDENTIFIER_QUOTE))
            .as_str(),
    );
    Document::apply(conn, 1, documents::type_.eq("letter"))
        .execute()
        .unwrap();
    let document = Document::find(conn, 1).unwrap();
    assert_eq!(
        (document.kind.as_str(), document.lock_version),
        ("letter", 2)
    );
    let refused = Document::apply(conn, 1, documents::lock_version.eq(9)).execute();
    assert!(matches!(refused, Err(ApplyError::Database(_))));
}

/// A changeset of Diesel's own.
#[derive(AsChangeset)]
#[diesel(table_name = products)]
struct Form {
    name: Option<String>,
    stock: Option<i32>,
    version: Option<i32>,
}

#[test]
fn a_changeset_of_diesels_own_is_looked_at_too() {
    let db = TestDb::new();
    stored_lamp(&db, 42);
    let conn = &mut db.connect();
    let form = |name: Option<&str>, version| Form {
        name: name.map(str::to_owned),
        stock: None,
        version,
    };
    Product::apply(conn, 42, form(Some("Lamp, \"version\" = 2"), None))
        .execute()
        .unwrap();
    assert_eq!(row(&db, 42).name, "Lamp, \"version\" = 2");
    let queries = Queries::of(conn);
    for form in [
        form(Some("A"), Some(1)),
        form(None, Some(1)),
        form(None, None),
    ] {
        let refused = Product::apply(conn, 42, form).execute();
        assert!(
            matches!(refused, Err(ApplyError::Database(_))),
            "{refused:?}"
        );
    }
    assert_eq!(queries.take(), Vec::<String>::new());
    assert_eq!(row(&db, 42).version, 2);
}

#[test]
fn what_the_database_holds_back_without_a_condition_is_refused() {
    let Some(refuse) = Conn::REFUSE_PRODUCT_UPDATES else {
        return;
    };
    let db = TestDb::new();
    let mine = stored_lamp(&db, 42);
    db.execute(refuse);
    let error = Product::apply(&mut db.connect(), 42, in_stock.eq(0))
        .execute()
        .unwrap_err();
    assert_eq!(error.code(), "apply.refused");
    assert_eq!(error.current(), Some(&mine));
}

#[test]
fn what_the_database_reports_is_handed_on() {
    let db = TestDb::new();
    stored_lamp(&db, 42);
    db.execute(Conn::FAIL_PRODUCT_UPDATES);
    let error = sell(&mut db.connect(), 1).unwrap_err();
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("not today"), "{source}");
}

#[test]
fn debug_query_shows_a_bulk_update_without_a_database() {
    let update = Product::update_where(in_stock.lt(5)).set(in_stock.eq(in_stock + 10));
    let shown = diesel::debug_query::<Backend, _>(&update).to_string();
    assert!(shown.contains("2147483647"), "{shown}");
}
