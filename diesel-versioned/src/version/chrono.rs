//! The timestamps of `chrono`.

use ::chrono::{DateTime, Datelike, NaiveDateTime, Utc};

use super::step::TimeText;
use super::timestamp::{self, after, nanos, seconds};
use super::{Moment, NoVersion, Precision, Step, SteppingVersion, TimestampVersion, VersionValue};
use crate::schema_check::Shape;

fn from_nanos(nanos: i128) -> Result<DateTime<Utc>, NoVersion> {
    seconds(nanos)
        .and_then(|(seconds, rest)| DateTime::from_timestamp(seconds, rest))
        // MariaDB takes a later one for no time, and SQLite sorts it before.
        .filter(|time| time.year() <= 9999)
        .ok_or(NoVersion::Exhausted)
}

impl VersionValue for DateTime<Utc> {
    fn initial(moment: &Moment) -> Result<Self, NoVersion> {
        from_nanos(after(None, moment))
    }

    fn next(&self, moment: &Moment) -> Result<Self, NoVersion> {
        let old = nanos(self.timestamp(), self.timestamp_subsec_nanos());
        from_nanos(after(Some(old), moment))
    }

    fn to_text(&self) -> String {
        // In a leap second there are more than 999,999,999 of them.
        timestamp::to_text(self.timestamp(), self.timestamp_subsec_nanos())
    }

    fn from_text(text: &str) -> Option<Self> {
        let (seconds, rest) = timestamp::from_text(text)?;
        DateTime::from_timestamp(seconds, rest).filter(|time| time.to_text() == text)
    }

    fn shape() -> Shape {
        Precision::default().shape()
    }
}

impl TimestampVersion for DateTime<Utc> {}

impl SteppingVersion for DateTime<Utc> {
    fn step(moment: &Moment) -> Result<Step<Self>, NoVersion> {
        let text = TimeText::Chrono { utc: true };
        Ok(Step::later(
            Self::initial(moment)?,
            moment.precision(),
            text,
        ))
    }
}

/// In UTC.
impl VersionValue for NaiveDateTime {
    fn initial(moment: &Moment) -> Result<Self, NoVersion> {
        DateTime::<Utc>::initial(moment).map(|time| time.naive_utc())
    }

    fn next(&self, moment: &Moment) -> Result<Self, NoVersion> {
        self.and_utc().next(moment).map(|time| time.naive_utc())
    }

    fn to_text(&self) -> String {
        self.and_utc().to_text()
    }

    fn from_text(text: &str) -> Option<Self> {
        DateTime::<Utc>::from_text(text).map(|time| time.naive_utc())
    }

    fn shape() -> Shape {
        Precision::default().shape()
    }
}

impl TimestampVersion for NaiveDateTime {}

impl SteppingVersion for NaiveDateTime {
    fn step(moment: &Moment) -> Result<Step<Self>, NoVersion> {
        let text = TimeText::Chrono { utc: false };
        Ok(Step::later(
            Self::initial(moment)?,
            moment.precision(),
            text,
        ))
    }
}

#[cfg(test)]
mod tests {
    use ::chrono::{DateTime, NaiveDateTime, Utc};

    use super::super::timestamp::tests::holds;
    use super::super::{Moment, NoVersion, VersionValue};
    use super::from_nanos;

    #[test]
    fn chronos_timestamps_are_cut_and_strictly_later() {
        holds::<DateTime<Utc>>(|nanos| from_nanos(nanos).expect("a time"));
        holds::<NaiveDateTime>(|nanos| from_nanos(nanos).expect("a time").naive_utc());
    }

    #[test]
    fn the_last_time_of_databases_has_no_successor() {
        // MariaDB would take the first moment of the year 10,000 for no time at all.
        let end = DateTime::from_timestamp_micros(253_402_300_799_999_999).expect("a time");
        for last in [DateTime::<Utc>::MAX_UTC, end] {
            let next = last.next(&Moment::new());
            assert!(matches!(next, Err(NoVersion::Exhausted)), "{next:?}");
        }
    }

    #[test]
    fn a_leap_second_is_read_back_and_left_behind() {
        // 2016-12-31 23:59:60.5
        let leap = DateTime::from_timestamp(1_483_228_799, 1_500_000_000).expect("a leap second");
        assert_eq!(VersionValue::from_text(&leap.to_text()), Some(leap));
        let back = Moment::at(std::time::SystemTime::UNIX_EPOCH);
        assert!(leap.next(&back).expect("a version") > leap);
    }
}
