//! `check_schema`: what `table!` says of a column beside what the column is. Which types a backend has
//! `columns_….rs` lists.

use diesel_versioned::schema_check::SchemaReport;

/// An entity whose version is of a type, and what is found with columns of other types: the end of
/// the finding's code, `declare` with what `table!` should say, or nothing.
macro_rules! declared {
    ($name:ident, $version:ty, $sql:ty, { $($column:literal => $found:literal,)+ }) => {
        mod $name {
            use diesel::prelude::*;
            use diesel_versioned::Versioned;

            use crate::flavor::prelude::*;
            use crate::support::scenario::schema_check::declared;

            diesel::table! {
                things (id) { id -> Integer, version -> $sql }
            }

            /// It is never written or read.
            #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
            #[diesel(table_name = things)]
            struct Thing {
                id: i32,
                #[version]
                version: $version,
            }

            #[test]
            fn the_column_of_a_version_is_what_table_says() {
                for (column, found) in [$(($column, $found)),+] {
                    let sql = format!(
                        "CREATE TABLE things (id INTEGER PRIMARY KEY, version {column} NOT NULL)"
                    );
                    let db = declared::database(&sql);
                    let report = Thing::check_schema(&mut db.connect()).unwrap();
                    assert_eq!(declared::found(&report, "version"), found, "{column}: {report}");
                }
            }
        }
    };
}
pub(crate) use declared;

/// The same of a mark of deletion.
macro_rules! marked {
    ($name:ident, $mark:ty, $sql:ty, { $($column:literal => $found:literal,)+ }) => {
        mod $name {
            use diesel::prelude::*;
            use diesel_versioned::Versioned;

            use crate::flavor::prelude::*;
            use crate::support::scenario::schema_check::declared;

            diesel::table! {
                things (id) { id -> Integer, gone -> $sql, version -> Integer }
            }

            /// It is never written or read.
            #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
            #[diesel(table_name = things)]
            struct Thing {
                id: i32,
                #[versioned(soft_delete)]
                gone: $mark,
                #[version]
                version: i32,
            }

            #[test]
            fn the_column_of_a_mark_is_what_table_says() {
                for (column, found) in [$(($column, $found)),+] {
                    let sql = format!(
                        "CREATE TABLE things (id INTEGER PRIMARY KEY, gone {column}, \
                         version INTEGER NOT NULL DEFAULT 1)"
                    );
                    let db = declared::database(&sql);
                    let report = Thing::check_schema(&mut db.connect()).unwrap();
                    assert_eq!(declared::found(&report, "gone"), found, "{column}: {report}");
                }
            }
        }
    };
}
pub(crate) use marked;

/// A fresh database with what this SQL makes.
pub fn database(sql: &str) -> crate::support::TestDb {
    let db = crate::support::TestDb::empty();
    db.execute(sql);
    db
}

/// What is wrong with a column, in short.
pub fn found(report: &SchemaReport, column: &str) -> String {
    let mut errors = report
        .errors()
        .filter(|finding| finding.column() == Some(column));
    let Some(error) = errors.next() else {
        return String::new();
    };
    assert!(errors.next().is_none(), "{report}");
    let text = error.to_string();
    if let Some((_, declare)) = text.split_once("write `") {
        let declare = declare.split('`').next();
        return format!("declare {}", declare.unwrap_or_default());
    }
    let end = error.code().rsplit('_').next();
    end.unwrap_or_default().to_owned()
}
