//! The answer to a request that was not done: a problem (RFC 9457), as data and as a response.

mod codes;
mod conflict;
mod from;
mod json;

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::time::Duration;

use ::http::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use ::http::{Response, StatusCode};
use serde_json::Value;

use self::codes::Code;
use super::ETag;

#[cfg(test)]
pub(super) use self::codes::CODES;
pub use self::conflict::ProblemConflict;

/// What a request is answered that was not done: a problem of RFC 9457, with a stable `code`.
///
/// Made of the library's errors by `From`, so by `?`, and of one's own by [`new`](Problem::new).
/// It keeps the error that it was made of as its [`source`](Error::source), for the log: what a
/// database said is there and not in the answer.
///
/// | member | |
/// | --- | --- |
/// | `type` | `about:blank`, or what [`with_type`](Problem::with_type) says |
/// | `title` | the phrase of the status |
/// | `status` | the number of the status |
/// | `code` | one of those that the [module](super) lists, or your own |
/// | `detail` | for people |
/// | `instance` | what [`with_instance`](Problem::with_instance) says |
/// | `etag` | the tag of the row that the request is about, as it stands now, where that is known |
/// | `conflicts` | the rows in conflict: `table`, `key`, `kind`, `code`, `expected`, `actual`, `groups` where there are any, `changes` as [`Conflict`](crate::Conflict) is serialized, and `etag` |
///
/// **The values of columns reach the client in `changes`**: what stands in the database now of each
/// column that differs, also of columns that this client may not see otherwise. A type without
/// `Debug` is shown as `…`; [`without_values`](Problem::without_values) leaves all of them out.
///
/// ```
/// use diesel_versioned::http::Problem;
/// use http::StatusCode;
///
/// let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "transfer.stock")
///     .with_detail("product 1 has a stock of 4, less than 30")
///     .with_instance("/transfers/81")
///     .with_member("stock", 4);
/// assert_eq!(
///     serde_json::to_string(&problem)?,
///     r#"{"type":"about:blank","title":"Unprocessable Entity","status":422,"#.to_owned()
///         + r#""code":"transfer.stock","detail":"product 1 has a stock of 4, less than 30","#
///         + r#""instance":"/transfers/81","stock":4}"#
/// );
/// let response = problem.into_response();
/// assert_eq!(response.status(), 422);
/// assert_eq!(response.headers()["content-type"], "application/problem+json");
/// # Ok::<_, serde_json::Error>(())
/// ```
pub struct Problem(Box<Parts>);

struct Parts {
    status: StatusCode,
    code: Cow<'static, str>,
    uri: Cow<'static, str>,
    title: Option<Cow<'static, str>>,
    detail: Option<Cow<'static, str>>,
    instance: Option<String>,
    etag: Option<ETag>,
    conflicts: Vec<ProblemConflict>,
    /// Whether the values of columns are shown.
    values: bool,
    members: Vec<(Cow<'static, str>, Value)>,
    retry_after: Option<Duration>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl Problem {
    /// A problem of one's own.
    pub fn new(status: StatusCode, code: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Parts {
            status,
            code: code.into(),
            uri: Cow::Borrowed("about:blank"),
            title: None,
            detail: None,
            instance: None,
            etag: None,
            conflicts: Vec::new(),
            values: true,
            members: Vec::new(),
            retry_after: None,
            source: None,
        }))
    }

    /// The problem of an error of the library's.
    fn of_error(code: &'static str, error: impl Error + Send + Sync + 'static) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, code)
            .with_detail(error.to_string())
            .of_code(code)
            .with_source(error)
    }

    /// The same with what is answered to a code of the library's.
    fn of_code(mut self, code: &'static str) -> Self {
        let known = Code::of(code);
        self.0.status = known.status;
        self.0.code = Cow::Borrowed(code);
        self.0.retry_after = known.passes.then_some(Duration::from_secs(1));
        match known.words {
            Some(words) => self.with_detail(words),
            None => self,
        }
    }

    /// The same as the failure of another code, which one of the conflicts is the reason for.
    pub(super) fn because_of(self, conflict: &ProblemConflict, code: &'static str) -> Self {
        self.with_detail(conflict.text().to_owned()).of_code(code)
    }

    /// The same with the tag of what the request is about.
    pub(super) fn of_etag(mut self, etag: Option<ETag>) -> Self {
        self.0.etag = etag;
        self
    }

    fn of_conflicts(mut self, conflicts: Vec<ProblemConflict>) -> Self {
        self.0.conflicts = conflicts;
        self
    }

    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        self.0.status
    }

    /// The stable name for programs.
    pub fn code(&self) -> &str {
        &self.0.code
    }

    /// What is said to people, if anything.
    pub fn detail(&self) -> Option<&str> {
        self.0.detail.as_deref()
    }

    /// The tag of the row that the request is about, as it stands now, where that is known.
    pub fn etag(&self) -> Option<&ETag> {
        self.0.etag.as_ref()
    }

    /// The rows in conflict.
    pub fn conflicts(&self) -> &[ProblemConflict] {
        &self.0.conflicts
    }

    /// After what time the request may be done again, to the second; `None` if time does not help.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// The same of a type of yours: a URI that names the kind of problem, where best something
    /// about it can be read.
    #[must_use]
    pub fn with_type(mut self, uri: impl Into<Cow<'static, str>>) -> Self {
        self.0.uri = uri.into();
        self
    }

    /// The same with another title. It should not change from one occurrence to the next.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<Cow<'static, str>>) -> Self {
        self.0.title = Some(title.into());
        self
    }

    /// The same with other words for people.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<Cow<'static, str>>) -> Self {
        self.0.detail = Some(detail.into());
        self
    }

    /// The same with a URI that names this occurrence.
    #[must_use]
    pub fn with_instance(mut self, uri: impl Into<String>) -> Self {
        self.0.instance = Some(uri.into());
        self
    }

    /// The same with one more member, such as the whole row as it stands now. One of that name
    /// which was given before is replaced; the names of the problem's own members are taken, and
    /// nothing is written under them.
    #[must_use]
    pub fn with_member(
        mut self,
        name: impl Into<Cow<'static, str>>,
        value: impl Into<Value>,
    ) -> Self {
        let name = name.into();
        self.0.members.retain(|(given, _)| *given != name);
        self.0.members.push((name, value.into()));
        self
    }

    /// The same, to be tried again after some time.
    #[must_use]
    pub fn with_retry_after(mut self, time: Duration) -> Self {
        self.0.retry_after = Some(time);
        self
    }

    /// The same with what it was made of, for the log; a client does not see it.
    #[must_use]
    pub fn with_source(mut self, error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.0.source = Some(error.into());
        self
    }

    /// The same without the values of columns: `changes` tells which columns differ and who changed
    /// them. Key and versions stay.
    #[must_use]
    pub fn without_values(mut self) -> Self {
        self.0.values = false;
        self
    }

    /// The answer: status, `application/problem+json`, and `Retry-After` where it helps. It is of
    /// the crate `http`, so frameworks take it, or its parts.
    pub fn into_response(self) -> Response<String> {
        let mut response = Response::new(self.to_json());
        *response.status_mut() = self.0.status;
        let headers = response.headers_mut();
        let json = HeaderValue::from_static("application/problem+json");
        headers.insert(CONTENT_TYPE, json);
        if let Some(time) = self.0.retry_after {
            headers.insert(RETRY_AFTER, time.as_secs().max(1).into());
        }
        response
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the answer is {} ({})", self.0.status, self.0.code)
    }
}

impl fmt::Debug for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Problem")
            .field("status", &self.0.status.as_u16())
            .field("code", &self.0.code)
            .field("detail", &self.0.detail)
            .field("source", &self.0.source)
            .finish_non_exhaustive()
    }
}

impl Error for Problem {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0
            .source
            .as_deref()
            .map(|source| source as &(dyn Error + 'static))
    }
}
