//! Doing it again after a random wait, where the library does not do it by itself; and the dice.

use std::thread;
use std::time::Duration;

use diesel_versioned::prelude::*;

use crate::product::Failure;

/// The longest wait after the first failure; it doubles with each further one.
pub(crate) const BASE_DELAY: Duration = Duration::from_millis(1);
/// The longest wait after any failure.
pub(crate) const CAP: Duration = Duration::from_millis(50);
/// Nobody gives up: what a policy would give up on is counted instead.
const ATTEMPTS: u32 = 1_000_000;

/// How the library does work again in this program. [`again`] waits by the same rule.
pub(crate) fn policy() -> RetryPolicy {
    RetryPolicy::new()
        .attempts(ATTEMPTS)
        .base_delay(BASE_DELAY)
        .cap(CAP)
}

/// The longest wait after the n-th failure; the wait is between zero and it.
pub(crate) fn longest_wait(failures: u32) -> Duration {
    let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
    BASE_DELAY.saturating_mul(doubled).min(CAP)
}

/// Does the work until it succeeds or fails for good.
pub(crate) fn again<R>(
    dice: &mut Dice,
    mut work: impl FnMut() -> Result<R, Failure>,
) -> Result<R, Failure> {
    let mut failures = 0;
    loop {
        match work() {
            Err(Failure::Again(error)) => {
                failures += 1;
                if failures == ATTEMPTS {
                    return Err(Failure::Other(error));
                }
                thread::sleep(longest_wait(failures).mul_f64(dice.fraction()));
            }
            done => return done,
        }
    }
}

/// Random numbers that are good enough to choose a row and a wait (xorshift).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        let mut dice = Self((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        // The first numbers of neighbouring seeds are alike.
        for _ in 0..16 {
            dice.next();
        }
        dice
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// At least zero, less than the bound.
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        (self.fraction() * f64::from(bound)) as u32
    }

    /// At least zero, less than one.
    pub(crate) fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_doubles_up_to_the_cap() {
        let waits = [1, 2, 3, 6, 7, 1_000].map(|failures| longest_wait(failures).as_millis());
        assert_eq!(waits, [1, 2, 4, 32, 50, 50]);
    }

    #[test]
    fn each_row_comes_about_as_often() {
        let mut counts = [0_u32; 4];
        let mut dice = Dice::new(7);
        for _ in 0..4_000 {
            counts[dice.below(4) as usize] += 1;
        }
        assert!(
            counts.iter().all(|count| (800..1_200).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn what_fails_for_good_is_not_done_again() {
        let mut attempts = 0;
        let done = again(&mut Dice::new(1), || {
            attempts += 1;
            match attempts {
                1 => Err::<(), _>(Failure::Again("someone else".into())),
                _ => Err(Failure::SoldOut),
            }
        });
        assert!(matches!(done, Err(Failure::SoldOut)));
        assert_eq!(attempts, 2);
    }
}
