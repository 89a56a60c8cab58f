//! Timestamps: cut to the precision of their column, and always later than the one before. And
//! `SystemTime`, which is one.

use std::time::{Duration, SystemTime};

use super::step::TimeText;
use super::{Moment, NoVersion, Precision, Step, SteppingVersion, TimestampVersion, VersionValue};
use crate::schema_check::Shape;

const NANOS: i128 = 1_000_000_000;

/// The time of a new version in nanoseconds since 1970: that of the moment, cut, or a tick after the
/// old one, whichever is later.
pub(super) fn after(old: Option<i128>, moment: &Moment) -> i128 {
    let tick = i128::try_from(moment.precision().tick().as_nanos()).unwrap_or(1);
    let cut = |nanos: i128| nanos.div_euclid(tick) * tick;
    let now = cut(nanos_of(moment.now()));
    match old {
        Some(old) if now <= old => cut(old) + tick,
        _ => now,
    }
}

/// Nanoseconds since 1970.
fn nanos_of(time: SystemTime) -> i128 {
    let nanos = |duration: Duration| i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX);
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => nanos(since),
        Err(before) => -nanos(before.duration()),
    }
}

/// Nanoseconds since 1970 as seconds, rounded down, and the rest.
pub(super) fn seconds(nanos: i128) -> Option<(i64, u32)> {
    let seconds = i64::try_from(nanos.div_euclid(NANOS)).ok()?;
    let rest = u32::try_from(nanos.rem_euclid(NANOS)).ok()?;
    Some((seconds, rest))
}

/// Seconds since 1970 and nanoseconds in nanoseconds.
#[cfg(any(feature = "chrono", feature = "time"))]
pub(super) fn nanos(seconds: i64, rest: u32) -> i128 {
    i128::from(seconds) * NANOS + i128::from(rest)
}

/// Seconds since 1970, rounded down, and nanoseconds, as text.
pub(super) fn to_text(seconds: i64, rest: u32) -> String {
    format!("{seconds}.{rest:09}")
}

/// What [`to_text`] made a text of; also of some that it would write otherwise.
pub(super) fn from_text(text: &str) -> Option<(i64, u32)> {
    let (seconds, rest) = text.split_once('.')?;
    Some((seconds.parse().ok()?, rest.parse().ok()?))
}

impl VersionValue for SystemTime {
    fn initial(moment: &Moment) -> Result<Self, NoVersion> {
        from_nanos(after(None, moment))
    }

    fn next(&self, moment: &Moment) -> Result<Self, NoVersion> {
        from_nanos(after(Some(nanos_of(*self)), moment))
    }

    fn to_text(&self) -> String {
        match seconds(nanos_of(*self)) {
            Some((seconds, rest)) => to_text(seconds, rest),
            // No clock shows it: seconds are counted by 64 bits where there are clocks.
            None => String::new(),
        }
    }

    fn from_text(text: &str) -> Option<Self> {
        let (seconds, rest) = from_text(text)?;
        let nanos = i128::from(seconds) * NANOS + i128::from(rest);
        let time = from_nanos(nanos).ok()?;
        (time.to_text() == text).then_some(time)
    }

    fn shape() -> Shape {
        Precision::default().shape()
    }
}

impl TimestampVersion for SystemTime {}

impl SteppingVersion for SystemTime {
    fn step(moment: &Moment) -> Result<Step<Self>, NoVersion> {
        let text = TimeText::None;
        Ok(Step::later(
            Self::initial(moment)?,
            moment.precision(),
            text,
        ))
    }
}

fn from_nanos(nanos: i128) -> Result<SystemTime, NoVersion> {
    let magnitude = i128::try_from(nanos.unsigned_abs()).ok().and_then(seconds);
    let (seconds, rest) = magnitude.ok_or(NoVersion::Exhausted)?;
    let duration = Duration::new(seconds.unsigned_abs(), rest);
    let epoch = SystemTime::UNIX_EPOCH;
    let time = if nanos < 0 {
        epoch.checked_sub(duration)
    } else {
        epoch.checked_add(duration)
    };
    time.ok_or(NoVersion::Exhausted)
}

#[cfg(test)]
pub(super) mod tests {
    use std::time::{Duration, SystemTime};

    use super::super::{Moment, Precision, VersionValue};
    use super::{from_nanos, nanos_of};

    const EPOCH: SystemTime = SystemTime::UNIX_EPOCH;

    fn at(nanos: i128) -> Moment {
        Moment::at(from_nanos(nanos).expect("a time"))
    }

    /// What holds for every type of timestamp: `of` makes one of nanoseconds since 1970.
    pub(in super::super) fn holds<V: VersionValue + PartialOrd>(of: fn(i128) -> V) {
        let times = [-1_500_000_001, -1, 0, 1, 999, 1_000, 1_234_567_890_123];
        for precision in [Precision::Seconds, Precision::Millis, Precision::Micros] {
            let tick = i128::try_from(precision.tick().as_nanos()).expect("a tick");
            for now in times {
                let moment = at(now).with_precision(precision);
                let first = V::initial(&moment).expect("a version");
                let cut = now.div_euclid(tick) * tick;
                assert_eq!(first, of(cut), "{precision:?} of {now}");
                // Twice in a tick.
                let second = first.next(&moment).expect("a version");
                assert_eq!(second, of(cut + tick));
                for old in times {
                    let next = of(old).next(&moment).expect("a version");
                    assert!(next > of(old), "{old} at {now}: {next:?}");
                    if cut > old {
                        assert_eq!(next, first, "{old} at {now}");
                    } else {
                        assert_eq!(next, of(old.div_euclid(tick) * tick + tick));
                    }
                }
            }
        }
        for time in times {
            let text = of(time).to_text();
            assert_eq!(V::from_text(&text), Some(of(time)), "{text}");
        }
        for text in [
            "",
            "1",
            "1.5",
            "01.000000000",
            "+1.000000000",
            "1.1000000000000",
        ] {
            assert_eq!(V::from_text(text), None, "{text}");
        }
    }

    #[test]
    fn a_system_time_is_cut_and_strictly_later() {
        holds(|nanos| from_nanos(nanos).expect("a time"));
        assert_eq!(nanos_of(EPOCH - Duration::from_nanos(1)), -1);
    }

    #[test]
    fn a_clock_that_goes_back_moves_a_version_by_a_tick() {
        let old = EPOCH + Duration::from_secs(1_000_000);
        let back = Moment::at(EPOCH);
        let next = old.next(&back).expect("a version");
        assert_eq!(next, old + Duration::from_micros(1));
        assert_eq!(next.next(&back).ok(), Some(old + Duration::from_micros(2)));
    }

    #[test]
    fn a_moment_takes_the_time_once() {
        let moment = Moment::new();
        let seconds = moment.with_precision(Precision::Seconds);
        assert_eq!(seconds.now(), moment.now());
    }
}
