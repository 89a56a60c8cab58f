//! Entity tags out of header lines, as RFC 9110 writes them.

use ::http::header::HeaderName;
use ::http::{HeaderMap, HeaderValue};

use super::ETag;

/// How long all lines of a header may be together.
const MOST_BYTES: usize = 8_192;

/// How many tags a header may name.
const MOST_TAGS: usize = 128;

/// How much of a header that cannot be read is shown.
const SHOWN: usize = 40;

/// Why a header with entity tags cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// It is not a list of entity tags and not `*`.
    #[error(
        "{header} cannot be read{}: {problem}; send it as it came in the ETag header, such as \"v7\"",
        at(.found)
    )]
    Malformed {
        /// `If-Match`, `If-None-Match`, or `the entity tag` if there was no header.
        header: &'static str,
        /// What is wrong.
        problem: &'static str,
        /// Where: the begin of what could not be read, safe to show.
        found: String,
    },

    /// It is longer than 8,192 bytes, or names more than 128 entity tags.
    #[error(
        "{header} is longer than 8,192 bytes or names more than 128 entity tags; \
         send the one that was read last"
    )]
    TooLong {
        /// `If-Match`, `If-None-Match`, or `the entity tag` if there was no header.
        header: &'static str,
    },
}

impl HeaderError {
    /// A stable name for programs: `header.malformed`, `header.too_long`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Malformed { .. } => "header.malformed",
            Self::TooLong { .. } => "header.too_long",
        }
    }
}

fn at(found: &str) -> String {
    if found.is_empty() {
        String::new()
    } else {
        format!(" at {found}")
    }
}

/// What `If-Match` and `If-None-Match` hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum List {
    /// `*`
    Any,
    /// At least one tag.
    Tags(Vec<ETag>),
}

/// The value of a header, of all its lines; `None` without a line.
pub(super) fn from_headers(
    headers: &HeaderMap,
    name: &HeaderName,
    header: &'static str,
) -> Result<Option<List>, HeaderError> {
    let mut lines = headers
        .get_all(name)
        .iter()
        .map(HeaderValue::as_bytes)
        .peekable();
    match lines.peek() {
        Some(_) => list(header, lines).map(Some),
        None => Ok(None),
    }
}

/// The value of a header. Its lines are one list.
pub(super) fn list<'a>(
    header: &'static str,
    lines: impl Iterator<Item = &'a [u8]>,
) -> Result<List, HeaderError> {
    let (mut tags, mut any, mut bytes) = (Vec::new(), false, 0);
    for line in lines {
        bytes += line.len();
        if bytes > MOST_BYTES {
            return Err(HeaderError::TooLong { header });
        }
        let mut line = Line { header, rest: line };
        // Lists may have empty elements.
        while line.skip_to_element() {
            if any || (line.starts_with(b"*") && !tags.is_empty()) {
                return Err(line.error("`*` stands alone, without entity tags"));
            }
            if line.take(b"*") {
                any = true;
            } else if tags.len() == MOST_TAGS {
                return Err(HeaderError::TooLong { header });
            } else {
                tags.push(line.tag()?);
            }
            line.end_of_element()?;
        }
    }
    match (any, tags.is_empty()) {
        (true, _) => Ok(List::Any),
        (false, false) => Ok(List::Tags(tags)),
        (false, true) => Err(Line { header, rest: b"" }.error("it is empty")),
    }
}

/// A tag alone.
pub(super) fn one_tag(text: &[u8]) -> Result<ETag, HeaderError> {
    let header = "the entity tag";
    if text.len() > MOST_BYTES {
        return Err(HeaderError::TooLong { header });
    }
    let mut line = Line { header, rest: text };
    let tag = line.tag()?;
    if line.rest.is_empty() {
        Ok(tag)
    } else {
        Err(line.error("there is more than one entity tag"))
    }
}

/// What is left of a line.
struct Line<'a> {
    header: &'static str,
    rest: &'a [u8],
}

impl Line<'_> {
    fn starts_with(&self, prefix: &[u8]) -> bool {
        self.rest.starts_with(prefix)
    }

    fn take(&mut self, prefix: &[u8]) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn skip(&mut self, skipped: &[u8]) {
        let is_other = |byte: &u8| !skipped.contains(byte);
        let end = self.rest.iter().position(is_other);
        self.rest = &self.rest[end.unwrap_or(self.rest.len())..];
    }

    /// Whether there is one more.
    fn skip_to_element(&mut self) -> bool {
        self.skip(b" \t,");
        !self.rest.is_empty()
    }

    fn end_of_element(&mut self) -> Result<(), HeaderError> {
        self.skip(b" \t");
        if self.rest.is_empty() || self.starts_with(b",") {
            Ok(())
        } else {
            Err(self.error("the comma before it is missing"))
        }
    }

    fn tag(&mut self) -> Result<ETag, HeaderError> {
        let start = self.rest;
        let weak = self.take(b"W/");
        if !self.take(b"\"") {
            return Err(self.error(if self.starts_with(b"w/") {
                "the W of a weak entity tag is a capital letter"
            } else {
                "the double quote before it is missing"
            }));
        }
        let end = self.rest.iter().position(|&byte| !is_tag_byte(byte));
        let (tag, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        if self.take(b"\"") {
            Ok(ETag::new(tag, weak))
        } else if self.rest.is_empty() {
            self.rest = start;
            Err(self.error("the double quote at its end is missing"))
        } else {
            Err(self.error("an entity tag has no blanks and no control characters"))
        }
    }

    fn error(&self, problem: &'static str) -> HeaderError {
        let found = String::from_utf8_lossy(self.rest);
        let (mut shown, more) = match found.char_indices().nth(SHOWN) {
            Some((end, _)) => (&found[..end], "…"),
            None => (&*found, ""),
        };
        shown = shown.trim_end();
        let visible = |char: char| if char.is_control() { '�' } else { char };
        HeaderError::Malformed {
            header: self.header,
            problem,
            found: shown.chars().map(visible).chain(more.chars()).collect(),
        }
    }
}

/// RFC 9110's `etagc`: what stands between the quotes of a tag.
fn is_tag_byte(byte: u8) -> bool {
    matches!(byte, 0x21 | 0x23..=0x7E | 0x80..)
}
