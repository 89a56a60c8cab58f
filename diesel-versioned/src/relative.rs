//! Writes that are relative to what stands in the row: `stock = stock - 3`.
//!
//! The database computes them, so nothing is read and nothing compared; the version moves on in the same statement, so that those
//! who have read the row notice.

mod error;

use std::fmt;

use diesel::expression::{AppearsOnTable, Expression, NonAggregate};
use diesel::query_builder::{AsChangeset, AstPass, QueryFragment, QueryId};
use diesel::query_source::QuerySource;
use diesel::sql_types::BoolOrNullableBool;
use diesel::{QueryResult, RunQueryDsl};

pub use error::ApplyError;
pub(crate) use error::NotApplied;

use crate::backend::Dialect;
use crate::entity::{Bind, IntoKey, Versioned};
use crate::error::EntityRef;
use crate::outcome::{alone_without_key, last_version};
use crate::statement::{
    Always, Both, Entity, Readable, Stepped, UpdateOne, check_assigned, step_of, touched,
    walk_bump, walk_update_where,
};
use crate::version::{NoVersion, SteppingVersion};

/// What FROM says of the table of an entity.
type FromOf<T> = <<T as Versioned>::Table as QuerySource>::FromClause;

/// Updates of rows that nobody has read, with the expressions of Diesel. Each moves the version on.
///
/// ```
/// use diesel::prelude::*;
/// use diesel_versioned::prelude::*;
///
/// diesel::table! {
///     products (id) { id -> Integer, price -> Integer, stock -> Integer, version -> Integer }
/// }
///
/// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// struct Product { id: i32, price: i32, stock: i32, #[version] version: i32 }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use diesel::connection::SimpleConnection;
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, price INTEGER NOT NULL,
/// #     stock INTEGER NOT NULL, version INTEGER NOT NULL);
/// #     INSERT INTO products VALUES (1, 10, 5, 1), (2, 20, 5, 7), (3, 30, 0, 1)")?;
/// use self::products::dsl::{price, stock};
///
/// let mut stale = Product::find(&mut conn, 1)?;
/// let rows = Product::update_where(stock.gt(0))
///     .set(price.eq(price * 2))
///     .execute(&mut conn)?;
/// assert_eq!(rows, 2);
/// let product = Product::find(&mut conn, 2)?;
/// assert_eq!((product.price, product.version), (40, 8));
/// // Who had read one of them notices.
/// assert!(stale.save(&mut conn).unwrap_err().is_conflict());
/// # Ok(())
/// # }
/// ```
///
/// On one row, with an answer that says why it was not written, it is
/// [`apply`](crate::VersionedDsl::apply).
pub trait RelativeDsl: Versioned {
    /// Moves the version on, in a `set` of Diesel's own. Without it whoever has read the rows does not
    /// notice: [`update_where`](RelativeDsl::update_where) never forgets it.
    ///
    /// An integer is counted on in SQL. One that is the greatest of its type is not written over:
    /// it becomes `NULL`, which its column does not take (on MySQL a number that is out of range),
    /// and the statement fails. A time becomes that of this call, or a tick more than the row's. A token
    /// becomes a new one, the same for all rows. Of a version that [the database
    /// makes](derive@crate::Versioned#a-version-that-the-database-makes) nothing is written. Of
    /// [groups](derive@crate::Versioned#groups) all versions move; where there is [no
    /// version](derive@crate::Versioned#no-version) there is nothing to move.
    ///
    /// ```
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, price -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # struct Product { id: i32, price: i32, #[version] version: i32 }
    /// # fn main() {
    /// use self::products::dsl::{price, products};
    ///
    /// let update = diesel::update(products.filter(price.lt(100)))
    ///     .set((price.eq(price * 2), Product::bump()));
    /// assert_eq!(
    ///     diesel::debug_query::<diesel::sqlite::Sqlite, _>(&update).to_string(),
    ///     "UPDATE `products` SET `price` = (`products`.`price` * ?), \
    ///      `version` = CASE WHEN `products`.`version` < ? THEN `products`.`version` + 1 END \
    ///      WHERE (`products`.`price` < ?) -- binds: [2, 2147483647, 100]"
    /// );
    /// # }
    /// ```
    fn bump() -> Bump<Self>
    where
        Self: Sized,
        Self::Version: SteppingVersion,
    {
        Bump {
            from: Self::table().from_clause(),
            step: step_of::<Self>(),
        }
    }

    /// Updates all rows that meet a condition, and moves their versions on; [`set`](UpdateWhere::set) takes
    /// what they get.
    ///
    /// # Errors
    ///
    /// As [`set`](UpdateWhere::set) says, when it is run.
    fn update_where<P>(condition: P) -> UpdateWhere<Self, P>
    where
        Self: Sized,
        P: Expression<SqlType: BoolOrNullableBool> + AppearsOnTable<Self::Table> + NonAggregate,
    {
        UpdateWhere {
            from: Self::table().from_clause(),
            condition,
        }
    }

    /// An update of the row with a key, as a value, for [`UnitOfWork::apply`](crate::UnitOfWork::apply).
    /// [`VersionedDsl::apply`](crate::VersionedDsl::apply) makes it and runs it.
    fn relative<S>(key: impl IntoKey<Self::Key>, set: S) -> Relative<Self, S::Changeset, Always>
    where
        Self: Sized,
        Self::Version: SteppingVersion,
        S: AsChangeset<Target = Self::Table>,
    {
        Relative {
            key: key.into_key(),
            set: set.as_changeset(),
            condition: Always,
            step: step_of::<Self>(),
        }
    }
}

impl<T: Versioned> RelativeDsl for T {}

/// The assignment that moves a version on; [`bump`](RelativeDsl::bump) makes it.
pub struct Bump<T: Versioned> {
    from: FromOf<T>,
    step: Result<Stepped<T>, NoVersion>,
}

impl<T: Versioned> AsChangeset for Bump<T>
where
    T::Table: QuerySource,
{
    type Target = T::Table;
    type Changeset = Self;

    fn as_changeset(self) -> Self {
        self
    }
}

impl<T, DB> QueryFragment<DB> for Bump<T>
where
    T: Bind<DB>,
    DB: Dialect,
    FromOf<T>: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        walk_bump::<T, DB>(&self.from, &self.step, out)
    }
}

impl<T: Versioned> fmt::Debug for Bump<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bump").field(&self.step).finish()
    }
}

/// The rows that a bulk update writes; [`update_where`](RelativeDsl::update_where) begins it.
#[must_use = "nothing is written before `set` and `execute`"]
pub struct UpdateWhere<T: Versioned, P> {
    from: FromOf<T>,
    condition: P,
}

impl<T: Versioned, P> UpdateWhere<T, P> {
    /// What the rows get: what `set` of Diesel takes. The version is added, or those of the
    /// [groups](derive@crate::Versioned#groups) that it touches, unless all of it is
    /// [bookkeeping](derive@crate::Versioned#bookkeeping). Then [`execute`](RunQueryDsl::execute) runs it,
    /// that of Diesel or that of diesel-async, and returns the number of rows.
    ///
    /// On PostgreSQL the rows are locked in the order of their keys before any is written, as units lock
    /// theirs, so that two that meet wait for each other. SQLite has one writer at a time. InnoDB locks
    /// rows as it comes across them: in the order of whichever index it goes by, and those that do not
    /// meet the condition too; two such updates may meet in a deadlock there, which
    /// [is transient](crate::Retryable).
    ///
    /// # Errors
    ///
    /// `execute` fails before anything is sent, with `QueryBuilderError`, if the key, the version or the
    /// mark of deletion is set, if nothing is, if the entity touches a parent, and if there is no
    /// randomness for a token. It fails with what the database reports, and writes nothing, if one of
    /// the versions is the greatest of its type.
    pub fn set<S>(self, set: S) -> BulkUpdate<T, S::Changeset, P>
    where
        S: AsChangeset<Target = T::Table>,
        T::Version: SteppingVersion,
    {
        BulkUpdate {
            from: self.from,
            set: set.as_changeset(),
            condition: self.condition,
            step: step_of::<T>(),
        }
    }
}

/// An update of all rows that meet a condition, their versions among what is written. It is a statement
/// as Diesel's own: [`execute`](RunQueryDsl::execute) runs it and `debug_query` shows it.
#[must_use = "nothing is written before `execute`"]
pub struct BulkUpdate<T: Versioned, S, P> {
    from: FromOf<T>,
    set: S,
    condition: P,
    step: Result<Stepped<T>, NoVersion>,
}

impl<T, S, P, DB> QueryFragment<DB> for BulkUpdate<T, S, P>
where
    T: Bind<DB>,
    DB: Dialect + Readable,
    FromOf<T>: QueryFragment<DB>,
    S: QueryFragment<DB>,
    P: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        let Self {
            from,
            set,
            condition,
            step,
        } = self;
        walk_update_where::<T, DB, _, _, _>(from, set, condition, step, out)
    }
}

impl<T: Versioned, S, P> QueryId for BulkUpdate<T, S, P> {
    type QueryId = ();

    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<T: Versioned, S, P, Conn> RunQueryDsl<Conn> for BulkUpdate<T, S, P> {}

/// An update of the row with a key, by the expressions of Diesel, as a value.
///
/// [`relative`](RelativeDsl::relative) makes it.
#[must_use = "nothing is written before it is run"]
pub struct Relative<T: Versioned, S, P> {
    pub(crate) key: T::Key,
    pub(crate) set: S,
    pub(crate) condition: P,
    pub(crate) step: Result<Stepped<T>, NoVersion>,
}

impl<T: Versioned, S, P> Relative<T, S, P> {
    /// Writes the row only if it meets a condition; said again, only if it meets all.
    pub fn filter<Q>(self, condition: Q) -> Relative<T, S, Both<P, Q>>
    where
        Q: Expression<SqlType: BoolOrNullableBool> + AppearsOnTable<T::Table> + NonAggregate,
    {
        Relative {
            key: self.key,
            set: self.set,
            condition: Both(self.condition, condition),
            step: self.step,
        }
    }
}

/// A relative update whose versions can be made.
pub(crate) struct Ready<T: Versioned, S, P> {
    pub(crate) key: T::Key,
    pub(crate) set: S,
    pub(crate) condition: P,
    pub(crate) step: Stepped<T>,
}

impl<T: Versioned, S, P> Relative<T, S, P> {
    /// Fails if there is no version for the row, or if what is set may not be.
    pub(crate) fn ready<DB>(self) -> Result<Ready<T, S, P>, ApplyError<T>>
    where
        DB: Readable,
        S: QueryFragment<DB>,
    {
        let Self {
            key,
            set,
            condition,
            step,
        } = self;
        alone_without_key::<T>()?;
        let moving = touched::<T>(check_assigned::<T, DB, S>(&set)?);
        match step {
            Ok(mut step) => Ok(Ready {
                step: {
                    step.retain(|(column, _)| moving.contains(*column));
                    step
                },
                key,
                set,
                condition,
            }),
            Err(source) => Err(ApplyError::NoVersion {
                entity: EntityRef {
                    table: T::TABLE,
                    key: Some(format!("{key:?}")),
                },
                source,
            }),
        }
    }
}

impl<T: Versioned, S, P> Ready<T, S, P> {
    /// The statement.
    pub(crate) fn statement<DB>(&self) -> UpdateOne<'_, T, DB, S, P>
    where
        T: Entity<DB>,
        DB: Dialect,
    {
        UpdateOne::new(&self.key, &self.set, &self.condition, &self.step)
    }

    /// The error of a key that several rows have.
    pub(crate) fn not_unique(&self, rows: usize) -> ApplyError<T> {
        ApplyError::NotUnique {
            table: T::TABLE,
            key: format!("{:?}", self.key),
            rows,
        }
    }

    /// Why the row was not written, by what stands there.
    pub(crate) fn not_written(&self, current: Option<T>) -> ApplyError<T>
    where
        P: Asks,
    {
        let Some(current) = current.filter(|row| !row.is_deleted()) else {
            return ApplyError::Gone {
                table: T::TABLE,
                key: format!("{:?}", self.key),
            };
        };
        let version = current.version();
        let last = self.step.iter().filter(|(column, step)| {
            let last = step.last();
            last.is_some_and(|last| !T::versions_differ(last, &version).contains(*column))
        });
        let mut last = last.map(|(column, _)| *column).peekable();
        if last.peek().is_some() {
            return ApplyError::VersionExhausted {
                table: T::TABLE,
                key: format!("{:?}", self.key),
                version: last_version(&current, last),
            };
        }
        let current = Box::new(current);
        if P::ASKS {
            ApplyError::ConditionFailed { current }
        } else {
            ApplyError::Refused { current }
        }
    }
}

/// Whether a condition asks anything of the row.
pub trait Asks {
    #[doc(hidden)]
    const ASKS: bool;
}

impl Asks for Always {
    const ASKS: bool = false;
}

impl<P, Q> Asks for Both<P, Q> {
    const ASKS: bool = true;
}
