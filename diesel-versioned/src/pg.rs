//! What only PostgreSQL has: `xmin` as a version.

use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::{Pg, PgValue};
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::Oid;

use crate::sql_types;
use crate::version::{Moment, NoVersion, Step, SteppingVersion, VersionValue};

/// The number of the transaction that wrote a row, which PostgreSQL keeps in the system column
/// `xmin` of every table: a version for which the schema is not changed.
///
/// Write the column into the `table!`, with [`sql_types::Xid`], and let the
/// database make the version:
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::Versioned;
/// use diesel_versioned::pg::Xid;
///
/// diesel::table! {
///     products (id) {
///         id -> Integer,
///         name -> Text,
///         xmin -> diesel_versioned::sql_types::Xid,
///     }
/// }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// struct Product {
///     id: i32,
///     name: String,
///     #[version(db)]
///     xmin: Xid,
/// }
/// ```
///
/// `diesel print-schema` leaves system columns out, so the entry has to be put in again after it.
/// No insert and no update writes the column.
///
/// # What it guards
///
/// Every write moves it, also one by a program that does not know of this library; that is more than
/// a counter does, and there are no [unguarded](derive@crate::Versioned#bookkeeping) columns beside
/// it.
///
/// **Two writes in one transaction share one number.** Whatever another transaction writes is a
/// conflict, always. Inside one transaction it depends on when a copy was read:
///
/// - One that was read before the transaction's first write of the row conflicts after it.
/// - One that was read, or written, after that write does not conflict with a further one of the same
///   transaction: the last one wins, unseen. Keep one copy of a row in a transaction; a
///   [`UnitOfWork`](crate::UnitOfWork) does.
/// - A savepoint has a number of its own, and so has each unit inside a caller's transaction: a copy
///   from before it conflicts after a write in it. A savepoint that is rolled back takes its number
///   along, and the row has the earlier one again.
///
/// The numbers are 32 bits wide and start again after four billion transactions, and a dump that is
/// restored gives other ones: do not keep them for long, or outside of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, AsExpression, FromSqlRow)]
#[diesel(sql_type = sql_types::Xid)]
pub struct Xid(u32);

impl Xid {
    /// This number.
    ///
    /// ```
    /// use diesel_versioned::pg::Xid;
    ///
    /// assert_eq!(Xid::new(745).get(), 745);
    /// ```
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl ToSql<sql_types::Xid, Pg> for Xid {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        // The same four bytes.
        ToSql::<Oid, Pg>::to_sql(&self.0, out)
    }
}

impl FromSql<sql_types::Xid, Pg> for Xid {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        FromSql::<Oid, Pg>::from_sql(value).map(Self)
    }
}

/// The database makes it, so there is no initial and no next one.
impl VersionValue for Xid {
    const OF_TRANSACTION: bool = true;

    fn initial(_: &Moment) -> Result<Self, NoVersion> {
        Err(made_by_database())
    }

    fn next(&self, _: &Moment) -> Result<Self, NoVersion> {
        Err(made_by_database())
    }

    fn to_text(&self) -> String {
        self.0.to_string()
    }

    fn from_text(text: &str) -> Option<Self> {
        let number: u32 = text.parse().ok()?;
        (number.to_string() == text).then_some(Self(number))
    }
}

/// The same: never asked.
impl SteppingVersion for Xid {
    fn step(_: &Moment) -> Result<Step<Self>, NoVersion> {
        Err(made_by_database())
    }
}

fn made_by_database() -> NoVersion {
    NoVersion::failed("PostgreSQL makes `xmin`; write `#[version(db)]`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_number_is_that_number() {
        for number in [0, 3, 745, u32::MAX] {
            let xid = Xid::new(number);
            assert_eq!(Xid::from_text(&xid.to_text()), Some(xid));
        }
        for text in ["", "007", "+7", "-1", "4294967296"] {
            assert_eq!(Xid::from_text(text), None, "{text}");
        }
    }

    #[test]
    fn nobody_else_makes_one() {
        let moment = Moment::new();
        assert!(Xid::initial(&moment).is_err());
        assert!(Xid::new(7).next(&moment).is_err());
    }
}
