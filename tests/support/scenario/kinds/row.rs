//! Single writes of a kind of version. The table and the entities are those of `kind!`.

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::Binary;
use diesel_versioned::VersionValue;
use uuid::Uuid;

/// A UUID as 16 bytes, for databases for which Diesel has no `Uuid`.
#[derive(Debug, Clone, Copy, PartialEq, AsExpression, FromSqlRow, VersionValue)]
#[diesel(sql_type = Binary)]
pub struct StoredUuid(pub Uuid);

impl<DB: Backend> ToSql<Binary, DB> for StoredUuid
where
    [u8; 16]: ToSql<Binary, DB>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DB>) -> serialize::Result {
        self.0.as_bytes().to_sql(out)
    }
}

impl<DB: Backend> FromSql<Binary, DB> for StoredUuid
where
    Vec<u8>: FromSql<Binary, DB>,
{
    fn from_sql(bytes: DB::RawValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(Uuid::from_slice(&Vec::from_sql(bytes)?)?))
    }
}

macro_rules! row_scenarios {
    () => {
        mod row {
            use super::{Made, Thing, store, thing};
            use crate::flavor::prelude::*;
            use crate::support::race;
            use crate::support::scenario::outcome::conflict;

            #[test]
            fn what_an_insert_leaves_in_memory_is_what_stands_in_the_database() {
                let db = store();
                let conn = &mut db.connect();
                let mut plain = thing(1);
                plain.insert(conn).unwrap();
                assert_eq!(Thing::find(conn, 1).unwrap(), plain);
                let thing = thing(2);
                let mut made = Made {
                    id: 2,
                    name: thing.name,
                    amount: 0,
                    version: thing.version,
                };
                made.insert(conn).unwrap();
                assert_eq!(made.amount, 7);
                assert_eq!(Made::find(conn, 2).unwrap(), made);
                made.save(conn).unwrap();
                assert_eq!(Made::find(conn, 2).unwrap(), made);
            }

            #[test]
            fn one_writer_moves_on_without_conflict_as_fast_as_it_can() {
                let db = store();
                let conn = &mut db.connect();
                let mut mine = thing(1);
                mine.insert(conn).unwrap();
                let mut seen = vec![mine.version.clone()];
                for amount in 1..=20 {
                    mine.amount = amount;
                    if amount % 4 == 0 {
                        mine.touch(conn).unwrap();
                    } else {
                        mine.save(conn).unwrap();
                    }
                    assert!(!seen.contains(&mine.version), "{:?} again", mine.version);
                    seen.push(mine.version.clone());
                    assert_eq!(Thing::find(conn, 1).unwrap().version, mine.version);
                }
                mine.save(conn).unwrap();
                assert_eq!(Thing::find(conn, 1).unwrap(), mine);
                mine.delete(conn).unwrap();
                assert!(Thing::find(conn, 1).is_err());
            }

            #[test]
            fn a_stale_save_touch_and_delete_conflict_and_leave_everything() {
                let db = store();
                let conn = &mut db.connect();
                let mut mine = thing(1);
                mine.insert(conn).unwrap();
                let mut theirs = mine.clone();
                theirs.amount = 5;
                theirs.save(&mut db.connect()).unwrap();

                mine.name = "mine".to_owned();
                let before = mine.clone();
                let writes = [Thing::save, Thing::touch, Thing::delete];
                for write in writes {
                    let lost = conflict(write(&mut mine, conn));
                    assert_eq!(lost.kind(), ConflictKind::Modified);
                    assert_eq!(lost.expected(), &before.version);
                    assert_eq!(lost.actual(), Some(&theirs.version));
                    assert_eq!(lost.current(), Some(&theirs));
                    let base = Thing {
                        name: "thing 1".to_owned(),
                        ..before.clone()
                    };
                    let lost = lost.with_base(base).unwrap();
                    let changes = lost.changes();
                    assert_eq!(changes.mine().collect::<Vec<_>>(), ["name"]);
                    assert_eq!(changes.theirs().collect::<Vec<_>>(), ["amount"]);
                    assert_eq!(mine, before);
                }
                assert_eq!(Thing::find(conn, 1).unwrap(), theirs);

                mine.reload(conn).unwrap();
                mine.save(conn).unwrap();
                theirs.reload(conn).unwrap();
                theirs.delete(conn).unwrap();
                for write in writes {
                    assert_eq!(
                        conflict(write(&mut mine, conn)).kind(),
                        ConflictKind::Deleted
                    );
                }
            }

            #[test]
            fn of_writers_at_one_version_exactly_one_succeeds() {
                let db = store();
                let mut mine = thing(1);
                mine.insert(&mut db.connect()).unwrap();
                let results = race(&db, 8, |number, conn| {
                    let mut mine = mine.clone();
                    mine.amount = i32::try_from(number).unwrap();
                    mine.save(conn).map(|()| mine)
                });
                let (won, lost): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
                assert_eq!((won.len(), lost.len()), (1, 7));
                let winner = won.into_iter().next().unwrap().unwrap();
                assert_eq!(Thing::find(&mut db.connect(), 1).unwrap(), winner);
                for error in lost.into_iter().filter_map(Result::err) {
                    assert_eq!(error.code(), "conflict.modified", "{error:?}");
                }
            }

            #[test]
            fn a_save_and_a_delete_do_not_both_succeed() {
                let db = store();
                for id in 1..=5 {
                    let mut mine = thing(id);
                    mine.insert(&mut db.connect()).unwrap();
                    let results = race(&db, 2, |number, conn| {
                        let mut mine = mine.clone();
                        if number == 0 {
                            mine.save(conn)
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

            #[test]
            fn schema_check_finds_nothing_wrong() {
                let report = Thing::check_schema(&mut store().connect()).unwrap();
                assert_eq!(report.errors().count(), 0, "{report}");
            }

            #[test]
            fn the_text_of_a_stored_version_is_that_version() {
                let db = store();
                let conn = &mut db.connect();
                let mut mine = thing(1);
                mine.insert(conn).unwrap();
                for _ in 0..3 {
                    mine.save(conn).unwrap();
                    let stored = Thing::find(conn, 1).unwrap().version;
                    let text = stored.to_text();
                    assert_eq!(mine.version.to_text(), text);
                    assert_eq!(VersionValue::from_text(&text), Some(mine.version.clone()));
                }
                // A client brings it back, and is guarded by it.
                mine.version = VersionValue::from_text(&mine.version.to_text()).unwrap();
                mine.save(conn).unwrap();
            }
        }
    };
}
pub(crate) use row_scenarios;
