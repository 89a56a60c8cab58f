//! What holds of every kind of version, of the kinds that are not one column: save, delete, touch, unit,
//! batch, conflict and races. `kinds/` has the others.

/// The scenarios of one entity; `$edit` gives a row another content, and `$touches` says whether a
/// touch can be had.
macro_rules! every {
    ($name:ident, $entity:ident, $stock:ident, $fresh:ident, $edit:expr, touches: $touches:literal) => {
        mod $name {
            use super::super::{Unit, all_lost, find, lost, $entity, $fresh, $stock};
            use crate::flavor::prelude::*;
            use crate::support::{Queries, TestDb, race};

            fn edit(row: &mut $entity, number: usize) {
                let edit: fn(&mut $entity, usize) = $edit;
                edit(row, number);
            }

            fn edited(loaded: &$entity, number: usize) -> $entity {
                let mut mine = loaded.clone();
                edit(&mut mine, number);
                mine
            }

            /// Someone else edits a row.
            fn edit_elsewhere(db: &TestDb, id: i32) -> $entity {
                let loaded: $entity = find(db, id);
                let mut theirs = edited(&loaded, 7_000);
                theirs.save_changes(&mut db.connect(), &loaded).unwrap();
                theirs
            }

            fn delete_elsewhere(db: &TestDb, id: i32) {
                find::<$entity>(db, id).delete(&mut db.connect()).unwrap();
            }

            fn rows(db: &TestDb, count: i32) -> Vec<Option<$entity>> {
                let conn = &mut db.connect();
                let mut uow = Unit::new();
                let found = (1..=count).map(|id| {
                    let handle: Option<Handle<$entity>> = uow.find(conn, id).ok();
                    handle.map(|handle| uow[handle].clone())
                });
                found.collect()
            }

            #[test]
            fn single_writes_leave_in_memory_what_stands_in_the_database() {
                let db = $stock(1);
                let conn = &mut db.connect();
                for round in 1..=5 {
                    let loaded: $entity = find(&db, 1);
                    let mut mine = edited(&loaded, round);
                    mine.save_changes(conn, &loaded).unwrap();
                    assert_eq!(find::<$entity>(&db, 1), mine);
                }
                let mut mine: $entity = find(&db, 1);
                let before = mine.clone();
                match mine.touch(conn) {
                    Ok(()) => assert!($touches && mine != before),
                    Err(error) => {
                        assert!(!$touches, "{error:?}");
                        assert!(matches!(error, SaveError::NoVersion { .. }), "{error:?}");
                    }
                }
                assert_eq!(find::<$entity>(&db, 1), mine);
                mine.delete(conn).unwrap();
                assert!($entity::find(conn, 1).is_err());
            }

            #[test]
            fn a_stale_save_touch_and_delete_conflict_and_leave_everything() {
                let db = $stock(1);
                let conn = &mut db.connect();
                let loaded: $entity = find(&db, 1);
                let theirs = edit_elsewhere(&db, 1);
                let mut mine = edited(&loaded, 1);
                let before = mine.clone();
                let mut same = loaded.clone();
                let mut conflicts = vec![
                    lost(mine.save_changes(conn, &loaded)),
                    lost(same.delete(conn)),
                ];
                if $touches {
                    conflicts.push(lost(same.touch(conn)));
                }
                for conflict in conflicts {
                    assert_eq!(conflict.kind(), ConflictKind::Modified);
                    assert_eq!(conflict.current(), Some(&theirs));
                }
                assert_eq!((mine.clone(), same.clone()), (before, loaded.clone()));
                assert_eq!(find::<$entity>(&db, 1), theirs);

                delete_elsewhere(&db, 1);
                for conflict in [
                    lost(mine.save_changes(conn, &loaded)),
                    lost(same.delete(conn)),
                ] {
                    assert_eq!(conflict.kind(), ConflictKind::Deleted);
                }
            }

            #[test]
            fn a_unit_leaves_in_memory_what_stands_in_the_database() {
                let db = $stock(4);
                let conn = &mut db.connect();
                let mut uow = Unit::new();
                let hs = [1, 2, 3, 4].map(|id| uow.find::<$entity>(conn, id).unwrap());
                for round in 1..=3 {
                    edit(&mut uow[hs[0]], round);
                    edit(&mut uow[hs[1]], round + 10);
                    if $touches {
                        uow.touch(hs[1]);
                    }
                    uow.expect_unchanged(hs[3]);
                    if round == 1 {
                        uow.delete(hs[2]);
                        uow.insert($fresh(5)).unwrap();
                    }
                    let written = if round == 1 { 4 } else { 2 };
                    assert_eq!(uow.commit(conn).unwrap().len(), written);
                    let stands = rows(&db, 5);
                    for (at, handle) in hs.into_iter().enumerate() {
                        assert_eq!(stands[at].as_ref(), uow.get(handle));
                    }
                    assert!(stands[2].is_none() && stands[4].is_some());
                }
            }

            #[test]
            fn every_conflict_of_a_unit_is_reported_and_nothing_is_written() {
                let db = $stock(5);
                let conn = &mut db.connect();
                let mut uow = Unit::new();
                let hs = [1, 2, 3, 4, 5].map(|id| uow.find::<$entity>(conn, id).unwrap());
                for at in [0, 1, 4] {
                    edit(&mut uow[hs[at]], at);
                }
                uow.delete(hs[2]);
                uow.expect_unchanged(hs[3]);
                for id in 2..=4 {
                    edit_elsewhere(&db, id);
                }
                delete_elsewhere(&db, 5);
                let before = rows(&db, 5);
                let (modified, deleted) = (ConflictKind::Modified, ConflictKind::Deleted);
                let conflicts = all_lost(uow.commit(conn));
                let found: Vec<_> = conflicts
                    .of::<$entity>()
                    .map(|lost| (*lost.key(), lost.kind(), lost.current().cloned()))
                    .collect();
                let expected = [
                    (2, modified, before[1].clone()),
                    (3, modified, before[2].clone()),
                    (4, modified, before[3].clone()),
                    (5, deleted, None),
                ];
                assert_eq!(found, expected);
                assert_eq!(rows(&db, 5), before);
                assert!(uow.is_dirty(hs[0]));
            }

            #[test]
            fn a_batch_is_written_by_sets_and_one_stale_row_holds_back_all() {
                const COUNT: i32 = 150;
                let db = $stock(COUNT);
                let conn = &mut db.connect();
                let mut uow = Unit::new();
                let hs: Vec<_> = (1..=COUNT)
                    .map(|id| uow.find::<$entity>(conn, id).unwrap())
                    .collect();
                for round in [1_000, 2_000] {
                    for (at, &handle) in hs.iter().enumerate() {
                        edit(&mut uow[handle], round + at);
                    }
                    let queries = Queries::of(conn);
                    assert_eq!(uow.commit(conn).unwrap().len(), hs.len());
                    let sent = queries.count();
                    assert!(sent <= 12, "{sent} statements for {COUNT} rows");
                    let stands = rows(&db, COUNT);
                    let mut pairs = stands.iter().zip(&hs);
                    assert!(pairs.all(|(row, &handle)| row.as_ref() == uow.get(handle)));
                }
                for (at, &handle) in hs.iter().enumerate() {
                    edit(&mut uow[handle], at);
                }
                edit_elsewhere(&db, 77);
                let before = rows(&db, COUNT);
                let conflicts = all_lost(uow.commit(conn));
                let keys: Vec<i32> = conflicts.of::<$entity>().map(|lost| *lost.key()).collect();
                assert_eq!(keys, [77]);
                assert_eq!(rows(&db, COUNT), before);
            }

            #[test]
            fn of_writers_of_the_same_exactly_one_succeeds() {
                let db = $stock(1);
                let loaded: $entity = find(&db, 1);
                let results = race(&db, 6, |number, conn| {
                    let mut mine = edited(&loaded, number);
                    mine.save_changes(conn, &loaded).map(|()| mine)
                });
                let (won, lost): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
                assert_eq!((won.len(), lost.len()), (1, 5));
                let won = won.into_iter().next().unwrap().unwrap();
                assert_eq!(find::<$entity>(&db, 1), won);
                for error in lost.into_iter().filter_map(Result::err) {
                    assert_eq!(error.code(), "conflict.modified", "{error:?}");
                }
            }

            #[test]
            fn a_save_and_a_delete_do_not_both_succeed() {
                let db = $stock(5);
                for id in 1..=5 {
                    let loaded: $entity = find(&db, id);
                    let results = race(&db, 2, |number, conn| {
                        let mut mine = loaded.clone();
                        if number == 0 {
                            edit(&mut mine, number);
                            mine.save_changes(conn, &loaded)
                        } else {
                            mine.delete(conn)
                        }
                    });
                    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 1);
                    for error in results.into_iter().filter_map(Result::err) {
                        assert!(error.is_conflict(), "{error:?}");
                    }
                }
            }
        }
    };
}

every!(groups, Document, library, document, |row, number| row.title = format!("{number}"), touches: true);
every!(of_another_group, Document, library, document,
    |row, number| row.access.readers = format!("{number}"), touches: true);
every!(changed, Contact, address_book, person, |row, number| row.name = format!("{number}"), touches: false);
every!(all, Person, address_book, person,
    |row, number| row.age = i32::try_from(number).ok(), touches: false);
every!(hash, Card, address_book, person,
    |row, number| row.email = Some(format!("{number}")), touches: false);
