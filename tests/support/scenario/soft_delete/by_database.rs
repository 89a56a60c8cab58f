//! Beside a version that the database makes, and a column that it generates.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::result::Error::NotFound;
use diesel_versioned::{Operation, Versioned};

use super::{Unit, conflicts};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::scenario::outcome::conflict;
use crate::support::{TestBackend, TestDb};

diesel::table! {
    counted (id) {
        id -> Integer,
        name -> Varchar,
        amount -> Integer,
        twice -> Integer,
        gone -> Nullable<Timestamp>,
        version -> Integer,
    }
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = counted)]
struct Thing {
    id: i32,
    name: String,
    amount: i32,
    #[versioned(generated)]
    twice: i32,
    #[versioned(soft_delete(precision = "seconds"))]
    gone: Option<time::PrimitiveDateTime>,
    #[version(db)]
    version: i32,
}

fn store(count: i32) -> TestDb {
    let db = TestDb::empty();
    let conn = &mut db.connect();
    conn.batch_execute(Conn::roles_schema()).unwrap();
    conn.batch_execute("ALTER TABLE counted ADD COLUMN gone TIMESTAMP NULL")
        .unwrap();
    for id in 1..=count {
        let mut thing = Thing {
            id,
            name: format!("thing {id}"),
            amount: id,
            twice: 0,
            gone: None,
            version: 0,
        };
        thing.insert(conn).unwrap();
    }
    db
}

fn rows(db: &TestDb) -> Vec<Thing> {
    counted::table
        .order(counted::id)
        .select(Thing::as_select())
        .load(&mut db.connect())
        .unwrap()
}

#[test]
fn alone() {
    let db = store(1);
    let conn = &mut db.connect();
    let mut mine = Thing::find(conn, 1).unwrap();
    let mut stale = mine.clone();
    mine.delete(conn).unwrap();
    // Cut to the column's precision, so memory is what stands there.
    assert!(mine.is_deleted() && mine.version != stale.version);
    assert_eq!(rows(&db), [mine.clone()]);
    assert_eq!(Thing::find(conn, 1), Err(NotFound));
    let lost = conflict(stale.save(conn));
    assert_eq!(
        (lost.kind(), lost.current()),
        (ConflictKind::Deleted, Some(&mine))
    );
    assert_eq!(conflict(mine.delete(conn)).kind(), ConflictKind::Deleted);
    mine.restore(conn).unwrap();
    assert_eq!(rows(&db), [mine.clone()]);
    assert_eq!(Thing::find(conn, 1), Ok(mine.clone()));
    mine.purge(conn).unwrap();
    assert_eq!(rows(&db), []);
}

#[test]
fn in_units() {
    let db = store(12);
    let conn = &mut db.connect();
    let before = rows(&db);
    let mut uow = Unit::new();
    let handles = uow.attach_all(before.clone()).unwrap();
    for &handle in &handles[..10] {
        uow.delete(handle);
    }
    uow[handles[10]].amount = 50;
    let done = uow.commit(conn).unwrap();
    let now = rows(&db);
    for (row, old) in now[..10].iter().zip(&before) {
        assert!(row.is_deleted() && row.version != old.version);
    }
    let told: Vec<_> = done
        .of::<Thing>()
        .map(|row| row.new_version.copied())
        .collect();
    let stand = now.iter().take(11).map(|row| Some(row.version));
    assert_eq!(told, stand.collect::<Vec<_>>());
    assert!(
        done.of::<Thing>()
            .take(10)
            .all(|row| row.operation == Operation::Delete)
    );
    assert_eq!(uow[handles[10]], now[10]);

    let mut uow = Unit::new();
    let handles = uow.attach_all(now).unwrap();
    for &handle in &handles[..9] {
        uow.restore(handle);
    }
    uow[handles[0]].amount = 70;
    uow.purge(handles[9]);
    uow.commit(conn).unwrap();
    let now = rows(&db);
    assert_eq!(now.len(), 11);
    let kept = handles
        .iter()
        .filter_map(|&handle| uow.get(handle).cloned());
    assert_eq!(kept.collect::<Vec<_>>(), now);
    assert!(!now.iter().any(Thing::is_deleted));
    assert_eq!(now[0].twice, 140);

    let mut stale = Unit::new();
    for row in before.into_iter().take(9) {
        let handle = stale.attach(row).unwrap();
        stale.delete(handle);
    }
    assert_eq!(conflicts(stale.commit(conn)).len(), 9);
    assert_eq!(rows(&db), now);
}
