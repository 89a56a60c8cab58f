//! No version column, and what makes no sense of it.

use diesel_versioned::{Versioned, VersionedPart};

diesel::table! {
    contacts (id) {
        id -> Integer,
        name -> Text,
        seen -> Integer,
        version -> Integer,
    }
}

/// One guard is enough.
#[derive(Clone, Versioned)]
#[diesel(table_name = contacts)]
#[versioned(check = "all")]
struct Both {
    id: i32,
    name: String,
    #[version]
    version: i32,
}

/// A check that is not there, and one without a value.
#[derive(Clone, Versioned)]
#[diesel(table_name = contacts)]
#[versioned(check = "some")]
struct Some {
    id: i32,
    name: String,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = contacts)]
#[versioned(check)]
struct Nothing {
    id: i32,
    name: String,
}

/// Nothing to leave out.
#[derive(Clone, Versioned)]
#[diesel(table_name = contacts)]
struct Unchecked {
    id: i32,
    #[versioned(unchecked)]
    name: String,
    #[version]
    version: i32,
}

/// Left out already, or not to be left out.
#[derive(Clone, Versioned)]
#[diesel(table_name = contacts)]
#[versioned(check = "changed")]
struct LeftOut {
    #[versioned(unchecked)]
    id: i32,
    name: String,
    #[versioned(unchecked, unguarded)]
    seen: i32,
}

/// On the wrong place.
#[derive(Clone, Versioned)]
#[diesel(table_name = contacts)]
#[versioned(unchecked)]
struct Place {
    id: i32,
    #[versioned(check = "all")]
    name: String,
    #[version]
    version: i32,
}

/// A part is compared as the entity says.
#[derive(Clone, VersionedPart)]
#[diesel(table_name = contacts)]
#[versioned(check = "all")]
struct Part {
    name: String,
}

fn main() {}
