//! All points by all ways, and what is said meanwhile.

use std::error::Error;
use std::io::{self, Write};

use crate::cli::Cli;
use crate::database::{Database, Server, connect};
use crate::measure::{self, Run};
use crate::record::{Numbers, Record, millis};
use crate::ways::Way;
use crate::workload::Point;

/// Measures what the command line asks for.
pub(crate) fn measure<C: Server>(cli: &Cli) -> Result<Numbers, Box<dyn Error>> {
    let sweep = cli.sweep();
    let points = sweep.points();
    let greatest = |of: fn(&Point) -> u32| points.iter().map(of).max().unwrap_or(1);
    let mut connections = connect::<C>(
        &cli.database_url,
        greatest(|point| point.writers),
        greatest(|point| point.rows),
    )?;
    let database = match connections.first_mut() {
        Some(conn) => conn.version()?,
        None => String::new(),
    };
    let mut out = io::stdout().lock();
    say(&mut out, &format!("{database}: {} points", points.len()));

    let load = cli.load();
    let mut records = Vec::new();
    for point in points {
        let ways = cli.ways();
        let mut runs: Vec<(Way, Vec<Run>)> = ways.iter().map(|&way| (way, Vec::new())).collect();
        // The repetitions take turns, so that what else the machine does meets all ways alike.
        for _ in 0..cli.repetitions.get() {
            for (way, runs) in &mut runs {
                let run =
                    measure::run(&mut connections, *way, point, load).map_err(|error| AtPoint {
                        way: *way,
                        point,
                        error,
                    })?;
                runs.push(run);
            }
        }
        for (way, runs) in runs {
            let record = Record::of(way, point, &runs);
            say(&mut out, &line(&record));
            records.push(record);
        }
    }
    let operations: usize = records.iter().map(|record| record.operations).sum();
    say(
        &mut out,
        &format!(
            "no update was lost: {operations} operations, stock and version of each row checked after each run"
        ),
    );
    let mut numbers = Numbers {
        database,
        centre: sweep.centre,
        pause: load.pause,
        records,
    };
    numbers.predict(Database::of(&cli.database_url)? == Database::Sqlite);
    Ok(numbers)
}

/// Which run has failed.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} writers, {} rows, {} ms, {}",
    point.writers,
    point.rows,
    millis(point.think),
    way.name()
)]
struct AtPoint {
    way: Way,
    point: Point,
    #[source]
    error: measure::RunError,
}

fn line(record: &Record) -> String {
    let Point {
        writers,
        rows,
        think,
    } = record.point;
    format!(
        "{writers:>3} writers {rows:>4} rows {:>4} ms  {:<10} {:>8.0}/s  {:>5.1}% in vain  p50 {:>8.1} ms  p99 {:>8.1} ms",
        millis(think),
        record.way.name(),
        record.goodput[0],
        record.in_vain() * 100.0,
        record.p50,
        record.p99,
    )
}

/// A reader that has gone, as in `contention | head -1`, is no failure of the sweep.
fn say(out: &mut impl Write, line: &str) {
    drop(writeln!(out, "{line}"));
}
