//! Tables that have the same name and lie in different schemas.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;

use super::{Unit, conflicts, kinds};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::{TestBackend, TestDb};

mod here {
    diesel::table! {
        wares (id) { id -> Integer, stock -> Integer, version -> Integer }
    }
}

mod there {
    diesel::table! {
        second_schema.wares (id) { id -> Integer, stock -> Integer, version -> Integer }
    }
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = here::wares)]
struct Ware {
    id: i32,
    stock: i32,
    #[version]
    version: i32,
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = there::wares)]
struct OtherWare {
    id: i32,
    stock: i32,
    #[version]
    version: i32,
}

/// The second schema, which may be the server's and not the test's.
struct SecondSchema<'a>(&'a TestDb);

impl<'a> SecondSchema<'a> {
    fn new(db: &'a TestDb, conn: &mut Conn) -> Self {
        conn.batch_execute(Conn::CREATE_SECOND_SCHEMA).unwrap();
        Self(db)
    }
}

impl Drop for SecondSchema<'_> {
    fn drop(&mut self) {
        if let Some(sql) = Conn::DROP_SECOND_SCHEMA {
            self.0.execute(sql);
        }
    }
}

/// Id, stock and version of the rows here and there.
fn rows(conn: &mut Conn) -> [Vec<(i32, i32, i32)>; 2] {
    [
        here::wares::table.order(here::wares::id).load(conn),
        there::wares::table.order(there::wares::id).load(conn),
    ]
    .map(Result::unwrap)
}

/// One test, as the schema may have to be shared.
#[test]
fn tables_of_the_same_name_are_not_mixed_up() {
    let db = TestDb::empty();
    let conn = &mut db.connect();
    let _schema = SecondSchema::new(&db, conn);
    for schema in ["", "second_schema."] {
        conn.batch_execute(&format!(
            "CREATE TABLE {schema}wares
                (id INTEGER NOT NULL PRIMARY KEY, stock INTEGER NOT NULL, version INTEGER NOT NULL)"
        ))
        .unwrap();
    }

    let codes = |report: SchemaReport| -> Vec<&'static str> {
        report.iter().map(|finding| finding.code()).collect()
    };
    let only_warning = ["schema.default_missing"];
    assert_eq!(codes(Ware::check_schema(conn).unwrap()), only_warning);
    assert_eq!(codes(OtherWare::check_schema(conn).unwrap()), only_warning);

    let mut uow = Unit::new();
    for id in 1..=5 {
        let (stock, version) = (id * 10, 0);
        uow.insert(Ware { id, stock, version }).unwrap();
        let stock = id * 100;
        uow.insert(OtherWare { id, stock, version }).unwrap();
    }
    assert_eq!(uow.commit(conn).unwrap().len(), 10);

    // Of both: a batch of updates, one alone, a delete, a check, and a batch of touches.
    let mut uow = Unit::new();
    let wares: Vec<Handle<Ware>> = (1..=5).map(|id| uow.find(conn, id).unwrap()).collect();
    let others: Vec<Handle<OtherWare>> = (1..=5).map(|id| uow.find(conn, id).unwrap()).collect();
    uow[wares[0]].stock += 1;
    uow[wares[1]].stock += 1;
    uow.delete(wares[2]);
    uow.expect_unchanged(wares[3]);
    uow[others[0]].stock += 1;
    uow.expect_unchanged(others[1]);
    uow.touch(others[2]);
    uow.touch(others[3]);
    uow.delete(others[4]);
    assert_eq!(uow.commit(conn).unwrap().len(), 7);
    assert_eq!(
        rows(conn),
        [
            vec![(1, 11, 2), (2, 21, 2), (4, 40, 1), (5, 50, 1)],
            vec![(1, 101, 2), (2, 200, 1), (3, 300, 2), (4, 400, 2)],
        ]
    );

    // Row 1 moves there and not here.
    OtherWare::find(conn, 1).unwrap().touch(conn).unwrap();
    uow[wares[0]].stock = 0;
    uow[others[0]].stock = 0;
    uow[others[1]].stock = 0;
    let lost = conflicts(uow.commit(conn));
    assert_eq!(
        kinds(&lost),
        [("wares", "1".to_owned(), ConflictKind::Modified)]
    );
    assert_eq!(lost.of::<Ware>().count(), 0);
    let conflict = lost.of::<OtherWare>().next().unwrap();
    assert_eq!(conflict.current().map(|row| row.stock), Some(101));
    uow.discard(&lost);
    assert_eq!(uow.commit(conn).unwrap().len(), 2);
    let [here, there] = rows(conn);
    assert_eq!(
        (here[0], there[0], there[1]),
        ((1, 0, 3), (1, 101, 3), (2, 0, 2))
    );

    conn.batch_execute("DROP TABLE second_schema.wares")
        .unwrap();
    let missing = ["schema.table_missing"];
    assert_eq!(codes(Ware::check_schema(conn).unwrap()), only_warning);
    assert_eq!(codes(OtherWare::check_schema(conn).unwrap()), missing);
    let again = "CREATE TABLE second_schema.wares
        (id INTEGER NOT NULL PRIMARY KEY, stock INTEGER NOT NULL, version INTEGER NOT NULL)";
    conn.batch_execute(&format!("{again}; DROP TABLE wares"))
        .unwrap();
    // A name without a schema may now be that of the other table.
    let count = here::wares::table.count().get_result::<i64>(conn);
    let expected = if count.is_ok() { only_warning } else { missing };
    assert_eq!(codes(Ware::check_schema(conn).unwrap()), expected);
    assert_eq!(codes(OtherWare::check_schema(conn).unwrap()), only_warning);
}
