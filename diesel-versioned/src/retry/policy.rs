//! How often, and after how long, work is done again.

use std::time::Duration;

use crate::isolation::{Isolation, Terms};

/// How often, and after how long, work is done again.
///
/// After the n-th failure it is waited for a random time between zero and `base_delay` × 2ⁿ⁻¹, at
/// most `cap` (*full jitter*): writers that have met once do not meet again in step. No attempt
/// begins after the `deadline`.
///
/// ```
/// use std::time::Duration;
///
/// use diesel_versioned::prelude::*;
///
/// let policy = RetryPolicy::default();
/// assert_eq!(policy, RetryPolicy::new().attempts(5));
///
/// let patient = RetryPolicy::new()
///     .attempts(20)
///     .base_delay(Duration::from_millis(5))
///     .cap(Duration::from_millis(200))
///     .deadline(Duration::from_secs(10));
/// # assert_ne!(patient, policy);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetryPolicy {
    pub(super) attempts: u32,
    pub(super) base_delay: Duration,
    pub(super) cap: Duration,
    pub(super) deadline: Option<Duration>,
    pub(super) seed: Option<u64>,
    pub(super) isolation: Option<Isolation>,
}

impl RetryPolicy {
    /// 5 attempts, 10 ms for the first delay, 1 s at most, no deadline.
    pub const fn new() -> Self {
        Self {
            attempts: 5,
            base_delay: Duration::from_millis(10),
            cap: Duration::from_secs(1),
            deadline: None,
            seed: None,
            isolation: None,
        }
    }

    /// How often the work is done at most, the first time included. With 0 it would never be done,
    /// which is an error.
    pub const fn attempts(self, attempts: u32) -> Self {
        Self { attempts, ..self }
    }

    /// The longest time to wait after the first failure; it doubles with each further one.
    pub const fn base_delay(self, base_delay: Duration) -> Self {
        Self { base_delay, ..self }
    }

    /// The longest time to wait after any failure.
    pub const fn cap(self, cap: Duration) -> Self {
        Self { cap, ..self }
    }

    /// The time, from the beginning of the first attempt, after which no attempt begins. One that
    /// has begun is not broken off.
    pub const fn deadline(self, deadline: Duration) -> Self {
        Self {
            deadline: Some(deadline),
            ..self
        }
    }

    /// Begins the transaction of each attempt with this isolation. With
    /// [`Isolation::Serializable`] the database sees to it that nothing that the work has read has
    /// changed, and each attempt that it turns away is done again.
    pub const fn isolation(self, isolation: Isolation) -> Self {
        Self {
            isolation: Some(isolation),
            ..self
        }
    }

    /// What the transaction of an attempt is like.
    pub(crate) fn terms(&self) -> Terms {
        Terms {
            isolation: self.isolation,
            read_only: false,
        }
    }

    /// Makes the random delays the same each time, for tests.
    pub const fn seed(self, seed: u64) -> Self {
        Self {
            seed: Some(seed),
            ..self
        }
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::new()
    }
}
