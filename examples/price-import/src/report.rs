//! What the job says: the progress bar, one paragraph per row in trouble, the summary.

use std::fmt;
use std::io::{self, Write};
use std::time::Instant;

use diesel_versioned::prelude::*;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::catalogue::Product;
use crate::input::Row;
use crate::money::Cents;

/// How many rows ended how.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) updated: usize,
    pub(crate) created: usize,
    pub(crate) unchanged: usize,
    pub(crate) earlier: usize,
    pub(crate) conflicts: usize,
    pub(crate) refused: usize,
    pub(crate) not_tried: usize,
}

impl Tally {
    /// The rows that the catalogue does not have now.
    pub(crate) fn not_applied(&self) -> usize {
        self.conflicts + self.refused + self.not_tried
    }

    /// Adds the rows of a unit.
    pub(crate) fn add(&mut self, unit: &Self) {
        self.updated += unit.updated;
        self.created += unit.created;
        self.unchanged += unit.unchanged;
        self.earlier += unit.earlier;
        self.conflicts += unit.conflicts;
        self.refused += unit.refused;
        self.not_tried += unit.not_tried;
    }

    fn rows(&self) -> usize {
        self.updated + self.created + self.unchanged + self.earlier + self.not_applied()
    }
}

/// Why a product cannot take its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    Negative { stock: i64, quantity: i64 },
    Overflow { stock: i64, quantity: i64 },
}

/// Why a row was not applied.
pub(crate) enum Reason<'a> {
    Conflict(&'a Conflict<Product>),
    /// The product was deleted before its row was reached.
    Gone,
    Refused(Refusal),
}

/// A row that was not applied, as text.
pub(crate) struct Trouble<'a>(pub(crate) &'a Row, pub(crate) &'a Reason<'a>);

impl fmt::Display for Trouble<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(row, reason) = self;
        write!(f, "row {}: {} not applied: ", row.number, row.key)?;
        match reason {
            Reason::Conflict(conflict) => write_conflict(f, conflict),
            Reason::Gone => f.write_str("the product was deleted meanwhile"),
            Reason::Refused(Refusal::Negative { stock, quantity }) => {
                write!(
                    f,
                    "the stock is {stock}, a quantity of {quantity} would make it negative"
                )
            }
            Reason::Refused(Refusal::Overflow { stock, quantity }) => {
                write!(
                    f,
                    "the stock is {stock}, a quantity of {quantity} is more than it can hold"
                )
            }
        }
    }
}

fn write_conflict(f: &mut fmt::Formatter<'_>, conflict: &Conflict<Product>) -> fmt::Result {
    let expected = conflict.expected();
    match (conflict.kind(), conflict.current()) {
        (ConflictKind::Refused, _) => write!(
            f,
            "the database did not write it, though it is at version {expected} as expected; \
             a trigger or a policy holds it back"
        ),
        (_, None) => write!(f, "someone else deleted it (expected version {expected})"),
        (_, Some(current)) => {
            write!(
                f,
                "someone else changed it (expected version {expected}, found {})",
                current.version
            )?;
            let mine = conflict.mine();
            for column in conflict.changes().iter() {
                match column.column {
                    "price_cents" => write!(
                        f,
                        "; price {} wanted, {} stands there",
                        Cents(mine.price_cents),
                        Cents(current.price_cents)
                    )?,
                    "stock" => write!(
                        f,
                        "; stock {} wanted, {} stands there",
                        mine.stock, current.stock
                    )?,
                    other => write!(f, "; {other} changed")?,
                }
            }
            Ok(())
        }
    }
}

/// The bar, where a person watches; the troubles, always.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn new(rows: usize, quiet: bool) -> Self {
        if quiet {
            return Self(ProgressBar::hidden());
        }
        // Not drawn where standard error is no terminal.
        let rows = u64::try_from(rows).unwrap_or(u64::MAX);
        let bar = ProgressBar::with_draw_target(Some(rows), ProgressDrawTarget::stderr());
        match ProgressStyle::with_template("{bar:40} {pos} of {len} rows, {eta} left") {
            Ok(style) => Self(bar.with_style(style)),
            Err(_) => Self(bar),
        }
    }

    /// Some rows are done with, these of them in trouble.
    pub(crate) fn advance(&self, rows: usize, troubles: &[String]) {
        if !troubles.is_empty() {
            self.0
                .suspend(|| troubles.iter().for_each(|trouble| eprintln!("{trouble}")));
        }
        self.0.inc(u64::try_from(rows).unwrap_or(u64::MAX));
    }

    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}

/// What the summary is about.
pub(crate) struct Heading<'a> {
    pub(crate) list: &'a str,
    pub(crate) database: &'a str,
    /// Whether the run was begun with `--again`.
    pub(crate) again: bool,
    pub(crate) started: Instant,
}

/// Writes the summary.
pub(crate) fn summary(
    out: &mut impl Write,
    heading: &Heading<'_>,
    tally: &Tally,
) -> io::Result<()> {
    let Heading {
        list,
        database,
        again,
        started,
    } = heading;
    let lines = [
        (tally.updated, "updated", true),
        (tally.created, "created", false),
        (tally.unchanged, "as the list says already", false),
        (
            tally.earlier,
            "applied by an earlier run of this list (--again applies it anew)",
            false,
        ),
        (tally.conflicts, "in conflict, not applied", true),
        (tally.refused, "refused by the stock, not applied", false),
        (
            tally.not_tried,
            "left when the job stopped, not applied",
            false,
        ),
    ];
    writeln!(out, "{list} → {database}")?;
    for (count, what, always) in lines {
        if always || count > 0 {
            writeln!(out, "{:>10}  {what}", thousands(count))?;
        }
    }
    let seconds = started.elapsed().as_secs_f32();
    writeln!(
        out,
        "{:>10}  rows in {seconds:.2} s",
        thousands(tally.rows())
    )?;
    // With the option it would be a new pass, not the rest of this one.
    let retry = if *again {
        "run it without --again"
    } else {
        "run it again"
    };
    match tally.not_applied() {
        0 => writeln!(out, "Everything is applied."),
        1 => writeln!(
            out,
            "1 row is not applied; {retry} to try that row once more."
        ),
        rows => {
            let rows = thousands(rows);
            writeln!(
                out,
                "{rows} rows are not applied; {retry} to try those rows once more."
            )
        }
    }
}

pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1234567, "1,234,567"),
        ] {
            assert_eq!(thousands(number), text);
        }
    }

    #[test]
    fn the_summary_counts_every_row() {
        let tally = Tally {
            updated: 2,
            earlier: 3,
            conflicts: 1,
            ..Tally::default()
        };
        let mut out = Vec::new();
        let heading = Heading {
            list: "p.csv",
            database: "db",
            again: true,
            started: Instant::now(),
        };
        summary(&mut out, &heading, &tally).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("         6  rows in "), "{text}");
        assert!(
            text.ends_with(
                "1 row is not applied; run it without --again to try that row once more.\n"
            ),
            "{text}"
        );
        assert!(!text.contains("created"), "{text}");
    }
}
