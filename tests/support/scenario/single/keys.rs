//! Keys: composite ones, and values that SQL could trip over.

use diesel::prelude::*;

use super::conflict;
use crate::flavor::prelude::*;
use crate::support::entities::StockLevel;
use crate::support::schema::stock_levels;
use crate::support::{TestBackend, TestDb};

fn level(warehouse: i32, sku: &str) -> StockLevel {
    StockLevel {
        warehouse,
        sku: sku.to_owned(),
        quantity: 3,
        version: 0,
    }
}

#[test]
fn a_composite_key_names_one_row() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut levels = [level(1, "A-7"), level(1, "B-1"), level(2, "A-7")];
    for level in &mut levels {
        level.insert(conn).unwrap();
    }
    let [one, ..] = &mut levels;
    one.quantity = 9;
    one.save(conn).unwrap();
    one.touch(conn).unwrap();
    for level in &levels {
        assert_eq!(StockLevel::find(conn, level.key()).unwrap(), *level);
    }

    let [one, two, three] = levels;
    let mut two = two;
    two.delete(conn).unwrap();
    let left: Vec<StockLevel> = stock_levels::table
        .order((stock_levels::warehouse, stock_levels::sku))
        .select(StockLevel::as_select())
        .load(conn)
        .unwrap();
    assert_eq!(left, [one, three]);
}

#[test]
fn the_conflict_of_a_composite_key_names_all_of_it() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let mut mine = level(1, "A-7");
    mine.insert(conn).unwrap();
    mine.clone().save(conn).unwrap();
    let conflict = conflict(mine.save(conn));
    assert_eq!(*conflict.key(), (1, "A-7".to_owned()));
    assert_eq!((*conflict.expected(), conflict.actual()), (1, Some(&2)));
    assert!(
        conflict
            .to_string()
            .starts_with(r#"`stock_levels` (1, "A-7") was changed"#),
        "{conflict}"
    );
}

#[test]
fn a_key_may_hold_anything_that_text_can() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    let skus = [
        "'; DROP TABLE stock_levels; --",
        r#"say "hi""#,
        r"back\slash \' \n",
        "`tick` $1 ? %s %_",
        "Ünïcödé 💡 日本語",
        "e\u{301} is not \u{e9}",
        "\u{e9}",
        "line\nbreak\ttab",
        "",
    ];
    let mut levels: Vec<StockLevel> = skus.iter().map(|sku| level(1, sku)).collect();
    for level in &mut levels {
        level.insert(conn).unwrap();
        level.quantity += 1;
        level.save(conn).unwrap();
    }
    StockLevel::save_all(conn, &mut levels).unwrap();
    for level in &mut levels {
        assert_eq!(level.version, 3);
        assert_eq!(
            StockLevel::find(conn, (1, level.sku.clone())).unwrap(),
            *level
        );
        level.clone().touch(conn).unwrap();
        let conflict = conflict(level.delete(conn));
        assert_eq!(conflict.key().1, level.sku);
        level.reload(conn).unwrap();
        level.delete(conn).unwrap();
    }
    assert_eq!(stock_levels::table.count().get_result(conn), Ok(0_i64));
}

#[test]
fn a_text_key_is_not_trimmed_or_folded() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    level(1, "a").insert(conn).unwrap();
    assert_eq!(
        StockLevel::find(conn, (1, "A".to_owned())).optional(),
        Ok(None),
        "on {}",
        crate::Conn::NAME
    );
}

mod unkeyed {
    //! A table whose key no index holds.

    use diesel::prelude::*;
    use diesel_versioned::Versioned;

    diesel::table! {
        tallies (id) { id -> Integer, amount -> Integer, version -> Integer }
    }

    #[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
    #[diesel(table_name = tallies)]
    pub struct Tally {
        pub id: i32,
        pub amount: i32,
        #[version]
        pub version: i32,
    }

    /// Row 1 once, row 7 twice.
    pub const SCHEMA: &str =
        "CREATE TABLE tallies (id INTEGER NOT NULL, amount INTEGER NOT NULL, version INTEGER NOT NULL);
         INSERT INTO tallies VALUES (1, 10, 1), (7, 70, 1), (7, 71, 1)";

    pub fn amounts(conn: &mut crate::Conn) -> Vec<i32> {
        tallies::table
            .select(tallies::amount)
            .order(tallies::amount)
            .load(conn)
            .unwrap()
    }
}

#[test]
fn rule_08_a_key_that_is_not_unique_is_an_error_of_its_own() {
    use unkeyed::{SCHEMA, Tally, amounts};

    let db = TestDb::empty();
    db.execute(SCHEMA);
    let conn = &mut db.connect();
    for write in [Tally::save, Tally::touch, Tally::delete] {
        let mut tally = Tally {
            id: 7,
            amount: 0,
            version: 1,
        };
        let before = tally.clone();
        let result = conn.transaction(|conn| write(&mut tally, conn));
        let error: SaveError<Tally> = result.unwrap_err();
        assert!(
            matches!(error, SaveError::NotUnique { rows: 2, .. }),
            "{error:?}"
        );
        assert_eq!(error.code(), "key.not_unique");
        assert!(!error.is_conflict() && !error.is_transient());
        assert_eq!(
            error.to_string(),
            "2 rows of `tallies` have the key 7; \
             add a primary key or a unique index on the key columns"
        );
        assert_eq!(tally, before, "rule 1");
        assert_eq!(
            amounts(conn),
            [10, 70, 71],
            "the transaction was rolled back"
        );
    }
}

#[test]
fn rule_08_a_batch_with_a_key_that_is_not_unique_writes_nothing() {
    use unkeyed::{SCHEMA, Tally, amounts};

    let db = TestDb::empty();
    db.execute(SCHEMA);
    let conn = &mut db.connect();
    let mut tallies = [1, 7].map(|id| Tally {
        id,
        amount: 0,
        version: 1,
    });
    let before = tallies.clone();
    let error = Tally::save_all(conn, &mut tallies).unwrap_err();
    assert!(matches!(error, CommitError::NotUnique { .. }), "{error:?}");
    assert_eq!(error.code(), "key.not_unique");
    assert_eq!(tallies, before);
    assert_eq!(amounts(conn), [10, 70, 71]);
}
