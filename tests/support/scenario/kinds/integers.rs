//! What holds for integers alone: they end, wrap where that is asked for, and begin where they are
//! told to.

use std::sync::atomic::{AtomicI32, Ordering};

use diesel::prelude::*;
use diesel_versioned::Versioned;
use diesel_versioned::version::{Moment, NoVersion};

use super::super::single::lamp;
use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::scenario::outcome::conflict;
use crate::support::schema::{accounts, products, stock_levels};
use crate::support::{Queries, TestDb};

/// A product whose version wraps.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = products)]
struct Wrapping {
    id: i32,
    name: String,
    price_cents: i64,
    stock: i32,
    #[version(wrap, initial = -3)]
    version: i32,
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = accounts)]
struct WrappingAccount {
    id: i64,
    email: String,
    nickname: Option<String>,
    balance: i64,
    #[version(wrap)]
    version: i16,
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = stock_levels, primary_key(warehouse, sku))]
struct WrappingLevel {
    warehouse: i32,
    sku: String,
    quantity: i32,
    #[version(wrap)]
    version: i64,
}

#[test]
fn a_version_that_wraps_starts_again_at_the_initial_one() {
    let db = TestDb::new();
    db.execute("INSERT INTO products VALUES (42, 'Lamp', 2999, 5, 2147483646)");
    db.execute("INSERT INTO accounts VALUES (7, 'ada@example.org', NULL, 0, 32767)");
    db.execute("INSERT INTO stock_levels VALUES (1, 'A-7', 3, 9223372036854775807)");
    let conn = &mut db.connect();
    let mut mine = Wrapping::find(conn, 42).unwrap();
    let mut seen = Vec::new();
    for write in [Wrapping::save, Wrapping::save, Wrapping::touch] {
        write(&mut mine, conn).unwrap();
        seen.push(mine.version);
    }
    assert_eq!(seen, [i32::MAX, -3, -2]);
    assert_eq!(Wrapping::find(conn, 42).unwrap(), mine);

    let mut account = WrappingAccount::find(conn, 7_i64).unwrap();
    let mut stale = account.clone();
    account.touch(conn).unwrap();
    assert_eq!(account.version, 1);
    assert_eq!(conflict(stale.save(conn)).actual(), Some(&1));

    let mut level = WrappingLevel::find(conn, (1, "A-7".to_owned())).unwrap();
    WrappingLevel::save_all(conn, std::slice::from_mut(&mut level)).unwrap();
    assert_eq!(level.version, 1);
    assert_eq!(
        WrappingLevel::find(conn, (1, "A-7".to_owned())).unwrap(),
        level
    );
}

#[test]
fn a_batch_may_wrap_for_some_of_its_rows() {
    let db = TestDb::new();
    db.execute(
        "INSERT INTO products VALUES (1, 'A', 1, 5, 2147483647), (2, 'B', 1, 5, 7), \
         (3, 'C', 1, 5, 2147483647)",
    );
    let conn = &mut db.connect();
    let mut rows: Vec<Wrapping> = (1..=3)
        .map(|id| Wrapping::find(conn, id).unwrap())
        .collect();
    Wrapping::save_all(conn, &mut rows).unwrap();
    assert_eq!(
        rows.iter().map(|row| row.version).collect::<Vec<_>>(),
        [-3, 8, -3]
    );
    for row in rows {
        assert_eq!(Wrapping::find(conn, row.id).unwrap(), row);
    }
}

/// A product whose version would start again at its greatest value.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = products)]
struct Stuck {
    id: i32,
    name: String,
    price_cents: i64,
    stock: i32,
    #[version(wrap, initial = i32::MAX)]
    version: i32,
}

#[test]
fn a_version_that_would_not_move_is_an_error_and_nothing_is_sent() {
    let db = TestDb::new();
    db.execute("INSERT INTO products VALUES (42, 'Lamp', 2999, 5, 2147483647)");
    let conn = &mut db.connect();
    let mut mine = Stuck::find(conn, 42).unwrap();
    let before = mine.clone();
    let queries = Queries::of(conn);
    for error in [mine.save(conn).unwrap_err(), mine.touch(conn).unwrap_err()] {
        assert!(
            matches!(
                error,
                SaveError::NoVersion {
                    source: NoVersion::Unmoved,
                    ..
                }
            ),
            "{error:?}"
        );
        assert_eq!(error.code(), "version.unavailable");
        assert_eq!(
            error.to_string(),
            "no version for `products` 42 can be made, so it is not written; its source says why"
        );
        let source = std::error::Error::source(&error).unwrap();
        assert_eq!(
            source.to_string(),
            "the next version is the same as the one before; `next` must return another value"
        );
    }
    let error = Stuck::save_all(conn, std::slice::from_mut(&mut mine)).unwrap_err();
    assert!(matches!(error, CommitError::NoVersion { .. }), "{error:?}");
    assert_eq!(error.code(), "version.unavailable");
    assert_eq!(queries.take(), Vec::<String>::new());
    assert_eq!((&mine, &Stuck::find(conn, 42).unwrap()), (&before, &before));
}

static COUNTER: AtomicI32 = AtomicI32::new(1_000);

fn counted() -> i32 {
    COUNTER.fetch_add(1, Ordering::Relaxed)
}

/// A product whose versions begin where a function says.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = products)]
struct Counted {
    id: i32,
    name: String,
    price_cents: i64,
    stock: i32,
    #[version(initial = counted())]
    version: i32,
}

impl From<Product> for Counted {
    fn from(product: Product) -> Self {
        Self {
            id: product.id,
            name: product.name,
            price_cents: product.price_cents,
            stock: product.stock,
            version: product.version,
        }
    }
}

#[test]
fn a_function_that_says_where_a_version_begins_is_asked_once_for_each_row() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut single = Counted::from(lamp(1));
    single.insert(conn).unwrap();
    let mut uow = UnitOfWork::new();
    let handles: Vec<Handle<Counted>> = (2..=4)
        .map(|id| uow.insert(Counted::from(lamp(id))).unwrap())
        .collect();
    uow.commit(conn).unwrap();
    let mut versions = vec![single.version];
    versions.extend(handles.iter().map(|&handle| uow[handle].version));
    assert_eq!(versions, [1_000, 1_001, 1_002, 1_003]);
    for (id, version) in (1..).zip(versions) {
        assert_eq!(Counted::find(conn, id).unwrap().version, version);
    }
    // So a row that was inserted again is another one.
    let mut old = single.clone();
    single.delete(conn).unwrap();
    single.insert(conn).unwrap();
    assert!(old.save(conn).unwrap_err().is_conflict());
}

/// The limit of integers that restart, which the documents name.
#[test]
fn an_integer_that_starts_again_at_1_cannot_tell_a_row_that_was_inserted_again() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut old = lamp(1);
    old.insert(conn).unwrap();
    old.clone().delete(conn).unwrap();
    lamp(1).insert(conn).unwrap();
    old.save(conn).unwrap();
}

fn none() -> Result<i32, NoVersion> {
    Err(NoVersion::failed("the counter is not to be reached"))
}

/// A product for which there is no first version.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = products)]
struct Versionless {
    id: i32,
    name: String,
    price_cents: i64,
    stock: i32,
    #[version(initial = none()?)]
    version: i32,
}

#[test]
fn without_a_first_version_nothing_is_inserted() {
    assert!(Versionless::initial_version(&Moment::new()).is_err());
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut mine = Versionless {
        id: 1,
        name: "Lamp".to_owned(),
        price_cents: 1,
        stock: 1,
        version: 0,
    };
    let before = mine.clone();
    let queries = Queries::of(conn);
    let error = mine.insert(conn).unwrap_err();
    assert!(matches!(error, SaveError::NoVersion { .. }), "{error:?}");
    assert!(!error.is_transient() && !error.is_conflict());
    let mut uow = UnitOfWork::new();
    let handle: Handle<Versionless> = uow.insert(mine.clone()).unwrap();
    let error = uow.commit(conn).unwrap_err();
    assert!(matches!(error, CommitError::NoVersion { .. }), "{error:?}");
    assert_eq!(queries.take(), Vec::<String>::new());
    assert_eq!((&mine, &uow[handle]), (&before, &before));
    assert!(uow.is_dirty(handle));
}
