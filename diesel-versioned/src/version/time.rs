//! The timestamps of `time`.

use ::time::{OffsetDateTime, PrimitiveDateTime};

use super::step::TimeText;
use super::timestamp::{self, after, nanos, seconds};
use super::{Moment, NoVersion, Precision, Step, SteppingVersion, TimestampVersion, VersionValue};
use crate::schema_check::Shape;

fn from_seconds((seconds, rest): (i64, u32)) -> Option<OffsetDateTime> {
    let time = OffsetDateTime::from_unix_timestamp(seconds).ok()?;
    time.replace_nanosecond(rest).ok()
}

fn from_nanos(nanos: i128) -> Result<OffsetDateTime, NoVersion> {
    seconds(nanos)
        .and_then(from_seconds)
        .ok_or(NoVersion::Exhausted)
}

/// In UTC, whatever the offset of the one before.
impl VersionValue for OffsetDateTime {
    fn initial(moment: &Moment) -> Result<Self, NoVersion> {
        from_nanos(after(None, moment))
    }

    fn next(&self, moment: &Moment) -> Result<Self, NoVersion> {
        let old = nanos(self.unix_timestamp(), self.nanosecond());
        from_nanos(after(Some(old), moment))
    }

    fn to_text(&self) -> String {
        timestamp::to_text(self.unix_timestamp(), self.nanosecond())
    }

    fn from_text(text: &str) -> Option<Self> {
        timestamp::from_text(text)
            .and_then(from_seconds)
            .filter(|time| time.to_text() == text)
    }

    fn shape() -> Shape {
        Precision::default().shape()
    }
}

impl TimestampVersion for OffsetDateTime {}

impl SteppingVersion for OffsetDateTime {
    fn step(moment: &Moment) -> Result<Step<Self>, NoVersion> {
        let text = TimeText::Time { utc: true };
        Ok(Step::later(
            Self::initial(moment)?,
            moment.precision(),
            text,
        ))
    }
}

fn in_utc(time: OffsetDateTime) -> PrimitiveDateTime {
    PrimitiveDateTime::new(time.date(), time.time())
}

/// In UTC.
impl VersionValue for PrimitiveDateTime {
    fn initial(moment: &Moment) -> Result<Self, NoVersion> {
        OffsetDateTime::initial(moment).map(in_utc)
    }

    fn next(&self, moment: &Moment) -> Result<Self, NoVersion> {
        self.assume_utc().next(moment).map(in_utc)
    }

    fn to_text(&self) -> String {
        self.assume_utc().to_text()
    }

    fn from_text(text: &str) -> Option<Self> {
        OffsetDateTime::from_text(text).map(in_utc)
    }

    fn shape() -> Shape {
        Precision::default().shape()
    }
}

impl TimestampVersion for PrimitiveDateTime {}

impl SteppingVersion for PrimitiveDateTime {
    fn step(moment: &Moment) -> Result<Step<Self>, NoVersion> {
        let text = TimeText::Time { utc: false };
        Ok(Step::later(
            Self::initial(moment)?,
            moment.precision(),
            text,
        ))
    }
}

#[cfg(test)]
mod tests {
    use ::time::{OffsetDateTime, PrimitiveDateTime, UtcOffset};

    use super::super::timestamp::tests::holds;
    use super::super::{Moment, NoVersion, VersionValue};
    use super::{from_nanos, in_utc};

    #[test]
    fn times_timestamps_are_cut_and_strictly_later() {
        holds::<OffsetDateTime>(|nanos| from_nanos(nanos).expect("a time"));
        holds::<PrimitiveDateTime>(|nanos| in_utc(from_nanos(nanos).expect("a time")));
    }

    #[test]
    fn the_last_time_of_time_has_no_successor() {
        let last = PrimitiveDateTime::MAX;
        let next = last.next(&Moment::new());
        assert!(matches!(next, Err(NoVersion::Exhausted)), "{next:?}");
    }

    #[test]
    fn an_offset_is_no_part_of_the_version() {
        let utc = from_nanos(1_500_000_000).expect("a time");
        let elsewhere = utc.to_offset(UtcOffset::from_hms(5, 30, 0).expect("an offset"));
        assert_eq!(elsewhere.to_text(), utc.to_text());
        assert_eq!(
            OffsetDateTime::from_text(&elsewhere.to_text()),
            Some(elsewhere)
        );
    }
}
