//! A hash is made of values that know how they are written.

use diesel_versioned::hash::ContentHashed;
use diesel_versioned::{Versioned, VersionedPart};

diesel::table! {
    contacts (id) {
        id -> Integer,
        name -> Text,
        color -> Text,
        street -> Text,
        version -> Integer,
    }
}

#[derive(Clone, PartialEq, Debug)]
struct Color;

#[derive(Clone, Versioned)]
#[diesel(table_name = contacts)]
#[versioned(check = "hash")]
struct Contact {
    id: i32,
    name: String,
    color: Color,
}

#[derive(Clone, PartialEq, VersionedPart)]
#[diesel(table_name = contacts)]
struct Address {
    street: String,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = contacts)]
#[versioned(check = "hash")]
struct Person {
    id: i32,
    #[diesel(embed)]
    address: Address,
}

#[derive(Clone, Versioned)]
#[diesel(table_name = contacts)]
struct Counted {
    id: i32,
    #[version]
    version: i32,
}

fn main() {
    let counted = Counted { id: 1, version: 1 };
    counted.content_hash();
}
