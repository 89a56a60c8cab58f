//! Statements about the table of leases. Every time in them is the database's; none is bound.

use std::time::Duration;

use diesel::sql_types::{BigInt, Nullable, Text};

use super::own::{Own, Reading};
use crate::lease::{Place, Stands, millis};

/// The SQL type of what stands in the table.
pub(crate) type RowOfLease = (Text, BigInt, BigInt, BigInt, Nullable<BigInt>, BigInt);

/// Makes sure that there is a row for the leases of a row, and locks it: nobody else can take, steal,
/// renew or release a lease of it until the transaction ends.
pub(crate) fn ensure(place: &Place) -> Own {
    Own::insert_or_update(
        "diesel_versioned_leases \
         (table_name, row_key, holder, token, acquired_at, expires_at, released_at)",
        "table_name, row_key",
        |insert| {
            insert
                .text(place.table.clone())
                .sql(", ")
                .text(place.key.clone())
                .sql(", '', 0, 0, 0, 0")
        },
        // Nothing changes; the row is locked.
        "token = diesel_versioned_leases.token",
    )
}

/// Reads the lease of a row as it is now, and locks it.
pub(crate) fn lock(place: &Place) -> Reading<Stands> {
    select(place).lock_write().reading()
}

/// Reads the lease of a row, without waiting for anybody.
pub(crate) fn look(place: &Place) -> Reading<Stands> {
    select(place).reading()
}

/// The database's clock beside the row, so that one machine's clock decides.
fn select(place: &Place) -> Own {
    Own::new("SELECT holder, token, acquired_at, expires_at, released_at, ")
        .unix_millis()
        .sql(" FROM diesel_versioned_leases")
        .of(place)
}

/// Gives the lease to a holder under a number.
pub(crate) fn take(place: &Place, holder: &str, token: i64, ttl: Duration) -> Own {
    Own::new("UPDATE diesel_versioned_leases SET holder = ")
        .text(holder.to_owned())
        .sql(", token = ")
        .number(token)
        .sql(", acquired_at = ")
        .unix_millis()
        .sql(", expires_at = ")
        .unix_millis()
        .sql(" + ")
        .number(millis(ttl))
        .sql(", released_at = NULL")
        .of(place)
}

/// Lets the lease last so long from now.
pub(crate) fn renew(place: &Place, ttl: Duration) -> Own {
    Own::new("UPDATE diesel_versioned_leases SET expires_at = ")
        .unix_millis()
        .sql(" + ")
        .number(millis(ttl))
        .of(place)
}

/// Ends the lease now. Its number stays.
pub(crate) fn release(place: &Place) -> Own {
    Own::new("UPDATE diesel_versioned_leases SET expires_at = ")
        .unix_millis()
        .sql(", released_at = ")
        .unix_millis()
        .of(place)
}

/// Removes what is over for longer than this.
pub(crate) fn forget(over_for: Duration) -> Own {
    Own::new("DELETE FROM diesel_versioned_leases WHERE expires_at < ")
        .unix_millis()
        .sql(" - ")
        .number(millis(over_for))
}

impl Own {
    fn of(self, place: &Place) -> Self {
        self.sql(" WHERE table_name = ")
            .text(place.table.clone())
            .sql(" AND row_key = ")
            .text(place.key.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use diesel::debug_query;
    use diesel::query_builder::QueryFragment;
    use diesel::sqlite::Sqlite;

    use super::{ensure, forget, lock, look, release, renew, take};
    use crate::lease::Place;

    const HOUR: Duration = Duration::from_secs(3_600);

    fn binds(statement: &impl QueryFragment<Sqlite>) -> String {
        let text = debug_query::<Sqlite, _>(statement).to_string();
        text.split_once(" -- binds: ").expect("binds").1.to_owned()
    }

    /// However wrong a client's clock is, nothing of it reaches the database.
    #[test]
    fn no_statement_binds_a_time() {
        let place = Place {
            table: "documents".to_owned(),
            key: "7".to_owned(),
        };
        let row = r#"["documents", "7"]"#;
        for binds in [
            binds(&ensure(&place)),
            binds(&lock(&place)),
            binds(&look(&place)),
            binds(&release(&place)),
        ] {
            assert_eq!(binds, row);
        }
        let taken = r#"["maria", 12, 3600000, "documents", "7"]"#;
        assert_eq!(binds(&take(&place, "maria", 12, HOUR)), taken);
        let renewed = r#"[3600000, "documents", "7"]"#;
        assert_eq!(binds(&renew(&place, HOUR)), renewed);
        assert_eq!(binds(&forget(HOUR)), "[3600000]");
    }
}
