//! Why there is no lease, or why it is none any more.

use std::fmt;
use std::time::Duration;

use diesel::result::{DatabaseErrorKind, Error as DieselError};

use super::holder::{LeaseHolder, LostLease};
use crate::database_error::{code as database_code, is_transient};
use crate::retry::Retryable;

/// Why a lease was not given, or why it does not hold any more. Nothing is written then.
///
/// # Codes
///
/// What [`code`](LeaseError::code) returns:
///
/// | code | what happened |
/// | --- | --- |
/// | `lease.held` | someone else holds it |
/// | `lease.lost` | it is over: it has expired, was taken by another or was released |
/// | `lease.other_row` | the entity is not the one that the lease is of |
/// | `lease.holder` | a text cannot name a holder |
/// | `lease.ttl` | a lease cannot last so long, or so short |
/// | `lease.key` | the text of the primary key is too long for the table of leases |
/// | those of the database | as [`CommitError`](crate::CommitError) lists them |
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeaseError {
    /// Someone else holds the lease. Wait until it is over, ask them, or steal it.
    #[error("`{table}` {key} is held by {by}; wait for the end, or steal the lease")]
    Held {
        /// The table.
        table: &'static str,
        /// The primary key.
        key: String,
        /// Who holds it, since when and until when.
        by: LeaseHolder,
    },

    /// The lease is over, so nothing may be written under it. It never comes back: acquire a new one, and
    /// read the row again.
    #[error(
        "`{holder}` does not hold `{table}` {key} any more: {how}; acquire a new lease, and read it again"
    )]
    Lost {
        /// The table.
        table: &'static str,
        /// The primary key.
        key: String,
        /// Who held it.
        holder: String,
        /// How it was lost, and to whom.
        how: LostLease,
    },

    /// The entity is not the one that the lease is of. Nothing was sent.
    #[error(
        "the lease is of `{table}` {key}, not of this row of `{other}`; to write other rows under \
         it, give it to a unit: `uow.under(&lease)`"
    )]
    OtherRow {
        /// The table of the lease.
        table: &'static str,
        /// The primary key of the lease.
        key: String,
        /// The table of the entity.
        other: &'static str,
    },

    /// The text cannot name a holder. The table of leases was not asked.
    #[error("the holder of a lease {problem}")]
    Holder {
        /// What is wrong and what to do.
        problem: &'static str,
    },

    /// A lease lasts a millisecond at least and [`Lease::MAX_TTL`](crate::lease::Lease::MAX_TTL) at
    /// most. The table of leases was not asked.
    #[error(
        "a lease cannot last {ttl:?}; it lasts between a millisecond and 30 days, and can be renewed"
    )]
    Ttl {
        /// How long it was to last.
        ttl: Duration,
    },

    /// The text of the primary key has more than 512 characters. The table of leases was not asked.
    #[error(
        "the primary key of a row of `{table}` has {length} characters as text, and the table of \
         leases holds 512; lease another row in its place, its parent for example"
    )]
    Key {
        /// The table.
        table: &'static str,
        /// How many characters the text has.
        length: usize,
    },

    /// What the database reports: its table of leases is missing, a lost connection, a lock timeout.
    /// If the connection was lost, the lease may have been given; acquire it again by the same holder.
    #[error("the database reported an error on the lease; its source says which{}", hint(.0))]
    Database(#[source] DieselError),
}

/// An unknown error is all that Diesel tells of a table that is not there.
fn hint(source: &DieselError) -> &'static str {
    match source {
        DieselError::DatabaseError(DatabaseErrorKind::Unknown, _) if !is_transient(source) => {
            "; if the table `diesel_versioned_leases` is missing, run the migrations of \
             `diesel_versioned::migrations`"
        }
        _ => "",
    }
}

impl LeaseError {
    /// A stable name for programs, one of those that [`LeaseError`] lists.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Held { .. } => "lease.held",
            Self::Lost { .. } => "lease.lost",
            Self::OtherRow { .. } => "lease.other_row",
            Self::Holder { .. } => "lease.holder",
            Self::Ttl { .. } => "lease.ttl",
            Self::Key { .. } => "lease.key",
            Self::Database(source) => database_code(source),
        }
    }

    /// Whether the same call may well succeed at once: a deadlock, a lock timeout, a busy database. Not
    /// where someone else holds the lease, which may last.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Database(source) if is_transient(source))
    }

    /// Who holds the lease now, where it is someone else.
    pub fn holder(&self) -> Option<&LeaseHolder> {
        match self {
            Self::Held { by, .. }
            | Self::Lost {
                how: LostLease::Taken { by },
                ..
            } => Some(by),
            _ => None,
        }
    }
}

impl From<DieselError> for LeaseError {
    /// Also one of our own that was handed through where only Diesel's have a place.
    fn from(source: DieselError) -> Self {
        match source {
            DieselError::QueryBuilderError(inner) => match inner.downcast::<Self>() {
                Ok(own) => *own,
                Err(inner) => Self::Database(DieselError::QueryBuilderError(inner)),
            },
            source => Self::Database(source),
        }
    }
}

/// A lease that is held or lost is not retried: that would be to wait, or to take over, unseen.
impl Retryable for LeaseError {
    fn is_retryable(&self) -> bool {
        self.is_transient()
    }
}

impl fmt::Display for LostLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken { by } => write!(f, "it is held by {by}"),
            Self::TakenMeanwhile { by } => write!(f, "meanwhile it was held by {by}"),
            Self::Expired { at } => write!(f, "it expired at {}", super::holder::utc(*at)),
            Self::Released => f.write_str("it was released"),
            Self::Forgotten => f.write_str("the table of leases does not know it"),
        }
    }
}
