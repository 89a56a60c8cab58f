//! `check_schema`: a right table has no findings, and each thing that is wrong has its own.

mod collations;
pub mod declared;
mod shapes;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel_versioned::schema_check::{Problem, Severity};

use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::entities::{
    Account, Customer, Document, Node, Order, OrderLine, Product, StockLevel,
};
use crate::support::{TestBackend, TestDb};

diesel::table! {
    wares (id) { id -> Integer, stock -> Nullable<Integer>, version -> Integer }
}

#[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
#[diesel(table_name = wares)]
struct Ware {
    id: i32,
    stock: Option<i32>,
    #[version]
    version: i32,
}

/// A table with which nothing is wrong.
const WARES: &str = "CREATE TABLE wares
    (id INTEGER NOT NULL PRIMARY KEY, stock INTEGER, version INTEGER NOT NULL DEFAULT 1)";

/// The codes of findings, each with its column.
type Found = Vec<(&'static str, Option<&'static str>)>;

/// What is found now.
fn findings<T: VersionedDsl<Conn>>(conn: &mut Conn) -> Found {
    let report = T::check_schema(conn).unwrap();
    let lines = report.to_string();
    assert_eq!(lines.lines().count(), report.len(), "{lines}");
    assert!(report.iter().all(|finding| finding.table() == T::TABLE));
    report
        .iter()
        .map(|finding| (finding.code(), finding.column()))
        .collect()
}

/// What is found with a table that is made by this SQL.
fn findings_with<T: VersionedDsl<Conn>>(sql: &str) -> Found {
    let db = TestDb::empty();
    db.execute(sql);
    findings::<T>(&mut db.connect())
}

#[test]
fn a_right_table_has_no_findings() {
    for sql in [WARES].iter().chain(Conn::RIGHT_WARES) {
        assert_eq!(findings_with::<Ware>(sql), [], "{sql}");
    }
}

#[test]
fn entities_of_every_shape_know_their_tables() {
    let db = TestDb::new();
    let conn = &mut db.connect();
    fn check<T: VersionedDsl<Conn>>(conn: &mut Conn, version: &'static str) {
        let expected = [("schema.default_missing", Some(version))];
        assert_eq!(findings::<T>(conn), expected, "{}", T::TABLE);
        let warnings = T::check_schema(conn).unwrap().into_result().unwrap();
        assert_eq!(warnings.warnings().count(), 1);
    }
    check::<Product>(conn, "version");
    check::<Order>(conn, "version");
    check::<OrderLine>(conn, "version");
    check::<StockLevel>(conn, "version");
    check::<Account>(conn, "version");
    check::<Document>(conn, "lock_version");
    check::<Node>(conn, "version");
    check::<Customer>(conn, "version");
}

#[test]
fn a_table_that_is_not_there_is_found() {
    let db = TestDb::empty();
    let conn = &mut db.connect();
    assert_eq!(findings::<Ware>(conn), [("schema.table_missing", None)]);
    // And the connection goes on, also inside a transaction.
    conn.transaction(|conn| {
        assert_eq!(findings::<Ware>(conn), [("schema.table_missing", None)]);
        conn.batch_execute("SELECT 1")
    })
    .unwrap();
}

#[test]
fn columns_that_are_not_there_are_found() {
    let sql =
        "CREATE TABLE wares (id INTEGER NOT NULL PRIMARY KEY, version INTEGER NOT NULL DEFAULT 1)";
    assert_eq!(
        findings_with::<Ware>(sql),
        [("schema.column_missing", Some("stock"))]
    );
    let sql = "CREATE TABLE wares (id INTEGER NOT NULL PRIMARY KEY, stock INTEGER)";
    assert_eq!(
        findings_with::<Ware>(sql),
        [("schema.column_missing", Some("version"))]
    );
}

#[test]
fn a_column_is_known_by_its_name_in_the_database() {
    let db = TestDb::new();
    let quote = Conn::IDENTIFIER_QUOTE;
    db.execute(&format!(
        "ALTER TABLE documents RENAME COLUMN {quote}order{quote} TO position;
         ALTER TABLE documents RENAME COLUMN {quote}type{quote} TO kind"
    ));
    assert_eq!(
        findings::<Document>(&mut db.connect()),
        [
            ("schema.column_missing", Some("type")),
            ("schema.column_missing", Some("order")),
            ("schema.default_missing", Some("lock_version")),
        ]
    );
}

#[test]
fn names_are_compared_as_the_database_does() {
    let quote = Conn::IDENTIFIER_QUOTE;
    let sql = format!(
        "CREATE TABLE wares ({quote}ID{quote} INTEGER NOT NULL, stock INTEGER, \
         {quote}Version{quote} INTEGER NOT NULL DEFAULT 1, PRIMARY KEY ({quote}ID{quote}))"
    );
    let codes: Vec<_> = findings_with::<Ware>(&sql)
        .into_iter()
        .map(|(code, _)| code)
        .collect();
    if Conn::COLUMNS_FOLD_CASE {
        assert_eq!(codes, [""; 0]);
    } else {
        let missing = "schema.column_missing";
        assert_eq!(codes, [missing, missing, "schema.key_not_unique"]);
    }
}

#[test]
fn a_version_that_may_be_null_is_found() {
    let sql = WARES.replace("NOT NULL DEFAULT", "DEFAULT");
    assert_eq!(
        findings_with::<Ware>(&sql),
        [("schema.version_nullable", Some("version"))]
    );
}

#[test]
fn a_default_that_is_missing_is_a_warning() {
    for default in ["", "DEFAULT NULL"] {
        // A default of NULL is none.
        let null = if default.is_empty() { "NOT NULL" } else { "" };
        let db = TestDb::empty();
        db.execute(&WARES.replace("NOT NULL DEFAULT 1", &format!("{null} {default}")));
        let report = Ware::check_schema(&mut db.connect()).unwrap();
        let last = report.iter().last().unwrap();
        assert_eq!(
            (last.code(), last.severity(), last.problem()),
            (
                "schema.default_missing",
                Severity::Warning,
                &Problem::DefaultMissing
            )
        );
    }
}

#[test]
fn a_version_of_another_type_is_found() {
    for version in [
        "DOUBLE PRECISION NOT NULL DEFAULT 1",
        "VARCHAR(8) NOT NULL DEFAULT '1'",
    ] {
        let sql = WARES.replace("INTEGER NOT NULL DEFAULT 1", version);
        assert_eq!(
            findings_with::<Ware>(&sql),
            [("schema.version_type", Some("version"))],
            "{sql}"
        );
    }
}

#[test]
fn a_version_wider_than_its_column_is_found() {
    let narrow = WARES.replace("version INTEGER", "version SMALLINT");
    let wide = WARES.replace("version INTEGER", "version BIGINT");
    if Conn::INTEGERS_ARE_EXACT {
        assert_eq!(
            findings_with::<Ware>(&wide),
            [("schema.version_type", Some("version"))]
        );
    } else {
        assert_eq!(findings_with::<Ware>(&wide), []);
    }
    if Conn::INTEGERS_ARE_EXACT || Conn::TIMES_AND_TOKENS.is_some() {
        assert_eq!(
            findings_with::<Ware>(&narrow),
            [("schema.version_narrow", Some("version"))]
        );
    } else {
        assert_eq!(findings_with::<Ware>(&narrow), []);
    }
}

#[test]
fn a_key_that_is_not_unique_is_found() {
    let without = "CREATE TABLE wares
        (id INTEGER NOT NULL, stock INTEGER, version INTEGER NOT NULL DEFAULT 1)";
    let more = [
        "SELECT 1",
        "CREATE INDEX made_up ON wares (id)",
        "CREATE UNIQUE INDEX made_up ON wares (id, stock)",
        "CREATE UNIQUE INDEX made_up ON wares (stock)",
    ];
    for index in more.iter().chain(Conn::WARES_WITHOUT_KEY) {
        assert_eq!(
            findings_with::<Ware>(&format!("{without}; {index}")),
            [("schema.key_not_unique", None)],
            "{index}"
        );
    }
}

#[test]
fn a_composite_key_is_unique_if_a_part_of_it_is() {
    let without = "CREATE TABLE stock_levels (warehouse INTEGER NOT NULL, sku VARCHAR(32) NOT NULL,
        quantity INTEGER NOT NULL, version BIGINT NOT NULL DEFAULT 1)";
    let right = [
        "CREATE UNIQUE INDEX made_up ON stock_levels (sku, warehouse)",
        "CREATE UNIQUE INDEX made_up ON stock_levels (sku)",
        "CREATE UNIQUE INDEX one ON stock_levels (quantity); \
         CREATE UNIQUE INDEX two ON stock_levels (warehouse)",
    ];
    for index in right.iter().chain(Conn::RIGHT_STOCK_LEVELS) {
        let findings = findings_with::<StockLevel>(&format!("{without}; {index}"));
        assert_eq!(findings, [], "{index}");
    }
    let db = TestDb::empty();
    db.execute(&format!(
        "{without}; CREATE UNIQUE INDEX made_up ON stock_levels (sku, warehouse, quantity)"
    ));
    let report = StockLevel::check_schema(&mut db.connect()).unwrap();
    let error = report.into_result().unwrap_err();
    assert_eq!(error.code(), "schema.key_not_unique");
    assert_eq!(
        error.to_string(),
        "`stock_levels`: no primary key and no unique index keeps (warehouse, sku) unique, so a \
         write could reach several rows; add one on these columns"
    );
}

#[test]
fn everything_that_is_wrong_is_found_at_once() {
    let db = TestDb::empty();
    db.execute("CREATE TABLE wares (id INTEGER NOT NULL, version VARCHAR(8))");
    let conn = &mut db.connect();
    assert_eq!(
        findings::<Ware>(conn),
        [
            ("schema.column_missing", Some("stock")),
            ("schema.version_nullable", Some("version")),
            ("schema.version_type", Some("version")),
            ("schema.key_not_unique", None),
            ("schema.default_missing", Some("version")),
        ]
    );
    let report = Ware::check_schema(conn).unwrap();
    assert_eq!((report.errors().count(), report.warnings().count()), (4, 1));
    let error = report.clone().into_result().unwrap_err();
    assert_eq!(error.report(), &report);
    assert_eq!(error.to_string().lines().count(), 4, "{error}");
}

#[test]
fn a_temporary_table_is_found_before_another_one() {
    let db = TestDb::empty();
    let conn = &mut db.connect();
    let temporary = WARES.replace("CREATE TABLE", "CREATE TEMPORARY TABLE");
    conn.batch_execute(&temporary).unwrap();
    assert_eq!(findings::<Ware>(conn), []);
    // The other sessions see this one.
    db.execute("CREATE TABLE wares (id INTEGER NOT NULL PRIMARY KEY)");
    assert_eq!(findings::<Ware>(conn), []);
    assert_eq!(findings::<Ware>(&mut db.connect()).len(), 2);
}

#[test]
fn what_a_view_is_made_of_is_not_known() {
    let db = TestDb::empty();
    db.execute(&WARES.replace("wares", "stored_wares"));
    db.execute("CREATE VIEW wares AS SELECT id, version FROM stored_wares");
    let conn = &mut db.connect();
    assert_eq!(
        findings::<Ware>(conn),
        [
            ("schema.column_missing", Some("stock")),
            ("schema.not_checked", None),
        ]
    );
    let report = Ware::check_schema(conn).unwrap();
    assert_eq!(report.warnings().count(), 1);
}

#[test]
fn a_check_commits_nothing_and_writes_nothing() {
    let db = TestDb::empty();
    db.execute(WARES);
    let conn = &mut db.connect();
    let inserted = conn.transaction::<(), diesel::result::Error, _>(|conn| {
        conn.batch_execute("INSERT INTO wares (id) VALUES (1)")?;
        assert_eq!(findings::<Ware>(conn), []);
        Err(diesel::result::Error::RollbackTransaction)
    });
    assert!(inserted.is_err());
    let count = wares::table.count().get_result::<i64>(&mut db.connect());
    assert_eq!(count, Ok(0));
    // Again and again on one connection.
    assert_eq!(findings::<Ware>(conn), []);
}

#[test]
fn a_session_that_cannot_write_can_check() {
    let db = TestDb::empty();
    db.execute(WARES);
    let conn = &mut db.connect();
    conn.batch_execute(Conn::READ_ONLY).unwrap();
    let report = Ware::check_schema(conn).unwrap();
    // What had to be tried is said not to have been.
    assert!(
        report
            .iter()
            .all(|finding| finding.code() == "schema.not_checked"),
        "{report}"
    );
    assert_eq!(report.len(), usize::from(Conn::COUNTS_DIFFER), "{report}");
}

#[test]
fn a_role_that_may_do_little_is_told_nothing_wrong() {
    let db = TestDb::new();
    let Some(little) = Conn::MAY_ONLY_SEE_PRODUCTS else {
        return;
    };
    let conn = &mut db.connect();
    conn.batch_execute(little).unwrap();
    assert_eq!(
        findings::<Product>(conn),
        [("schema.default_missing", Some("version"))]
    );
    // Of this one it may not even read a row.
    assert_eq!(
        findings::<Customer>(conn),
        [("schema.default_missing", Some("version"))]
    );
}
