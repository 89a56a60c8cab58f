//! Types around versions: they are what is inside of them.

use std::fmt::Debug;

use diesel_versioned::VersionValue;
use diesel_versioned::schema_check::Shape;
use diesel_versioned::version::{
    CountingVersion, Moment, NoVersion, Step, SteppingVersion, TimestampVersion, UuidVersion,
};

#[derive(Debug, Clone, PartialEq, VersionValue)]
struct Number(i16);

#[derive(Debug, Clone, PartialEq, VersionValue)]
struct Saved {
    at: chrono::NaiveDateTime,
}

#[derive(Debug, Clone, PartialEq, VersionValue)]
struct Token(uuid::Uuid);

/// Around any version, around another one that is around one.
#[derive(Debug, Clone, PartialEq, VersionValue)]
struct Of<V>(V);

fn counts<V: CountingVersion + SteppingVersion>() {}
fn is_a_time<V: TimestampVersion + SteppingVersion>() {}
fn is_a_uuid<V: UuidVersion + SteppingVersion>() {}

/// What a version does is what the one inside does.
fn as_inside<V: VersionValue, I: VersionValue>(outside: &V, inside: &I) {
    let text = inside.to_text();
    assert_eq!(outside.to_text(), text);
    assert_eq!(V::from_text(&text).as_ref(), Some(outside));
    assert_eq!(V::from_text("none of them"), None);
    assert_eq!(V::shape(), I::shape());
}

#[test]
fn a_type_around_a_version_is_a_version_like_it() {
    let moment = Moment::new();
    assert_eq!(Number::initial(&moment).unwrap(), Number(1));
    assert_eq!(Number(7).next(&moment).unwrap(), Number(8));
    let last = Number(i16::MAX).next(&moment);
    assert!(matches!(last, Err(NoVersion::Exhausted)), "{last:?}");
    assert_eq!(
        Number::step(&moment).unwrap(),
        Step::counting(Number(i16::MAX))
    );
    let bits = Shape::Integer {
        bits: 16,
        signed: true,
    };
    assert_eq!(Number::shape(), bits);
    as_inside(&Number(7), &7_i16);

    let saved = Saved::initial(&moment).unwrap();
    as_inside(&saved, &saved.at);
    assert!(saved.next(&moment).unwrap().at > saved.at);

    let token = Token::initial(&moment).unwrap();
    as_inside(&token, &token.0);
    as_inside(&Of(Of(Number(3))), &3_i16);
    assert_eq!(Of(Number(3)).next(&moment).unwrap(), Of(Number(4)));
}

#[test]
fn it_takes_the_options_of_the_one_inside() {
    counts::<Number>();
    counts::<Of<Of<i64>>>();
    is_a_time::<Saved>();
    is_a_time::<Of<std::time::SystemTime>>();
    is_a_uuid::<Token>();
}
