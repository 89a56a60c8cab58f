//! A unit under a lease, and one entity in such a unit, on a blocking connection.

use diesel::QueryResult;
use diesel::connection::LoadConnection;
use diesel::expression::QueryMetadata;

use super::fence::BlockingFence;
use super::lease::first;
use super::set::BlockingSet;
use crate::entity::Versioned;
use crate::error::{CommitError, TrackError};
use crate::lease::{Lease, Stands};
use crate::outcome;
use crate::statement::lease::RowOfLease;
use crate::statement::{OwnTables, lease};
use crate::unit_of_work::{Handle, UnitOfWork};

/// The library's own table.
struct OwnTable;

#[allow(private_interfaces, reason = "see the trait")]
impl<C> BlockingFence<C> for OwnTable
where
    C: LoadConnection,
    C::Backend: OwnTables + QueryMetadata<RowOfLease>,
{
    fn lock(&self, conn: &mut C, lease: &Lease) -> QueryResult<Option<Stands>> {
        first(conn, lease::lock(&lease.place))
    }
}

impl<C> UnitOfWork<C, dyn BlockingSet<C>>
where
    C: LoadConnection + 'static,
    C::Backend: OwnTables + QueryMetadata<RowOfLease>,
{
    /// Lets the unit be committed only while a lease holds, this commit and any later one. The lease is
    /// checked and locked before the unit's first write, and stays locked until COMMIT: nobody can take it
    /// in between. See [`lease`](crate::lease).
    ///
    /// The unit may write other rows than the leased one: the lines of the order that is leased, for
    /// example. It may be under several leases, and needs all of them; a newer lease takes the place of
    /// another one of the same row.
    ///
    /// A commit fails with [`CommitError::Lease`] if the lease is over; nothing is written then. One that
    /// has nothing to write does not look at it. What an earlier commit has written under the unit's
    /// idempotency key is told whether or not the lease still holds.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_migrations::MigrationHarness;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! { orders (id) { id -> Integer, total -> Integer, version -> Integer } }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = orders)]
    /// # struct Order { id: i32, total: i32, #[version] version: i32 }
    /// # fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, total INTEGER NOT NULL,
    /// #     version INTEGER NOT NULL); INSERT INTO orders VALUES (1, 0, 1)")?;
    /// # conn.run_pending_migrations(diesel_versioned::migrations::SQLITE)?;
    /// let order = Order::find(&mut conn, 1)?;
    /// let lease = Lease::acquire(&mut conn, &order, "maria", Duration::from_secs(900))?;
    ///
    /// let mut uow = UnitOfWork::new();
    /// uow.under(&lease);
    /// let order = uow.attach(order)?;
    /// uow[order].total = 250; // and its lines
    /// uow.commit(&mut conn)?;
    ///
    /// Lease::steal(&mut conn, &uow[order], "paul", Duration::from_secs(900))?;
    /// uow[order].total = 300;
    /// let error = uow.commit(&mut conn).unwrap_err();
    /// assert_eq!(error.code(), "lease.lost");
    /// assert!(uow.is_dirty(order));
    /// # Ok(())
    /// # }
    /// ```
    pub fn under(&mut self, lease: &Lease) {
        self.fence_by(lease, Box::new(OwnTable));
    }
}

/// Writes one entity in a unit under its lease.
pub(super) fn write_under<T, C>(
    conn: &mut C,
    lease: &Lease,
    entity: &mut T,
    join: impl FnOnce(&mut UnitOfWork<C, dyn BlockingSet<C>>, T) -> Result<Handle<T>, TrackError>,
) -> Result<(), CommitError>
where
    T: Versioned,
    C: LoadConnection + 'static,
    C::Backend: OwnTables + QueryMetadata<RowOfLease>,
{
    lease.must_be_of(entity)?;
    let mut uow = UnitOfWork::<C, dyn BlockingSet<C>>::new();
    uow.under(lease);
    let handle = join(&mut uow, entity.clone())?;
    let done = uow.commit(conn)?;
    if let Some(written) = uow.get(handle).or_else(|| done.marked(handle)) {
        outcome::take_committed(entity, written);
    }
    Ok(())
}
