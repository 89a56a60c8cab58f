//! `If-Match` and `If-None-Match`: what a request asks of the row before anything is done.

use std::str::FromStr;

use ::http::HeaderMap;
use ::http::header::{IF_MATCH, IF_NONE_MATCH};

use super::header::{self, HeaderError, List};
use super::{ETag, HttpDsl, PreconditionError};
use crate::entity::Versioned;
use crate::version::VersionValue;

/// The header `If-Match`: the request is to be done only if the row is at one of these versions,
/// or, with `*`, if there is a row at all.
///
/// Weak tags and those of someone else are kept and never match.
///
/// ```
/// use diesel_versioned::http::{ETag, IfMatch};
///
/// let if_match: IfMatch = r#""v6", W/"v7", "abc""#.parse()?;
/// assert_eq!(if_match.tags().len(), 3);
/// assert!(if_match.matches(Some(&ETag::of_version(&6))));
/// assert!(!if_match.matches(Some(&ETag::of_version(&7))), "a weak tag");
/// // There is one version that it can be about.
/// assert_eq!(if_match.version::<i32>()?, 6);
/// # Ok::<_, diesel_versioned::http::PreconditionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IfMatch(List);

/// The header `If-None-Match`: the request is to be done only if the row is at none of these
/// versions, or, with `*`, if there is no row.
///
/// ```
/// use diesel_versioned::http::{ETag, IfNoneMatch};
///
/// let if_none_match: IfNoneMatch = r#"W/"v7""#.parse()?;
/// assert!(if_none_match.not_modified(&ETag::of_version(&7)));
/// assert!(!if_none_match.not_modified(&ETag::of_version(&8)));
/// # Ok::<_, diesel_versioned::http::HeaderError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IfNoneMatch(List);

const IF_MATCH_NAME: &str = "If-Match";
const IF_NONE_MATCH_NAME: &str = "If-None-Match";

impl IfMatch {
    /// The header of a request, of all its lines; `None` if it has none.
    ///
    /// # Errors
    ///
    /// [`HeaderError`] if it is not `*` and not a list of entity tags, if it is empty or too long.
    pub fn from_headers(headers: &HeaderMap) -> Result<Option<Self>, HeaderError> {
        Ok(header::from_headers(headers, &IF_MATCH, IF_MATCH_NAME)?.map(Self))
    }

    /// The header of a request that must have one.
    ///
    /// # Errors
    ///
    /// [`PreconditionError::Required`] if there is none, [`PreconditionError::Header`] if it cannot
    /// be read.
    ///
    /// ```
    /// use diesel_versioned::http::{IfMatch, Problem};
    ///
    /// let error = IfMatch::required(&http::HeaderMap::new()).unwrap_err();
    /// assert_eq!(error.code(), "precondition.required");
    /// assert_eq!(Problem::from(error).status(), 428);
    /// ```
    pub fn required(headers: &HeaderMap) -> Result<Self, PreconditionError> {
        Self::from_headers(headers)?.ok_or(PreconditionError::Required)
    }

    /// Whether it is `*`.
    pub fn is_any(&self) -> bool {
        self.0 == List::Any
    }

    /// The tags that it names; none if it is `*`.
    pub fn tags(&self) -> &[ETag] {
        self.0.tags()
    }

    /// Whether the condition holds for what stands there: a row with this tag, or no row.
    pub fn matches(&self, current: Option<&ETag>) -> bool {
        self.0.has(current, ETag::strong_eq)
    }

    /// The one version that a row may be at, to guard a write by that is made without reading the
    /// row first.
    ///
    /// # Errors
    ///
    /// - [`PreconditionError::NotOneVersion`] if it is `*` or names several; read the row and ask
    ///   [`expect_loaded`](super::HttpDsl::expect_loaded), which knows all of them.
    /// - [`PreconditionError::NeverMatches`] if none of the tags is a strong one of a version of
    ///   this type.
    pub fn version<V: VersionValue>(&self) -> Result<V, PreconditionError> {
        self.one(ETag::version)
    }

    /// The one thing that is read of its tags.
    pub(super) fn one<V: PartialEq>(
        &self,
        read: impl Fn(&ETag) -> Option<V>,
    ) -> Result<V, PreconditionError> {
        if self.is_any() {
            return Err(PreconditionError::NotOneVersion { given: "is *" });
        }
        let mut versions = self.tags().iter().filter_map(read);
        let Some(first) = versions.next() else {
            return Err(PreconditionError::NeverMatches {
                weak: self.tags().iter().any(ETag::is_weak),
            });
        };
        if versions.all(|version| version == first) {
            Ok(first)
        } else {
            Err(PreconditionError::NotOneVersion {
                given: "names several",
            })
        }
    }
}

impl IfNoneMatch {
    /// The header of a request, of all its lines; `None` if it has none.
    ///
    /// # Errors
    ///
    /// [`HeaderError`] if it is not `*` and not a list of entity tags, if it is empty or too long.
    pub fn from_headers(headers: &HeaderMap) -> Result<Option<Self>, HeaderError> {
        Ok(header::from_headers(headers, &IF_NONE_MATCH, IF_NONE_MATCH_NAME)?.map(Self))
    }

    /// Whether it is `*`.
    pub fn is_any(&self) -> bool {
        self.0 == List::Any
    }

    /// The tags that it names; none if it is `*`.
    pub fn tags(&self) -> &[ETag] {
        self.0.tags()
    }

    /// Whether a GET or HEAD is to be answered 304 without a body, for the client has what stands
    /// there. The answer carries this tag in its `ETag`.
    pub fn not_modified(&self, current: &ETag) -> bool {
        self.0.has(Some(current), ETag::weak_eq)
    }

    /// Whether a request that is to write may be done, by the row that stands there, if any. With
    /// `*` it is done only if there is none: a PUT that creates.
    ///
    /// Between this look and an insert somebody else may insert. The insert reports
    /// `constraint.unique` then; look and check again, for it may be another unique column.
    ///
    /// # Errors
    ///
    /// [`PreconditionError::Exists`] if there is a row and it is one of those that must not be.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// use diesel_versioned::http::{IfNoneMatch, Problem};
    /// # diesel::table! { notes (id) { id -> Integer, text -> Text, version -> Integer } }
    ///
    /// #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// struct Note { id: i32, text: String, #[version] version: i32 }
    ///
    /// fn create(
    ///     conn: &mut SqliteConnection,
    ///     headers: &http::HeaderMap,
    ///     mut note: Note,
    /// ) -> Result<Note, Problem> {
    ///     let condition = IfNoneMatch::from_headers(headers)?;
    ///     let id = note.id;
    ///     let check = |conn: &mut SqliteConnection| -> Result<(), Problem> {
    ///         let found = Note::find(conn, id).optional()?;
    ///         Ok(condition.iter().try_for_each(|condition| condition.check(found.as_ref()))?)
    ///     };
    ///     check(conn)?;
    ///     if let Err(error) = note.insert(conn) {
    ///         check(conn)?; // someone else was faster
    ///         return Err(error.into());
    ///     }
    ///     Ok(note)
    /// }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL,
    /// #     version INTEGER NOT NULL)")?;
    ///
    /// let headers = http::HeaderMap::from_iter([(http::header::IF_NONE_MATCH, "*".parse()?)]);
    /// let note = Note { id: 1, text: "Tea".to_owned(), version: 0 };
    /// assert_eq!(create(&mut conn, &headers, note.clone())?.version, 1);
    /// let problem = create(&mut conn, &headers, note).unwrap_err();
    /// assert_eq!((problem.status().as_u16(), problem.code()), (412, "precondition.failed"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn check<T: Versioned>(&self, found: Option<&T>) -> Result<(), PreconditionError> {
        let Some(row) = found else {
            return Ok(());
        };
        let current = row.etag();
        if self.0.has(Some(&current), ETag::weak_eq) {
            Err(PreconditionError::Exists {
                table: T::TABLE,
                key: format!("{:?}", row.key()),
                current,
            })
        } else {
            Ok(())
        }
    }
}

impl FromStr for IfMatch {
    type Err = HeaderError;

    fn from_str(value: &str) -> Result<Self, HeaderError> {
        header::list(IF_MATCH_NAME, std::iter::once(value.as_bytes())).map(Self)
    }
}

impl FromStr for IfNoneMatch {
    type Err = HeaderError;

    fn from_str(value: &str) -> Result<Self, HeaderError> {
        header::list(IF_NONE_MATCH_NAME, std::iter::once(value.as_bytes())).map(Self)
    }
}

impl List {
    fn tags(&self) -> &[ETag] {
        match self {
            Self::Any => &[],
            Self::Tags(tags) => tags,
        }
    }

    /// Whether what stands there is among them.
    fn has(&self, current: Option<&ETag>, same: impl Fn(&ETag, &ETag) -> bool) -> bool {
        current.is_some_and(|current| match self {
            Self::Any => true,
            Self::Tags(tags) => tags.iter().any(|tag| same(tag, current)),
        })
    }
}
