//! What the transaction of a unit is to be like.

use super::plan::Step;
use super::protocol::Protocol;
use super::{SetCore, SetKind, UnitOfWork};
use crate::error::IsolationError;
use crate::isolation::{Isolation, Terms};

impl<C, V: SetCore + SetKind + ?Sized> UnitOfWork<C, V> {
    /// Sets the isolation of the transactions in which this unit is committed, from now on: that of the
    /// commit itself, and that in which it is found out what is in conflict. Without it they are as
    /// the session has them.
    ///
    /// The session is not changed. Inside a transaction of the caller's the commit is an error
    /// ([`IsolationError::InTransaction`](crate::IsolationError::InTransaction)): what has begun cannot
    /// be changed. [`RetryPolicy::isolation`](crate::RetryPolicy::isolation) is for the transactions of
    /// [`retry`](crate::retry()) and `run`.
    ///
    /// A guard needs no isolation: it holds at any level. What a level adds is about rows that are read
    /// and not guarded, in [`also`](crate::UnitOfWork::also) for example. A database that turns the work
    /// away because of it (40001) is told as a conflict if a row of the unit has moved, otherwise as
    /// `database.transient`.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     products (id) { id -> Integer, stock -> Integer, version -> Integer }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1), (2, 0, 1)")?;
    /// let mut uow = UnitOfWork::new();
    /// uow.isolation(Isolation::Serializable);
    /// let product: Handle<Product> = uow.find(&mut conn, 1)?;
    /// uow[product].stock -= 1;
    /// uow.commit(&mut conn)?;
    /// assert_eq!(uow[product].version, 2);
    /// # Ok(())
    /// # }
    /// ```
    pub fn isolation(&mut self, isolation: Isolation) {
        self.terms.isolation = Some(isolation);
    }

    /// Lets this unit commit in read-only transactions, from now on: what is given to
    /// [`also`](crate::UnitOfWork::also) may read, and the database turns away what writes
    /// (`transaction.read_only`).
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! { products (id) { id -> Integer, stock -> Integer, version -> Integer } }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # struct Product { id: i32, stock: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO products VALUES (1, 10, 1)")?;
    /// let mut uow = UnitOfWork::new();
    /// uow.read_only();
    /// let product: Handle<Product> = uow.find(&mut conn, 1)?;
    /// uow[product].stock = 0;
    /// assert_eq!(uow.commit(&mut conn).unwrap_err().code(), "unit.read_only");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A commit of a unit that has something to write, an
    /// [`apply`](crate::UnitOfWork::apply), rows to hold
    /// ([`expect_unchanged`](UnitOfWork::expect_unchanged)), an idempotency key, or a lease, which has
    /// to be locked while something is done under it, is an error before anything is sent ([`IsolationError::ReadOnly`](crate::IsolationError::ReadOnly)).
    pub fn read_only(&mut self) {
        self.terms.read_only = true;
    }

    /// Fails if a read-only unit has something to write, or a lease to lock.
    pub(super) fn may_write(&self, steps: &[Step]) -> Result<(), IsolationError> {
        let locks = !self.leases.is_empty() && !self.also.is_empty();
        let writes =
            locks || !steps.is_empty() || self.replay.is_some() || !self.recorded.is_empty();
        if !self.terms.read_only || !writes {
            return Ok(());
        }
        let set = steps.iter().find_map(|step| match step {
            Step::Lock { set, .. } | Step::Resolve { set, .. } | Step::Write { set, .. } => {
                self.sets.get(*set)
            }
        });
        Err(IsolationError::ReadOnly {
            table: set.map(|(_, set)| set.core_ref().kinship().table.name),
        })
    }

    /// What the session is to be like while the unit is committed, if it does anything at all.
    pub(crate) fn terms_of(&self, protocol: &Protocol) -> Terms {
        if protocol.is_empty() {
            Terms::default()
        } else {
            self.terms
        }
    }

    /// How many rows of each type have ever joined.
    pub(crate) fn joined(&self) -> Vec<u32> {
        let sets = self.sets.iter();
        sets.map(|(_, set)| set.core_ref().joined()).collect()
    }

    /// Takes out what has joined since.
    pub(crate) fn forget_since(&mut self, joined: &[u32]) {
        let sets = self.sets.iter().enumerate();
        let since = sets.flat_map(|(index, (_, set))| {
            let first = joined.get(index).copied().unwrap_or(0);
            (first..set.core_ref().joined()).map(move |slot| (index, slot))
        });
        let since = since.collect();
        self.forget_all(since);
    }
}
