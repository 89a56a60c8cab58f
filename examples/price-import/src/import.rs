//! The job: a price list in units, one after the other, until the list or the patience ends.

use std::thread;
use std::time::Duration;

use crate::cli::OnConflict;
use crate::database::Database;
use crate::input::{PriceList, Row};
use crate::report::{Progress, Tally};
use crate::rival::Rival;
use crate::unit::{Unit, UnitError};

/// How a price list is applied.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Job {
    /// Rows per transaction.
    pub(crate) unit: usize,
    pub(crate) on_conflict: OnConflict,
    pub(crate) create_missing: bool,
    /// Which import the rows belong to, by its id in the journal.
    pub(crate) import: i64,
}

/// A unit that the database did not take. The units before it are written; what is written is in
/// the journal, so a run from the start goes on here.
#[derive(Debug, thiserror::Error)]
#[error("stopped at rows {first} to {last}")]
pub(crate) struct UnitFailed {
    first: u64,
    last: u64,
    source: UnitError,
}

/// How often a unit is tried that fails for reasons that pass: a deadlock, a busy database.
const ATTEMPTS: u32 = 8;

/// Applies a price list. `tally` counts every row, also when this ends with an error.
///
/// # Errors
///
/// If the database fails; a row that cannot be applied is no error.
pub(crate) fn run(
    db: &mut Database,
    list: &PriceList,
    job: Job,
    mut rival: Option<Rival>,
    progress: &Progress,
    tally: &mut Tally,
) -> Result<(), UnitFailed> {
    let mut left = list.rows.len();
    for rows in list.rows.chunks(job.unit) {
        let unit = apply(db, job, rows, rival.as_mut()).map_err(|source| {
            tally.not_tried += left;
            let number = |row: Option<&Row>| row.map_or(0, |row| row.number);
            let (first, last) = (number(rows.first()), number(rows.last()));
            UnitFailed {
                first,
                last,
                source,
            }
        })?;
        left -= rows.len();
        progress.advance(rows.len(), &unit.troubles);
        tally.add(&unit.tally);
        if unit.must_stop() {
            tally.not_tried += left;
            break;
        }
    }
    Ok(())
}

/// Applies a unit, and reads and does all of it again where that may well help.
fn apply<'a>(
    db: &mut Database,
    job: Job,
    rows: &'a [Row],
    mut rival: Option<&mut Rival>,
) -> Result<Unit<'a>, UnitError> {
    let mut attempt = 1;
    loop {
        let mut unit = Unit::new(job, rows);
        match unit.apply(db, rival.as_deref_mut()) {
            Ok(()) => return Ok(unit),
            Err(error) if error.is_transient() && attempt < ATTEMPTS => {
                // Longer each time, and not as long as another process waits.
                let odd = u64::from(std::process::id() % 16);
                thread::sleep(Duration::from_millis((odd + 8) << attempt));
                attempt += 1;
            }
            Err(error) => return Err(error),
        }
    }
}
