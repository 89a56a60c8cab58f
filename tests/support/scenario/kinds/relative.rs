//! Writes that have not read the version, of a kind of version. The table and the entities are those
//! of `kind!`.

macro_rules! relative_scenarios {
    () => {
        mod relative {
            use std::error::Error;

            use diesel::prelude::*;

            use super::{Thing, store, thing, things};
            use crate::flavor::prelude::*;
            use crate::support::scenario::outcome::conflict;
            use crate::support::{TestDb, race};

            fn find(db: &TestDb, id: i32) -> Thing {
                Thing::find(&mut db.connect(), id).unwrap()
            }

            #[test]
            fn a_relative_update_moves_the_version_on_and_writers_notice() {
                let db = store();
                let conn = &mut db.connect();
                let mut mine = thing(1);
                mine.insert(conn).unwrap();
                let mut seen = vec![mine.version.clone()];
                for round in 1..=20 {
                    let mut stale = find(&db, 1);
                    Thing::apply(conn, 1, things::amount.eq(things::amount + 1))
                        .execute()
                        .unwrap();
                    let lost = conflict(stale.save(conn));
                    assert_eq!(lost.kind(), ConflictKind::Modified);
                    let mut now = find(&db, 1);
                    assert_eq!(now.amount, round);
                    assert!(!seen.contains(&now.version), "{:?} again", now.version);
                    seen.push(now.version.clone());
                    // What the database has made is what the guard compares.
                    if round % 5 == 0 {
                        now.save(conn).unwrap();
                        seen.push(now.version);
                    }
                }
            }

            #[test]
            fn a_bulk_update_moves_each_version_on() {
                let db = store();
                let conn = &mut db.connect();
                let mut before: Vec<Thing> = (1..=4).map(thing).collect();
                for thing in &mut before {
                    thing.insert(conn).unwrap();
                }
                before[1].touch(conn).unwrap();
                for bumped in [false, true, false] {
                    let set = things::amount.eq(things::amount + 1);
                    let some = things::id.gt(1);
                    let rows = if bumped {
                        diesel::update(things::table.filter(some))
                            .set((set, Thing::bump()))
                            .execute(conn)
                    } else {
                        Thing::update_where(some).set(set).execute(conn)
                    };
                    assert_eq!(rows, Ok(3));
                    assert_eq!(find(&db, 1), before[0]);
                    for old in &mut before[1..] {
                        let new = find(&db, old.id);
                        assert_eq!(new.amount, old.amount + 1);
                        assert_ne!(new.version, old.version);
                        let lost = conflict(old.save(conn));
                        assert_eq!(lost.actual(), Some(&new.version));
                        *old = new;
                    }
                }
                for mut old in before {
                    old.save(conn).unwrap();
                }
            }

            #[test]
            fn of_relative_updates_at_once_none_is_lost() {
                let db = store();
                thing(1).insert(&mut db.connect()).unwrap();
                let before = find(&db, 1);
                let saved = race(&db, 8, |number, conn| {
                    if number == 0 {
                        let mut mine = before.clone();
                        mine.amount = 1_000;
                        return mine.save(conn).is_ok();
                    }
                    for _ in 0..5 {
                        Thing::apply(conn, 1, things::amount.eq(things::amount + 1))
                            .execute()
                            .unwrap();
                    }
                    false
                });
                // An optimistic writer among them comes first, or notices.
                let first = if saved[0] { 1_000 } else { 0 };
                assert_eq!(find(&db, 1).amount, first + 35);
                find(&db, 1).save(&mut db.connect()).unwrap();
            }

            #[test]
            fn an_upsert_inserts_saves_or_conflicts() {
                let db = store();
                let conn = &mut db.connect();
                let mut mine = thing(1);
                mine.insert_or_save(conn).unwrap();
                assert_eq!(find(&db, 1), mine);
                let mut stale = mine.clone();
                mine.amount = 7;
                mine.insert_or_save(conn).unwrap();
                assert_eq!(find(&db, 1), mine);
                assert_ne!(mine.version, stale.version);
                stale.amount = 8;
                let before = stale.clone();
                let lost = conflict(stale.insert_or_save(conn));
                assert_eq!(lost.kind(), ConflictKind::Modified);
                assert_eq!(lost.current(), Some(&mine));
                assert_eq!(stale, before);
                mine.delete(conn).unwrap();
                stale.insert_or_save(conn).unwrap();
                assert_eq!(find(&db, 1), stale);
            }

            #[test]
            fn neither_key_nor_version_is_set_and_something_is() {
                let db = store();
                let conn = &mut db.connect();
                let mut mine = thing(1);
                mine.insert(conn).unwrap();
                let version = things::version.eq(things::version);
                let errors = [
                    Thing::apply(conn, 1, version).execute().unwrap_err(),
                    Thing::apply(conn, 1, (things::amount.eq(7), version))
                        .execute()
                        .unwrap_err(),
                    Thing::apply(conn, 1, things::id.eq(2))
                        .execute()
                        .unwrap_err(),
                    Thing::apply(conn, 1, None::<diesel::dsl::Eq<things::amount, i32>>)
                        .execute()
                        .unwrap_err(),
                ];
                let said: Vec<String> = errors
                    .iter()
                    .map(|error| error.source().unwrap().to_string())
                    .collect();
                for said in &said[..2] {
                    assert_eq!(
                        said,
                        "an update of `things` sets `version`, the version, which moves by itself; \
                         take it out of the assignments"
                    );
                }
                assert!(said[2].contains("sets `id`, the key"), "{}", said[2]);
                assert!(said[3].contains("sets nothing"), "{}", said[3]);
                let bulk =
                    Thing::update_where(things::id.eq(1)).set((things::amount.eq(7), version));
                assert_eq!(bulk.execute(conn).unwrap_err().to_string(), said[0]);
                assert_eq!(find(&db, 1), mine);
            }
        }
    };
}
pub(crate) use relative_scenarios;
