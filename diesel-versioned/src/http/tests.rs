//! Entity tags and headers are read as RFC 9110 writes them, and codes are as they are documented.

use std::time::Duration;

use ::http::header::IF_MATCH;
use ::http::{HeaderMap, HeaderValue, StatusCode};
use proptest::prelude::*;

use super::problem::CODES;
use super::{ETag, HeaderError, IfMatch, IfNoneMatch, PreconditionError, Problem};
use crate::version::{Moment, NoVersion, VersionValue};

/// A version with all kinds of characters.
#[derive(Debug, Clone, PartialEq)]
struct Text(String);

impl VersionValue for Text {
    fn initial(_: &Moment) -> Result<Self, NoVersion> {
        Ok(Self(String::new()))
    }

    fn next(&self, _: &Moment) -> Result<Self, NoVersion> {
        Err(NoVersion::Exhausted)
    }

    fn to_text(&self) -> String {
        self.0.clone()
    }

    fn from_text(text: &str) -> Option<Self> {
        Some(Self(text.to_owned()))
    }
}

fn tag(text: &str) -> ETag {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn tags(header: &str) -> Vec<String> {
    let if_match: IfMatch = header
        .parse()
        .unwrap_or_else(|error| panic!("{header:?}: {error}"));
    if_match.tags().iter().map(ETag::to_string).collect()
}

fn lines(lines: &[&[u8]]) -> HeaderMap {
    let value = |line: &&[u8]| HeaderValue::from_bytes(line).unwrap_or_else(|_| panic!("{line:?}"));
    lines.iter().map(|line| (IF_MATCH, value(line))).collect()
}

/// What is wrong with a header, and where.
fn problem(header: &str) -> (&'static str, String) {
    match header.parse::<IfMatch>() {
        Err(HeaderError::Malformed { problem, found, .. }) => (problem, found),
        other => panic!("{header:?}: {other:?}"),
    }
}

proptest! {
    #[test]
    fn a_tag_is_read_back_as_the_version_it_was_made_of(text in any::<String>(), number: i64) {
        let etag = ETag::of_version(&number);
        prop_assert_eq!(tag(&etag.to_string()).version(), Some(number));

        let etag = ETag::of_version(&Text(text.clone()));
        let value = HeaderValue::from(&etag);
        prop_assert!(value.as_bytes().iter().all(u8::is_ascii_graphic));
        prop_assert_eq!(tag(value.to_str().unwrap_or_default()).version(), Some(Text(text)));
    }

    #[test]
    fn what_is_written_as_a_list_is_read_as_it(
        tags in prop::collection::vec(("[\\x21\\x23-\\x7E\u{80}-\u{7FF}]{0,12}", any::<bool>()), 1..20),
        between in prop::collection::vec("[ \t]{0,2},[ \t,]{0,3}", 20),
    ) {
        let tags: Vec<ETag> = tags.iter().map(|(text, weak)| ETag::new(text.as_bytes(), *weak)).collect();
        let header: String = tags.iter().zip(&between).map(|(tag, comma)| format!("{tag}{comma}")).collect();
        let read: IfMatch = header.parse()?;
        prop_assert_eq!(read.tags(), &tags);
        // The same in a line each.
        let headers: HeaderMap = tags.iter().map(|tag| (IF_MATCH, tag.into())).collect();
        prop_assert_eq!(IfMatch::from_headers(&headers)?, Some(read));
    }

    #[test]
    fn nothing_makes_the_parser_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..60),
        near in "[ \t,\"W/*v7é\u{0}-]{0,40}",
    ) {
        for bytes in [&bytes, near.as_bytes()] {
            for read in [super::header::list("If-Match", [bytes].into_iter()).err(), super::header::one_tag(bytes).err()] {
                let text = read.map(|error| error.to_string()).unwrap_or_default();
                prop_assert!(!text.contains(char::is_control) && text.len() < 500, "{}", text);
            }
        }
    }
}

#[test]
fn lists_are_read_as_rfc_9110_writes_them() {
    assert_eq!(tags(r#""v7""#), [r#""v7""#]);
    assert_eq!(
        tags("\t, ,\"v7\" ,W/\"v8\",,\t\"a,b\",\"\","),
        [r#""v7""#, r#"W/"v8""#, r#""a,b""#, r#""""#]
    );
    assert_eq!(tags("\"é\\\""), ["\"é\\\""]);
    let any: IfMatch = " * ,".parse().unwrap_or_else(|error| panic!("{error}"));
    assert!(any.is_any() && any.tags().is_empty());
}

#[test]
fn what_a_tag_cannot_hold_and_what_others_split_at_is_escaped() {
    let text = Text("2026-11-30 12:00+é\"\\%,\n~".to_owned());
    let etag = ETag::of_version(&text);
    assert_eq!(
        etag.to_string(),
        r#""v2026-11-30%2012:00+%C3%A9%22%5C%25%2C%0A~""#
    );
    assert_eq!(etag.version(), Some(text));
}

#[test]
fn what_is_malformed_is_told_with_what_would_be_right() {
    for (header, expected, found) in [
        ("", "it is empty", ""),
        (" , ", "it is empty", ""),
        ("v7", "the double quote before it is missing", "v7"),
        ("7", "the double quote before it is missing", "7"),
        ("W/v7", "the double quote before it is missing", "v7"),
        (
            "\"v7\", w/\"v8\"",
            "the W of a weak entity tag is a capital letter",
            "w/\"v8\"",
        ),
        (
            "\"v6\", \"v7",
            "the double quote at its end is missing",
            "\"v7",
        ),
        (
            "\"v 7\"",
            "an entity tag has no blanks and no control characters",
            " 7\"",
        ),
        (
            "\"v\u{7F}\"",
            "an entity tag has no blanks and no control characters",
            "�\"",
        ),
        ("\"v6\" \"v7\"", "the comma before it is missing", "\"v7\""),
        (
            "*, \"v7\"",
            "`*` stands alone, without entity tags",
            "\"v7\"",
        ),
        ("\"v7\", *", "`*` stands alone, without entity tags", "*"),
        ("*, *", "`*` stands alone, without entity tags", "*"),
        ("**", "the comma before it is missing", "*"),
    ] {
        assert_eq!(problem(header), (expected, found.to_owned()), "{header:?}");
    }
    let long = format!("v{}", "7".repeat(100));
    assert_eq!(problem(&long).1, format!("v{}…", "7".repeat(39)));
    assert_eq!(
        "v7".parse::<IfNoneMatch>()
            .map_err(|error| error.to_string()),
        Err(
            "If-None-Match cannot be read at v7: the double quote before it is missing; \
             send it as it came in the ETag header, such as \"v7\""
                .to_owned()
        )
    );
    assert_eq!(
        "".parse::<IfMatch>().map_err(|error| error.to_string()),
        Err("If-Match cannot be read: it is empty; \
             send it as it came in the ETag header, such as \"v7\""
            .to_owned())
    );
}

#[test]
fn a_quote_does_not_reach_from_one_line_into_the_next() {
    let headers = lines(&[b"\"v6\"", b"W/\"v7\", \"\xFF\""]);
    let read = IfMatch::from_headers(&headers).unwrap_or_else(|error| panic!("{error}"));
    let read = read.unwrap_or_else(|| panic!("there is a header"));
    assert_eq!(read.tags().len(), 3);
    // Bytes of others are kept, whatever they are.
    assert_eq!(
        HeaderValue::from(&read.tags()[2]),
        HeaderValue::from_bytes(b"\"\xFF\"").unwrap_or_else(|_| panic!())
    );

    for torn in [
        &[&b"\"v6"[..], b"v7\""][..],
        &[b"*", b"\"v7\""],
        &[b"*", b"*"],
    ] {
        let error = IfMatch::from_headers(&lines(torn));
        assert!(error.is_err(), "{torn:?}");
    }
    assert_eq!(IfMatch::from_headers(&HeaderMap::new()), Ok(None));
}

#[test]
fn a_header_has_a_greatest_length() {
    let too_long = HeaderError::TooLong { header: "If-Match" };
    let most = vec!["\"v7\""; 128].join(",");
    assert_eq!(tags(&most).len(), 128);
    assert_eq!((most + ",\"v7\"").parse::<IfMatch>(), Err(too_long.clone()));
    let blank = " ".repeat(8_188);
    assert_eq!(tags(&format!("{blank}\"v7\"")).len(), 1);
    assert_eq!(
        format!("{blank} \"v7\"").parse::<IfMatch>(),
        Err(too_long.clone())
    );
    let half = " ".repeat(4_097);
    let headers = lines(&[half.as_bytes(), half.as_bytes()]);
    assert_eq!(IfMatch::from_headers(&headers), Err(too_long));
}

#[test]
fn strong_tags_match_strongly_and_all_match_weakly() {
    let current = ETag::of_version(&7);
    for (header, matches, not_modified) in [
        (r#""v7""#, true, true),
        (r#""v6", "v7""#, true, true),
        (r#"W/"v7""#, false, true),
        (r#""v6", W/"v8", "7", "V7""#, false, false),
        ("*", true, true),
    ] {
        let if_match: IfMatch = header.parse().unwrap_or_else(|error| panic!("{error}"));
        let none: IfNoneMatch = header.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(if_match.matches(Some(&current)), matches, "{header}");
        assert_eq!(none.not_modified(&current), not_modified, "{header}");
        assert!(!if_match.matches(None), "{header}");
    }
    let weak = tag(r#"W/"v7""#);
    assert!(!weak.strong_eq(&weak) && weak.weak_eq(&weak));
}

#[test]
fn a_header_is_one_version_or_none() {
    let version = |header: &str| {
        let if_match: IfMatch = header.parse().unwrap_or_else(|error| panic!("{error}"));
        if_match.version::<i32>()
    };
    assert_eq!(version(r#""v7""#), Ok(7));
    assert_eq!(version(r#""v-7""#), Ok(-7));
    // What never matches does not count.
    assert_eq!(version(r#""v7", W/"v8", "x", "v7""#), Ok(7));
    for several in ["*", r#""v7", "v8""#] {
        let error = version(several);
        assert!(
            matches!(error, Err(PreconditionError::NotOneVersion { .. })),
            "{several}"
        );
    }
    for weak in [r#"W/"v7""#, r#""x", W/"v7""#] {
        assert_eq!(
            version(weak),
            Err(PreconditionError::NeverMatches { weak: true })
        );
    }
    for foreign in [
        r#""7""#,
        r#""v""#,
        r#""v07""#,
        r#""v+7""#,
        r#""v%37""#,
        r#""v7-gzip""#,
        r#""v99999999999""#,
        r#""v%""#,
        r#""v%zz""#,
        "\"vé\"",
    ] {
        assert_eq!(
            version(foreign),
            Err(PreconditionError::NeverMatches { weak: false }),
            "{foreign}"
        );
    }
}

#[test]
fn a_member_stands_in_for_one_of_its_name_but_not_for_the_problems_own() {
    let problem = Problem::new(StatusCode::CONFLICT, "sold.out")
        .with_type("https://example.org/sold-out")
        .with_title("Sold out")
        .with_member("left", 1)
        .with_member("status", 200)
        .with_member("left", 0);
    assert_eq!(
        serde_json::to_string(&problem).unwrap_or_default(),
        r#"{"type":"https://example.org/sold-out","title":"Sold out","status":409,"#.to_owned()
            + r#""code":"sold.out","left":0}"#
    );
    let soon = problem
        .with_retry_after(Duration::from_millis(1))
        .into_response();
    assert_eq!(soon.headers()["retry-after"], "1");
}

#[test]
fn the_status_of_every_code_is_documented() {
    let documentation = include_str!("../http.rs");
    for code in CODES {
        let row = format!("//! | `{}` | {} |", code.name, code.status.as_u16());
        assert!(documentation.contains(&row), "{row}");
    }
    let rows = documentation
        .lines()
        .filter(|line| line.starts_with("//! | `"));
    assert_eq!(rows.count(), CODES.len());
}

#[test]
fn every_code_of_the_library_has_a_status() {
    let sources = [
        include_str!("../error.rs"),
        include_str!("../error/save.rs"),
        include_str!("../error/commit.rs"),
        include_str!("../error/lock.rs"),
        include_str!("../error/isolation.rs"),
        include_str!("../error/track.rs"),
        include_str!("../unmergeable.rs"),
        include_str!("../database_error.rs"),
        include_str!("../retry/error.rs"),
        include_str!("../replay/key.rs"),
        include_str!("../overwrite/actor.rs"),
        include_str!("../overwrite/error.rs"),
        include_str!("../lease/error.rs"),
    ];
    let quoted = sources.iter().flat_map(|source| source.split('"'));
    for name in quoted.filter(|text| is_code(text)) {
        let known = CODES.iter().any(|code| code.name == name);
        assert!(known || name == "retry.stopped", "{name}");
    }
}

fn is_code(text: &str) -> bool {
    let parts: Vec<_> = text.split('.').collect();
    let word = |part: &&str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    parts.len() == 2 && parts.iter().all(word)
}
