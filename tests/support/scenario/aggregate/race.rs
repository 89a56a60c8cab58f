//! Several at once.

use std::sync::Barrier;

use super::{Read, moved, read, town};
use crate::support::race;

#[test]
fn of_two_who_edit_different_rooms_of_a_house_one_wins() {
    for _ in 0..20 {
        let db = town();
        let everyone_has_read = Barrier::new(2);
        let results = race(&db, 2, |number, conn| {
            let ids = if number == 0 {
                [1, 11, 111]
            } else {
                [1, 12, 121]
            };
            let Read { mut uow, rooms, .. } = read(conn, &ids);
            uow[rooms[0]].name = format!("by {number}");
            everyone_has_read.wait();
            loop {
                match uow.commit(conn) {
                    Err(error) if error.is_transient() => {}
                    result => return result.map(drop),
                }
            }
        });
        let won = results.iter().filter(|result| result.is_ok()).count();
        assert_eq!(won, 1, "{results:?}");
        let lost = results.into_iter().find_map(Result::err).unwrap();
        assert!(lost.is_conflict(), "{lost:?}");
        let moved = moved(&db);
        assert_eq!((moved.len(), moved[0]), (3, (1, 2)));
    }
}

#[test]
fn units_over_several_houses_meet_without_a_deadlock() {
    for _ in 0..10 {
        let db = town();
        let everyone_has_read = Barrier::new(4);
        let results = race(&db, 4, |number, conn| {
            let mut ids = vec![1, 2, 11, 12, 21, 22, 111, 121, 211, 221];
            if number % 2 == 1 {
                ids.reverse();
            }
            let Read { mut uow, rooms, .. } = read(conn, &ids);
            for &room in &rooms {
                uow[room].name = format!("by {number}");
            }
            everyone_has_read.wait();
            uow.commit(conn).map(drop)
        });
        let won = results.iter().filter(|result| result.is_ok()).count();
        assert_eq!(won, 1, "{results:?}");
        for lost in results.into_iter().filter_map(Result::err) {
            assert!(lost.is_conflict(), "{lost:?}");
        }
    }
}
