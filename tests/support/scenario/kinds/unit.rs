//! Units and batches of a kind of version. The table and the entities are those of `kind!`.

macro_rules! unit_scenarios {
    () => {
        mod unit {
            use diesel::prelude::*;
            use diesel::result::Error::RollbackTransaction;
            use diesel_versioned::Operation;

            use super::{Made, Thing, store, thing, things};
            use crate::flavor::prelude::*;
            use crate::support::{Queries, TestDb, race};

            type Unit = UnitOfWork<crate::Conn>;

            /// Things 1 to `count`, all inserted by one unit.
            fn stocked(count: i32) -> (TestDb, Vec<Thing>) {
                let db = store();
                let mut uow = Unit::new();
                let handles: Vec<_> = (1..=count)
                    .map(|id| uow.insert(thing(id)).unwrap())
                    .collect();
                uow.commit(&mut db.connect()).unwrap();
                let stored = handles.iter().map(|&handle| uow[handle].clone()).collect();
                assert_eq!(rows(&db), stored);
                (db, stored)
            }

            /// The rows as the database has them.
            fn rows(db: &TestDb) -> Vec<Thing> {
                things::table
                    .order(things::id)
                    .select(Thing::as_select())
                    .load(&mut db.connect())
                    .unwrap()
            }

            #[test]
            fn a_unit_leaves_in_memory_what_stands_in_the_database() {
                let (db, stored) = stocked(5);
                let conn = &mut db.connect();
                let mut uow = Unit::new();
                let hs = uow.attach_all(stored.clone()).unwrap();
                uow[hs[0]].amount = 1;
                uow[hs[1]].name = "other".to_owned();
                uow.touch(hs[2]);
                uow.delete(hs[3]);
                uow.expect_unchanged(hs[4]);
                let new = uow.insert(thing(6)).unwrap();
                let made = uow
                    .insert(Made {
                        id: 7,
                        name: "made".to_owned(),
                        amount: 0,
                        version: thing(7).version,
                    })
                    .unwrap();
                let done = uow.commit(conn).unwrap();

                let written: Vec<_> = done.of::<Thing>().collect();
                assert_eq!(written.len(), 5);
                for row in &written {
                    let old = stored.iter().find(|old| old.id == *row.key);
                    assert_eq!(row.old_version, old.map(|old| &old.version));
                    assert_ne!(row.old_version, row.new_version);
                    assert_eq!(
                        row.new_version.is_none(),
                        row.operation == Operation::Delete
                    );
                }
                assert_eq!(uow[made].amount, 7);
                let mut expected: Vec<Thing> = [hs[0], hs[1], hs[2], hs[4], new]
                    .map(|handle| uow[handle].clone())
                    .into();
                expected.push(Thing {
                    id: 7,
                    name: "made".to_owned(),
                    amount: 7,
                    version: uow[made].version.clone(),
                });
                assert_eq!(rows(&db), expected);

                // At once again, whatever the clock does.
                for round in 0..3 {
                    for handle in [hs[0], hs[1], hs[2], hs[4], new] {
                        uow[handle].amount = 100 + round;
                    }
                    uow.touch(made);
                    assert_eq!(uow.commit(conn).unwrap().len(), 6);
                }
                let kept = [hs[0], hs[1], hs[2], hs[4], new];
                let in_memory = kept.map(|handle| uow[handle].clone());
                assert_eq!(rows(&db)[..5], in_memory);
                assert_eq!(rows(&db)[5].version, uow[made].version);
            }

            #[test]
            fn a_row_may_go_and_come_again_in_one_unit() {
                let (db, mut stored) = stocked(1);
                let conn = &mut db.connect();
                let mut uow = Unit::new();
                let old = uow.attach(stored.remove(0)).unwrap();
                uow.delete(old);
                let new = uow.insert(thing(1)).unwrap();
                uow.commit(conn).unwrap();
                uow[new].amount = 3;
                uow.commit(conn).unwrap();
                assert_eq!(rows(&db), [uow[new].clone()]);
            }

            #[test]
            fn every_conflict_is_reported_and_nothing_is_written() {
                let (db, stored) = stocked(6);
                let conn = &mut db.connect();
                let mut uow = Unit::new();
                let hs = uow.attach_all(stored.clone()).unwrap();
                uow[hs[0]].amount = 1;
                uow[hs[1]].amount = 1;
                uow.touch(hs[2]);
                uow.delete(hs[3]);
                uow.expect_unchanged(hs[4]);
                uow[hs[5]].amount = 1;
                for mut theirs in stored.iter().skip(1).cloned() {
                    if theirs.id == 6 {
                        theirs.delete(&mut db.connect()).unwrap();
                    } else {
                        theirs.name = "theirs".to_owned();
                        theirs.save(&mut db.connect()).unwrap();
                    }
                }
                let before = rows(&db);
                let lost = match uow.commit(conn) {
                    Err(CommitError::Conflicts(lost)) => lost,
                    other => panic!("no conflicts but {other:?}"),
                };
                let found: Vec<_> = lost
                    .of::<Thing>()
                    .map(|lost| (*lost.key(), lost.kind(), lost.actual().cloned()))
                    .collect();
                let (modified, deleted) = (ConflictKind::Modified, ConflictKind::Deleted);
                let now = |id: usize| Some(before[id - 1].version.clone());
                assert_eq!(
                    found,
                    [
                        (2, modified, now(2)),
                        (3, modified, now(3)),
                        (4, modified, now(4)),
                        (5, modified, now(5)),
                        (6, deleted, None)
                    ]
                );
                for lost in lost.of::<Thing>() {
                    let old = stored.iter().find(|old| old.id == *lost.key());
                    assert_eq!(Some(lost.expected()), old.map(|old| &old.version));
                    if lost.kind() == modified {
                        assert_eq!(lost.changes().theirs().collect::<Vec<_>>(), ["name"]);
                    }
                }
                assert_eq!(rows(&db), before);
                assert_eq!(uow[hs[0]].version, stored[0].version);
            }

            #[test]
            fn a_batch_is_written_by_sets_whatever_its_rows_stand_at() {
                const COUNT: i32 = 300;
                let (db, mut mine) = stocked(COUNT);
                // Every other row stands at a version of its own.
                for row in mine.iter_mut().step_by(2) {
                    row.touch(&mut db.connect()).unwrap();
                }
                let conn = &mut db.connect();
                for amount in 1..=3 {
                    for row in &mut mine {
                        row.amount = row.id * amount;
                    }
                    let queries = Queries::of(conn);
                    Thing::save_all(conn, &mut mine).unwrap();
                    let sent = queries.count();
                    assert!(
                        (3..=10).contains(&sent),
                        "{sent} statements for {COUNT} rows"
                    );
                    assert_eq!(rows(&db), mine);
                }
                // One that someone else has moved holds back all, and it alone is told: where all
                // rows stand at one version, and where they do not.
                for each_at_its_own in [false, true] {
                    if each_at_its_own {
                        for row in mine.iter_mut().step_by(2) {
                            row.reload(conn).unwrap();
                            row.touch(&mut db.connect()).unwrap();
                        }
                    }
                    let moved = usize::from(each_at_its_own) + 150;
                    let mut theirs = Thing::find(conn, mine[moved].id).unwrap();
                    theirs.touch(&mut db.connect()).unwrap();
                    let before = rows(&db);
                    let lost = Thing::save_all(conn, &mut mine).unwrap_err();
                    let lost = lost.conflicts().unwrap();
                    let lost: Vec<i32> = lost.of::<Thing>().map(|lost| *lost.key()).collect();
                    assert_eq!(lost, [mine[moved].id]);
                    assert_eq!(rows(&db), before);
                    mine[moved] = theirs;
                }

                let mut uow = Unit::new();
                for row in rows(&db) {
                    let handle = uow.attach(row).unwrap();
                    uow.delete(handle);
                }
                uow.commit(conn).unwrap();
                assert_eq!(rows(&db), []);
            }

            #[test]
            fn of_batches_over_the_same_rows_exactly_one_succeeds() {
                let (db, stored) = stocked(40);
                let results = race(&db, 4, |number, conn| {
                    let mut mine = stored.clone();
                    for row in &mut mine {
                        row.amount = i32::try_from(number).unwrap();
                    }
                    Thing::save_all(conn, &mut mine).map(|()| mine)
                });
                let (won, lost): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
                assert_eq!((won.len(), lost.len()), (1, 3));
                assert_eq!(rows(&db), won.into_iter().next().unwrap().unwrap());
                for error in lost.into_iter().filter_map(Result::err) {
                    assert_eq!(error.conflicts().map(Conflicts::len), Some(40), "{error:?}");
                }
            }

            #[test]
            fn a_unit_that_was_rolled_back_is_undone_and_committed_again() {
                let (db, stored) = stocked(2);
                let conn = &mut db.connect();
                let mut uow = Unit::new();
                let hs = uow.attach_all(stored.clone()).unwrap();
                uow[hs[0]].amount = 1;
                uow.touch(hs[1]);
                let new = uow.insert(thing(3)).unwrap();
                let mut done = None;
                let rolled_back = conn.transaction::<(), CommitError, _>(|conn| {
                    done = Some(uow.commit(conn)?);
                    assert_ne!(uow[hs[0]].version, stored[0].version);
                    Err(RollbackTransaction.into())
                });
                assert!(rolled_back.is_err());
                done.unwrap().undo(&mut uow).unwrap();
                assert_eq!(uow[hs[0]].version, stored[0].version);
                assert_eq!(uow[hs[1]].version, stored[1].version);
                assert_eq!(uow.commit(conn).unwrap().len(), 3);
                let in_memory = [hs[0], hs[1], new].map(|handle| uow[handle].clone());
                assert_eq!(rows(&db), in_memory);
            }
        }
    };
}
pub(crate) use unit_scenarios;
