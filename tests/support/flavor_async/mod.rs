//! What the scenarios of this binary work with: a connection of diesel-async behind the names and
//! signatures of a blocking one, so that a scenario is written once.
//!
//! [`Blocking`] is Diesel's connection; every entity and every unit runs on the [`Inner`] that it
//! holds, by the asynchronous half of the library.

mod apply;
mod lease;
mod lock;
mod overwrite;
mod runtime;
mod unit;

use diesel::QueryResult;
use diesel::query_builder::AsChangeset;
use diesel_async::async_connection_wrapper::AsyncConnectionWrapper;
use diesel_versioned::plumbing::Always;
use diesel_versioned::version::SteppingVersion;
use diesel_versioned::{
    AsyncVersionedDsl, Attempt, CommitError, IntoKey, RetryError, RetryPolicy, SaveError,
    SchemaReport, SoftDelete, Versioned,
};

use crate::Inner;
pub use apply::Apply;
pub use runtime::block_on;

/// How much longer a statement takes than on a blocking connection: it changes threads.
pub const SLOWER: u32 = 4;

/// Diesel's connection over that of diesel-async.
pub type Blocking = AsyncConnectionWrapper<Inner, runtime::TestRuntime>;

pub mod prelude {
    //! The names that a scenario uses.

    // These take the place of their namesakes.
    pub use super::VersionedDsl;
    pub use super::lease::LeaseDsl;
    pub use super::lock::LockDsl;
    pub use super::overwrite::{Audit, OverwriteDsl};
    pub use super::unit::{UnitOfWork, retry};
    pub use diesel_versioned::async_prelude::*;
}

/// [`AsyncVersionedDsl`] with the signatures of [`diesel_versioned::VersionedDsl`].
pub trait VersionedDsl<Conn>: Versioned {
    fn find(conn: &mut Conn, key: impl IntoKey<Self::Key>) -> QueryResult<Self>;

    fn find_deleted(conn: &mut Conn, key: impl IntoKey<Self::Key>) -> QueryResult<Self>
    where
        Self: SoftDelete;

    fn insert(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>;

    fn insert_or_save(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>;

    fn apply<S>(
        conn: &mut Conn,
        key: impl IntoKey<Self::Key>,
        set: S,
    ) -> Apply<'_, Self, S::Changeset, Always>
    where
        Self: Sized,
        Self::Version: SteppingVersion,
        S: AsChangeset<Target = Self::Table>;

    fn save(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>;

    fn delete(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>;

    fn restore(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>
    where
        Self: SoftDelete;

    fn purge(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>
    where
        Self: SoftDelete;

    fn touch(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>;

    fn save_unguarded(&mut self, conn: &mut Conn) -> Result<(), SaveError<Self>>;

    fn save_changes(&mut self, conn: &mut Conn, base: &Self) -> Result<(), SaveError<Self>>;

    fn reload(&mut self, conn: &mut Conn) -> QueryResult<()>;

    fn save_all(conn: &mut Conn, entities: &mut [Self]) -> Result<(), CommitError>
    where
        Self: Sized;

    fn update_with<A: Attempt<Error: Send>>(
        conn: &mut Conn,
        key: impl IntoKey<Self::Key>,
        policy: &RetryPolicy,
        change: impl FnMut(&mut Self) -> A + Send,
    ) -> Result<Self, RetryError<A::Error>>
    where
        Self: Sized;

    fn check_schema(conn: &mut Conn) -> QueryResult<SchemaReport>;
}

impl<T: AsyncVersionedDsl<Inner>> VersionedDsl<Blocking> for T {
    fn find(conn: &mut Blocking, key: impl IntoKey<Self::Key>) -> QueryResult<Self> {
        block_on(<T as AsyncVersionedDsl<Inner>>::find(conn, key))
    }

    fn find_deleted(conn: &mut Blocking, key: impl IntoKey<Self::Key>) -> QueryResult<Self>
    where
        Self: SoftDelete,
    {
        block_on(<T as AsyncVersionedDsl<Inner>>::find_deleted(conn, key))
    }

    fn insert(&mut self, conn: &mut Blocking) -> Result<(), SaveError<Self>> {
        block_on(AsyncVersionedDsl::<Inner>::insert(self, conn))
    }

    fn insert_or_save(&mut self, conn: &mut Blocking) -> Result<(), SaveError<Self>> {
        block_on(AsyncVersionedDsl::<Inner>::insert_or_save(self, conn))
    }

    fn apply<S>(
        conn: &mut Blocking,
        key: impl IntoKey<Self::Key>,
        set: S,
    ) -> Apply<'_, Self, S::Changeset, Always>
    where
        Self::Version: SteppingVersion,
        S: AsChangeset<Target = Self::Table>,
    {
        Apply(<T as AsyncVersionedDsl<Inner>>::apply(conn, key, set))
    }

    fn save(&mut self, conn: &mut Blocking) -> Result<(), SaveError<Self>> {
        block_on(AsyncVersionedDsl::<Inner>::save(self, conn))
    }

    fn delete(&mut self, conn: &mut Blocking) -> Result<(), SaveError<Self>> {
        block_on(AsyncVersionedDsl::<Inner>::delete(self, conn))
    }

    fn restore(&mut self, conn: &mut Blocking) -> Result<(), SaveError<Self>>
    where
        Self: SoftDelete,
    {
        block_on(AsyncVersionedDsl::<Inner>::restore(self, conn))
    }

    fn purge(&mut self, conn: &mut Blocking) -> Result<(), SaveError<Self>>
    where
        Self: SoftDelete,
    {
        block_on(AsyncVersionedDsl::<Inner>::purge(self, conn))
    }

    fn touch(&mut self, conn: &mut Blocking) -> Result<(), SaveError<Self>> {
        block_on(AsyncVersionedDsl::<Inner>::touch(self, conn))
    }

    fn save_unguarded(&mut self, conn: &mut Blocking) -> Result<(), SaveError<Self>> {
        block_on(AsyncVersionedDsl::<Inner>::save_unguarded(self, conn))
    }

    fn save_changes(&mut self, conn: &mut Blocking, base: &Self) -> Result<(), SaveError<Self>> {
        block_on(AsyncVersionedDsl::<Inner>::save_changes(self, conn, base))
    }

    fn reload(&mut self, conn: &mut Blocking) -> QueryResult<()> {
        block_on(AsyncVersionedDsl::<Inner>::reload(self, conn))
    }

    fn save_all(conn: &mut Blocking, entities: &mut [Self]) -> Result<(), CommitError> {
        block_on(<T as AsyncVersionedDsl<Inner>>::save_all(conn, entities))
    }

    fn update_with<A: Attempt<Error: Send>>(
        conn: &mut Blocking,
        key: impl IntoKey<Self::Key>,
        policy: &RetryPolicy,
        change: impl FnMut(&mut Self) -> A + Send,
    ) -> Result<Self, RetryError<A::Error>> {
        block_on(<T as AsyncVersionedDsl<Inner>>::update_with(
            conn, key, policy, change,
        ))
    }
    fn check_schema(conn: &mut Blocking) -> QueryResult<SchemaReport> {
        block_on(<T as AsyncVersionedDsl<Inner>>::check_schema(conn))
    }
}
