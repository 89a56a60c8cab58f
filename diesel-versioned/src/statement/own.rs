//! Statements about the library's own tables: SQL, bound values, rows of texts and numbers.

use std::marker::PhantomData;

use diesel::QueryResult;
use diesel::deserialize::FromSql;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::{Error, UnexpectedNullError};
use diesel::row::Row;
use diesel::serialize::ToSql;
use diesel::sql_types::{BigInt, HasSqlType, Nullable, Text};

use crate::backend::Dialect;

/// A database that the library's own tables can be kept in: one that has texts and 64-bit integers.
#[diagnostic::on_unimplemented(
    message = "the database `{Self}` cannot hold the tables of diesel-versioned",
    label = "cannot bind `Text` and `BigInt`",
    note = "for a `#[derive(MultiConnection)]` enum, write `impl diesel_versioned::Dialect for MultiBackend`"
)]
pub trait OwnTables: Dialect + HasSqlType<Text> + HasSqlType<BigInt> {
    #[doc(hidden)]
    fn bind_text<'b>(text: &'b Option<String>, out: &mut AstPass<'_, 'b, Self>) -> QueryResult<()>;

    #[doc(hidden)]
    fn bind_number<'b>(number: &'b Option<i64>, out: &mut AstPass<'_, 'b, Self>)
    -> QueryResult<()>;

    #[doc(hidden)]
    fn text<'a>(row: &impl Row<'a, Self>, index: usize) -> QueryResult<Option<String>>;

    #[doc(hidden)]
    fn number<'a>(row: &impl Row<'a, Self>, index: usize) -> QueryResult<Option<i64>>;
}

#[diagnostic::do_not_recommend]
impl<DB> OwnTables for DB
where
    DB: Dialect + HasSqlType<Text> + HasSqlType<BigInt>,
    str: ToSql<Text, DB>,
    i64: ToSql<BigInt, DB>,
    Option<String>: ToSql<Nullable<Text>, DB> + FromSql<Nullable<Text>, DB>,
    Option<i64>: ToSql<Nullable<BigInt>, DB> + FromSql<Nullable<BigInt>, DB>,
{
    // A value that is there is bound as one that cannot be null: PostgreSQL and MySQL take either,
    // and the text of a statement is the same.
    fn bind_text<'b>(text: &'b Option<String>, out: &mut AstPass<'_, 'b, Self>) -> QueryResult<()> {
        match text {
            Some(text) => out.push_bind_param::<Text, str>(text),
            None => out.push_bind_param::<Nullable<Text>, Option<String>>(text),
        }
    }

    fn bind_number<'b>(
        number: &'b Option<i64>,
        out: &mut AstPass<'_, 'b, Self>,
    ) -> QueryResult<()> {
        match number {
            Some(number) => out.push_bind_param::<BigInt, i64>(number),
            None => out.push_bind_param::<Nullable<BigInt>, Option<i64>>(number),
        }
    }

    fn text<'a>(row: &impl Row<'a, Self>, index: usize) -> QueryResult<Option<String>> {
        row.get_value::<Nullable<Text>, _, _>(index)
            .map_err(Error::DeserializationError)
    }

    fn number<'a>(row: &impl Row<'a, Self>, index: usize) -> QueryResult<Option<i64>> {
        row.get_value::<Nullable<BigInt>, _, _>(index)
            .map_err(Error::DeserializationError)
    }
}

/// A statement about the library's own tables, put together from the left to the right. Its values
/// are bound, so the text is the same each time and the prepared statement is found by it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Own {
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Sql(&'static str),
    Text(Option<String>),
    Json(Option<String>),
    Number(Option<i64>),
    UnixMillis,
    InsertOrSkip,
    OrSkip,
    OrUpdate(&'static str),
    LockCurrent,
    LockWrite,
}

impl Own {
    /// Begins with SQL.
    pub(crate) fn new(sql: &'static str) -> Self {
        Self {
            pieces: vec![Piece::Sql(sql)],
        }
    }

    /// Goes on with SQL.
    pub(crate) fn sql(self, sql: &'static str) -> Self {
        self.and(Piece::Sql(sql))
    }

    /// A text, or `None` for NULL.
    pub(crate) fn text(self, text: impl Into<Option<String>>) -> Self {
        self.and(Piece::Text(text.into()))
    }

    /// A text that is JSON, for a column of the type that the database has for it.
    pub(crate) fn json(self, text: impl Into<Option<String>>) -> Self {
        self.and(Piece::Json(text.into()))
    }

    /// A number, or `None` for NULL.
    pub(crate) fn number(self, number: impl Into<Option<i64>>) -> Self {
        self.and(Piece::Number(number.into()))
    }

    /// The database's clock: milliseconds since 1970 in UTC, a 64-bit integer.
    pub(crate) fn unix_millis(self) -> Self {
        self.and(Piece::UnixMillis)
    }

    /// Inserts a row unless there is one with its key; `into` is the table with its columns.
    pub(crate) fn insert_or_skip(into: &'static str, values: impl FnOnce(Self) -> Self) -> Self {
        let insert = Self {
            pieces: vec![Piece::InsertOrSkip],
        };
        values(insert.sql(into).sql(" VALUES ("))
            .sql(")")
            .and(Piece::OrSkip)
    }

    /// Inserts a row, or updates the one that has its key already; `into` is the table with its
    /// columns, `key` the columns of the key, and `set` what follows SET.
    pub(crate) fn insert_or_update(
        into: &'static str,
        key: &'static str,
        values: impl FnOnce(Self) -> Self,
        set: &'static str,
    ) -> Self {
        values(Self::new("INSERT INTO ").sql(into).sql(" VALUES ("))
            .sql(")")
            .and(Piece::OrUpdate(key))
            .sql(set)
    }

    /// Locks the row against other writers, and shows it as it is now.
    pub(crate) fn lock_write(self) -> Self {
        self.and(Piece::LockWrite)
    }

    /// Shows the row as it is now, never an older snapshot.
    pub(crate) fn lock_current(self) -> Self {
        self.and(Piece::LockCurrent)
    }

    /// The same as a query whose rows are read as `R`: a tuple of `String`, `i64` and `Option`s of
    /// them.
    pub(crate) fn reading<R>(self) -> Reading<R> {
        Reading {
            statement: self,
            rows: PhantomData,
        }
    }

    fn and(mut self, piece: Piece) -> Self {
        self.pieces.push(piece);
        self
    }
}

impl<DB: OwnTables> QueryFragment<DB> for Own {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let syntax = out.backend().syntax();
        for piece in &self.pieces {
            match piece {
                Piece::Sql(sql) => out.push_sql(sql),
                Piece::Text(text) => DB::bind_text(text, &mut out)?,
                Piece::Number(number) => DB::bind_number(number, &mut out)?,
                Piece::Json(text) => match syntax.json_type {
                    Some(json_type) => {
                        out.push_sql("CAST(");
                        DB::bind_text(text, &mut out)?;
                        out.push_sql(" AS ");
                        out.push_sql(json_type);
                        out.push_sql(")");
                    }
                    None => DB::bind_text(text, &mut out)?,
                },
                Piece::UnixMillis => match syntax.unix_millis {
                    Some(sql) => out.push_sql(sql),
                    None => return Err(no_clock()),
                },
                Piece::InsertOrSkip => out.push_sql(syntax.insert_or_skip.0),
                Piece::OrSkip => out.push_sql(syntax.insert_or_skip.1),
                Piece::OrUpdate(key) => match syntax.insert_or_update {
                    (taken, "") => out.push_sql(taken),
                    (before, after) => {
                        out.push_sql(before);
                        out.push_sql(key);
                        out.push_sql(after);
                    }
                },
                Piece::LockCurrent | Piece::LockWrite => {
                    if syntax.prepare_locking_reads_anew {
                        out.unsafe_to_cache_prepared();
                    }
                    out.push_sql(if *piece == Piece::LockWrite {
                        syntax.lock_write
                    } else {
                        syntax.lock_current
                    });
                }
            }
        }
        Ok(())
    }
}

impl QueryId for Own {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

/// A statement whose rows are read as `R`.
#[derive(Debug, Clone)]
pub(crate) struct Reading<R> {
    statement: Own,
    rows: PhantomData<fn() -> R>,
}

impl<R, DB: OwnTables> QueryFragment<DB> for Reading<R> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.statement.walk_ast(out)
    }
}

impl<R: OwnRow> Query for Reading<R> {
    type SqlType = R::SqlType;
}

impl<R> QueryId for Reading<R> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

/// A row of the library's own tables: a tuple of [`OwnColumn`]s.
pub(crate) trait OwnRow: Sized {
    /// The SQL type of the row.
    type SqlType;

    /// Takes the values out of a row, from the left to the right.
    fn read<'a, DB: OwnTables>(row: &impl Row<'a, DB>) -> QueryResult<Self>;
}

/// A value in a row of the library's own tables.
pub(crate) trait OwnColumn: Sized {
    /// The SQL type of the column.
    type SqlType;

    /// Takes the value out of a row.
    fn read<'a, DB: OwnTables>(row: &impl Row<'a, DB>, index: usize) -> QueryResult<Self>;
}

impl OwnColumn for Option<String> {
    type SqlType = Nullable<Text>;

    fn read<'a, DB: OwnTables>(row: &impl Row<'a, DB>, index: usize) -> QueryResult<Self> {
        DB::text(row, index)
    }
}

impl OwnColumn for Option<i64> {
    type SqlType = Nullable<BigInt>;

    fn read<'a, DB: OwnTables>(row: &impl Row<'a, DB>, index: usize) -> QueryResult<Self> {
        DB::number(row, index)
    }
}

impl OwnColumn for String {
    type SqlType = Text;

    fn read<'a, DB: OwnTables>(row: &impl Row<'a, DB>, index: usize) -> QueryResult<Self> {
        DB::text(row, index)?.ok_or_else(null)
    }
}

impl OwnColumn for i64 {
    type SqlType = BigInt;

    fn read<'a, DB: OwnTables>(row: &impl Row<'a, DB>, index: usize) -> QueryResult<Self> {
        DB::number(row, index)?.ok_or_else(null)
    }
}

macro_rules! own_row {
    ($($column:ident $index:tt),+) => {
        impl<$($column: OwnColumn),+> OwnRow for ($($column,)+) {
            type SqlType = ($($column::SqlType,)+);

            fn read<'a, DB: OwnTables>(row: &impl Row<'a, DB>) -> QueryResult<Self> {
                Ok(($($column::read(row, $index)?,)+))
            }
        }
    };
}

own_row!(A 0);
own_row!(A 0, B 1);
own_row!(A 0, B 1, C 2);
own_row!(A 0, B 1, C 2, D 3);
own_row!(A 0, B 1, C 2, D 3, E 4);
own_row!(A 0, B 1, C 2, D 3, E 4, F 5);

fn null() -> Error {
    Error::DeserializationError(Box::new(UnexpectedNullError))
}

#[cold]
fn no_clock() -> Error {
    let problem = "it is not known how to ask this database for its clock; hand \
                   `Dialect::syntax` on to the backend that is inside";
    Error::QueryBuilderError(problem.into())
}

#[cfg(test)]
mod tests {
    use diesel::connection::{Connection, DefaultLoadingMode, LoadConnection};
    use diesel::query_builder::QueryFragment;
    use diesel::sqlite::{Sqlite, SqliteConnection};
    use diesel::{QueryResult, debug_query};

    use super::{Own, OwnRow, Reading};

    fn connection() -> SqliteConnection {
        SqliteConnection::establish(":memory:").expect("memory is there")
    }

    fn rows<R: OwnRow>(statement: Reading<R>) -> QueryResult<Vec<R>>
    where
        Sqlite: diesel::expression::QueryMetadata<R::SqlType>,
    {
        let mut conn = connection();
        let rows = LoadConnection::<DefaultLoadingMode>::load(&mut conn, statement)?;
        rows.map(|row| R::read(&row?)).collect()
    }

    #[test]
    fn values_are_bound() {
        let statement = Own::new("UPDATE t SET a = ")
            .text("x'y".to_owned())
            .sql(", b = ")
            .number(7)
            .sql(", c = ")
            .text(None);
        assert_eq!(
            debug_query::<Sqlite, _>(&statement).to_string(),
            r#"UPDATE t SET a = ?, b = ?, c = ? -- binds: ["x'y", 7, None]"#
        );
        assert!(statement.is_safe_to_cache_prepared(&Sqlite).unwrap());
    }

    #[test]
    fn rows_are_read_by_their_types() {
        let select = || {
            Own::new("SELECT ")
                .text("a".to_owned())
                .sql(", ")
                .number(i64::MAX)
                .sql(", NULL, NULL")
        };
        assert_eq!(
            rows(select().reading::<(String, i64, Option<String>, Option<i64>)>()).unwrap(),
            [("a".to_owned(), i64::MAX, None, None)]
        );
        assert!(rows(select().reading::<(String, i64, String)>()).is_err());
    }

    #[derive(diesel::MultiConnection)]
    enum AnyConnection {
        Sqlite(SqliteConnection),
    }

    impl crate::Dialect for MultiBackend {}

    #[test]
    fn a_backend_of_several_can_hold_them() {
        let mut conn = AnyConnection::Sqlite(connection());
        let select = Own::new("SELECT ").text("a".to_owned()).sql(", ").number(7);
        let select = select.reading::<(String, i64)>();
        let mut rows = LoadConnection::<DefaultLoadingMode>::load(&mut conn, select).unwrap();
        let row = rows.next().unwrap().unwrap();
        assert_eq!(<(String, i64)>::read(&row).unwrap(), ("a".to_owned(), 7));
        drop((row, rows));

        let clock = Own::new("SELECT ").unix_millis();
        let error = conn.execute_returning_count(&clock).unwrap_err();
        assert!(error.to_string().contains("`Dialect::syntax`"), "{error}");
    }

    #[test]
    fn the_clock_is_that_of_the_system() {
        let rows: Vec<(i64,)> = rows(Own::new("SELECT ").unix_millis().reading()).unwrap();
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let now = i64::try_from(now.unwrap().as_millis()).unwrap();
        assert!((now - rows[0].0).abs() < 600_000, "{now} {rows:?}");
    }
}
