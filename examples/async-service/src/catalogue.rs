//! The product: its table, its entity, and the form by which clients write it.

use diesel::prelude::*;
use diesel_versioned::async_prelude::*;
use serde::{Deserialize, Serialize};

diesel::table! {
    products (id) {
        id -> BigInt,
        name -> Text,
        price_cents -> BigInt,
        stock -> BigInt,
        version -> Integer,
    }
}

/// One product, also as the answers show it.
#[derive(Debug, Clone, Queryable, Selectable, Versioned, Serialize)]
#[diesel(table_name = products)]
pub(crate) struct Product {
    /// Made by the database.
    #[diesel(skip_insertion)]
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) price_cents: i64,
    pub(crate) stock: i64,
    #[version]
    pub(crate) version: i32,
}

/// What a client writes: a product as it came from GET, edited, or a new one without id and
/// version.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Form {
    pub(crate) id: Option<i64>,
    pub(crate) name: String,
    pub(crate) price_cents: i64,
    pub(crate) stock: i64,
    /// The version that was edited.
    pub(crate) version: Option<i32>,
    /// The product as it was before it was edited. It is only used to tell in a conflict who
    /// changed which column.
    pub(crate) was: Option<Was>,
}

/// A product as a client has read it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Was {
    name: String,
    price_cents: i64,
    stock: i64,
}

/// Why a form is no product.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FormError {
    #[error("a product needs a name")]
    Nameless,
    #[error("{field} is {value}; it cannot be negative")]
    Negative { field: &'static str, value: i64 },
    #[error("the form is of product {form}, the path of product {path}")]
    OtherProduct { form: i64, path: i64 },
    #[error("a new product has no {0}; the answer tells what it got")]
    NotNew(&'static str),
}

impl Form {
    /// The product that a form wants the row with this id to be. Which version it is guarded by is
    /// not said here.
    pub(crate) fn edited(self, id: i64) -> Result<Product, FormError> {
        match self.id.filter(|form| *form != id) {
            Some(form) => Err(FormError::OtherProduct { form, path: id }),
            None => self.checked(id),
        }
    }

    /// The product that a form wants to be there.
    pub(crate) fn new_product(self) -> Result<Product, FormError> {
        let given = [
            (self.id.is_some(), "id"),
            (self.version.is_some(), "version"),
            (self.was.is_some(), "was"),
        ];
        match given.iter().find(|(given, _)| *given) {
            Some((_, field)) => Err(FormError::NotNew(field)),
            // The insert gives it both id and version.
            None => self.checked(0),
        }
    }

    fn checked(self, id: i64) -> Result<Product, FormError> {
        if self.name.trim().is_empty() {
            return Err(FormError::Nameless);
        }
        for (field, value) in [("price_cents", self.price_cents), ("stock", self.stock)] {
            if value < 0 {
                return Err(FormError::Negative { field, value });
            }
        }
        Ok(Product {
            id,
            name: self.name,
            price_cents: self.price_cents,
            stock: self.stock,
            version: 0,
        })
    }
}

impl Was {
    /// The product that was read, before it was edited.
    pub(crate) fn of(self, edited: &Product) -> Product {
        Product {
            id: edited.id,
            name: self.name,
            price_cents: self.price_cents,
            stock: self.stock,
            version: edited.version,
        }
    }
}
