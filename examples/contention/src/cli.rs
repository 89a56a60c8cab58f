//! The command line.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;

use crate::ways::Way;
use crate::workload::{Load, Point, Sweep, Until};

/// Measures five ways of changing rows that many writers want at the same time, checks after each run
/// that no update was lost, and draws where the ways cross.
///
/// Without arguments it measures on contention.sqlite and writes contention.csv and contention.svg. Each
/// of three lines of points is measured with the other two numbers at its centre: more writers, more rows
/// that they share, more time between reading and writing.
#[derive(Debug, Parser)]
#[command(
    name = "contention",
    version,
    after_help = "The table contention_products of the database is dropped and made anew, so give it a \
        database of its own.\n\
        Exit status: 0 no update was lost, 2 bad input, a database that failed, or a lost update."
)]
pub(crate) struct Cli {
    /// An SQLite file (created if it does not exist), a postgres:// or a mysql:// URL
    #[arg(long, value_name = "URL", default_value = "contention.sqlite")]
    pub(crate) database_url: String,

    /// Where the numbers and the picture go: PATH.csv and PATH.svg
    #[arg(long, value_name = "PATH", default_value = "contention")]
    pub(crate) out: PathBuf,

    /// How many write at the same time, a connection each; 1 is what the model is computed from
    #[arg(long, value_name = "N,…", default_value = "1,2,4,8,16", value_delimiter = ',', value_parser = 1..=200)]
    writers: Vec<i64>,

    /// How many rows they share, each operation one of them by lot
    #[arg(long, value_name = "N,…", default_value = "1,4,16,64", value_delimiter = ',', value_parser = 1..=1_000)]
    rows: Vec<i64>,

    /// How long passes between reading and writing, in milliseconds
    #[arg(long, value_name = "MS,…", default_value = "0,1,5,20", value_delimiter = ',', value_parser = 0..=1_000)]
    think_ms: Vec<i64>,

    /// Writers where something else is varied
    #[arg(long, value_name = "N", default_value = "8", value_parser = 1..=200)]
    at_writers: i64,

    /// Rows where something else is varied
    #[arg(long, value_name = "N", default_value = "1", value_parser = 1..=1_000)]
    at_rows: i64,

    /// Think time where something else is varied, in milliseconds
    #[arg(long, value_name = "MS", default_value = "5", value_parser = 0..=1_000)]
    at_think_ms: i64,

    /// Which ways [default: all]
    #[arg(long, value_enum, value_name = "WAY,…", value_delimiter = ',')]
    ways: Vec<Way>,

    /// How long a writer pauses before each operation, in milliseconds, on average
    #[arg(long, value_name = "MS", default_value = "5", value_parser = 0..=1_000)]
    pause_ms: i64,

    /// How long operations are begun in a run, in milliseconds
    #[arg(long, value_name = "MS", default_value = "700", value_parser = 1..=600_000)]
    run_ms: i64,

    /// How many operations each writer does in a run, instead of as many as it can in a time
    #[arg(long, value_name = "N", conflicts_with = "run_ms")]
    operations: Option<NonZeroU32>,

    /// How often each run is repeated; the median counts
    #[arg(long, value_name = "N", default_value = "3")]
    pub(crate) repetitions: NonZeroU32,

    /// How much there is of each product
    #[arg(long, value_name = "N", default_value = "1000000000", value_parser = clap::value_parser!(u32).range(..=1_000_000_000))]
    stock: u32,

    /// Measure nothing, and draw the numbers of an earlier sweep
    #[arg(long, value_name = "CSV")]
    pub(crate) redraw: Option<PathBuf>,
}

impl Cli {
    pub(crate) fn sweep(&self) -> Sweep {
        let count = |&number: &i64| u32::try_from(number).unwrap_or(1);
        let millis = |&number: &i64| Duration::from_millis(number.unsigned_abs());
        Sweep {
            centre: Point {
                writers: count(&self.at_writers),
                rows: count(&self.at_rows),
                think: millis(&self.at_think_ms),
            },
            writers: self.writers.iter().map(count).collect(),
            rows: self.rows.iter().map(count).collect(),
            think: self.think_ms.iter().map(millis).collect(),
        }
    }

    pub(crate) fn ways(&self) -> Vec<Way> {
        Way::ALL
            .into_iter()
            .filter(|way| self.ways.is_empty() || self.ways.contains(way))
            .collect()
    }

    pub(crate) fn load(&self) -> Load {
        Load {
            pause: Duration::from_millis(self.pause_ms.unsigned_abs()),
            until: match self.operations {
                Some(operations) => Until::Operations(operations.get()),
                None => Until::Time(Duration::from_millis(self.run_ms.unsigned_abs())),
            },
            stock: self.stock,
        }
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
    fn the_ways_come_in_their_order_and_once() {
        let cli = Cli::parse_from(["contention", "--ways", "relative,save,save"]);
        assert_eq!(cli.ways(), [Way::Save, Way::Relative]);
        assert_eq!(Cli::parse_from(["contention"]).ways(), Way::ALL);
    }
}
