//! What a new version may be made of besides the old one: the time and randomness, taken once.

use std::cell::OnceCell;
use std::time::{Duration, SystemTime};

#[cfg(feature = "uuid")]
use super::NoVersion;
use crate::schema_check::Shape;

/// What the versions of one write are made of besides those before them: the time and randomness.
///
/// A single write has one, a commit has one for all of its rows. The clock and the source of
/// randomness are asked when a version first needs them, and once: all rows of a commit get the same
/// time. A version that counts costs neither.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use diesel_versioned::VersionValue;
/// use diesel_versioned::version::{Moment, NoVersion, Precision};
///
/// let noon = SystemTime::UNIX_EPOCH + Duration::from_secs(43_200);
/// let moment = Moment::at(noon + Duration::from_nanos(1_500)).with_precision(Precision::Seconds);
/// let first = SystemTime::initial(&moment)?;
/// assert_eq!(first, noon);
/// // Strictly later, also when the clock stands still or goes back.
/// let earlier = Moment::at(SystemTime::UNIX_EPOCH).with_precision(Precision::Seconds);
/// assert_eq!(first.next(&earlier)?, noon + Duration::from_secs(1));
/// # Ok::<(), NoVersion>(())
/// ```
#[derive(Debug, Clone)]
pub struct Moment {
    now: OnceCell<SystemTime>,
    precision: Precision,
    #[cfg(feature = "uuid")]
    uuid_v4: bool,
    #[cfg(feature = "uuid")]
    random: OnceCell<[u8; SHARED]>,
    #[cfg(feature = "uuid")]
    source: Source,
}

/// Fills bytes with randomness.
#[cfg(feature = "uuid")]
type Source = fn(&mut [u8]) -> Result<(), NoVersion>;

/// How many random bytes all versions of a moment share: twice as many as a token commonly has.
#[cfg(feature = "uuid")]
const SHARED: usize = 32;

impl Moment {
    /// Now, whenever that is first asked for.
    pub fn new() -> Self {
        Self {
            now: OnceCell::new(),
            precision: Precision::Micros,
            #[cfg(feature = "uuid")]
            uuid_v4: false,
            #[cfg(feature = "uuid")]
            random: OnceCell::new(),
            #[cfg(feature = "uuid")]
            source: operating_system,
        }
    }

    /// The moment at which the clock shows a time: for tests of your own versions.
    pub fn at(now: SystemTime) -> Self {
        Self {
            now: OnceCell::from(now),
            ..Self::new()
        }
    }

    /// What the clock showed when this was first asked for.
    pub fn now(&self) -> SystemTime {
        *self.now.get_or_init(SystemTime::now)
    }

    /// To what times are cut: microseconds, unless `#[version(precision = …)]` says otherwise.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// The same moment, its time cut otherwise.
    #[must_use]
    pub fn with_precision(&self, precision: Precision) -> Self {
        // The time is taken here, so that the two do not take one each.
        self.now();
        Self {
            precision,
            ..self.clone()
        }
    }

    /// The same moment, whose UUIDs are random throughout (v4) and do not begin with the time (v7).
    #[must_use]
    pub fn with_uuid_v4(&self) -> Self {
        // As above; should it fail, it is asked for again and fails where it is needed.
        #[cfg(feature = "uuid")]
        self.shared().ok();
        Self {
            #[cfg(feature = "uuid")]
            uuid_v4: true,
            ..self.clone()
        }
    }

    /// Fills bytes with randomness. Up to 32 bytes are the same whenever a moment is asked: all rows
    /// of a commit get the same token, so that they can be written by it together again.
    ///
    /// # Errors
    ///
    /// [`NoVersion::Failed`] if the operating system gives none.
    #[cfg(feature = "uuid")]
    pub fn random(&self, bytes: &mut [u8]) -> Result<(), NoVersion> {
        let (first, rest) = bytes.split_at_mut(bytes.len().min(SHARED));
        for (byte, random) in first.iter_mut().zip(self.shared()?) {
            *byte = *random;
        }
        if rest.is_empty() {
            Ok(())
        } else {
            (self.source)(rest)
        }
    }

    #[cfg(feature = "uuid")]
    fn shared(&self) -> Result<&[u8; SHARED], NoVersion> {
        if let Some(random) = self.random.get() {
            return Ok(random);
        }
        let mut random = [0; SHARED];
        (self.source)(&mut random)?;
        Ok(self.random.get_or_init(|| random))
    }

    #[cfg(feature = "uuid")]
    pub(super) fn wants_uuid_v4(&self) -> bool {
        self.uuid_v4
    }

    /// With another source of randomness.
    #[cfg(all(test, feature = "uuid"))]
    pub(super) fn with_source(source: Source) -> Self {
        Self {
            source,
            ..Self::new()
        }
    }
}

impl Default for Moment {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "uuid")]
fn operating_system(bytes: &mut [u8]) -> Result<(), NoVersion> {
    getrandom::fill(bytes).map_err(|error| NoVersion::Failed(error.into()))
}

/// To what a timestamp is cut before it is bound: that of its column, or coarser. A time that is finer
/// than its column would come back as another one and never match again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Precision {
    /// `DATETIME(0)`, which is what MySQL and MariaDB call `DATETIME`.
    Seconds,
    /// `DATETIME(3)`, `timestamp(3)`.
    Millis,
    /// `DATETIME(6)`, `TIMESTAMP(6)`, `timestamp` and `timestamptz` of PostgreSQL, text of SQLite.
    #[default]
    Micros,
}

impl Precision {
    /// What a column of such timestamps must be able to hold; see
    /// [`check_schema`](crate::VersionedDsl::check_schema).
    pub fn shape(self) -> Shape {
        let digits = match self {
            Self::Seconds => 0,
            Self::Millis => 3,
            Self::Micros => 6,
        };
        Shape::Timestamp { digits }
    }

    /// The shortest time between two versions.
    ///
    /// ```
    /// use std::time::Duration;
    /// use diesel_versioned::version::Precision;
    ///
    /// assert_eq!(Precision::Millis.tick(), Duration::from_millis(1));
    /// ```
    pub fn tick(self) -> Duration {
        match self {
            Self::Seconds => Duration::from_secs(1),
            Self::Millis => Duration::from_millis(1),
            Self::Micros => Duration::from_micros(1),
        }
    }
}
