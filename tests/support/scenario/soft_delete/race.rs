//! Several at once.

use std::sync::Barrier;

use super::{Note, Unit, marks, note, store};
use crate::flavor::prelude::*;
use crate::support::race;

#[test]
fn of_several_who_write_a_row_at_once_one_wins() {
    for round in 0..4 {
        let db = store(1);
        let won = race(&db, 4, |number, conn| {
            let mut mine = note(1);
            let write = match (number + round) % 4 {
                0 => Note::delete,
                1 => Note::save,
                2 => Note::purge,
                _ => Note::touch,
            };
            loop {
                match write(&mut mine, conn) {
                    Ok(()) => return true,
                    Err(error) if error.is_transient() => {}
                    Err(error) => {
                        assert!(error.is_conflict(), "{error:?}");
                        return false;
                    }
                }
            }
        });
        assert_eq!(won.iter().filter(|won| **won).count(), 1);
    }
}

#[test]
fn of_two_who_restore_a_row_one_wins() {
    let db = store(1);
    let mut deleted = note(1);
    deleted.delete(&mut db.connect()).unwrap();
    let won = race(&db, 2, |_, conn| {
        let mut uow = Unit::new();
        let handle = uow.attach(deleted.clone()).unwrap();
        uow.restore(handle);
        loop {
            match uow.commit(conn) {
                Ok(_) => return true,
                Err(error) if error.is_transient() => {}
                Err(error) => {
                    assert_eq!(error.code(), "conflict.modified");
                    return false;
                }
            }
        }
    });
    assert_eq!(won.iter().filter(|won| **won).count(), 1);
    assert_eq!(marks(&db), [(1, false, 3)]);
}

/// They lock in key order, whatever the order in which the units were given their rows, so they wait
/// for each other and never deadlock.
#[test]
fn units_that_mark_the_same_rows_meet_without_a_deadlock() {
    const ROWS: i32 = 40;
    for _ in 0..5 {
        let db = store(ROWS);
        let read = Barrier::new(4);
        let ended = race(&db, 4, |number, conn| {
            let mut uow = Unit::new();
            let mut ids: Vec<i32> = (1..=ROWS).collect();
            if number % 2 == 1 {
                ids.reverse();
            }
            let handles: Vec<_> = ids
                .into_iter()
                .map(|id| uow.attach(note(id)).unwrap())
                .collect();
            for handle in handles {
                if number < 2 {
                    uow.delete(handle);
                } else {
                    uow[handle].text = format!("by {number}");
                }
            }
            read.wait();
            uow.commit(conn).map(drop)
        });
        let won = ended.iter().filter(|ended| ended.is_ok()).count();
        assert_eq!(won, 1);
        for lost in ended.into_iter().filter_map(Result::err) {
            assert!(lost.is_conflict(), "{lost:?}");
        }
    }
}
