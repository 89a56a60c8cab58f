//! Overwriting by the asynchronous half of the library with the signatures of the blocking one.

use diesel::QueryResult;
use diesel_versioned::{
    Actor, AsyncAudit, AsyncOverwriteDsl, Conflict, Overwrite, OverwriteError, OverwriteTable,
    Versioned,
};

use super::Blocking;
use super::runtime::block_on;
use super::unit::lend;
use crate::Inner;

/// [`diesel_versioned::Audit`].
pub trait Audit<Conn>: Send {
    fn record(&mut self, conn: &mut Conn, overwrite: &Overwrite) -> QueryResult<()>;
}

impl<F> Audit<Blocking> for F
where
    F: FnMut(&mut Blocking, &Overwrite) -> QueryResult<()> + Send,
{
    fn record(&mut self, conn: &mut Blocking, overwrite: &Overwrite) -> QueryResult<()> {
        self(conn, overwrite)
    }
}

impl Audit<Blocking> for OverwriteTable {
    fn record(&mut self, conn: &mut Blocking, overwrite: &Overwrite) -> QueryResult<()> {
        block_on(AsyncAudit::<Inner>::record(self, conn, overwrite))
    }
}

/// An audit that is given the connection as a blocking one.
pub struct Lent<A>(pub A);

impl<A: Audit<Blocking>> AsyncAudit<Inner> for Lent<&mut A> {
    async fn record(&mut self, conn: &mut Inner, overwrite: &Overwrite) -> QueryResult<()> {
        lend(conn, |conn| self.0.record(conn, overwrite))
    }
}

impl<A: Audit<Blocking>> AsyncAudit<Inner> for Lent<Option<A>> {
    async fn record(&mut self, conn: &mut Inner, overwrite: &Overwrite) -> QueryResult<()> {
        let audit = self.0.as_mut().expect("it is there");
        lend(conn, |conn| audit.record(conn, overwrite))
    }
}

/// [`AsyncOverwriteDsl`] with the signatures of [`diesel_versioned::OverwriteDsl`].
pub trait OverwriteDsl<Conn> {
    type Entity: Versioned;

    fn overwrite(
        &self,
        conn: &mut Conn,
        actor: Actor,
        reason: impl Into<String>,
    ) -> Result<Self::Entity, OverwriteError<Self::Entity>>;

    fn overwrite_with<A: Audit<Conn>>(
        &self,
        conn: &mut Conn,
        audit: &mut A,
        actor: Actor,
        reason: impl Into<String>,
    ) -> Result<Self::Entity, OverwriteError<Self::Entity>>;
}

impl<T: Versioned> OverwriteDsl<Blocking> for Conflict<T>
where
    Self: AsyncOverwriteDsl<Inner, Entity = T>,
{
    type Entity = T;

    fn overwrite(
        &self,
        conn: &mut Blocking,
        actor: Actor,
        reason: impl Into<String>,
    ) -> Result<T, OverwriteError<T>> {
        block_on(AsyncOverwriteDsl::<Inner>::overwrite(
            self, conn, actor, reason,
        ))
    }

    fn overwrite_with<A: Audit<Blocking>>(
        &self,
        conn: &mut Blocking,
        audit: &mut A,
        actor: Actor,
        reason: impl Into<String>,
    ) -> Result<T, OverwriteError<T>> {
        let mut audit = Lent(audit);
        block_on(AsyncOverwriteDsl::<Inner>::overwrite_with(
            self, conn, &mut audit, actor, reason,
        ))
    }
}
