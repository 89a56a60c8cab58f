//! The databases, with what is written by hand in Diesel on each: its types allow no generic code.

use diesel::connection::{LoadConnection, SimpleConnection};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Integer;
use diesel_versioned::{BlockingSet, Dialect, Holds, UnitOfWork, VersionedDsl};

#[cfg(feature = "mysql")]
use crate::handwritten::json_table::JsonTable;
#[cfg(feature = "postgres")]
use crate::handwritten::unnest::Unnest;
use crate::handwritten::{Form, SetBased};
use crate::product::{Product, products};

/// A connection to one of the databases, and what its rivals do on it.
pub trait Server: LoadConnection<Backend: Dialect> + Sized + 'static {
    /// The name in tables.
    const NAME: &'static str;

    /// The forms of a set-based update that the database understands.
    const FORMS: &'static [Form];

    /// A connection to a database of its own, with an empty table.
    fn connect() -> Self;

    /// The number of the server's thread that works for this connection, on this machine.
    fn server_thread(&mut self) -> Option<i32>;

    /// `save`.
    fn save(&mut self, product: &mut Product);

    /// Attaches the rows to a unit, changes them and commits.
    fn commit_unit(&mut self, rows: Vec<Product>);

    /// Attaches the rows to a unit and changes them; what is returned commits it.
    fn dirty_unit(rows: Vec<Product>) -> Box<dyn FnOnce(&mut Self)>;

    /// Inserts in a unit.
    fn insert_unit(&mut self, rows: Vec<Product>);

    /// The guarded update of one row as a user of Diesel writes it.
    fn update_by_hand(&mut self, product: &Product) -> QueryResult<usize>;

    /// Diesel's own batch insert of at most so many rows.
    fn insert_by_hand(&mut self, rows: &[Product]) -> QueryResult<usize>;

    /// A set-based update of at most so many rows.
    fn update_set(&mut self, form: Form, rows: &[Product]) -> QueryResult<usize>;

    /// SQL that removes what earlier writes left behind.
    const TIDY: &'static str;

    /// Removes what earlier writes left behind.
    fn tidy(&mut self) {
        self.batch_execute(Self::TIDY).expect("the table is there");
    }

    /// Removes every row.
    fn clear(&mut self) {
        self.batch_execute("DELETE FROM products")
            .expect("the table is there");
        self.tidy();
    }
}

/// The columns, where only the type of the key and of text differ.
fn table(text: &str, end: &str) -> String {
    format!(
        "CREATE TABLE products (id INTEGER NOT NULL PRIMARY KEY, name {text} NOT NULL,
         price_cents BIGINT NOT NULL, stock INTEGER NOT NULL, reserved INTEGER NOT NULL,
         version INTEGER NOT NULL){end}"
    )
}

/// The URL of a server.
#[cfg(any(feature = "postgres", feature = "mysql"))]
fn url(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| {
        panic!("{variable} is not set; run this through `scripts/test --with-servers`")
    })
}

macro_rules! server {
    ($connection:ty, $name:literal, $tidy:literal, $thread:expr, $forms:expr, $connect:expr, $update:expr) => {
        impl Server for $connection {
            const NAME: &'static str = $name;
            const FORMS: &'static [Form] = $forms;
            const TIDY: &'static str = $tidy;

            fn connect() -> Self {
                $connect
            }

            fn server_thread(&mut self) -> Option<i32> {
                let query: Option<&str> = $thread;
                query.and_then(|query| diesel::select(sql::<Integer>(query)).get_result(self).ok())
            }

            fn save(&mut self, product: &mut Product) {
                product.save(self).expect("nobody else writes");
            }

            fn commit_unit(&mut self, rows: Vec<Product>) {
                commit_unit(self, rows);
            }

            fn dirty_unit(rows: Vec<Product>) -> Box<dyn FnOnce(&mut Self)> {
                dirty_unit(rows)
            }

            fn insert_unit(&mut self, rows: Vec<Product>) {
                insert_unit(self, rows);
            }

            fn update_by_hand(&mut self, product: &Product) -> QueryResult<usize> {
                diesel::update(products::table)
                    .filter(products::id.eq(product.id))
                    .filter(products::version.eq(product.version))
                    .set((
                        products::name.eq(&product.name),
                        products::price_cents.eq(product.price_cents),
                        products::stock.eq(product.stock),
                        products::reserved.eq(product.reserved),
                        products::version.eq(product.version + 1),
                    ))
                    .execute(self)
            }

            fn insert_by_hand(&mut self, rows: &[Product]) -> QueryResult<usize> {
                diesel::insert_into(products::table)
                    .values(rows)
                    .execute(self)
            }

            fn update_set(&mut self, form: Form, rows: &[Product]) -> QueryResult<usize> {
                $update(self, form, rows)
            }
        }
    };
}

server!(
    SqliteConnection,
    "SQLite",
    "",
    None,
    &[Form::Values],
    {
        let mut conn = Self::establish(":memory:").expect("memory is there");
        conn.batch_execute(&table("TEXT", "")).expect("valid SQL");
        conn
    },
    |conn: &mut Self, form, rows| conn.execute_returning_count(&SetBased { form, rows })
);

#[cfg(feature = "postgres")]
server!(
    PgConnection,
    "PostgreSQL",
    "VACUUM ANALYZE products",
    Some("pg_backend_pid()"),
    &[
        Form::Values,
        Form::LockedValues,
        Form::Unnest,
        Form::LockedUnnest
    ],
    {
        let mut conn = Self::establish(&url("PG_DATABASE_URL")).expect("the server is there");
        conn.batch_execute(&format!(
            "DROP SCHEMA IF EXISTS diesel_versioned_bench CASCADE;
             CREATE SCHEMA diesel_versioned_bench;
             SET search_path TO diesel_versioned_bench; {}",
            table("TEXT", "")
        ))
        .expect("valid SQL");
        conn
    },
    |conn: &mut Self, form, rows| match form {
        Form::Unnest => conn.execute_returning_count(&Unnest::new(rows, false)),
        Form::LockedUnnest => conn.execute_returning_count(&Unnest::new(rows, true)),
        _ => conn.execute_returning_count(&SetBased { form, rows }),
    }
);

#[cfg(feature = "mysql")]
server!(
    MysqlConnection,
    "MariaDB",
    "ANALYZE TABLE products",
    Some(
        "(SELECT CAST(tid AS INT) FROM information_schema.processlist WHERE id = CONNECTION_ID())"
    ),
    &[Form::Case, Form::Join, Form::JoinValues, Form::JsonTable],
    {
        let mut conn = Self::establish(&url("MYSQL_DATABASE_URL")).expect("the server is there");
        conn.batch_execute(&format!(
            "DROP DATABASE IF EXISTS diesel_versioned_bench;
             CREATE DATABASE diesel_versioned_bench; USE diesel_versioned_bench; {}",
            table("VARCHAR(100)", " ENGINE = InnoDB")
        ))
        .expect("valid SQL");
        conn
    },
    |conn: &mut Self, form, rows| match form {
        Form::JsonTable => conn.execute_returning_count(&JsonTable::new(rows)),
        _ => conn.execute_returning_count(&SetBased { form, rows }),
    }
);

fn commit_unit<C>(conn: &mut C, rows: Vec<Product>)
where
    C: LoadConnection<Backend: Dialect> + 'static,
    dyn BlockingSet<C>: Holds<Product>,
{
    dirty_unit(rows)(conn);
}

fn dirty_unit<C>(rows: Vec<Product>) -> Box<dyn FnOnce(&mut C)>
where
    C: LoadConnection<Backend: Dialect> + 'static,
    dyn BlockingSet<C>: Holds<Product>,
{
    let mut uow = UnitOfWork::<C>::new();
    let handles = uow.attach_all(rows).expect("each row once");
    for &handle in &handles {
        uow[handle].change();
    }
    Box::new(move |conn| {
        let done = uow.commit(conn).expect("nobody else writes");
        assert_eq!(done.len(), handles.len());
    })
}

fn insert_unit<C>(conn: &mut C, rows: Vec<Product>)
where
    C: LoadConnection<Backend: Dialect> + 'static,
    dyn BlockingSet<C>: Holds<Product>,
{
    let count = rows.len();
    let mut uow = UnitOfWork::<C>::new();
    for row in rows {
        uow.insert(row).expect("each row once");
    }
    let done = uow.commit(conn).expect("the rows are new");
    assert_eq!(done.len(), count);
}
