//! Which row a lease is of.

use diesel::prelude::*;
use diesel_versioned::lease::Lease;

use super::{HOUR, shop};
use crate::flavor::prelude::*;
use crate::support::entities::StockLevel;

mod here {
    diesel::table! {
        wares (id) { id -> Integer, version -> Integer }
    }
}

mod there {
    diesel::table! {
        elsewhere.wares (id) { id -> Integer, version -> Integer }
    }
}

#[derive(Debug, Clone, Queryable, Selectable, Versioned)]
#[diesel(table_name = here::wares)]
struct Ware {
    id: i32,
    #[version]
    version: i32,
}

#[derive(Debug, Clone, Queryable, Selectable, Versioned)]
#[diesel(table_name = there::wares)]
struct OtherWare {
    id: i32,
    #[version]
    version: i32,
}

fn level(sku: &str) -> StockLevel {
    StockLevel {
        warehouse: 1,
        sku: sku.to_owned(),
        quantity: 1,
        version: 1,
    }
}

#[test]
fn tables_of_one_name_in_two_schemas_have_leases_of_their_own() {
    let db = shop(0);
    let conn = &mut db.connect();
    let (here, there) = (Ware { id: 1, version: 1 }, OtherWare { id: 1, version: 1 });
    let marias = Lease::acquire(conn, &here, "maria", HOUR).unwrap();
    let pauls = Lease::acquire(conn, &there, "paul", HOUR).unwrap();
    assert!(marias.is_of(&here) && !marias.is_of(&there));
    assert!(pauls.is_of(&there) && !pauls.is_of(&here));
    let error = Lease::acquire(conn, &there, "maria", HOUR).unwrap_err();
    assert_eq!(error.holder().map(|by| by.name()), Some("paul"));
}

#[test]
fn keys_of_several_columns_and_of_any_text_are_told_apart() {
    let db = shop(0);
    let conn = &mut db.connect();
    let lease = Lease::acquire(conn, &level("a"), "maria", HOUR).unwrap();
    assert_eq!(lease.key(), r#"(1, "a")"#);
    for sku in ["A", "á", "a ", " a", "a\0", "", "it's", "\"a\"", "ａ"] {
        Lease::acquire(conn, &level(sku), "paul", HOUR).unwrap_or_else(|error| {
            panic!("{sku:?}: {error}");
        });
    }
    let by = Lease::holder_of(conn, &level("a")).unwrap().unwrap();
    assert_eq!(by.name(), "maria");
}

#[test]
fn a_key_that_is_too_long_is_an_error_and_never_cut() {
    let db = shop(0);
    let conn = &mut db.connect();
    let around = r#"(1, "")"#.len();
    let longest = level(&"🦀".repeat(512 - around));
    let lease = Lease::acquire(conn, &longest, "maria", HOUR).unwrap();
    assert_eq!(lease.key().chars().count(), 512);
    assert_eq!(lease.release(conn).unwrap(), None);
    let too_long = level(&"x".repeat(513 - around));
    let error = Lease::acquire(conn, &too_long, "maria", HOUR).unwrap_err();
    assert_eq!(error.code(), "lease.key");
    assert!(error.to_string().contains("513 characters"), "{error}");
    assert!(Lease::holder_of(conn, &too_long).is_err());
}
