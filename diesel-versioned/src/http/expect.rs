//! From the precondition of a request to the version that a write is guarded by, and back.

use super::{ETag, HeaderError, IfMatch, Problem};
use crate::conflict::ConflictKind;
use crate::entity::Versioned;
use crate::guard::Check;

/// What HTTP asks of an entity. Implemented for every entity; it is in the prelude.
pub trait HttpDsl: Versioned {
    /// The entity tag of the row as this copy has it: `"v7"`, a strong one. Of
    /// [groups](derive@crate::Versioned#groups) it has all versions in it; of an entity with
    /// `check = "hash"` it is the hash. With `check = "changed"` or `"all"` it does not compile.
    ///
    /// ```
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! { products (id) { id -> Integer, version -> Integer } }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # #[diesel(table_name = products)]
    /// # struct Product { id: i32, #[version] version: i32 }
    /// let product = Product { id: 42, version: 7 };
    /// assert_eq!(product.etag().to_string(), r#""v7""#);
    /// ```
    fn etag(&self) -> ETag {
        const {
            assert!(
                Self::HAS_TAG,
                "this entity has no version and no hash that a client could bring back: write \
                 `#[versioned(check = \"hash\")]`"
            );
        }
        ETag::of_row(self)
    }

    /// Takes the version that the header names, for an entity that was made from a form: its
    /// [`save`](crate::VersionedDsl::save) or [`delete`](crate::VersionedDsl::delete) is guarded by
    /// what the client has read. Whatever version the entity had is gone.
    ///
    /// What is returned tells a failure of that write as one of the header; see [`Expected`].
    ///
    /// # Errors
    ///
    /// The entity is as it was then.
    ///
    /// - [`PreconditionError::NotOneVersion`] if the header is `*` or names several versions. To
    ///   answer those too, read the row, ask [`expect_loaded`](HttpDsl::expect_loaded) and take the
    ///   version of what was read.
    /// - [`PreconditionError::NeverMatches`] if no version can match it.
    fn expect(&mut self, if_match: &IfMatch) -> Result<Expected, PreconditionError> {
        const {
            assert!(
                matches!(Self::CHECK, Check::Version),
                "this entity has no version that could be expected: load the row and use \
                 `expect_loaded`"
            );
        }
        self.set_version(if_match.version()?);
        Ok(Expected::of(self, if_match))
    }

    /// The entity tag of a [group](derive@crate::Versioned#groups) of columns, for a resource that shows
    /// that part of the row; `None` if there is no such group.
    fn etag_of(&self, group: &str) -> Option<ETag> {
        let group = Self::GROUPS.iter().find(|known| known.name == group)?;
        Some(ETag::of_text(&self.version_text(group.version)))
    }

    /// The same as [`expect`](HttpDsl::expect) for a [group](derive@crate::Versioned#groups) of columns:
    /// the header names the tag of that group, and a write of its columns is guarded by what the client
    /// has read.
    ///
    /// ```
    /// # use diesel::connection::SimpleConnection;
    /// # use diesel::prelude::*;
    /// # use diesel_versioned::prelude::*;
    /// # diesel::table! {
    /// #     documents (id) {
    /// #         id -> Integer, title -> Text, readers -> Text,
    /// #         content_version -> Integer, access_version -> Integer,
    /// #     }
    /// # }
    /// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
    /// # struct Document {
    /// #     id: i32,
    /// #     #[versioned(group = "content")]
    /// #     title: String,
    /// #     #[versioned(group = "access")]
    /// #     readers: String,
    /// #     #[version(group = "content")]
    /// #     content_version: i32,
    /// #     #[version(group = "access")]
    /// #     access_version: i32,
    /// # }
    /// use diesel_versioned::http::IfMatch;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let mut conn = SqliteConnection::establish(":memory:")?;
    /// # conn.batch_execute("CREATE TABLE documents (id INTEGER PRIMARY KEY, title TEXT NOT NULL,
    /// #     readers TEXT NOT NULL, content_version INTEGER NOT NULL,
    /// #     access_version INTEGER NOT NULL); INSERT INTO documents VALUES (1, 'Tea', 'all', 8, 3)")?;
    /// let loaded = Document::find(&mut conn, 1)?;
    /// assert_eq!(loaded.etag_of("content").unwrap().to_string(), r#""v8""#);
    ///
    /// let if_match: IfMatch = r#""v7""#.parse()?; // the client has read an older one
    /// let mut edited = loaded.clone();
    /// let expected = edited.expect_group("content", &if_match)?;
    /// edited.title = "On tea".to_owned();
    /// let lost = edited.save_changes(&mut conn, &loaded).unwrap_err();
    /// let problem = expected.problem(lost);
    /// assert_eq!(problem.status().as_u16(), 412);
    /// assert_eq!(problem.etag(), loaded.etag_of("content").as_ref());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`expect`](HttpDsl::expect), and [`PreconditionError::UnknownGroup`] if there is no such group.
    /// The entity is as it was then.
    fn expect_group(
        &mut self,
        group: &str,
        if_match: &IfMatch,
    ) -> Result<Expected, PreconditionError> {
        let known = Self::GROUPS.iter().find(|known| known.name == group);
        let Some(known) = known else {
            return Err(PreconditionError::UnknownGroup {
                table: Self::TABLE,
                group: group.to_owned(),
            });
        };
        let mut expected = self.clone();
        let text = if_match.one(|tag| {
            let text = tag.text()?;
            self.clone()
                .set_version_text(known.version, &text)
                .then_some(text)
        })?;
        if expected.set_version_text(known.version, &text) {
            *self = expected;
        }
        Ok(Expected {
            group: Some(known.name),
            ..Expected::of(self, if_match)
        })
    }

    /// Checks that this row, which was just read, is one of those that the header names. A write of
    /// it is guarded by what was read, its version or, with `check = "hash"`, the row that is given to
    /// [`save_changes`](crate::VersionedDsl::save_changes), so nothing can come in between.
    ///
    /// What is returned tells a failure of that write as one of the header; see [`Expected`].
    ///
    /// # Errors
    ///
    /// [`PreconditionError::Failed`], with the tag of this row, if it is none of them.
    fn expect_loaded(&self, if_match: &IfMatch) -> Result<Expected, PreconditionError> {
        let current = self.etag();
        if if_match.matches(Some(&current)) {
            Ok(Expected::of(self, if_match))
        } else {
            Err(PreconditionError::Failed {
                table: Self::TABLE,
                key: format!("{:?}", self.key()),
                current,
                weak: if_match.tags().iter().any(|tag| tag.is_weak()),
            })
        }
    }
}

impl<T: Versioned> HttpDsl for T {}

/// A row whose expected version came from the header of a request.
///
/// If the write is lost because *this* row has moved away, what failed is the precondition of the
/// request, 412; any other row in conflict, or a version that came with the body, is 409. So hand it
/// the error of the write, whether that was a lone one or a unit's.
///
/// ```
/// # use diesel::connection::SimpleConnection;
/// # use diesel::prelude::*;
/// # use diesel_versioned::prelude::*;
/// # diesel::table! { products (id) { id -> Integer, stock -> Integer, version -> Integer } }
/// # #[derive(Debug, Clone, Queryable, Selectable, Versioned)]
/// # #[diesel(table_name = products)]
/// # struct Product { id: i32, stock: i32, #[version] version: i32 }
/// use diesel_versioned::http::{IfMatch, Problem};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut conn = SqliteConnection::establish(":memory:")?;
/// # conn.batch_execute("CREATE TABLE products (id INTEGER PRIMARY KEY, stock INTEGER NOT NULL,
/// #     version INTEGER NOT NULL); INSERT INTO products VALUES (42, 7, 8)")?;
/// let if_match: IfMatch = r#""v7""#.parse()?; // the row stands at 8
/// let mut edited = Product { id: 42, stock: 5, version: 0 };
/// let expected = edited.expect(&if_match)?;
/// assert_eq!(edited.version, 7);
///
/// let problem = edited.save(&mut conn).map_err(|error| expected.problem(error)).unwrap_err();
/// assert_eq!((problem.status().as_u16(), problem.code()), (412, "precondition.failed"));
///
/// let problem = edited.save(&mut conn).map_err(Problem::from).unwrap_err();
/// assert_eq!((problem.status().as_u16(), problem.code()), (409, "conflict.modified"));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    table: &'static str,
    key: String,
    etag: ETag,
    if_match: IfMatch,
    /// The group that the header is about, if not the row.
    group: Option<&'static str>,
}

impl Expected {
    fn of<T: Versioned>(row: &T, if_match: &IfMatch) -> Self {
        Self {
            table: T::TABLE,
            key: format!("{:?}", row.key()),
            etag: ETag::of_row(row),
            if_match: if_match.clone(),
            group: None,
        }
    }

    /// The tag that the row is expected to have.
    pub fn etag(&self) -> &ETag {
        &self.etag
    }

    /// The error of a write as a problem: 412 if this row has moved to where the header does not
    /// hold for it, 410 if it is gone, and whatever [`Problem::from`] says of any other error. So a
    /// row that was overtaken while the header is `*` stays 409: there still is a row.
    ///
    /// That the write was retried in vain does not change it: the version of a header is not read
    /// again.
    pub fn problem(&self, error: impl Into<Problem>) -> Problem {
        let problem = error.into();
        let mut conflicts = problem.conflicts().iter();
        let mine = conflicts.find(|row| row.table() == self.table && row.key() == self.key);
        let Some(mine) = mine.cloned() else {
            return problem;
        };
        let failed = match self.group {
            Some(group) => mine.groups().contains(&group),
            None => !self.if_match.matches(mine.etag()),
        };
        let code = match mine.kind() {
            ConflictKind::Modified if failed => super::FAILED,
            ConflictKind::Deleted => ConflictKind::Deleted.code(),
            ConflictKind::Modified | ConflictKind::Refused => return problem,
        };
        let etag = match self.group {
            Some(group) => mine.etag_of(group),
            None => mine.etag(),
        };
        problem.because_of(&mine, code).of_etag(etag.cloned())
    }
}

/// Why a request is not done that has, or lacks, a precondition.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PreconditionError {
    /// The header cannot be read: 400, 431 if it is too long.
    #[error(transparent)]
    Header(#[from] HeaderError),

    /// There is no `If-Match`, so it is not known which version was read: 428.
    #[error(
        "say in If-Match which version was read, by the ETag that came with it, such as \"v7\"; \
         otherwise the work of someone else could be lost"
    )]
    Required,

    /// The write can be guarded by one version, and the header does not say which: 400.
    #[error(
        "If-Match {given}, and this request needs one version to be guarded by; \
         send the one ETag that was read"
    )]
    NotOneVersion {
        /// What it has instead.
        given: &'static str,
    },

    /// There is no such group of columns, which is a mistake of the program. 500.
    #[error("`{table}` has no group `{group}`; name one of its `#[version(group = …)]`")]
    UnknownGroup {
        /// The table of the row.
        table: &'static str,
        /// The group that was asked for.
        group: String,
    },

    /// No version can match the header: its tags are weak ones or of someone else. 412.
    #[error("If-Match names no version that a row can be at{}", why(*.weak))]
    NeverMatches {
        /// Whether there is a weak one among them.
        weak: bool,
    },

    /// The row is not one of those that `If-Match` names: 412.
    #[error(
        "`{table}` {key} is {current} and none of those in If-Match; \
         read it and apply the change again{}",
        why(*.weak)
    )]
    Failed {
        /// The table.
        table: &'static str,
        /// The primary key.
        key: String,
        /// The tag of the row as it was read.
        current: ETag,
        /// Whether there is a weak one among those of the header.
        weak: bool,
    },

    /// The row is there, and it is one of those that `If-None-Match` excludes: 412.
    #[error("`{table}` {key} is there, as {current}, and If-None-Match says that it must not be")]
    Exists {
        /// The table.
        table: &'static str,
        /// The primary key.
        key: String,
        /// The tag of the row as it was read.
        current: ETag,
    },
}

fn why(weak: bool) -> &'static str {
    if weak {
        " (weak ones, W/\"…\", never match; a proxy that compresses may make them of ours)"
    } else {
        ""
    }
}

impl PreconditionError {
    /// A stable name for programs, one of those that the [module](super) lists.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Header(error) => error.code(),
            Self::Required => "precondition.required",
            Self::NotOneVersion { .. } => "precondition.not_one_version",
            Self::UnknownGroup { .. } => "precondition.unknown_group",
            Self::NeverMatches { .. } | Self::Failed { .. } | Self::Exists { .. } => super::FAILED,
        }
    }

    /// The tag of the row that stands there, where it was read.
    pub const fn current(&self) -> Option<&ETag> {
        match self {
            Self::Failed { current, .. } | Self::Exists { current, .. } => Some(current),
            Self::Header(_)
            | Self::Required
            | Self::NotOneVersion { .. }
            | Self::UnknownGroup { .. }
            | Self::NeverMatches { .. } => None,
        }
    }
}
