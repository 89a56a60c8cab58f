//! The journal: which rows of a price list were applied, so that no quantity counts twice.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use diesel::dsl::max;
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error};

use crate::database::Database;
use crate::input::Row;

diesel::table! {
    imports (id) {
        id -> BigInt,
        source -> Text,
        pass -> BigInt,
    }
}

diesel::table! {
    import_journal (id) {
        id -> BigInt,
        import_id -> BigInt,
        source_row -> BigInt,
        product_id -> BigInt,
        price_cents -> BigInt,
        quantity -> BigInt,
    }
}

/// How many rows one statement inserts.
const INSERT: usize = 500;

/// Goes on with the import of a price list, or begins it: its id.
pub(crate) fn import(db: &mut Database, source: &str, anew: bool) -> QueryResult<i64> {
    let of_source = imports::table.filter(imports::source.eq(source));
    let last: Option<i64> = of_source.select(max(imports::pass)).first(db)?;
    let pass = match last {
        Some(pass) if !anew => pass,
        last => last.unwrap_or(0) + 1,
    };
    if last != Some(pass) {
        let begin = (imports::source.eq(source), imports::pass.eq(pass));
        match diesel::insert_into(imports::table)
            .values(begin)
            .execute(db)
        {
            // Another process has begun it just now: they share the work.
            Ok(_) | Err(Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _)) => {}
            Err(error) => return Err(error),
        }
    }
    of_source
        .filter(imports::pass.eq(pass))
        .select(imports::id)
        .first(db)
}

/// The numbers of those rows that are applied already. `rows` are in the order of the file.
pub(crate) fn applied(db: &mut Database, import: i64, rows: &[Row]) -> QueryResult<HashSet<u64>> {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
        return Ok(HashSet::new());
    };
    let numbers = import_journal::table
        .filter(import_journal::import_id.eq(import))
        .filter(import_journal::source_row.between(source_row(first), source_row(last)))
        .select(import_journal::source_row)
        .load::<i64>(db)?;
    Ok(numbers
        .into_iter()
        .filter_map(|number| u64::try_from(number).ok())
        .collect())
}

/// What is applied.
#[derive(Debug)]
struct Entry {
    source_row: i64,
    product_id: i64,
    price_cents: i64,
    quantity: i64,
}

/// The lines of one unit, written in its transaction. Clones share them: the unit holds one, and
/// whoever takes rows out of the unit holds another.
#[derive(Debug, Clone)]
pub(crate) struct Journal {
    import: i64,
    entries: Arc<Mutex<Vec<Entry>>>,
}

impl Journal {
    pub(crate) fn new(import: i64) -> Self {
        Self {
            import,
            entries: Arc::default(),
        }
    }

    /// Replaces the lines by these: the id of the product, and the row that is applied to it.
    pub(crate) fn fill<'r>(&self, rows: impl Iterator<Item = (i64, &'r Row)>) {
        *self.entries() = rows
            .map(|(product_id, row)| Entry {
                source_row: source_row(row),
                product_id,
                price_cents: row.price.0,
                quantity: row.quantity,
            })
            .collect();
    }

    /// Writes the lines.
    pub(crate) fn write(&self, db: &mut Database) -> QueryResult<()> {
        for entries in self.entries().chunks(INSERT) {
            let lines: Vec<_> = entries
                .iter()
                .map(|entry| {
                    (
                        import_journal::import_id.eq(self.import),
                        import_journal::source_row.eq(entry.source_row),
                        import_journal::product_id.eq(entry.product_id),
                        import_journal::price_cents.eq(entry.price_cents),
                        import_journal::quantity.eq(entry.quantity),
                    )
                })
                .collect();
            let insert = diesel::insert_into(import_journal::table).values(lines);
            // Diesel inserts several rows through a connection of one backend only.
            match db {
                Database::Sqlite(conn) => insert.execute(conn)?,
                #[cfg(feature = "postgres")]
                Database::Postgres(conn) => insert.execute(conn)?,
                #[cfg(feature = "mysql")]
                Database::Mysql(conn) => insert.execute(conn)?,
            };
        }
        Ok(())
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A row's number as the table has it.
fn source_row(row: &Row) -> i64 {
    i64::try_from(row.number).unwrap_or(i64::MAX)
}
