//! Kinds of versions: every scenario runs for every kind that a backend can store. Which those are
//! `kinds_….rs` lists.

mod integers;
mod relative;
mod row;
mod timestamps;
mod tokens;
mod unit;

pub use row::StoredUuid;

/// A table `things` whose version is of one kind, its entities, and the scenarios of all kinds.
macro_rules! kind {
    ($name:ident, $version:ty, $sql:ty, $column:literal $(, $option:meta)?) => {
        mod $name {
            use diesel::prelude::*;
            use diesel_versioned::Versioned;

            diesel::table! {
                things (id) { id -> Integer, name -> Text, amount -> Integer, version -> $sql }
            }

            #[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
            #[diesel(table_name = things)]
            pub struct Thing {
                pub id: i32,
                pub name: String,
                pub amount: i32,
                #[version $(($option))?]
                pub version: $version,
            }

            /// The same row; an insert leaves its amount to the database and reads it back.
            #[derive(Debug, Clone, PartialEq, Queryable, Selectable, Versioned)]
            #[diesel(table_name = things)]
            pub struct Made {
                pub id: i32,
                pub name: String,
                #[diesel(skip_insertion)]
                pub amount: i32,
                #[version $(($option))?]
                pub version: $version,
            }

            /// A fresh database with the table and nothing in it.
            pub fn store() -> crate::support::TestDb {
                let db = crate::support::TestDb::empty();
                db.execute(concat!(
                    "CREATE TABLE things (id INTEGER NOT NULL PRIMARY KEY, name VARCHAR(64) NOT NULL,
                     amount INTEGER NOT NULL DEFAULT 7, version ",
                    $column,
                    " NOT NULL)"
                ));
                db
            }

            /// A thing that no database has seen; what its version is must not matter.
            pub fn thing(id: i32) -> Thing {
                let moment = diesel_versioned::version::Moment::new();
                Thing {
                    id,
                    name: format!("thing {id}"),
                    amount: 0,
                    version: diesel_versioned::VersionValue::initial(&moment).unwrap(),
                }
            }

            crate::support::scenario::kinds::row_scenarios!();
            crate::support::scenario::kinds::unit_scenarios!();
            crate::support::scenario::kinds::relative_scenarios!();
        }
    };
}
pub(crate) use kind;
pub(crate) use relative::relative_scenarios;
pub(crate) use row::row_scenarios;
pub(crate) use timestamps::{Instant, timestamp};
pub(crate) use tokens::token;
pub(crate) use unit::unit_scenarios;
