//! `UPDATE` with the program's own assignments and conditions, of one row by its key and of many. The
//! version moves on in it, and is not compared.

use diesel::QueryResult;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use diesel::result::Error;

use super::assigned::{Readable, check_assigned};
use super::bump::{Stepped, touched, walk_steps};
use super::target::{Entity, column, key_columns, list, marked, order_by_key, qualified};
use crate::backend::{BatchUpdateSyntax, Dialect};
use crate::entity::Bind;
use crate::outcome::alone_without_key;
use crate::version::NoVersion;

/// A condition that always holds.
#[derive(Debug, Clone, Copy)]
pub struct Always;

/// Two conditions, of which both must hold.
#[derive(Debug, Clone, Copy)]
pub struct Both<P, Q>(pub(crate) P, pub(crate) Q);

/// What can be asked of a row beside its key.
pub trait Condition<DB: Dialect> {
    #[doc(hidden)]
    fn walk_and<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()>;
}

impl<DB: Dialect> Condition<DB> for Always {
    fn walk_and<'b>(&'b self, _: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        Ok(())
    }
}

impl<DB: Dialect, P: Condition<DB>, Q: QueryFragment<DB>> Condition<DB> for Both<P, Q> {
    fn walk_and<'b>(&'b self, out: &mut AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk_and(out)?;
        out.push_sql(" AND (");
        self.1.walk_ast(out.reborrow())?;
        out.push_sql(")");
        Ok(())
    }
}

/// `UPDATE t SET stock = t.stock - ?, version = t.version + 1 WHERE id = ? AND (t.stock >= ?) AND
/// t.version < ?`
pub(crate) struct UpdateOne<'a, T: Entity<DB>, DB: Dialect, S, P> {
    from: T::From,
    key: &'a T::Key,
    set: &'a S,
    condition: &'a P,
    step: &'a Stepped<T>,
}

impl<'a, T: Entity<DB>, DB: Dialect, S, P> UpdateOne<'a, T, DB, S, P> {
    /// Writes the row with this key, if the condition holds.
    pub(crate) fn new(key: &'a T::Key, set: &'a S, condition: &'a P, step: &'a Stepped<T>) -> Self {
        Self {
            from: T::from_clause(),
            key,
            set,
            condition,
            step,
        }
    }
}

impl<T, DB, S, P> QueryFragment<DB> for UpdateOne<'_, T, DB, S, P>
where
    T: Entity<DB>,
    DB: Dialect,
    S: QueryFragment<DB>,
    P: Condition<DB>,
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        out.push_sql("UPDATE ");
        self.from.walk_ast(out.reborrow())?;
        out.push_sql(" SET ");
        self.set.walk_ast(out.reborrow())?;
        walk_steps::<T, DB>(
            self.step,
            T::VERSION_COLUMNS,
            ", ",
            &self.from,
            true,
            &mut out,
        )?;
        out.push_sql(" WHERE ");
        list(0..T::KEY_COUNT, " AND ", &mut out, |part, out| {
            column::<T, DB>(T::key_column(part), out)?;
            out.push_sql(" = ");
            T::bind_key(self.key, part, out)
        })?;
        self.condition.walk_and(&mut out)?;
        marked::<T, DB>(false, (" AND ", ""), Some(&self.from), &mut out)?;
        for (index, step) in self.step {
            if let Some(last) = step.last() {
                out.push_sql(" AND ");
                qualified::<T, DB>(&self.from, *index, &mut out)?;
                out.push_sql(" < ");
                T::bind_version(last, *index, &mut out)?;
            }
        }
        Ok(())
    }
}

impl<T: Entity<DB>, DB: Dialect, S, P> QueryId for UpdateOne<'_, T, DB, S, P> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

/// `UPDATE t SET price = t.price * ?, version = … WHERE …`; where the backend can, the rows are locked
/// in the order of their keys before any is written.
pub(crate) fn walk_update_where<'b, T, DB, F, S, P>(
    from: &'b F,
    set: &'b S,
    condition: &'b P,
    step: &'b Result<Stepped<T>, NoVersion>,
    mut out: AstPass<'_, 'b, DB>,
) -> QueryResult<()>
where
    T: Bind<DB>,
    DB: Dialect + Readable,
    F: QueryFragment<DB>,
    S: QueryFragment<DB>,
    P: QueryFragment<DB>,
{
    out.unsafe_to_cache_prepared();
    alone_without_key::<T>()?;
    let assigned = check_assigned::<T, DB, S>(set)?;
    let step = step.as_ref().map_err(no_version)?;
    let locks = out.backend().syntax().batch_update == BatchUpdateSyntax::LockedValues;
    let lock_write = out.backend().syntax().lock_write;
    let key = key_columns::<T>();
    if locks {
        out.push_sql("WITH __dv AS MATERIALIZED (SELECT ");
        list(&key, ", ", &mut out, |&index, out| {
            column::<T, DB>(index, out)
        })?;
        out.push_sql(" FROM ");
        from.walk_ast(out.reborrow())?;
        out.push_sql(" WHERE ");
        walk_condition::<T, DB, _, _>(from, condition, &mut out)?;
        order_by_key::<T, DB>(&mut out)?;
        out.push_sql(lock_write);
        out.push_sql(") ");
    }
    out.push_sql("UPDATE ");
    from.walk_ast(out.reborrow())?;
    out.push_sql(" SET ");
    set.walk_ast(out.reborrow())?;
    walk_steps::<T, DB>(step, touched::<T>(assigned), ", ", from, false, &mut out)?;
    out.push_sql(" WHERE ");
    if locks {
        out.push_sql("(");
        list(&key, ", ", &mut out, |&index, out| {
            column::<T, DB>(index, out)
        })?;
        out.push_sql(") IN (SELECT * FROM __dv)");
        return Ok(());
    }
    walk_condition::<T, DB, _, _>(from, condition, &mut out)
}

/// The condition; a row that is marked as deleted meets none.
fn walk_condition<'b, T, DB, F, P>(
    from: &'b F,
    condition: &'b P,
    out: &mut AstPass<'_, 'b, DB>,
) -> QueryResult<()>
where
    T: Bind<DB>,
    DB: Dialect,
    F: QueryFragment<DB>,
    P: QueryFragment<DB>,
{
    let Some(mark) = T::MARK else {
        return condition.walk_ast(out.reborrow());
    };
    out.push_sql("(");
    condition.walk_ast(out.reborrow())?;
    out.push_sql(") AND ");
    qualified::<T, DB>(from, mark.index, out)?;
    out.push_sql(mark.says(false));
    Ok(())
}

/// Writes the assignment of a version, for `set` of Diesel's own.
pub(crate) fn walk_bump<'b, T, DB>(
    from: &'b impl QueryFragment<DB>,
    step: &'b Result<Stepped<T>, NoVersion>,
    mut out: AstPass<'_, 'b, DB>,
) -> QueryResult<()>
where
    T: Bind<DB>,
    DB: Dialect,
{
    alone_without_key::<T>()?;
    let step = step.as_ref().map_err(no_version)?;
    walk_steps::<T, DB>(step, T::VERSION_COLUMNS, "", from, false, &mut out)
}

#[cold]
fn no_version(why: &NoVersion) -> Error {
    let problem = match std::error::Error::source(why) {
        Some(source) => format!("{why}: {source}"),
        None => why.to_string(),
    };
    Error::QueryBuilderError(problem.into())
}
