//! Many writers at one version: one wins.

use super::{row, stored_lamp};
use crate::flavor::prelude::*;
use crate::support::entities::Product;
use crate::support::{TestDb, race};

#[test]
fn rule_04_of_fifty_saves_at_one_version_exactly_one_succeeds() {
    let db = TestDb::new();
    let mine = stored_lamp(&db, 42);
    let results = race(&db, 50, |number, conn| {
        let mut mine = mine.clone();
        mine.stock = 100 + i32::try_from(number).unwrap();
        let result = mine.save(conn);
        (mine, result)
    });
    let (won, lost): (Vec<_>, Vec<_>) = results.into_iter().partition(|(_, result)| result.is_ok());
    assert_eq!((won.len(), lost.len()), (1, 49));
    let (winner, _) = &won[0];
    assert_eq!((winner.version, row(&db, 42)), (2, winner.clone()));
    for (loser, result) in &lost {
        let error = result.as_ref().unwrap_err();
        let conflict = error.conflict().unwrap_or_else(|| panic!("{error:?}"));
        assert_eq!(conflict.kind(), ConflictKind::Modified);
        assert_eq!((*conflict.expected(), conflict.actual()), (1, Some(&2)));
        assert_eq!(conflict.current(), Some(winner));
        assert_eq!(loser.version, 1);
    }
}

#[test]
fn rule_04_of_fifty_deletes_at_one_version_exactly_one_succeeds() {
    let db = TestDb::new();
    let mine = stored_lamp(&db, 42);
    let results = race(&db, 50, |_, conn| mine.clone().delete(conn));
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    for error in results.into_iter().filter_map(Result::err) {
        assert_eq!(error.code(), "conflict.deleted", "{error:?}");
    }
}

#[test]
fn rule_04_a_save_and_a_delete_do_not_both_succeed() {
    let db = TestDb::new();
    for round in 1..=20 {
        let mine = stored_lamp(&db, round);
        let results = race(&db, 2, |number, conn| {
            let mut mine = mine.clone();
            if number == 0 {
                mine.save(conn)
            } else {
                mine.delete(conn)
            }
        });
        assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
        let error = results
            .iter()
            .find_map(|result| result.as_ref().err())
            .unwrap();
        assert!(error.is_conflict(), "{error:?}");
    }
}

#[test]
fn rule_04_of_ten_batches_over_the_same_rows_exactly_one_succeeds() {
    let db = TestDb::new();
    let mine: Vec<Product> = (1..=20).map(|id| stored_lamp(&db, id)).collect();
    let results = race(&db, 10, |number, conn| {
        let mut mine = mine.clone();
        if number % 2 == 1 {
            mine.reverse();
        }
        for lamp in &mut mine {
            lamp.stock = 100 + i32::try_from(number).unwrap();
        }
        Product::save_all(conn, &mut mine)
    });
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
    for error in results.iter().filter_map(|result| result.as_ref().err()) {
        assert_eq!(
            error.conflicts().map(|conflicts| conflicts.len()),
            Some(20),
            "{error:?}"
        );
    }
    let rows: Vec<Product> = (1..=20).map(|id| row(&db, id)).collect();
    assert!(
        rows.iter()
            .all(|row| row.version == 2 && row.stock == rows[0].stock)
    );
}

#[test]
fn read_change_save_and_retry_loses_no_sale() {
    let db = TestDb::new();
    db.execute("INSERT INTO products VALUES (42, 'Lamp', 2999, 100, 1)");
    race(&db, 10, |_, conn| {
        for _ in 0..5 {
            // Every conflict is a sale of someone else, of which there are 49.
            let sold = (0..50).any(|_| {
                let mut mine = Product::find(conn, 42).unwrap();
                mine.stock -= 1;
                match mine.save(conn) {
                    Ok(()) => true,
                    Err(error) => {
                        assert!(error.is_conflict(), "{error:?}");
                        false
                    }
                }
            });
            assert!(sold);
        }
    });
    assert_eq!((row(&db, 42).stock, row(&db, 42).version), (50, 51));
}
