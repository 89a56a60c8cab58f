//! The numbers of a sweep: runs to records, records to CSV and back.

use std::time::Duration;

use crate::measure::Run;
use crate::model::{Prediction, predict};
use crate::ways::Way;
use crate::workload::Point;

/// One way at one point, over all repetitions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    pub(crate) way: Way,
    pub(crate) point: Point,
    pub(crate) operations: usize,
    pub(crate) attempts: u64,
    /// The share of the operations that took more than five attempts.
    pub(crate) beyond_five: f64,
    /// Operations in a second: the median of the repetitions, the least and the most.
    pub(crate) goodput: [f64; 3],
    /// Milliseconds, of all repetitions.
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) model: Prediction,
}

/// The numbers of one database.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Numbers {
    /// Its name and version.
    pub(crate) database: String,
    pub(crate) centre: Point,
    /// How long a writer pauses before an operation, on average.
    pub(crate) pause: Duration,
    pub(crate) records: Vec<Record>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum CsvError {
    #[error("the first line is not that of this program: {FIRST}")]
    First,
    #[error("line {0}: not a line of this program")]
    Line(usize),
    #[error("there are no numbers in it")]
    Empty,
}

const FIRST: &str = "# database, and the centre: writers, rows, think_ms, pause_ms";
const HEADER: &str = "writers,rows,think_ms,way,operations,attempts,in_vain,beyond_5,goodput,goodput_min,\
     goodput_max,p50_ms,p99_ms,model_in_vain,model_goodput";

impl Record {
    /// Puts the repetitions of a way at a point together.
    pub(crate) fn of(way: Way, point: Point, runs: &[Run]) -> Self {
        let mut latencies: Vec<_> = runs
            .iter()
            .flat_map(|run| &run.latencies)
            .copied()
            .collect();
        latencies.sort_unstable();
        let mut goodput: Vec<_> = runs
            .iter()
            .map(|run| f64::from(run.in_window) / run.window.as_secs_f64().max(1e-9))
            .collect();
        goodput.sort_unstable_by(f64::total_cmp);
        let beyond: u32 = runs.iter().map(|run| run.beyond_usual).sum();
        let at = |share| millis(percentile(&latencies, share).unwrap_or_default());
        let rate = |share| percentile(&goodput, share).unwrap_or_default();
        Self {
            way,
            point,
            operations: latencies.len(),
            attempts: runs.iter().map(|run| run.attempts).sum(),
            beyond_five: f64::from(beyond) / latencies.len().max(1) as f64,
            goodput: [rate(0.5), rate(0.0), rate(1.0)],
            p50: at(0.5),
            p99: at(0.99),
            model: Prediction::default(),
        }
    }

    /// The share of the attempts that were in vain: conflicts, or polls of a held lease.
    pub(crate) fn in_vain(&self) -> f64 {
        1.0 - self.operations as f64 / self.attempts.max(1) as f64
    }
}

impl Numbers {
    /// Puts the model's numbers beside the measured ones, if one writer alone was measured.
    pub(crate) fn predict(&mut self, one_lock: bool) {
        let centre = self.centre;
        let alone: Vec<_> = self
            .records
            .iter()
            .filter(|record| {
                record.point
                    == Point {
                        writers: 1,
                        ..centre
                    }
            })
            .map(|record| (record.way, record.p50 - millis(centre.think)))
            .collect();
        for record in &mut self.records {
            if let Some((_, cost)) = alone.iter().find(|(way, _)| *way == record.way) {
                let total = (cost + millis(record.point.think)).max(1e-3);
                let alone = Duration::from_secs_f64(total / 1_000.0);
                record.model = predict(record.way, record.point, alone, self.pause, one_lock);
            }
        }
    }

    pub(crate) fn to_csv(&self) -> String {
        let Point {
            writers,
            rows,
            think,
        } = self.centre;
        let mut csv = format!(
            "{FIRST}\n# {}\n# {writers},{rows},{},{}\n{HEADER}\n",
            self.database,
            millis(think),
            millis(self.pause),
        );
        let optional = |value: Option<f64>, digits: usize| {
            value.map_or(String::new(), |value| format!("{value:.digits$}"))
        };
        for record in &self.records {
            let Point {
                writers,
                rows,
                think,
            } = record.point;
            let [median, least, most] = record.goodput;
            csv += &format!(
                "{writers},{rows},{},{},{},{},{:.4},{:.4},{median:.1},{least:.1},{most:.1},{:.3},{:.3},{},{}\n",
                millis(think),
                record.way.name(),
                record.operations,
                record.attempts,
                record.in_vain(),
                record.beyond_five,
                record.p50,
                record.p99,
                optional(record.model.in_vain, 4),
                optional(record.model.goodput, 1),
            );
        }
        csv
    }

    /// Reads what [`to_csv`](Self::to_csv) has written.
    ///
    /// # Errors
    ///
    /// If it is something else.
    pub(crate) fn from_csv(csv: &str) -> Result<Self, CsvError> {
        let lines: Vec<_> = csv.lines().collect();
        let [FIRST, database, centre, HEADER, records @ ..] = lines.as_slice() else {
            return Err(CsvError::First);
        };
        let database = database.strip_prefix("# ").ok_or(CsvError::Line(2))?;
        let centre = centre.strip_prefix("# ").and_then(centre_and_pause);
        let (centre, pause) = centre.ok_or(CsvError::Line(3))?;
        let records: Vec<_> = records
            .iter()
            .zip(5..)
            .map(|(line, number)| record(line).ok_or(CsvError::Line(number)))
            .collect::<Result<_, _>>()?;
        if records.is_empty() {
            return Err(CsvError::Empty);
        }
        Ok(Self {
            database: database.to_owned(),
            centre,
            pause,
            records,
        })
    }
}

fn record(line: &str) -> Option<Record> {
    let fields: Vec<_> = line.split(',').collect();
    if fields.len() != HEADER.split(',').count() {
        return None;
    }
    let number = |field: usize| {
        let number: f64 = fields.get(field)?.parse().ok()?;
        number.is_finite().then_some(number)
    };
    let optional = |field: usize| match fields.get(field)? {
        &"" => Some(None),
        _ => number(field).map(Some),
    };
    Some(Record {
        point: point(fields.get(..3)?)?,
        way: Way::named(fields.get(3)?)?,
        operations: fields.get(4)?.parse().ok()?,
        attempts: fields.get(5)?.parse().ok()?,
        beyond_five: number(7)?,
        goodput: [number(8)?, number(9)?, number(10)?],
        p50: number(11)?,
        p99: number(12)?,
        model: Prediction {
            in_vain: optional(13)?,
            goodput: optional(14)?,
        },
    })
}

fn point(fields: &[&str]) -> Option<Point> {
    let [writers, rows, think] = fields else {
        return None;
    };
    Some(Point {
        writers: writers.parse().ok()?,
        rows: rows.parse().ok()?,
        think: from_millis(think)?,
    })
}

fn centre_and_pause(line: &str) -> Option<(Point, Duration)> {
    let (centre, pause) = line.rsplit_once(',')?;
    let centre: Vec<_> = centre.split(',').collect();
    Some((point(&centre)?, from_millis(pause)?))
}

fn from_millis(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.parse::<f64>().ok()? / 1_000.0).ok()
}

pub(crate) fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000.0
}

/// The value below which a share of the sorted values lies (nearest rank).
fn percentile<T: Copy>(sorted: &[T], share: f64) -> Option<T> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(millis: &[u64], attempts: u64) -> Run {
        Run {
            window: Duration::from_secs(2),
            in_window: u32::try_from(millis.len()).unwrap(),
            latencies: millis.iter().copied().map(Duration::from_millis).collect(),
            attempts,
            beyond_usual: 1,
            ..Run::default()
        }
    }

    fn numbers() -> Numbers {
        let centre = Point {
            writers: 1,
            rows: 1,
            think: Duration::from_micros(500),
        };
        let runs = [run(&[3, 1], 2), run(&[2, 2, 2, 9], 10), run(&[2], 2)];
        let ways = [Way::Save, Way::Lease].map(|way| Record::of(way, centre, &runs));
        let mut numbers = Numbers {
            database: "SQLite 3".to_owned(),
            centre,
            pause: Duration::ZERO,
            records: ways.to_vec(),
        };
        numbers.predict(true);
        numbers
    }

    #[test]
    fn repetitions_become_one_record() {
        let numbers = numbers();
        let [save, lease] = numbers.records.as_slice() else {
            panic!("two records");
        };
        assert_eq!(save.goodput, [1.0, 0.5, 2.0]);
        assert_eq!((save.p50, save.p99), (2.0, 9.0));
        assert_eq!((save.operations, save.attempts), (7, 14));
        assert!((save.in_vain() - 0.5).abs() < 1e-9);
        assert!((save.beyond_five - 3.0 / 7.0).abs() < 1e-9);
        // One writer, 2 ms each.
        assert!((save.model.goodput.unwrap() - 500.0).abs() < 1e-3);
        assert_eq!(lease.model, Prediction::default());
    }

    #[test]
    fn csv_comes_back() {
        let csv = numbers().to_csv();
        let read = Numbers::from_csv(&csv).unwrap();
        assert_eq!(read.to_csv(), csv);
        assert_eq!(read.centre, numbers().centre);
        assert_eq!(read.records[1].model, Prediction::default());
    }

    #[test]
    fn other_files_are_refused() {
        let csv = numbers().to_csv();
        for (wrong, message) in [
            (String::new(), "the first line is not that of this program"),
            (csv.replace("lease", "leash"), "line 6: "),
            (csv.replace("# SQLite", "SQLite"), "line 2: "),
            (csv.replace("# 1,1,0.5", "# 1,1"), "line 3: "),
            (csv.replace("save,7", "save,7,7"), "line 5: "),
            (csv.replace("9.000", "NaN"), "line 5: "),
            (
                csv.lines().take(4).collect::<Vec<_>>().join("\n"),
                "there are no numbers in it",
            ),
        ] {
            let error = Numbers::from_csv(&wrong).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
