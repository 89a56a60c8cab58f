//! The price list: its rows, where it comes from, and all that can be wrong with it.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::columns::{Columns, HeaderError};
use crate::money::{Cents, NotAPrice};
use crate::parse;

/// What finds a product.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    Id(i64),
    Sku(Box<str>),
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => write!(f, "id {id}"),
            Self::Sku(sku) => write!(f, "sku {sku}"),
        }
    }
}

/// One row of the price list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// As a spreadsheet or an editor counts: the header is 1.
    pub(crate) number: u64,
    pub(crate) key: Key,
    pub(crate) price: Cents,
    /// What is added to the stock.
    pub(crate) quantity: i64,
    /// For a product that is created.
    pub(crate) new_sku: Option<Box<str>>,
    /// For a product that is created.
    pub(crate) new_name: Option<Box<str>>,
}

/// A price list that was checked as far as that goes without a database.
#[derive(Debug)]
pub(crate) struct PriceList {
    pub(crate) name: String,
    /// The same for the same content read the same way: what an earlier run applied is known by it.
    pub(crate) fingerprint: String,
    pub(crate) rows: Vec<Row>,
}

/// A row that cannot be taken.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RowError {
    #[error("is not UTF-8; save the file as UTF-8")]
    NotUtf8,
    #[error("has {found} columns, the header has {expected}")]
    Ragged { found: usize, expected: usize },
    #[error("a quotation mark is opened here and never closed")]
    OpenQuote,
    #[error("{0}")]
    Header(#[from] HeaderError),
    #[error("the columns are separated by {found:?}, not by {expected:?}; add --delimiter '{}'", found.escape_default())]
    Delimiter { found: char, expected: char },
    #[error("id {text:?} is not a whole number")]
    Id { text: String },
    #[error("the sku is empty")]
    EmptySku,
    #[error("{what} is longer than {limit} characters")]
    TooLong { what: &'static str, limit: usize },
    #[error("price {text:?} {error}")]
    Price { text: String, error: NotAPrice },
    #[error("quantity {text:?} is not a whole number")]
    Quantity { text: String },
    #[error("{key} is in row {first} already")]
    Duplicate { key: Key, first: u64 },
    #[error("there is no product with {key} in the catalogue{hint}")]
    Unknown { key: Key, hint: &'static str },
    #[error("sku {sku} is the product with id {id} already")]
    SkuTaken { sku: Box<str>, id: i64 },
}

/// A file that cannot be taken. Nothing of it was written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    #[error("{name}: cannot be read")]
    Unreadable { name: String, source: io::Error },
    #[error("{name}: is empty")]
    Empty { name: String },
    #[error("{name}: has a header and no rows")]
    NoRows { name: String },
    #[error("{name}: is not UTF-8 but looks like UTF-16; save it as UTF-8")]
    Utf16 { name: String },
    #[error("{name}: row {row}: {error}")]
    Row {
        name: String,
        row: u64,
        error: RowError,
    },
}

/// Where a price list comes from.
#[derive(Debug)]
pub(crate) enum Source {
    File(PathBuf),
    Bundled {
        name: &'static str,
        text: &'static str,
    },
}

impl Source {
    /// Reads and checks it.
    ///
    /// # Errors
    ///
    /// At the first thing that is wrong, with its row.
    pub(crate) fn read(
        &self,
        columns: Option<&Columns>,
        delimiter: u8,
    ) -> Result<PriceList, InputError> {
        match self {
            Self::Bundled { name, text } => {
                parse::price_list(name, text.as_bytes(), columns, delimiter)
            }
            Self::File(path) => {
                let name = path.display().to_string();
                let bytes = std::fs::read(path).map_err(|source| InputError::Unreadable {
                    name: name.clone(),
                    source,
                })?;
                parse::price_list(&name, &bytes, columns, delimiter)
            }
        }
    }
}
