//! Who holds a lease, since when and until when, and how a lease is lost.

use std::fmt;
use std::time::{Duration, SystemTime};

/// Who holds a lease, since when and until when, by the database's clock.
///
/// `{}` is for people: `maria, since 2026-11-30 10:02:03 UTC, until 2026-11-30 11:02:03 UTC`.
#[derive(Clone, PartialEq, Eq)]
pub struct LeaseHolder {
    pub(super) name: String,
    pub(super) token: i64,
    pub(super) since: i64,
    pub(super) until: i64,
}

impl LeaseHolder {
    /// The holder, as it was named.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of the lease; each lease of a row has a greater one than the lease before.
    pub fn token(&self) -> i64 {
        self.token
    }

    /// When it was acquired.
    pub fn since(&self) -> SystemTime {
        time(self.since)
    }

    /// When it expires, or expired, unless it is renewed; of one that was released, when.
    pub fn until(&self) -> SystemTime {
        time(self.until)
    }
}

impl fmt::Display for LeaseHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (since, until) = (utc_millis(self.since), utc_millis(self.until));
        write!(f, "{}, since {since}, until {until}", self.name)
    }
}

impl fmt::Debug for LeaseHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeaseHolder")
            .field("name", &self.name)
            .field("token", &self.token)
            .field("since", &format_args!("{}", utc_millis(self.since)))
            .field("until", &format_args!("{}", utc_millis(self.until)))
            .finish()
    }
}

/// How a lease was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LostLease {
    /// Someone has taken it, and holds it now.
    Taken {
        /// Who, since when and until when.
        by: LeaseHolder,
    },
    /// Someone has taken it, and that lease is over too.
    TakenMeanwhile {
        /// Who held it last, since when and until when.
        by: LeaseHolder,
    },
    /// It has run out, and nobody else has taken it.
    Expired {
        /// When, by the database's clock.
        at: SystemTime,
    },
    /// Its holder has released it.
    Released,
    /// The table knows nothing of it: it was over for long and was [forgotten], or the acquiring
    /// transaction was rolled back.
    ///
    /// [forgotten]: crate::lease::LeaseDsl::forget_leases
    Forgotten,
}

/// Milliseconds since 1970 as a time.
pub(super) fn time(millis: i64) -> SystemTime {
    let distance = Duration::from_millis(millis.unsigned_abs());
    let time = if millis < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(distance)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(distance)
    };
    time.unwrap_or(SystemTime::UNIX_EPOCH)
}

/// A time for people, to the second.
pub(super) fn utc(time: SystemTime) -> String {
    let millis = match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
    };
    utc_millis(millis)
}

fn utc_millis(millis: i64) -> String {
    let seconds = millis.div_euclid(1_000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date(days);
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC",
        second / 3_600,
        second / 60 % 60,
        second % 60
    )
}

/// The date of a day since 1970: of the years that begin in March, in eras of 400.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::{time, utc, utc_millis};

    #[test]
    fn times_are_told_in_utc() {
        for (millis, text) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (-1, "1969-12-31 23:59:59 UTC"),
            (951_782_399_999, "2000-02-28 23:59:59 UTC"),
            (951_868_799_000, "2000-02-29 23:59:59 UTC"),
            (4_107_542_400_000, "2100-03-01 00:00:00 UTC"),
            (1_796_032_923_456, "2026-11-30 10:02:03 UTC"),
        ] {
            assert_eq!(utc_millis(millis), text);
            assert_eq!(utc(time(millis)), text);
        }
        // Whatever somebody has written into the table, nothing panics.
        for millis in [i64::MIN, i64::MAX] {
            assert!(!utc_millis(millis).is_empty());
            assert!(!utc(time(millis)).is_empty());
        }
    }
}
