//! UUIDs: v7, which begin with the time, and v4, which are random throughout.

use std::time::SystemTime;

use ::uuid::{Builder, Uuid};

use super::{Moment, NoVersion, Step, SteppingVersion, UuidVersion, VersionValue};
use crate::schema_check::Shape;

fn random<const N: usize>(moment: &Moment) -> Result<[u8; N], NoVersion> {
    let mut bytes = [0; N];
    moment.random(&mut bytes)?;
    Ok(bytes)
}

/// The UUID of a moment; `other` changes the last of its random bytes.
fn make(moment: &Moment, other: u8) -> Result<Uuid, NoVersion> {
    let builder = if moment.wants_uuid_v4() {
        let mut bytes = random::<16>(moment)?;
        bytes[15] = bytes[15].wrapping_add(other);
        Builder::from_random_bytes(bytes)
    } else {
        let mut bytes = random::<10>(moment)?;
        bytes[9] = bytes[9].wrapping_add(other);
        let since = moment.now().duration_since(SystemTime::UNIX_EPOCH);
        let millis = since.map_or(0, |since| {
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        });
        Builder::from_unix_timestamp_millis(millis, &bytes)
    };
    Ok(builder.into_uuid())
}

/// A v7, or a v4 where `#[version(uuid = "v4")]` says so.
impl VersionValue for Uuid {
    fn initial(moment: &Moment) -> Result<Self, NoVersion> {
        make(moment, 0)
    }

    fn next(&self, moment: &Moment) -> Result<Self, NoVersion> {
        match make(moment, 0)? {
            same if same == *self => make(moment, 1),
            next => Ok(next),
        }
    }

    fn to_text(&self) -> String {
        self.hyphenated().to_string()
    }

    fn from_text(text: &str) -> Option<Self> {
        let uuid = Self::try_parse(text).ok()?;
        (uuid.to_text() == text).then_some(uuid)
    }

    fn shape() -> Shape {
        Shape::Uuid
    }
}

impl UuidVersion for Uuid {}

/// A new one, so that it is no row's.
impl SteppingVersion for Uuid {
    fn step(moment: &Moment) -> Result<Step<Self>, NoVersion> {
        Self::initial(moment).map(Step::to)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use ::uuid::Uuid;

    use super::super::{Moment, NoVersion, VersionValue};

    fn made(version: Result<Uuid, NoVersion>) -> Uuid {
        version.expect("there is randomness")
    }

    #[test]
    fn a_v7_begins_with_the_time_of_its_moment() {
        let millis = 1_700_000_000_123;
        let moment = Moment::at(SystemTime::UNIX_EPOCH + Duration::from_millis(millis));
        let uuid = made(Uuid::initial(&moment));
        assert_eq!(uuid.get_version_num(), 7);
        assert_eq!(uuid.as_u128() >> 80, u128::from(millis));
        let before = Moment::at(SystemTime::UNIX_EPOCH - Duration::from_secs(1));
        assert_eq!(made(Uuid::initial(&before)).as_u128() >> 80, 0);
    }

    #[test]
    fn a_v4_is_random_throughout() {
        let moment = Moment::new().with_uuid_v4();
        let uuid = made(Uuid::initial(&moment));
        assert_eq!(
            (uuid.get_version_num(), uuid.get_variant()),
            (4, ::uuid::Variant::RFC4122)
        );
        assert_ne!(made(Uuid::initial(&Moment::new().with_uuid_v4())), uuid);
    }

    #[test]
    fn a_uuid_is_never_the_one_before() {
        for moment in [Moment::new(), Moment::new().with_uuid_v4()] {
            let first = made(Uuid::initial(&moment));
            assert_ne!(made(first.next(&moment)), first);
            assert_eq!(made(Uuid::nil().next(&moment)), first, "one for all rows");
        }
    }

    #[test]
    fn without_randomness_there_is_no_uuid() {
        let moment = Moment::with_source(|_| Err(NoVersion::failed("no more")));
        for moment in [moment.with_uuid_v4(), moment] {
            assert!(matches!(Uuid::initial(&moment), Err(NoVersion::Failed(_))));
            assert!(matches!(
                Uuid::nil().next(&moment),
                Err(NoVersion::Failed(_))
            ));
        }
    }

    #[test]
    fn only_the_text_of_a_uuid_is_read_back() {
        let uuid = made(Uuid::initial(&Moment::new()));
        let text = uuid.to_text();
        assert_eq!(Uuid::from_text(&text), Some(uuid));
        let others = [
            text.to_uppercase(),
            uuid.simple().to_string(),
            uuid.urn().to_string(),
            String::new(),
        ];
        for text in others {
            assert_eq!(Uuid::from_text(&text), None, "{text}");
        }
    }
}
