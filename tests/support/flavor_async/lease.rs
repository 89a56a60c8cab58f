//! Leases by the asynchronous half of the library with the signatures of the blocking one.

use std::time::Duration;

use diesel::QueryResult;
use diesel_versioned::lease::{AsyncLeaseDsl, Lease, LeaseError, LeaseHolder, LostLease};
use diesel_versioned::plumbing::AsyncLeases;
use diesel_versioned::{CommitError, Versioned};

use super::Blocking;
use super::runtime::block_on;
use crate::Inner;

/// [`AsyncLeaseDsl`] with the signatures of [`diesel_versioned::lease::LeaseDsl`].
pub trait LeaseDsl<Conn>: Sized {
    fn acquire<T: Versioned>(
        conn: &mut Conn,
        entity: &T,
        holder: impl Into<String>,
        ttl: Duration,
    ) -> Result<Self, LeaseError>
    where
        Inner: AsyncLeases<T>;

    fn steal<T: Versioned>(
        conn: &mut Conn,
        entity: &T,
        holder: impl Into<String>,
        ttl: Duration,
    ) -> Result<(Self, Option<LeaseHolder>), LeaseError>
    where
        Inner: AsyncLeases<T>;

    fn resume<T: Versioned>(
        conn: &mut Conn,
        entity: &T,
        holder: impl Into<String>,
        token: i64,
    ) -> Result<Self, LeaseError>
    where
        Inner: AsyncLeases<T>;

    fn holder_of<T: Versioned>(
        conn: &mut Conn,
        entity: &T,
    ) -> Result<Option<LeaseHolder>, LeaseError>
    where
        Inner: AsyncLeases<T>;

    fn renew(&mut self, conn: &mut Conn, ttl: Duration) -> Result<(), LeaseError>;

    fn release(&self, conn: &mut Conn) -> Result<Option<LostLease>, LeaseError>;

    fn save<T: Versioned>(&self, conn: &mut Conn, entity: &mut T) -> Result<(), CommitError>
    where
        Inner: AsyncLeases<T>;

    fn save_changes<T: Versioned>(
        &self,
        conn: &mut Conn,
        entity: &mut T,
        base: &T,
    ) -> Result<(), CommitError>
    where
        Inner: AsyncLeases<T>;

    fn delete<T: Versioned>(&self, conn: &mut Conn, entity: &mut T) -> Result<(), CommitError>
    where
        Inner: AsyncLeases<T>;

    fn touch<T: Versioned>(&self, conn: &mut Conn, entity: &mut T) -> Result<(), CommitError>
    where
        Inner: AsyncLeases<T>;

    fn forget_leases(conn: &mut Conn, over_for: Duration) -> QueryResult<usize>;
}

impl LeaseDsl<Blocking> for Lease {
    fn acquire<T: Versioned>(
        conn: &mut Blocking,
        entity: &T,
        holder: impl Into<String>,
        ttl: Duration,
    ) -> Result<Self, LeaseError>
    where
        Inner: AsyncLeases<T>,
    {
        block_on(<Self as AsyncLeaseDsl<Inner>>::acquire(
            conn, entity, holder, ttl,
        ))
    }

    fn steal<T: Versioned>(
        conn: &mut Blocking,
        entity: &T,
        holder: impl Into<String>,
        ttl: Duration,
    ) -> Result<(Self, Option<LeaseHolder>), LeaseError>
    where
        Inner: AsyncLeases<T>,
    {
        block_on(<Self as AsyncLeaseDsl<Inner>>::steal(
            conn, entity, holder, ttl,
        ))
    }

    fn resume<T: Versioned>(
        conn: &mut Blocking,
        entity: &T,
        holder: impl Into<String>,
        token: i64,
    ) -> Result<Self, LeaseError>
    where
        Inner: AsyncLeases<T>,
    {
        block_on(<Self as AsyncLeaseDsl<Inner>>::resume(
            conn, entity, holder, token,
        ))
    }

    fn holder_of<T: Versioned>(
        conn: &mut Blocking,
        entity: &T,
    ) -> Result<Option<LeaseHolder>, LeaseError>
    where
        Inner: AsyncLeases<T>,
    {
        block_on(<Self as AsyncLeaseDsl<Inner>>::holder_of(conn, entity))
    }

    fn renew(&mut self, conn: &mut Blocking, ttl: Duration) -> Result<(), LeaseError> {
        block_on(AsyncLeaseDsl::<Inner>::renew(self, conn, ttl))
    }

    fn release(&self, conn: &mut Blocking) -> Result<Option<LostLease>, LeaseError> {
        block_on(AsyncLeaseDsl::<Inner>::release(self, conn))
    }

    fn save<T: Versioned>(&self, conn: &mut Blocking, entity: &mut T) -> Result<(), CommitError>
    where
        Inner: AsyncLeases<T>,
    {
        block_on(AsyncLeaseDsl::<Inner>::save(self, conn, entity))
    }

    fn save_changes<T: Versioned>(
        &self,
        conn: &mut Blocking,
        entity: &mut T,
        base: &T,
    ) -> Result<(), CommitError>
    where
        Inner: AsyncLeases<T>,
    {
        block_on(AsyncLeaseDsl::<Inner>::save_changes(
            self, conn, entity, base,
        ))
    }

    fn delete<T: Versioned>(&self, conn: &mut Blocking, entity: &mut T) -> Result<(), CommitError>
    where
        Inner: AsyncLeases<T>,
    {
        block_on(AsyncLeaseDsl::<Inner>::delete(self, conn, entity))
    }

    fn touch<T: Versioned>(&self, conn: &mut Blocking, entity: &mut T) -> Result<(), CommitError>
    where
        Inner: AsyncLeases<T>,
    {
        block_on(AsyncLeaseDsl::<Inner>::touch(self, conn, entity))
    }

    fn forget_leases(conn: &mut Blocking, over_for: Duration) -> QueryResult<usize> {
        block_on(<Lease as AsyncLeaseDsl<Inner>>::forget_leases(
            conn, over_for,
        ))
    }
}
