//! The version that a client has read: `ETag` and `If-Match`, or the field of the body.

use axum::http::HeaderMap;
use axum::http::header::IF_MATCH;

/// The version that a write is guarded by, and where the client said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    /// In the `If-Match` header: what fails is a precondition.
    Header(i32),
    /// In the body: what fails is the write itself.
    Body(i32),
}

/// Why there is no version to guard a write by.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ConditionError {
    #[error("say which version was read: in the header If-Match: \"7\"{or_in_body}")]
    Missing { or_in_body: &'static str },
    #[error("If-Match is {given}; it must be the ETag of one version, such as \"7\"")]
    NoVersion { given: String },
    #[error("If-Match says version {header}, the body says {body}; give one of them")]
    Contradiction { header: i32, body: i32 },
}

impl Expected {
    /// What a request says that its client has read; the body's version where it has one.
    pub(crate) fn of(headers: &HeaderMap, body: Option<i32>) -> Result<Self, ConditionError> {
        match (Self::of_header(headers)?, body) {
            (Some(header), Some(body)) if header != body => {
                Err(ConditionError::Contradiction { header, body })
            }
            (Some(header), _) => Ok(Self::Header(header)),
            (None, Some(body)) => Ok(Self::Body(body)),
            (None, None) => Err(ConditionError::Missing {
                or_in_body: ", or as `version` in the body",
            }),
        }
    }

    /// The same for a request without a body.
    pub(crate) fn of_header_only(headers: &HeaderMap) -> Result<Self, ConditionError> {
        Self::of_header(headers)?
            .map(Self::Header)
            .ok_or(ConditionError::Missing { or_in_body: "" })
    }

    pub(crate) fn version(self) -> i32 {
        match self {
            Self::Header(version) | Self::Body(version) => version,
        }
    }

    fn of_header(headers: &HeaderMap) -> Result<Option<i32>, ConditionError> {
        let mut given = headers.get_all(IF_MATCH).iter();
        let Some(first) = given.next() else {
            return Ok(None);
        };
        let text = first.to_str().unwrap_or_default().trim();
        let version = text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'))
            .and_then(|text| text.parse().ok());
        match version {
            Some(version) if given.next().is_none() => Ok(Some(version)),
            _ => Err(ConditionError::NoVersion {
                given: text.to_owned(),
            }),
        }
    }
}

/// A version as an `ETag`.
pub(crate) fn etag(version: i32) -> String {
    format!("\"{version}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(values: &[&'static str]) -> HeaderMap {
        values
            .iter()
            .map(|value| (IF_MATCH, value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn an_etag_is_read_back() {
        for version in [1, 7, i32::MAX] {
            let headers = HeaderMap::from_iter([(IF_MATCH, etag(version).parse().unwrap())]);
            assert_eq!(Expected::of(&headers, None), Ok(Expected::Header(version)));
        }
    }

    #[test]
    fn the_header_goes_before_the_body_and_must_not_contradict_it() {
        let seven = headers(&["\"7\""]);
        assert_eq!(Expected::of(&seven, Some(7)), Ok(Expected::Header(7)));
        assert_eq!(
            Expected::of(&seven, Some(8)),
            Err(ConditionError::Contradiction { header: 7, body: 8 })
        );
        assert_eq!(Expected::of(&headers(&[]), Some(8)), Ok(Expected::Body(8)));
    }

    #[test]
    fn what_is_no_version_is_refused() {
        for given in [
            &["7"][..],
            &["*"],
            &["W/\"7\""],
            &["\"7\", \"8\""],
            &["\"7\"", "\"8\""],
            &[""],
        ] {
            let condition = Expected::of(&headers(given), None);
            assert!(
                matches!(condition, Err(ConditionError::NoVersion { .. })),
                "{given:?}: {condition:?}"
            );
        }
        assert!(Expected::of_header_only(&headers(&[])).is_err());
    }
}
