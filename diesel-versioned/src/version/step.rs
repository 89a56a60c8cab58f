//! The step: how the database moves a version on, in a write that has not read it.

use super::{Moment, NoVersion, Precision, VersionValue};

/// A version that moves on in a write which has not read it: a relative update, a bulk update,
/// [`bump`](crate::RelativeDsl::bump). All kinds of this library do; implement it for your own type by
/// asking the type inside.
///
/// ```
/// use diesel_versioned::VersionValue;
/// use diesel_versioned::version::{Moment, NoVersion, Step, SteppingVersion};
///
/// #[derive(Debug, Clone, PartialEq)]
/// struct Revision(i32);
///
/// impl VersionValue for Revision {
///     // …
/// #     fn initial(moment: &Moment) -> Result<Self, NoVersion> { i32::initial(moment).map(Self) }
/// #     fn next(&self, moment: &Moment) -> Result<Self, NoVersion> { self.0.next(moment).map(Self) }
/// #     fn to_text(&self) -> String { self.0.to_text() }
/// #     fn from_text(text: &str) -> Option<Self> { i32::from_text(text).map(Self) }
/// }
///
/// impl SteppingVersion for Revision {
///     fn step(moment: &Moment) -> Result<Step<Self>, NoVersion> {
///         Ok(i32::step(moment)?.map(Self))
///     }
/// }
///
/// assert_eq!(Revision::step(&Moment::new())?, Step::counting(Revision(i32::MAX)));
/// # Ok::<(), NoVersion>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "it is not known how the database moves a version of the type `{Self}` on",
    label = "no `SteppingVersion`",
    note = "a write that has not read the version lets the database move it: implement \
            `diesel_versioned::version::SteppingVersion` for `{Self}`, by `step` of the type inside"
)]
pub trait SteppingVersion: VersionValue {
    /// How a write at a moment moves the version of a row on, whatever it is.
    ///
    /// # Errors
    ///
    /// As those of [`VersionValue::initial`].
    fn step(moment: &Moment) -> Result<Step<Self>, NoVersion>;

    /// The same of each version column, of which there are several where the columns are in groups.
    #[doc(hidden)]
    fn steps(moments: &[Moment]) -> Result<Vec<Step<Self>>, NoVersion> {
        moments.iter().map(Self::step).collect()
    }
}

/// How the database moves a version on. What SQL that becomes is the backend's matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step<V>(pub(crate) How<V>);

/// The ways of a [`Step`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum How<V> {
    /// One more, up to the greatest; what follows that, if anything does.
    Count { greatest: V, wraps_to: Option<V> },
    /// This one.
    To(V),
    /// The time `now`, or a little more than the row has, whichever is later.
    Later { now: V, by: By },
}

/// How much later than the row's a time is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// So much, of a number.
    Amount(i64),
    /// A tick, of a time.
    Tick {
        tick: Precision,
        #[allow(dead_code, reason = "for databases that keep a time as text")]
        text: TimeText,
    },
}

/// How Diesel writes a time where a database keeps it as text. A time that is computed there must read
/// the same, for the guard compares texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(dead_code, reason = "by features")]
pub(crate) enum TimeText {
    /// Never.
    None,
    /// That of `chrono`: no digits of a second, or 3, or 6.
    Chrono { utc: bool },
    /// That of `time`: as many digits as it takes.
    Time { utc: bool },
}

impl<V> Step<V> {
    /// One more, up to the greatest, which has no successor: `version + 1`.
    ///
    /// ```
    /// use diesel_versioned::version::{Moment, Step, SteppingVersion};
    ///
    /// assert_eq!(i64::step(&Moment::new())?, Step::counting(i64::MAX));
    /// # Ok::<(), diesel_versioned::version::NoVersion>(())
    /// ```
    pub const fn counting(greatest: V) -> Self {
        Self(How::Count {
            greatest,
            wraps_to: None,
        })
    }

    /// A value that no row has had, such as a random one; all rows of the write get it.
    ///
    /// ```
    /// use diesel_versioned::version::Step;
    ///
    /// assert_eq!(Step::to(7_i64), Step::to(7));
    /// ```
    pub const fn to(value: V) -> Self {
        Self(How::To(value))
    }

    /// `now`, or where the row is as late already, so much more than the row has: of a time that is
    /// stored as a number.
    ///
    /// ```
    /// use diesel_versioned::version::Step;
    ///
    /// let milliseconds = Step::later_by(1_700_000_000_123_i64, 1);
    /// assert_eq!(milliseconds, Step::later_by(1_700_000_000_123, 1));
    /// ```
    pub const fn later_by(now: V, amount: i64) -> Self {
        Self(How::Later {
            now,
            by: By::Amount(amount),
        })
    }

    /// The same of a time that the database knows as one.
    pub(crate) const fn later(now: V, tick: Precision, text: TimeText) -> Self {
        Self(How::Later {
            now,
            by: By::Tick { tick, text },
        })
    }

    /// The same for a type around this one.
    ///
    /// ```
    /// use diesel_versioned::version::Step;
    ///
    /// #[derive(Debug, PartialEq)]
    /// struct Revision(i64);
    ///
    /// assert_eq!(Step::to(7).map(Revision), Step::to(Revision(7)));
    /// ```
    pub fn map<W>(self, mut of: impl FnMut(V) -> W) -> Step<W> {
        Step(match self.0 {
            How::Count { greatest, wraps_to } => How::Count {
                greatest: of(greatest),
                wraps_to: wraps_to.map(of),
            },
            How::To(value) => How::To(of(value)),
            How::Later { now, by } => How::Later { now: of(now), by },
        })
    }

    /// Starts again at `initial` after the greatest, where there is one and it is another.
    pub(crate) fn wrapping(self, initial: V) -> Self
    where
        V: PartialEq,
    {
        Self(match self.0 {
            How::Count { greatest, .. } if greatest != initial => How::Count {
                greatest,
                wraps_to: Some(initial),
            },
            other => other,
        })
    }

    /// The version that has no successor.
    pub(crate) fn last(&self) -> Option<&V> {
        match &self.0 {
            How::Count {
                greatest,
                wraps_to: None,
            } => Some(greatest),
            _ => None,
        }
    }
}
