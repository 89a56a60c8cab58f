//! The course of a retry: told how an attempt failed, it says how long to wait, or that it is over.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use diesel::result::Error as DieselError;

use super::error::{RetryError, Retryable};
use super::policy::RetryPolicy;
use crate::telling;

/// How an attempt failed.
pub(crate) enum Failed<E> {
    /// By the work; it is rolled back.
    Work(E),
    /// By what is around the work; it is rolled back.
    Connection(DieselError),
    /// It is not known whether it is committed.
    Commit(DieselError),
}

impl<E> Failed<E> {
    /// The mark of the transaction could not be removed. If statements are taken all the same,
    /// something has ended the transaction, and what was written after that may have stayed.
    /// Otherwise it was given up or the connection lost, and `answers` is asked after a rollback.
    pub(crate) fn unmarked(error: DieselError, takes: bool, answers: bool) -> Self {
        Self::committed(error, !takes && answers)
    }

    /// The work failed, and the mark of its transaction cannot be removed: the database has given the
    /// transaction up, if not the work itself has ended it; then statements are taken.
    pub(crate) fn worked(work: E, mark: DieselError, takes: bool) -> Self
    where
        E: Retryable,
    {
        if takes && !work.ends_transaction() {
            Self::Commit(mark)
        } else {
            Self::Work(work)
        }
    }

    /// COMMIT failed, and the transaction is rolled back. If the server answers, it has turned the
    /// commit down.
    pub(crate) fn committed(error: DieselError, answers: bool) -> Self {
        if answers {
            Self::Connection(error)
        } else {
            Self::Commit(error)
        }
    }
}

impl<E> From<DieselError> for Failed<E> {
    fn from(error: DieselError) -> Self {
        Self::Connection(error)
    }
}

/// The attempts so far.
pub(crate) struct Course<'p> {
    policy: &'p RetryPolicy,
    started: Instant,
    attempts: u32,
    random: u64,
}

impl<'p> Course<'p> {
    /// Begins, unless the policy allows nothing or the connection is in a transaction.
    pub(crate) fn begin<E>(
        policy: &'p RetryPolicy,
        in_transaction: bool,
    ) -> Result<Self, RetryError<E>> {
        if policy.attempts == 0 {
            let problem = "allows no attempt; give it at least one";
            return Err(RetryError::Policy { problem });
        }
        if in_transaction {
            return Err(RetryError::InTransaction);
        }
        Ok(Self {
            policy,
            started: Instant::now(),
            attempts: 0,
            random: policy
                .seed
                .unwrap_or_else(|| RandomState::new().hash_one(())),
        })
    }

    /// How long to wait before the next attempt, or why there is none. `from` makes an error of the
    /// work from one of the connection.
    pub(crate) fn next<E: Retryable>(
        &mut self,
        failed: Failed<E>,
        from: impl Fn(DieselError) -> E,
    ) -> Result<Duration, RetryError<E>> {
        match failed {
            Failed::Work(error) => self.failed(error),
            Failed::Connection(error) => self.failed(from(error)),
            Failed::Commit(source) => Err(self.unknown(source)),
        }
    }

    fn failed<E: Retryable>(&mut self, source: E) -> Result<Duration, RetryError<E>> {
        self.attempts += 1;
        let (attempts, elapsed) = (self.attempts, self.started.elapsed());
        if !source.is_retryable() {
            return Err(RetryError::Stopped {
                source,
                attempts,
                elapsed,
            });
        }
        let delay = self.delay();
        let too_late = self
            .policy
            .deadline
            .is_some_and(|deadline| elapsed.saturating_add(delay) >= deadline);
        if attempts >= self.policy.attempts || too_late {
            return Err(RetryError::Exhausted {
                source,
                attempts,
                elapsed,
            });
        }
        telling::retry(attempts, delay, elapsed);
        Ok(delay)
    }

    /// The connection was lost during COMMIT.
    fn unknown<E>(&self, source: DieselError) -> RetryError<E> {
        RetryError::OutcomeUnknown {
            source,
            attempts: self.attempts + 1,
            elapsed: self.started.elapsed(),
        }
    }

    /// A random time up to what the policy allows after so many attempts.
    fn delay(&mut self) -> Duration {
        let doubled = 2_u32.saturating_pow(self.attempts.saturating_sub(1));
        let most = self.policy.base_delay.saturating_mul(doubled);
        let most = most.min(self.policy.cap);
        let most = u64::try_from(most.as_nanos()).unwrap_or(u64::MAX);
        Duration::from_nanos(match most.checked_add(1) {
            Some(below) => self.next_random() % below,
            None => self.next_random(),
        })
    }

    /// SplitMix64.
    fn next_random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Failure {
        passes: bool,
    }

    impl Retryable for Failure {
        fn is_retryable(&self) -> bool {
            self.passes
        }
    }

    const PASSES: Failure = Failure { passes: true };

    fn delays(policy: &RetryPolicy) -> Vec<Duration> {
        let Ok(mut course) = Course::begin::<Failure>(policy, false) else {
            return Vec::new();
        };
        std::iter::from_fn(|| course.failed(PASSES).ok()).collect()
    }

    #[test]
    fn delays_grow_up_to_the_cap_and_spread_below_it() {
        let policy = RetryPolicy::new()
            .attempts(200)
            .base_delay(Duration::from_millis(1))
            .cap(Duration::from_millis(50))
            .seed(7);
        let delays = delays(&policy);
        assert_eq!(delays.len(), 199);
        for (index, delay) in (0..).zip(&delays) {
            let most = Duration::from_millis(1).saturating_mul(2_u32.saturating_pow(index));
            assert!(*delay <= most.min(Duration::from_millis(50)), "{index}");
        }
        let capped = &delays[6..];
        assert!(
            capped
                .iter()
                .any(|delay| *delay < Duration::from_millis(10))
        );
        assert!(
            capped
                .iter()
                .any(|delay| *delay > Duration::from_millis(40))
        );
    }

    #[test]
    fn a_seed_makes_the_delays_the_same() {
        let policy = RetryPolicy::new().attempts(9);
        assert_eq!(
            delays(&policy.clone().seed(1)),
            delays(&policy.clone().seed(1))
        );
        assert_ne!(
            delays(&policy.clone().seed(1)),
            delays(&policy.clone().seed(2))
        );
        assert_ne!(delays(&policy), delays(&policy));
    }

    #[test]
    fn no_attempt_begins_after_the_deadline() {
        let policy = RetryPolicy::new().deadline(Duration::ZERO);
        let over = Course::begin::<Failure>(&policy, false)
            .ok()
            .and_then(|mut course| course.failed(PASSES).err());
        assert_eq!(
            over.map(|error| (error.code(), error.attempts())),
            Some(("retry.exhausted", 1))
        );
    }

    #[test]
    fn what_does_not_pass_stops_at_once() {
        let policy = RetryPolicy::default();
        let codes = |failures: &[bool]| {
            let mut course = Course::begin::<Failure>(&policy, false).ok()?;
            let mut last = None;
            for &passes in failures {
                last = course.failed(Failure { passes }).err();
            }
            last.map(|error| (error.code(), error.attempts()))
        };
        assert_eq!(codes(&[true, true, false]), Some(("retry.stopped", 3)));
        assert_eq!(codes(&[true; 4]), None);
        assert_eq!(codes(&[true; 5]), Some(("retry.exhausted", 5)));
    }

    #[test]
    fn a_policy_that_allows_nothing_is_an_error() {
        let policy = RetryPolicy::new().attempts(0);
        let error = Course::begin::<Failure>(&policy, false).err();
        assert_eq!(
            error.map(|error| error.to_string()).as_deref(),
            Some("the retry policy allows no attempt; give it at least one")
        );
        let error = Course::begin::<Failure>(&RetryPolicy::new(), true).err();
        assert_eq!(
            error.map(|error| error.code()),
            Some("retry.in_transaction")
        );
    }

    #[test]
    fn the_longest_delays_do_not_overflow() {
        let policy = RetryPolicy::new()
            .attempts(100)
            .base_delay(Duration::MAX)
            .cap(Duration::MAX);
        assert_eq!(delays(&policy).len(), 99);
    }
}
