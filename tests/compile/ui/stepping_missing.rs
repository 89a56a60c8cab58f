//! A version of one's own does not say how the database moves it on.

use diesel::prelude::*;
use diesel::sql_types::Integer;
use diesel_versioned::prelude::*;
use diesel_versioned::version::{Moment, NoVersion};

diesel::table! {
    products (id) { id -> Integer, stock -> Integer, version -> Integer }
}

#[derive(Debug, Clone, PartialEq, diesel::expression::AsExpression, diesel::deserialize::FromSqlRow)]
#[diesel(sql_type = Integer)]
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

#[derive(Debug, Clone, Versioned)]
struct Product {
    id: i32,
    stock: i32,
    #[version]
    version: Revision,
}

fn main() {
    let _ = Product::bump();
    let _ = Product::update_where(products::stock.gt(0)).set(products::stock.eq(0));
}
