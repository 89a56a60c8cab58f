//! An option of `#[version]` that is not for the type of the version.

use std::time::SystemTime;

use diesel_versioned::version::{Moment, NoVersion};
use diesel_versioned::{VersionValue, Versioned};

diesel::table! {
    products (id) {
        id -> Integer,
        version -> Integer,
        changed_at -> Timestamp,
    }
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct WrapOfATime {
    id: i32,
    #[version(wrap)]
    changed_at: SystemTime,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct PrecisionOfANumber {
    id: i32,
    #[version(precision = "millis")]
    version: i32,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct UuidOfANumber {
    id: i32,
    #[version(uuid = "v4")]
    version: i32,
}

#[derive(Debug, Clone, PartialEq)]
struct Revision(i32);

impl VersionValue for Revision {
    fn initial(moment: &Moment) -> Result<Self, NoVersion> {
        i32::initial(moment).map(Self)
    }

    fn next(&self, moment: &Moment) -> Result<Self, NoVersion> {
        self.0.next(moment).map(Self)
    }

    fn to_text(&self) -> String {
        self.0.to_text()
    }

    fn from_text(text: &str) -> Option<Self> {
        i32::from_text(text).map(Self)
    }
}

#[derive(Clone, Versioned)]
#[diesel(table_name = products)]
struct WrapOfOwnType {
    id: i32,
    #[version(wrap)]
    version: Revision,
}

fn main() {}
