//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use crate::columns::Columns;

/// Applies a CSV price list to a product catalogue, in units that are written as a whole, and
/// reports every row that somebody else changed in the meantime.
///
/// Without arguments it creates and migrates price-import.sqlite, fills it with a sample catalogue
/// and applies a sample price list of 1,000 rows. The same file applied again does only what is
/// left to do, such as the rows that were in conflict.
#[derive(Debug, Parser)]
#[command(
    name = "price-import",
    version,
    after_help = "Rows are counted as a spreadsheet does: the header is row 1.\n\
        Exit status: 0 every row is applied, 1 some rows are not (each is named), \
        2 bad input, or a database that failed."
)]
pub(crate) struct Cli {
    /// The price list, UTF-8 CSV with a header [default: the bundled sample]
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<PathBuf>,

    /// An SQLite file (created if it does not exist), a postgres:// or a mysql:// URL
    #[arg(long, value_name = "URL", default_value = "price-import.sqlite")]
    pub(crate) database_url: String,

    /// Which columns of the file to take, such as id=ProductID,price=UnitPrice,quantity=UnitsInStock
    ///
    /// Keys: `id` or `sku` finds the product, `price` is its new price, `quantity` is added to its
    /// stock, `name` is for new products. What is not listed is not taken. Without this option the
    /// columns are called id or sku, price, quantity, and name if there is one.
    #[arg(long, value_name = "KEY=COLUMN,…")]
    pub(crate) columns: Option<Columns>,

    /// What separates the columns of the file: one character, or \t
    #[arg(long, value_name = "CHAR", default_value = ",", value_parser = delimiter)]
    pub(crate) delimiter: u8,

    /// Create the products that the catalogue does not have, instead of refusing the file
    #[arg(long)]
    pub(crate) create_missing: bool,

    /// Apply the price list anew, from its first row, although an earlier run applied it
    #[arg(long)]
    pub(crate) again: bool,

    /// How many rows are written in one transaction
    #[arg(long, value_name = "ROWS", default_value = "100")]
    pub(crate) unit: NonZeroUsize,

    /// What to do when a row cannot be applied
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = OnConflict::Continue)]
    pub(crate) on_conflict: OnConflict,

    /// No progress bar and no summary, only what went wrong
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// For demonstrations: a second connection really changes the price of N of the rows after
    /// they were read and before they are written
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true)]
    pub(crate) simulate_conflicts: usize,
}

/// What to do when a row cannot be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnConflict {
    /// Write the other rows of its unit, and go on with the next unit
    Continue,
    /// Write nothing of its unit, and stop
    Stop,
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        &[byte]
            if byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"\"\r\n".contains(&byte) =>
        {
            Ok(byte)
        }
        _ => Err(r"one character such as ; or \t separates columns".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn a_delimiter_is_one_character() {
        assert_eq!(delimiter(";"), Ok(b';'));
        assert_eq!(delimiter("\\t"), Ok(b'\t'));
        for wrong in ["", ";;", "a", "\"", "\n", "é"] {
            assert!(delimiter(wrong).is_err(), "{wrong:?}");
        }
    }
}
