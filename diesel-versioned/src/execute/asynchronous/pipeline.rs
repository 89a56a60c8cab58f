//! Several statements on their way at once, where the connection can: PostgreSQL's does, if it is
//! known for what it is.

use std::any::Any;

use diesel::QueryResult;
use diesel::backend::Backend;
use diesel::query_builder::QueryFragment;
use diesel_async::AsyncConnection;
use futures_util::future::BoxFuture;

/// A connection that is shared by several statements; the server runs them in the order in which
/// they are sent.
pub trait Wire<DB: Backend, R>: Sync {
    /// Whether the statement can be sent at once: that no type of its values has to be asked for
    /// first, by which the next statement could overtake it.
    #[doc(hidden)]
    fn is_ready_for(&self, statement: &dyn QueryFragment<DB>) -> bool;

    #[doc(hidden)]
    fn execute<'c>(
        &'c self,
        statement: &dyn QueryFragment<DB>,
    ) -> BoxFuture<'c, QueryResult<usize>>;

    #[doc(hidden)]
    fn load<'c>(&'c self, statement: &dyn QueryFragment<DB>) -> BoxFuture<'c, QueryResult<Vec<R>>>;
}

/// The wire of a connection of the type `C`.
pub(super) type WireOf<C> = dyn Wire<
        <C as diesel_async::AsyncConnectionCore>::Backend,
        <C as diesel_async::AsyncConnectionCore>::Row<'static, 'static>,
    >;

/// The connection as one that statements share, if it is of a kind that can.
#[cfg(feature = "postgres")]
pub(super) fn wire<C: AsyncConnection + 'static>(conn: &C) -> Option<&WireOf<C>> {
    postgres::wire::<C>(conn)
}

/// The connection as one that statements share: none of these can.
#[cfg(not(feature = "postgres"))]
pub(super) fn wire<C: AsyncConnection + 'static>(_: &C) -> Option<&WireOf<C>> {
    None
}

/// What has come back for a statement.
pub(super) enum Received {
    Count(usize),
    /// A `Vec` of entities.
    Rows(Box<dyn Any + Send>),
}

/// A statement that is on its way.
pub(super) type Sent<'c> = BoxFuture<'c, QueryResult<Received>>;

#[cfg(feature = "postgres")]
mod postgres {
    //! `AsyncPgConnection` as a wire, also inside the pools that are known by a feature.

    use std::any::Any;

    use diesel::QueryResult;
    use diesel::pg::{Pg, PgMetadataLookup, PgTypeMetadata};
    use diesel::query_builder::bind_collector::RawBytesBindCollector;
    use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
    use diesel::sql_types::Untyped;
    use diesel_async::{AsyncConnection, AsyncConnectionCore, AsyncPgConnection};
    use futures_util::future::BoxFuture;
    use futures_util::{FutureExt, TryStreamExt};

    use super::{Wire, WireOf};

    type PgRow = <AsyncPgConnection as AsyncConnectionCore>::Row<'static, 'static>;

    /// The types agree if the connection is PostgreSQL's; only the compiler does not know yet.
    pub(super) fn wire<C: AsyncConnection + 'static>(conn: &C) -> Option<&WireOf<C>> {
        let shared: fn(&AsyncPgConnection) -> &(dyn Wire<Pg, PgRow> + 'static) = |conn| conn;
        let shared: &dyn Any = &shared;
        let shared = shared.downcast_ref::<fn(&AsyncPgConnection) -> &WireOf<C>>()?;
        Some(shared(connection(conn)?))
    }

    fn connection(conn: &dyn Any) -> Option<&AsyncPgConnection> {
        #[cfg(feature = "deadpool")]
        if let Some(pooled) = conn
            .downcast_ref::<diesel_async::pooled_connection::deadpool::Object<AsyncPgConnection>>()
        {
            return Some(pooled);
        }
        #[cfg(feature = "bb8")]
        if let Some(pooled) = conn
            .downcast_ref::<diesel_async::pooled_connection::bb8::PooledConnection<'static, AsyncPgConnection>>()
        {
            return Some(pooled);
        }
        #[cfg(feature = "mobc")]
        if let Some(pooled) = conn
            .downcast_ref::<diesel_async::pooled_connection::mobc::PooledConnection<AsyncPgConnection>>()
        {
            return Some(pooled);
        }
        conn.downcast_ref()
    }

    impl Wire<Pg, PgRow> for AsyncPgConnection {
        fn is_ready_for(&self, statement: &dyn QueryFragment<Pg>) -> bool {
            let mut lookup = Lookup { asked: false };
            let mut binds = RawBytesBindCollector::<Pg>::new();
            let collected = statement.collect_binds(&mut binds, &mut lookup, &Pg);
            collected.is_ok() && !lookup.asked
        }

        fn execute<'c>(
            &'c self,
            statement: &dyn QueryFragment<Pg>,
        ) -> BoxFuture<'c, QueryResult<usize>> {
            let mut shared = self;
            AsyncConnectionCore::execute_returning_count(&mut shared, Borrowed(statement))
        }

        fn load<'c>(
            &'c self,
            statement: &dyn QueryFragment<Pg>,
        ) -> BoxFuture<'c, QueryResult<Vec<PgRow>>> {
            let mut shared = self;
            let loading = AsyncConnectionCore::load(&mut shared, Borrowed(statement));
            async move { loading.await?.try_collect().await }.boxed()
        }
    }

    /// Tells whether a type is asked for that only the server knows.
    struct Lookup {
        asked: bool,
    }

    impl PgMetadataLookup for Lookup {
        fn lookup_type(&mut self, _: &str, _: Option<&str>) -> PgTypeMetadata {
            self.asked = true;
            PgTypeMetadata::new(0, 0)
        }
    }

    /// A statement of any type, known by its text.
    struct Borrowed<'a>(&'a dyn QueryFragment<Pg>);

    impl QueryFragment<Pg> for Borrowed<'_> {
        fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
            self.0.walk_ast(out)
        }
    }

    impl Query for Borrowed<'_> {
        type SqlType = Untyped;
    }

    impl QueryId for Borrowed<'_> {
        type QueryId = ();

        const HAS_STATIC_QUERY_ID: bool = false;
    }
}
