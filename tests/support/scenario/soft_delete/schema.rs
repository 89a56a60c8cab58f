//! A table that does not fit its mark.

use diesel::connection::SimpleConnection;

use super::{Flag, Note};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::{TestBackend, TestDb};

/// What is found of the column of the mark.
fn found(db: &TestDb, table: &str, column: &str) -> Vec<String> {
    let conn = &mut db.connect();
    let report = match table {
        "notes" => Note::check_schema(conn).unwrap(),
        _ => Flag::check_schema(conn).unwrap(),
    };
    report
        .iter()
        .filter(|finding| finding.column() == Some(column))
        .map(|finding| finding.code().to_owned())
        .collect()
}

fn notes(deleted_at: &str) -> TestDb {
    let db = TestDb::empty();
    db.connect()
        .batch_execute(&format!(
            "CREATE TABLE notes (id INTEGER NOT NULL PRIMARY KEY, text VARCHAR(64) NOT NULL,
                 author VARCHAR(64) NOT NULL, seen INTEGER NOT NULL, {deleted_at}
                 version INTEGER NOT NULL DEFAULT 1)"
        ))
        .unwrap();
    db
}

fn flags(down: &str) -> TestDb {
    let db = TestDb::empty();
    db.connect()
        .batch_execute(&format!(
            "CREATE TABLE flags (house INTEGER NOT NULL, room VARCHAR(32) NOT NULL,
                 colour VARCHAR(32) NOT NULL, {down} version INTEGER NOT NULL DEFAULT 1,
                 PRIMARY KEY (house, room))"
        ))
        .unwrap();
    db
}

#[test]
fn a_column_that_fits_is_not_mentioned() {
    let text = Conn::TIMES_AND_TOKENS.is_none().then_some("TEXT");
    for fits in ["TIMESTAMP(6) NULL"].into_iter().chain(text) {
        assert!(
            found(
                &notes(&format!("deleted_at {fits},")),
                "notes",
                "deleted_at"
            )
            .is_empty()
        );
    }
    assert!(found(&flags("down BOOLEAN NOT NULL,"), "flags", "down").is_empty());
}

#[test]
fn what_does_not_fit_is_told() {
    let of_notes = |column: &str| found(&notes(column), "notes", "deleted_at");
    assert_eq!(of_notes(""), ["schema.column_missing"]);
    let not_null = of_notes("deleted_at TIMESTAMP(6) NOT NULL DEFAULT '2026-01-01 00:00:00',");
    assert_eq!(not_null, ["schema.mark_not_null"]);
    assert_eq!(of_notes("deleted_at INTEGER NULL,"), ["schema.mark_type"]);
    if Conn::TIMES_AND_TOKENS.is_some() {
        assert_eq!(
            of_notes("deleted_at TIMESTAMP(0) NULL,"),
            ["schema.mark_precision"]
        );
    }
    let of_flags = |column: &str| found(&flags(column), "flags", "down");
    assert_eq!(of_flags("down BOOLEAN NULL,"), ["schema.mark_nullable"]);
    assert_eq!(of_flags("down VARCHAR(5) NOT NULL,"), ["schema.mark_type"]);
}
