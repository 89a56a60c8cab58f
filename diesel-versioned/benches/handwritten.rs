//! Set-based updates as one would write them by hand for this one table.
//!
//! Each carries the guard per row. They bind less than the library does, for they know that a
//! version is a number that the database can add one to.

use diesel::QueryResult;
use diesel::backend::Backend;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, HasSqlType, Integer, Text};

use crate::product::Product;

/// The form of a set-based update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `UPDATE … FROM (VALUES …)`
    Values,
    /// The same, with the rows locked in key order first.
    LockedValues,
    /// `UPDATE … FROM unnest($1, $2, …)`: an array per column.
    Unnest,
    /// The same, with the rows locked in key order first.
    LockedUnnest,
    /// `CASE id WHEN ? THEN ? … END`
    Case,
    /// `UPDATE … JOIN (SELECT ? … UNION ALL SELECT ? …)`
    Join,
    /// `UPDATE … JOIN (SELECT ? … UNION ALL VALUES (?, …), …)`, MariaDB only.
    JoinValues,
    /// `UPDATE … JOIN JSON_TABLE(?, …)`
    JsonTable,
}

/// A set-based update of some rows; `version` is what each of them expects.
#[derive(Debug)]
pub struct SetBased<'a> {
    /// How it is written.
    pub form: Form,
    /// What is written.
    pub rows: &'a [Product],
}

impl<DB> QueryFragment<DB> for SetBased<'_>
where
    DB: Backend + HasSqlType<Integer> + HasSqlType<BigInt> + HasSqlType<Text>,
    i32: ToSql<Integer, DB>,
    i64: ToSql<BigInt, DB>,
    String: ToSql<Text, DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        match self.form {
            Form::Values => {
                out.push_sql(SET_FROM);
                values(self.rows, &mut out)?;
                out.push_sql(WHERE_COLUMNS);
            }
            Form::LockedValues => {
                out.push_sql("WITH v AS MATERIALIZED (SELECT v.* FROM ");
                values(self.rows, &mut out)?;
                out.push_sql(
                    " JOIN products AS t ON t.id = v.column1 ORDER BY v.column1 \
                     FOR NO KEY UPDATE OF t) ",
                );
                out.push_sql(SET_FROM);
                out.push_sql("v");
                out.push_sql(WHERE_COLUMNS);
            }
            Form::Case => case(self.rows, &mut out)?,
            Form::Join => join(self.rows, " UNION ALL SELECT ", "", &mut out)?,
            Form::JoinValues => match self.rows {
                [] | [_] => join(self.rows, "", "", &mut out)?,
                _ => join(self.rows, ", (", ")", &mut out)?,
            },
            Form::Unnest | Form::LockedUnnest | Form::JsonTable => {
                unreachable!("this form binds other values")
            }
        }
        Ok(())
    }
}

impl QueryId for SetBased<'_> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

const SET_FROM: &str = "UPDATE products SET name = v.column3, price_cents = v.column4, \
    stock = v.column5, reserved = v.column6, version = version + 1 FROM ";

const WHERE_COLUMNS: &str = " WHERE products.id = v.column1 AND products.version = v.column2";

const JOIN_SET: &str = ") AS v ON products.id = v.id AND products.version = v.version SET \
    products.name = v.name, products.price_cents = v.price_cents, products.stock = v.stock, \
    products.reserved = v.reserved, products.version = products.version + 1";

fn values<'b, DB>(rows: &'b [Product], out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()>
where
    DB: Backend + HasSqlType<Integer> + HasSqlType<BigInt> + HasSqlType<Text>,
    i32: ToSql<Integer, DB>,
    i64: ToSql<BigInt, DB>,
    String: ToSql<Text, DB>,
{
    let mut opening = "(VALUES (";
    for row in rows {
        out.push_sql(opening);
        opening = ", (";
        row_of(row, out)?;
        out.push_sql(")");
    }
    out.push_sql(") AS v");
    Ok(())
}

fn row_of<'b, DB>(row: &'b Product, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()>
where
    DB: Backend + HasSqlType<Integer> + HasSqlType<BigInt> + HasSqlType<Text>,
    i32: ToSql<Integer, DB>,
    i64: ToSql<BigInt, DB>,
    String: ToSql<Text, DB>,
{
    out.push_bind_param::<Integer, _>(&row.id)?;
    out.push_sql(", ");
    out.push_bind_param::<Integer, _>(&row.version)?;
    out.push_sql(", ");
    out.push_bind_param::<Text, _>(&row.name)?;
    out.push_sql(", ");
    out.push_bind_param::<BigInt, _>(&row.price_cents)?;
    out.push_sql(", ");
    out.push_bind_param::<Integer, _>(&row.stock)?;
    out.push_sql(", ");
    out.push_bind_param::<Integer, _>(&row.reserved)
}

fn case<'b, DB>(rows: &'b [Product], out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()>
where
    DB: Backend + HasSqlType<Integer> + HasSqlType<BigInt> + HasSqlType<Text>,
    i32: ToSql<Integer, DB>,
    i64: ToSql<BigInt, DB>,
    String: ToSql<Text, DB>,
{
    let mut opening = "UPDATE products SET ";
    for (column, name) in ["name", "price_cents", "stock", "reserved"]
        .into_iter()
        .enumerate()
    {
        out.push_sql(opening);
        opening = " END, ";
        out.push_sql(name);
        out.push_sql(" = CASE id");
        for row in rows {
            out.push_sql(" WHEN ");
            out.push_bind_param::<Integer, _>(&row.id)?;
            out.push_sql(" THEN ");
            match column {
                0 => out.push_bind_param::<Text, _>(&row.name)?,
                1 => out.push_bind_param::<BigInt, _>(&row.price_cents)?,
                2 => out.push_bind_param::<Integer, _>(&row.stock)?,
                _ => out.push_bind_param::<Integer, _>(&row.reserved)?,
            }
        }
    }
    let mut opening = " END, version = version + 1 WHERE (id, version) IN ((";
    for row in rows {
        out.push_sql(opening);
        opening = "), (";
        out.push_bind_param::<Integer, _>(&row.id)?;
        out.push_sql(", ");
        out.push_bind_param::<Integer, _>(&row.version)?;
    }
    out.push_sql("))");
    Ok(())
}

fn join<'b, DB>(
    rows: &'b [Product],
    separator: &str,
    end: &str,
    out: &mut AstPass<'_, 'b, DB>,
) -> QueryResult<()>
where
    DB: Backend + HasSqlType<Integer> + HasSqlType<BigInt> + HasSqlType<Text>,
    i32: ToSql<Integer, DB>,
    i64: ToSql<BigInt, DB>,
    String: ToSql<Text, DB>,
{
    let Some((first, rest)) = rows.split_first() else {
        return Ok(());
    };
    out.push_sql("UPDATE products JOIN (SELECT ");
    out.push_bind_param::<Integer, _>(&first.id)?;
    out.push_sql(" AS id, ");
    out.push_bind_param::<Integer, _>(&first.version)?;
    out.push_sql(" AS version, ");
    out.push_bind_param::<Text, _>(&first.name)?;
    out.push_sql(" AS name, ");
    out.push_bind_param::<BigInt, _>(&first.price_cents)?;
    out.push_sql(" AS price_cents, ");
    out.push_bind_param::<Integer, _>(&first.stock)?;
    out.push_sql(" AS stock, ");
    out.push_bind_param::<Integer, _>(&first.reserved)?;
    out.push_sql(" AS reserved");
    for (position, row) in rest.iter().enumerate() {
        if position == 0 && !end.is_empty() {
            out.push_sql(" UNION ALL VALUES (");
        } else {
            out.push_sql(separator);
        }
        row_of(row, out)?;
        out.push_sql(end);
    }
    out.push_sql(JOIN_SET);
    Ok(())
}

/// `unnest` of an array per column, which only PostgreSQL has.
#[cfg(feature = "postgres")]
pub mod unnest {
    use diesel::pg::Pg;
    use diesel::prelude::*;
    use diesel::query_builder::{AstPass, QueryFragment, QueryId};
    use diesel::sql_types::{Array, BigInt, Integer, Text};

    use crate::product::Product;

    /// One array per column; one SQL text for every number of rows.
    #[derive(Debug)]
    pub struct Unnest<'a> {
        locked: bool,
        id: Vec<i32>,
        version: Vec<i32>,
        name: Vec<&'a str>,
        price_cents: Vec<i64>,
        stock: Vec<i32>,
        reserved: Vec<i32>,
    }

    impl<'a> Unnest<'a> {
        /// The columns of some rows.
        pub fn new(rows: &'a [Product], locked: bool) -> Self {
            Self {
                locked,
                id: rows.iter().map(|row| row.id).collect(),
                version: rows.iter().map(|row| row.version).collect(),
                name: rows.iter().map(|row| row.name.as_str()).collect(),
                price_cents: rows.iter().map(|row| row.price_cents).collect(),
                stock: rows.iter().map(|row| row.stock).collect(),
                reserved: rows.iter().map(|row| row.reserved).collect(),
            }
        }

        fn arrays<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
            out.push_sql("unnest(");
            out.push_bind_param::<Array<Integer>, _>(&self.id)?;
            out.push_sql(", ");
            out.push_bind_param::<Array<Integer>, _>(&self.version)?;
            out.push_sql(", ");
            out.push_bind_param::<Array<Text>, _>(&self.name)?;
            out.push_sql(", ");
            out.push_bind_param::<Array<BigInt>, _>(&self.price_cents)?;
            out.push_sql(", ");
            out.push_bind_param::<Array<Integer>, _>(&self.stock)?;
            out.push_sql(", ");
            out.push_bind_param::<Array<Integer>, _>(&self.reserved)?;
            out.push_sql(") AS v (column1, column2, column3, column4, column5, column6)");
            Ok(())
        }
    }

    impl QueryFragment<Pg> for Unnest<'_> {
        fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
            if self.locked {
                out.push_sql("WITH v AS MATERIALIZED (SELECT v.* FROM ");
                self.arrays(&mut out)?;
                out.push_sql(
                    " JOIN products AS t ON t.id = v.column1 ORDER BY v.column1 \
                     FOR NO KEY UPDATE OF t) ",
                );
                out.push_sql(super::SET_FROM);
                out.push_sql("v");
            } else {
                out.push_sql(super::SET_FROM);
                self.arrays(&mut out)?;
            }
            out.push_sql(super::WHERE_COLUMNS);
            Ok(())
        }
    }

    impl QueryId for Unnest<'_> {
        type QueryId = ();

        const HAS_STATIC_QUERY_ID: bool = false;
    }
}

/// One JSON text for all rows, which MySQL 8 and MariaDB 10.6 take apart.
#[cfg(feature = "mysql")]
pub mod json_table {
    use std::fmt::Write;

    use diesel::mysql::Mysql;
    use diesel::prelude::*;
    use diesel::query_builder::{AstPass, QueryFragment, QueryId};
    use diesel::sql_types::Text;

    use crate::product::Product;

    /// One value bound; one SQL text for every number of rows.
    #[derive(Debug)]
    pub struct JsonTable {
        json: String,
    }

    impl JsonTable {
        /// The rows as text. Names here need no escape.
        pub fn new(rows: &[Product]) -> Self {
            let mut json = String::with_capacity(rows.len() * 64);
            for row in rows {
                let opening = if json.is_empty() { "[" } else { "," };
                write!(
                    json,
                    "{opening}[{},{},\"{}\",{},{},{}]",
                    row.id, row.version, row.name, row.price_cents, row.stock, row.reserved
                )
                .expect("a string takes everything");
            }
            json.push(']');
            Self { json }
        }
    }

    impl QueryFragment<Mysql> for JsonTable {
        fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Mysql>) -> QueryResult<()> {
            out.push_sql("UPDATE products JOIN (SELECT * FROM JSON_TABLE(");
            out.push_bind_param::<Text, _>(&self.json)?;
            out.push_sql(
                ", '$[*]' COLUMNS (id INT PATH '$[0]', version INT PATH '$[1]', \
                 name VARCHAR(100) PATH '$[2]', price_cents BIGINT PATH '$[3]', \
                 stock INT PATH '$[4]', reserved INT PATH '$[5]')) AS j",
            );
            out.push_sql(super::JOIN_SET);
            Ok(())
        }
    }

    impl QueryId for JsonTable {
        type QueryId = ();

        const HAS_STATIC_QUERY_ID: bool = false;
    }
}
