//! What everybody wants to change: the table, its entity, and why a change was not made.

use diesel::prelude::*;
use diesel_versioned::prelude::*;

diesel::table! {
    contention_products (id) {
        id -> BigInt,
        stock -> BigInt,
        version -> Integer,
    }
}

/// Makes the table anew. The words are those that all three databases understand.
pub(crate) const TABLE: &str = "DROP TABLE IF EXISTS contention_products; \
     CREATE TABLE contention_products (id BIGINT NOT NULL PRIMARY KEY, \
     stock BIGINT NOT NULL CHECK (stock >= 0), version INTEGER NOT NULL DEFAULT 1)";

/// A product of which there is some stock.
#[derive(Debug, Clone, Queryable, Selectable, Versioned)]
#[diesel(table_name = contention_products)]
pub(crate) struct Product {
    pub(crate) id: i64,
    pub(crate) stock: i64,
    #[version]
    pub(crate) version: i32,
}

impl Product {
    /// Takes one away, if there is one.
    pub(crate) fn take_one(&mut self) -> Result<(), Failure> {
        if self.stock < 1 {
            return Err(Failure::SoldOut);
        }
        self.stock -= 1;
        Ok(())
    }
}

/// Why an attempt has not taken anything away.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("there is nothing left")]
    SoldOut,
    /// A conflict, a lease that someone else holds, a deadlock, a busy database.
    #[error("someone else was there")]
    Again(#[source] Source),
    #[error("the database or the library reported an error")]
    Other(#[source] Source),
}

type Source = Box<dyn std::error::Error + Send + Sync>;

impl Retryable for Failure {
    fn is_retryable(&self) -> bool {
        matches!(self, Self::Again(_))
    }
}

impl Failure {
    fn of(retryable: bool, source: impl Into<Source>) -> Self {
        if retryable {
            Self::Again(source.into())
        } else {
            Self::Other(source.into())
        }
    }
}

impl From<CommitError> for Failure {
    fn from(error: CommitError) -> Self {
        Self::of(error.is_retryable(), error)
    }
}

impl From<diesel::result::Error> for Failure {
    fn from(error: diesel::result::Error) -> Self {
        CommitError::from(error).into()
    }
}

impl From<SaveError<Product>> for Failure {
    fn from(error: SaveError<Product>) -> Self {
        Self::of(error.is_retryable(), error)
    }
}

impl From<LeaseError> for Failure {
    /// Whoever finds the lease taken comes again, as whoever finds a conflict does.
    fn from(error: LeaseError) -> Self {
        let held = matches!(error, LeaseError::Held { .. });
        Self::of(held || error.is_transient(), error)
    }
}

impl From<ApplyError<Product>> for Failure {
    fn from(error: ApplyError<Product>) -> Self {
        match error {
            ApplyError::ConditionFailed { .. } => Self::SoldOut,
            error => Self::of(error.is_transient(), error),
        }
    }
}

impl From<RetryError<Self>> for Failure {
    fn from(error: RetryError<Self>) -> Self {
        match error {
            RetryError::Stopped { source, .. } => source,
            error => Self::Other(Box::new(error)),
        }
    }
}
