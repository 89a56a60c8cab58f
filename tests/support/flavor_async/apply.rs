//! A relative update by the asynchronous half of the library with the signatures of the blocking one.

use diesel::expression::{AppearsOnTable, Expression, NonAggregate};
use diesel::query_builder::QueryFragment;
use diesel::sql_types::BoolOrNullableBool;
use diesel_versioned::plumbing::{Asks, Both, Condition, Entity};
use diesel_versioned::{ApplyError, AsyncApply, Versioned};

use super::runtime::block_on;
use crate::{Backend, Inner};

/// [`diesel_versioned::Apply`].
pub struct Apply<'c, T: Versioned, S, P>(pub(super) AsyncApply<'c, Inner, T, S, P>);

impl<'c, T: Versioned, S, P> Apply<'c, T, S, P> {
    pub fn filter<Q>(self, condition: Q) -> Apply<'c, T, S, Both<P, Q>>
    where
        Q: Expression<SqlType: BoolOrNullableBool> + AppearsOnTable<T::Table> + NonAggregate,
    {
        Apply(self.0.filter(condition))
    }

    pub fn execute(self) -> Result<(), ApplyError<T>>
    where
        T: Entity<Backend>,
        S: QueryFragment<Backend> + Send + Sync,
        P: Condition<Backend> + Asks + Send + Sync,
    {
        block_on(self.0.execute())
    }
}
