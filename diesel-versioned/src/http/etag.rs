//! The entity tag: a version as HTTP carries it.

use std::fmt;
use std::str::FromStr;

use ::http::HeaderValue;
use serde::ser::{Serialize, Serializer};

use super::escape;
use super::header::{self, HeaderError};
use crate::entity::Versioned;
use crate::version::VersionValue;

/// What our tags begin with, so that a version is not taken for the tag of someone else.
const OURS: u8 = b'v';

/// An entity tag (RFC 9110, section 8.8.3): the version 7 is `"v7"`, a strong one.
///
/// A tag that is not made of a version, one of a proxy for example, is an `ETag` too; it has no
/// [`version`](ETag::version). Two tags are equal (`==`) if they are the same and equally strong;
/// what HTTP compares by is [`strong_eq`](ETag::strong_eq) and [`weak_eq`](ETag::weak_eq).
///
/// Characters that a tag cannot hold are written as `%` and two digits; an integer has none.
///
/// ```
/// use diesel_versioned::http::ETag;
///
/// let etag = ETag::of_version(&7);
/// assert_eq!(etag.to_string(), r#""v7""#);
/// assert_eq!(etag.version::<i32>(), Some(7));
/// assert_eq!(http::HeaderValue::from(&etag), r#""v7""#);
///
/// let weak: ETag = r#"W/"v7""#.parse()?;
/// assert!(weak.is_weak() && weak.weak_eq(&etag) && !weak.strong_eq(&etag));
/// assert_eq!(weak.version::<i32>(), None);
///
/// let error = "v7".parse::<ETag>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     r#"the entity tag cannot be read at v7: the double quote before it is missing; send it as it came in the ETag header, such as "v7""#
/// );
/// # Ok::<_, diesel_versioned::http::HeaderError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ETag {
    /// What stands between the quotes: bytes that a tag may hold, not always UTF-8.
    tag: Vec<u8>,
    weak: bool,
}

impl ETag {
    /// The strong tag of a version: of a row, or of whatever else has one.
    pub fn of_version<V: VersionValue>(version: &V) -> Self {
        Self::of_text(&version.to_text())
    }

    /// The tag of a row.
    pub(crate) fn of_row<T: Versioned>(row: &T) -> Self {
        Self::of_text(&row.tag())
    }

    /// The tag of a version as text.
    pub(super) fn of_text(text: &str) -> Self {
        let mut tag = vec![OURS];
        escape::write(text, &mut tag);
        Self { tag, weak: false }
    }

    /// What stands between the quotes, checked.
    pub(super) fn new(tag: &[u8], weak: bool) -> Self {
        Self {
            tag: tag.to_vec(),
            weak,
        }
    }

    /// The version that [`of_version`](ETag::of_version) made this tag of; `None` for a weak tag,
    /// which does not stand for one, and for a tag that is not ours.
    pub fn version<V: VersionValue>(&self) -> Option<V> {
        V::from_text(&self.text()?).filter(|version| Self::of_version(version) == *self)
    }

    /// The text that [`of_text`](Self::of_text) made this tag of.
    pub(super) fn text(&self) -> Option<String> {
        let text = escape::read(self.tag.strip_prefix(&[OURS])?)?;
        Some(text).filter(|text| Self::of_text(text) == *self)
    }

    /// Whether it is a weak one, `W/"…"`.
    pub fn is_weak(&self) -> bool {
        self.weak
    }

    /// Whether both are strong and the same: what `If-Match` asks for.
    pub fn strong_eq(&self, other: &Self) -> bool {
        !self.weak && self == other
    }

    /// Whether both are the same but for their strength: what `If-None-Match` asks for.
    pub fn weak_eq(&self, other: &Self) -> bool {
        self.tag == other.tag
    }

    fn prefix(&self) -> &'static str {
        if self.weak { "W/" } else { "" }
    }
}

/// As a header carries it. Bytes that are not UTF-8, which are never ours, are shown as `�`.
impl fmt::Display for ETag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tag = String::from_utf8_lossy(&self.tag);
        write!(f, "{}\"{tag}\"", self.prefix())
    }
}

impl fmt::Debug for ETag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ETag({self})")
    }
}

/// As text, the quotes included.
impl Serialize for ETag {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl FromStr for ETag {
    type Err = HeaderError;

    fn from_str(text: &str) -> Result<Self, HeaderError> {
        header::one_tag(text.as_bytes())
    }
}

impl From<&ETag> for HeaderValue {
    fn from(etag: &ETag) -> Self {
        let value = [etag.prefix().as_bytes(), b"\"", &etag.tag, b"\""].concat();
        // A tag holds nothing that a header may not hold, so this is never the empty one.
        Self::from_bytes(&value).unwrap_or(Self::from_static("\"\""))
    }
}

impl From<ETag> for HeaderValue {
    fn from(etag: ETag) -> Self {
        Self::from(&etag)
    }
}
