//! A version that the database makes: the same scenarios for each way in which it does.

/// The entity of a table `$table` whose version the database makes, beside a generated column, and
/// its scenarios. `$touch` says whether it moves although no value changes.
macro_rules! by_database {
    ($table:ident, $version:ty, $sql:ty, $column:ident, $touch:expr) => {
        use diesel::prelude::*;
        use diesel::result::Error::RollbackTransaction;
        use diesel_migrations::MigrationHarness;
        use diesel_versioned::{Operation, Versioned};

        use crate::flavor::prelude::*;
        use crate::support::scenario::outcome::conflict;
        use crate::support::scenario::roles::{Unit, empty_store};
        use crate::support::{Queries, TestBackend, TestDb, race};

        diesel::table! {
            $table (id) {
                id -> Integer,
                name -> Varchar,
                amount -> Integer,
                twice -> Integer,
                $column -> $sql,
            }
        }

        #[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
        #[diesel(table_name = $table)]
        pub struct Thing {
            pub id: i32,
            pub name: String,
            pub amount: i32,
            #[versioned(generated)]
            pub twice: i32,
            #[version(db)]
            #[diesel(column_name = $column)]
            pub version: $version,
        }

        pub fn thing(id: i32) -> Thing {
            Thing {
                id,
                name: format!("thing {id}"),
                amount: id,
                twice: -1,
                version: any_version(),
            }
        }

        /// Things 1 to `count`, inserted by one unit.
        fn stocked(count: i32) -> (TestDb, Vec<Thing>) {
            let db = empty_store();
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
        pub fn rows(db: &TestDb) -> Vec<Thing> {
            $table::table
                .order($table::id)
                .select(Thing::as_select())
                .load(&mut db.connect())
                .unwrap()
        }

        #[test]
        fn rows_are_locked_and_compared() {
            let (db, stored) = stocked(2);
            let conn = &mut db.connect();
            conn.transaction::<_, SaveError<Thing>, _>(|conn| {
                let mut locked = Thing::lock_all(conn, [2, 1], Lock::Update, Wait::Block)?;
                assert_eq!(locked, [stored[1].clone(), stored[0].clone()]);
                stored[0].lock_loaded(conn, Lock::Share, Wait::NoWait)?;
                locked[0].amount = 30;
                locked[0].save(conn)
            })
            .unwrap();
            let stale =
                conn.transaction(|conn| stored[1].lock_loaded(conn, Lock::Update, Wait::Block));
            assert_eq!(conflict(stale).kind(), ConflictKind::Modified);
            let mut uow = Unit::new();
            let handle = uow.attach(stored[0].clone()).unwrap();
            conn.transaction::<_, CommitError, _>(|conn| {
                assert_eq!(uow.lock(conn, 1, Lock::Update, Wait::Block)?, handle);
                uow[handle].amount = 40;
                uow.commit(conn).map(drop)
            })
            .unwrap();
            assert_eq!(uow[handle].twice, 80);
        }

        #[test]
        fn after_each_single_write_memory_is_what_stands_in_the_database() {
            let db = empty_store();
            let conn = &mut db.connect();
            let mut mine = thing(1);
            mine.insert(conn).unwrap();
            assert_eq!((mine.amount, mine.twice), (1, 2));
            assert_eq!(rows(&db), [mine.clone()]);
            let mut seen = vec![mine.version.clone()];
            for amount in 10..15 {
                mine.amount = amount;
                mine.save(conn).unwrap();
                assert_eq!(mine.twice, 2 * amount);
                assert_eq!(rows(&db), [mine.clone()]);
                assert!(!seen.contains(&mine.version), "{:?} again", mine.version);
                seen.push(mine.version.clone());
            }
            if $touch {
                mine.touch(conn).unwrap();
                assert!(!seen.contains(&mine.version), "{:?} again", mine.version);
                assert_eq!(rows(&db), [mine.clone()]);
            }
            mine.delete(conn).unwrap();
            assert_eq!(rows(&db), []);
        }

        #[test]
        fn a_stale_write_conflicts_and_leaves_everything() {
            let (db, stored) = stocked(1);
            let conn = &mut db.connect();
            let mut mine = stored[0].clone();
            let mut theirs = mine.clone();
            theirs.amount = 50;
            theirs.save(&mut db.connect()).unwrap();
            mine.name = "mine".to_owned();
            let before = mine.clone();
            for write in [Thing::save, Thing::touch, Thing::delete] {
                let lost = conflict(write(&mut mine, conn));
                assert_eq!(lost.kind(), ConflictKind::Modified);
                assert_eq!(lost.expected(), &before.version);
                assert_eq!(lost.current(), Some(&theirs));
                assert_eq!(mine, before);
            }
            assert_eq!(rows(&db), [theirs.clone()]);
            let lost = conflict(mine.save(conn))
                .with_base(stored[0].clone())
                .unwrap();
            let mut merged = lost
                .resolve(|_, mine, theirs| {
                    Ok(Thing {
                        name: mine.name.clone(),
                        ..theirs
                    })
                })
                .unwrap();
            merged.save(conn).unwrap();
            assert_eq!(rows(&db), [merged]);
        }

        #[test]
        fn after_a_unit_memory_and_what_is_told_are_what_stands_in_the_database() {
            let (db, stored) = stocked(6);
            let conn = &mut db.connect();
            let mut uow = Unit::new();
            let hs = uow.attach_all(stored.clone()).unwrap();
            uow[hs[0]].amount = 100;
            uow[hs[1]].name = "other".to_owned();
            if $touch {
                uow.touch(hs[2]);
            }
            uow.delete(hs[3]);
            uow.expect_unchanged(hs[4]);
            let new = uow.insert(thing(7)).unwrap();
            let done = uow.commit(conn).unwrap();
            let kept = [hs[0], hs[1], hs[2], hs[4], hs[5], new];
            let in_memory = kept.map(|handle| uow[handle].clone());
            let now = rows(&db);
            assert_eq!(now, in_memory);
            assert_eq!(now[0].twice, 200);
            for row in done.of::<Thing>() {
                let old = stored.iter().find(|old| old.id == *row.key);
                let new = now.iter().find(|new| new.id == *row.key);
                assert_eq!(row.old_version, old.map(|old| &old.version));
                assert_eq!(row.new_version, new.map(|new| &new.version));
                assert_ne!(row.old_version, row.new_version);
            }
            assert_eq!(done.len(), if $touch { 5 } else { 4 });
            assert!(!uow.is_dirty(hs[0]));
            uow[hs[0]].amount = 101;
            uow.commit(conn).unwrap();
            assert_eq!(rows(&db)[0], uow[hs[0]]);
        }

        #[test]
        fn a_batch_is_written_by_sets_and_each_row_is_found_by_its_key() {
            const COUNT: i32 = 300;
            let (db, stored) = stocked(COUNT);
            // Some have moved on by themselves, so their versions are not those of the others.
            for row in stored.iter().step_by(7) {
                let mut row = row.clone();
                row.amount += 1;
                row.save(&mut db.connect()).unwrap();
            }
            let conn = &mut db.connect();
            let mut mine = rows(&db);
            mine.reverse();
            for row in &mut mine {
                row.amount = 1_000 + (row.id * 37) % 301;
            }
            let queries = Queries::of(conn);
            Thing::save_all(conn, &mut mine).unwrap();
            let sent = queries.count();
            assert!((3..=12).contains(&sent), "{sent} statements");
            mine.reverse();
            assert_eq!(rows(&db), mine);
            assert!(mine.iter().all(|row| row.twice == 2 * row.amount));

            // One that someone else has moved holds back all, and it alone is told.
            let mut theirs = mine[150].clone();
            theirs.amount += 1;
            theirs.save(&mut db.connect()).unwrap();
            let before = rows(&db);
            let in_memory = mine.clone();
            for row in &mut mine {
                row.amount += 5;
            }
            let lost = Thing::save_all(conn, &mut mine).unwrap_err();
            let lost = lost.conflicts().unwrap();
            let keys: Vec<_> = lost.of::<Thing>().map(|lost| *lost.key()).collect();
            assert_eq!(keys, [151]);
            assert_eq!(rows(&db), before);
            for (row, before) in mine.iter().zip(in_memory) {
                assert_eq!((&row.version, row.twice), (&before.version, before.twice));
            }
        }

        #[test]
        fn of_writers_at_one_version_exactly_one_succeeds() {
            let (db, stored) = stocked(20);
            let results = race(&db, 6, |number, conn| {
                let number = i32::try_from(number).unwrap();
                let mut mine = stored.clone();
                for row in &mut mine {
                    row.amount = 1_000 + number;
                }
                if number % 2 == 0 {
                    mine[0].save(conn).map_err(|error| error.is_conflict())?;
                    return Ok(mine);
                }
                Thing::save_all(conn, &mut mine).map_err(|error| error.is_conflict())?;
                Ok(mine)
            });
            let (won, lost): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
            assert_eq!((won.len(), lost.len()), (1, 5));
            assert!(lost.into_iter().all(|lost| lost == Err(true)));
            let won = won.into_iter().next().unwrap().unwrap();
            assert_eq!(rows(&db)[0], won[0]);
        }

        #[test]
        fn a_unit_that_was_rolled_back_is_undone_and_committed_again() {
            let (db, stored) = stocked(2);
            let conn = &mut db.connect();
            let mut uow = Unit::new();
            let hs = uow.attach_all(stored.clone()).unwrap();
            uow[hs[0]].amount = 70;
            let new = uow.insert(thing(3)).unwrap();
            let mut done = None;
            let rolled_back = conn.transaction::<(), CommitError, _>(|conn| {
                done = Some(uow.commit(conn)?);
                assert_eq!(uow[hs[0]].twice, 140);
                assert_ne!(uow[hs[0]].version, stored[0].version);
                Err(RollbackTransaction.into())
            });
            assert!(rolled_back.is_err());
            done.unwrap().undo(&mut uow).unwrap();
            assert_eq!(uow[hs[0]].version, stored[0].version);
            assert_eq!(uow[hs[0]].twice, stored[0].twice);
            assert_eq!(uow.commit(conn).unwrap().len(), 2);
            let in_memory = [hs[0], hs[1], new].map(|handle| uow[handle].clone());
            assert_eq!(rows(&db), in_memory);
        }

        #[test]
        fn what_is_recorded_under_an_idempotency_key_has_the_version_of_the_database() {
            let (db, stored) = stocked(1);
            let conn = &mut db.connect();
            conn.run_pending_migrations(crate::Conn::OWN_TABLES)
                .unwrap();
            let ask = |conn: &mut crate::Conn| {
                let mut uow = Unit::new();
                uow.idempotency_key_for("one", "more").unwrap();
                let handle = uow.attach(stored[0].clone()).unwrap();
                uow[handle].amount = 70;
                let done = uow.commit(conn).unwrap();
                let told: Vec<_> = done
                    .of::<Thing>()
                    .map(|row| row.new_version.cloned())
                    .collect();
                (done.is_replayed(), told, uow[handle].clone())
            };
            let first = ask(conn);
            let now = rows(&db).remove(0);
            assert_eq!(first, (false, vec![Some(now.version.clone())], now.clone()));
            assert_eq!(ask(conn), (true, first.1, now));
        }

        #[test]
        fn update_with_returns_what_stands_there() {
            let (db, _) = stocked(1);
            let policy = RetryPolicy::default();
            let conn = &mut db.connect();
            let mine = Thing::update_with(conn, 1, &policy, |thing| thing.amount += 4).unwrap();
            assert_eq!((mine.amount, mine.twice), (5, 10));
            assert_eq!(rows(&db), [mine]);
        }

        #[test]
        fn writes_that_have_not_read_the_version_leave_it_to_the_database() {
            let (db, stored) = stocked(2);
            let conn = &mut db.connect();
            let mut seen = vec![stored[0].version.clone()];
            for round in 1..=4 {
                if round % 2 == 0 {
                    let some = Thing::update_where($table::id.eq(1));
                    let rows = some
                        .set($table::amount.eq($table::amount + 1))
                        .execute(conn);
                    assert_eq!(rows, Ok(1));
                } else {
                    Thing::apply(conn, 1, $table::amount.eq($table::amount + 1))
                        .filter($table::amount.eq(round))
                        .execute()
                        .unwrap();
                }
                let now = rows(&db).remove(0);
                assert_eq!((now.amount, now.twice), (1 + round, 2 * (1 + round)));
                assert!(!seen.contains(&now.version), "{:?} again", now.version);
                seen.push(now.version);
            }
            diesel::update($table::table.find(1))
                .set(($table::amount.eq(9), Thing::bump()))
                .execute(conn)
                .unwrap();
            assert!(!seen.contains(&rows(&db)[0].version));
            assert!(stored[0].clone().save(conn).unwrap_err().is_conflict());
            assert_eq!(rows(&db)[1], stored[1]);

            let mut new = thing(3);
            new.insert_or_save(conn).unwrap();
            assert_eq!(rows(&db)[2], new);
            let mut stale = new.clone();
            new.amount = 70;
            new.insert_or_save(conn).unwrap();
            assert_eq!(rows(&db)[2], new);
            conflict(stale.insert_or_save(conn));
        }

        #[test]
        fn a_touch_says_what_is_done_or_that_it_cannot_be_had() {
            let (db, stored) = stocked(1);
            let conn = &mut db.connect();
            let mut uow = Unit::new();
            let handle = uow.attach(stored[0].clone()).unwrap();
            uow.touch(handle);
            let done = uow.commit(conn);
            if $touch {
                let done = done.unwrap();
                assert_eq!(done.iter().next().unwrap().operation(), Operation::Touch);
                assert_eq!(rows(&db), [uow[handle].clone()]);
                return;
            }
            assert_eq!(done.unwrap_err().code(), "version.unavailable");
            let mut mine = stored[0].clone();
            assert_eq!(mine.touch(conn).unwrap_err().code(), "version.unavailable");
            assert_eq!(rows(&db), stored);
        }
    };
}
pub(crate) use by_database;

pub mod counted {
    super::by_database!(counted, i32, Integer, version, true);

    fn any_version() -> i32 {
        -7
    }
}

mod stamped {
    super::by_database!(
        stamped,
        chrono::NaiveDateTime,
        Timestamp,
        version,
        <crate::Conn as TestBackend>::TOUCH_MOVES_STAMPS
    );

    fn any_version() -> chrono::NaiveDateTime {
        chrono::NaiveDateTime::default()
    }
}
