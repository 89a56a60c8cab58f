//! Names and keys that mislead: edited keys, other spellings, namesakes of what the library writes.

use diesel::prelude::*;

use super::{Unit, conflicts, failure, kinds, product, shop, stocks};
use crate::flavor::prelude::*;
use crate::support::TestDb;
use crate::support::entities::Product;

diesel::table! {
    v (id) {
        id -> Integer,
        amount -> Integer,
        version -> Integer,
    }
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = v)]
struct Namesake {
    id: i32,
    amount: i32,
    #[version]
    version: i32,
}

#[test]
fn a_table_may_be_called_as_what_a_batch_is() {
    let db = TestDb::new();
    db.execute(
        "CREATE TABLE v (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL, version INTEGER NOT NULL);
         INSERT INTO v VALUES (1, 0, 1), (2, 0, 1), (3, 0, 1)",
    );
    let conn = &mut db.connect();
    let mut rows: Vec<Namesake> = [1, 2, 3].map(|id| Namesake::find(conn, id).unwrap()).into();
    for row in &mut rows {
        row.amount = 5;
    }
    Namesake::save_all(conn, &mut rows).unwrap();
    for row in &rows {
        assert_eq!((row.amount, row.version), (5, 2));
        assert_eq!(Namesake::find(conn, row.id).unwrap(), *row);
    }
}

#[test]
fn a_key_that_is_the_only_change_is_invalid() {
    let db = shop(2);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let handle: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[handle].id = 2;
    let error = failure(uow.commit(conn));
    assert!(matches!(error, CommitError::Invalid { .. }), "{error:?}");
    assert_eq!(stocks(conn), [(1, 10, 1), (2, 10, 1)]);
}

#[test]
fn an_entity_whose_key_was_edited_is_discarded_whole() {
    let db = shop(1);
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let edited: Handle<Product> = uow.find(conn, 1).unwrap();
    uow[edited].id = 9;
    uow.discard(edited);
    let again: Handle<Product> = uow.find(conn, 1).unwrap();
    assert_eq!(uow.get(again), Some(&product(1)));
    uow[again].stock = 3;
    drop(uow.commit(conn).unwrap());
    assert_eq!(stocks(conn), [(1, 3, 2)]);
}

mod case_blind {
    //! A table whose key does not tell `a` from `A`.

    use diesel::prelude::*;
    use diesel_versioned::Versioned;

    use crate::Conn;
    use crate::support::{TestBackend, TestDb};

    diesel::table! {
        codes (code) { code -> Varchar, amount -> Integer, version -> Integer }
    }

    #[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
    #[diesel(table_name = codes, primary_key(code))]
    pub struct Code {
        pub code: String,
        pub amount: i32,
        #[version]
        pub version: i32,
    }

    /// With the codes `A` to `D`, at version 1.
    pub fn codes_db() -> TestDb {
        let db = TestDb::empty();
        db.execute(&format!(
            "{} CREATE TABLE codes (code {} NOT NULL PRIMARY KEY, amount INTEGER NOT NULL,
                version INTEGER NOT NULL);
             INSERT INTO codes VALUES ('A', 10, 1), ('B', 20, 1), ('C', 30, 1), ('D', 40, 1)",
            Conn::DEFINE_CASE_BLIND_TEXT,
            Conn::CASE_BLIND_TEXT
        ));
        db
    }

    pub fn code(code: &str, amount: i32) -> Code {
        Code {
            code: code.to_owned(),
            amount,
            version: 1,
        }
    }

    pub fn codes(conn: &mut Conn) -> Vec<(String, i32, i32)> {
        codes::table.order(codes::code).load(conn).unwrap()
    }
}

#[test]
fn a_row_that_stands_under_another_spelling_is_found() {
    use case_blind::{Code, code, codes, codes_db};

    let db = codes_db();
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let a = uow.attach(code("a", 10)).unwrap();
    let b = uow.attach(code("b", 20)).unwrap();
    let c = uow.attach(code("c", 30)).unwrap();
    let d = uow.attach(code("D", 40)).unwrap();
    uow[a].amount = 11;
    uow[b].amount = 21;
    uow[d].amount = 41;
    uow.expect_unchanged(c);

    // What is stale is at another version: it was not deleted, and the others are not stale.
    db.execute("UPDATE codes SET amount = 12, version = 2 WHERE code = 'A'");
    let lost = conflicts(uow.commit(conn));
    assert_eq!(
        kinds(&lost),
        [("codes", r#""a""#.to_owned(), ConflictKind::Modified)]
    );
    let conflict = lost.of::<Code>().next().unwrap();
    let current = Code {
        version: 2,
        ..code("A", 12)
    };
    assert_eq!(conflict.current(), Some(&current));

    uow.discard(&lost);
    assert_eq!(uow.commit(conn).unwrap().len(), 2);
    let rows = [("A", 12, 2), ("B", 21, 2), ("C", 30, 1), ("D", 41, 2)];
    assert_eq!(
        codes(conn),
        rows.map(|(code, amount, version)| (code.to_owned(), amount, version))
    );
    assert_eq!((uow[b].code.as_str(), uow[b].version), ("b", 2));
}

#[test]
fn a_row_that_is_known_is_found_by_another_spelling() {
    use case_blind::{Code, codes_db};

    let db = codes_db();
    let conn = &mut db.connect();
    let mut uow = Unit::new();
    let a: Handle<Code> = uow.find(conn, "A".to_owned()).unwrap();
    assert_eq!(uow.find(conn, "a".to_owned()), Ok(a));
    assert_eq!(uow.len(), 1);
}
