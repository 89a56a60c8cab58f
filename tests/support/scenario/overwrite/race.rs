//! Several overwrite what they have seen: one wins, the others have to look again.

use super::super::single::row;
use super::{anna, met, recorded};
use crate::flavor::prelude::*;
use crate::support::{TestDb, race};

#[test]
fn of_twenty_who_overwrite_the_same_version_exactly_one_succeeds() {
    let db = TestDb::with_own_tables();
    let seen = met(&db);
    let results = race(&db, 20, |number, conn| {
        let reason = format!("number {number}");
        seen.overwrite(conn, anna(), reason.clone())
            .map(|written| (written, reason))
    });
    let (won, lost): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    assert_eq!((won.len(), lost.len()), (1, 19));
    let (winner, reason) = won.into_iter().next().unwrap().unwrap();
    assert_eq!((winner.version, row(&db, 42)), (3, winner.clone()));
    assert_eq!(
        recorded(&db),
        [("2".to_owned(), Some("3".to_owned()), reason)]
    );
    for error in lost.into_iter().filter_map(Result::err) {
        let conflict = error.conflict().unwrap_or_else(|| panic!("{error:?}"));
        assert_eq!(conflict.kind(), ConflictKind::Modified);
        assert_eq!((*conflict.expected(), conflict.actual()), (2, Some(&3)));
        assert_eq!(conflict.current(), Some(&winner));
    }
}

#[test]
fn an_overwrite_and_a_third_writer_do_not_both_succeed() {
    let db = TestDb::with_own_tables();
    for _ in 0..20 {
        db.execute("DELETE FROM products; DELETE FROM diesel_versioned_overwrites");
        let seen = met(&db);
        let results = race(&db, 2, |number, conn| {
            if number == 0 {
                seen.overwrite(conn, anna(), "counted").is_ok()
            } else {
                let mut third = seen.current().unwrap().clone();
                third.stock -= 1;
                third.save(conn).is_ok()
            }
        });
        assert_eq!(results.iter().filter(|won| **won).count(), 1);
        assert_eq!(row(&db, 42).version, 3);
        assert_eq!(recorded(&db).len(), usize::from(results[0]));
    }
}
