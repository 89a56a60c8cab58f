//! `check_schema`: what a version says of itself beside what its column keeps.

use diesel::connection::SimpleConnection;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::prelude::*;
use diesel::query_builder::QueryId;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::{Integer, SqlType};
use diesel_versioned::schema_check::Shape;
use diesel_versioned::version::{Moment, NoVersion};

use super::{Found, WARES, Ware, findings, findings_with};
use crate::flavor::prelude::*;
use crate::support::{TestBackend, TestDb};
use crate::{Backend, Conn};

/// A type of one's own: what may stand behind it nobody knows, so the shape alone decides.
#[derive(Debug, Clone, Copy, Default, QueryId, SqlType)]
#[diesel(postgres_type(oid = 23, array_oid = 1007))]
#[diesel(mysql_type(name = "Long"))]
#[diesel(sqlite_type(name = "Integer"))]
pub struct Own;

diesel::table! {
    use diesel::sql_types::{Integer, Nullable};
    use super::Own;

    wares (id) { id -> Integer, stock -> Nullable<Integer>, version -> Own }
}

/// An entity whose version says that it is of some shape. It is never written or read.
macro_rules! shaped {
    ($entity:ident, $version:ident, $shape:expr) => {
        #[derive(Debug, Clone, Copy, PartialEq, AsExpression, FromSqlRow)]
        #[diesel(sql_type = Own)]
        struct $version(i32);

        impl VersionValue for $version {
            fn initial(moment: &Moment) -> Result<Self, NoVersion> {
                i32::initial(moment).map(Self)
            }

            fn next(&self, moment: &Moment) -> Result<Self, NoVersion> {
                self.0.next(moment).map(Self)
            }

            fn to_text(&self) -> String {
                self.0.to_text()
            }

            fn from_text(text: &str) -> Option<Self> {
                i32::from_text(text).map(Self)
            }

            fn shape() -> Shape {
                $shape
            }
        }

        impl ToSql<Own, Backend> for $version {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Backend>) -> serialize::Result {
                ToSql::<Integer, Backend>::to_sql(&self.0, out)
            }
        }

        impl FromSql<Own, Backend> for $version {
            fn from_sql(
                bytes: <Backend as diesel::backend::Backend>::RawValue<'_>,
            ) -> deserialize::Result<Self> {
                <i32 as FromSql<Integer, Backend>>::from_sql(bytes).map(Self)
            }
        }

        #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
        #[diesel(table_name = wares)]
        struct $entity {
            id: i32,
            stock: Option<i32>,
            #[version]
            version: $version,
        }
    };
}

shaped!(ByTime, Micros, Shape::Timestamp { digits: 6 });
shaped!(BySecond, Second, Shape::Timestamp { digits: 0 });
shaped!(ByUuid, Id, Shape::Uuid);
shaped!(ByToken, Token16, Shape::Bytes { len: Some(16) });
shaped!(ByShortToken, Token8, Shape::Bytes { len: Some(8) });
shaped!(ByWhatever, Whatever, Shape::Other);

#[test]
fn times_and_tokens_are_compared_with_what_their_columns_keep() {
    let Some(types) = Conn::TIMES_AND_TOKENS else {
        return;
    };
    let db = TestDb::empty();
    let conn = &mut db.connect();
    let mut found = |type_name: &str| {
        conn.batch_execute(&format!(
            "DROP TABLE IF EXISTS wares;
             CREATE TABLE wares (id INTEGER PRIMARY KEY, stock INTEGER, version {type_name} NOT NULL)"
        ))
        .unwrap();
        let mut codes = |check: fn(&mut Conn) -> Found| {
            let found = check(conn);
            assert_eq!(
                found.last().map(|(code, _)| *code),
                Some("schema.default_missing")
            );
            match found[..] {
                [(code, _), _] => code.strip_prefix("schema.version_").unwrap(),
                _ => "",
            }
        };
        [
            codes(findings::<ByTime>),
            codes(findings::<BySecond>),
            codes(findings::<ByUuid>),
            codes(findings::<ByToken>),
            codes(findings::<ByWhatever>),
            codes(findings::<Ware>),
        ]
    };
    let [seconds, micros, uuid, token] = types;
    // Without a default MariaDB gives a TIMESTAMP one of its own; this one says that it has none.
    assert_eq!(
        found(seconds),
        ["precision", "", "type", "type", "", "type"]
    );
    if !micros.starts_with("TIMESTAMP(") {
        assert_eq!(found(micros), ["", "", "type", "type", "", "type"]);
    }
    let as_bytes = ["type", "type", "", "", "", "type"];
    let as_uuid = ["type", "type", "", "type", "", "type"];
    assert_eq!(found(uuid), if uuid == "UUID" { as_uuid } else { as_bytes });
    assert_eq!(found(token), as_bytes);
}

#[test]
fn bytes_that_are_padded_or_cut_are_found() {
    let Some(types) = Conn::TIMES_AND_TOKENS.filter(|types| types[2] == "BINARY(16)") else {
        return;
    };
    for (type_name, short, long) in [
        (types[2], "schema.version_type", None),
        ("BINARY(8)", "", Some("schema.version_narrow")),
        ("VARBINARY(8)", "", Some("schema.version_narrow")),
        (types[3], "", None),
    ] {
        let sql = WARES.replace(
            "INTEGER NOT NULL DEFAULT 1",
            &format!("{type_name} NOT NULL DEFAULT ''"),
        );
        let first = |found: Vec<(&'static str, _)>| found.first().map(|(code, _)| *code);
        assert_eq!(
            first(findings_with::<ByShortToken>(&sql)).unwrap_or_default(),
            short
        );
        assert_eq!(first(findings_with::<ByToken>(&sql)), long);
    }
}
