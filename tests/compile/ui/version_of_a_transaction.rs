//! A version that only the database makes, without `db`.

use diesel_versioned::version::{Moment, NoVersion};
use diesel_versioned::{VersionValue, Versioned};

diesel::table! {
    products (id) { id -> Integer, written_by -> Integer }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Transaction(i32);

impl VersionValue for Transaction {
    const OF_TRANSACTION: bool = true;

    fn initial(_: &Moment) -> Result<Self, NoVersion> {
        Err(NoVersion::failed("the database makes it"))
    }

    fn next(&self, _: &Moment) -> Result<Self, NoVersion> {
        Err(NoVersion::failed("the database makes it"))
    }

    fn to_text(&self) -> String {
        self.0.to_string()
    }

    fn from_text(_: &str) -> Option<Self> {
        None
    }
}

#[derive(Clone, Versioned)]
struct Product {
    id: i32,
    #[version]
    written_by: Transaction,
}

fn main() {}
