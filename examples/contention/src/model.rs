//! What queueing theory says, from how many writers there are and how long one operation alone takes.
//!
//! `A` is what the others offer to a row: how often they come, times how long each of them stays. An
//! attempt is in vain if one of them is there: `A / (1 + A)`, Erlang's formula for one place where
//! nobody queues. Whoever queues (a row lock) finds a closed network of as many places as there are rows.

use std::time::Duration;

use crate::again::longest_wait;
use crate::ways::Way;
use crate::workload::Point;

/// What is expected at a point. Nothing where there is no model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Prediction {
    /// The share of the attempts that are in vain.
    pub(crate) in_vain: Option<f64>,
    /// Operations in a second.
    pub(crate) goodput: Option<f64>,
}

/// What is expected of a way, if one writer alone takes `alone` for an operation, think time and all, and
/// pauses before each.
pub(crate) fn predict(
    way: Way,
    point: Point,
    alone: Duration,
    pause: Duration,
    one_lock: bool,
) -> Prediction {
    let (alone, pause) = (alone.as_secs_f64(), pause.as_secs_f64());
    match way {
        // The transaction takes the one lock of the database before it reads.
        Way::Optimistic if one_lock => queued(Point { rows: 1, ..point }, alone, pause),
        Way::Lock if one_lock => queued(Point { rows: 1, ..point }, alone, pause),
        Way::Optimistic | Way::Save => retried(point, alone, pause),
        Way::Lock => queued(point, alone, pause),
        // Its waits are its own: between the polls nobody may hold it.
        Way::Lease => Prediction::default(),
        // Nobody waits for another's think time.
        Way::Relative => Prediction {
            in_vain: Some(0.0),
            goodput: Some(f64::from(point.writers) / (pause + alone)),
        },
    }
}

/// Everybody tries, and whoever was not alone waits a little and tries again.
fn retried(point: Point, alone: f64, pause: f64) -> Prediction {
    let others = f64::from(point.writers) - 1.0;
    let rows = f64::from(point.rows);
    // The share p decides how long is waited between the attempts, and that decides p.
    let next = |p: f64| {
        let cycle = alone + (waits(p) + pause) * (1.0 - p);
        let offered = others / cycle / rows * alone;
        offered / (1.0 + offered)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..50 {
        let p = (low + high) / 2.0;
        if next(p) > p {
            low = p;
        } else {
            high = p;
        }
    }
    let operation = alone / (1.0 - low) + waits(low) + pause;
    Prediction {
        in_vain: Some(low),
        goodput: Some(f64::from(point.writers) / operation),
    }
}

/// How long an operation waits between its attempts, on average, if each is in vain with probability p.
fn waits(p: f64) -> f64 {
    (1..=200)
        .map(|failures| {
            p.powi(failures) * longest_wait(failures.unsigned_abs()).as_secs_f64() / 2.0
        })
        .sum()
}

/// Everybody queues for a row that is drawn by lot, and each row serves one at a time: mean value analysis,
/// from one writer to all of them.
fn queued(point: Point, alone: f64, pause: f64) -> Prediction {
    let rows = f64::from(point.rows);
    let (mut queue, mut goodput) = (0.0, 0.0);
    for writers in 1..=point.writers {
        // Whoever comes finds the queue that the others would have.
        let latency = alone * (1.0 + queue);
        goodput = f64::from(writers) / (latency + pause);
        queue = goodput * latency / rows;
    }
    Prediction {
        in_vain: Some(0.0),
        goodput: Some(goodput),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALONE: Duration = Duration::from_millis(10);

    fn at(way: Way, writers: u32, rows: u32) -> (f64, f64) {
        let point = Point {
            writers,
            rows,
            think: Duration::ZERO,
        };
        let prediction = predict(way, point, ALONE, Duration::ZERO, false);
        (
            prediction.in_vain.unwrap_or_default(),
            prediction.goodput.unwrap_or_default(),
        )
    }

    #[test]
    fn one_writer_meets_nobody() {
        for way in [Way::Optimistic, Way::Save, Way::Lock, Way::Relative] {
            let (in_vain, goodput) = at(way, 1, 1);
            assert!(in_vain < 1e-9, "{way:?}: {in_vain}");
            assert!((goodput - 100.0).abs() < 1e-6, "{way:?}: {goodput}");
        }
    }

    #[test]
    fn a_pause_is_part_of_the_round() {
        let point = Point {
            writers: 1,
            rows: 1,
            think: Duration::ZERO,
        };
        for way in [Way::Optimistic, Way::Save, Way::Lock, Way::Relative] {
            let prediction = predict(way, point, ALONE, ALONE, false);
            let goodput = prediction.goodput.unwrap_or_default();
            assert!((goodput - 50.0).abs() < 1e-6, "{way:?}: {goodput}");
        }
        let two = Point {
            writers: 2,
            ..point
        };
        // Half of its time the other one is there: 1/2 of the rate, times the time.
        let queued = predict(Way::Lock, two, ALONE, ALONE, false).goodput;
        assert!(
            (queued.unwrap_or_default() - 80.0).abs() < 1e-6,
            "{queued:?}"
        );
        let retried = predict(Way::Save, two, ALONE, ALONE, false).in_vain;
        assert!(
            (0.3..0.4).contains(&retried.unwrap_or_default()),
            "{retried:?}"
        );
    }

    #[test]
    fn rare_conflicts_grow_with_the_load() {
        let (few, many) = (at(Way::Save, 2, 1_000).0, at(Way::Save, 11, 1_000).0);
        assert!((few - 0.001).abs() < 1e-5, "{few}");
        assert!((many / few - 10.0).abs() < 0.2, "{many} {few}");
    }

    #[test]
    fn a_row_does_not_serve_more_than_one_at_a_time() {
        for writers in [2, 16, 1_000] {
            for way in [Way::Save, Way::Lock] {
                let (_, goodput) = at(way, writers, 1);
                assert!(goodput < 100.0 + 1e-6, "{way:?} {writers}: {goodput}");
            }
        }
        assert!(at(Way::Relative, 16, 1).1 > 1_500.0);
    }

    #[test]
    fn one_lock_of_the_database_is_one_row() {
        let point = Point {
            writers: 8,
            rows: 64,
            think: Duration::ZERO,
        };
        for way in [Way::Optimistic, Way::Lock] {
            let prediction = predict(way, point, ALONE, Duration::ZERO, true);
            assert_eq!(prediction.in_vain, Some(0.0));
            let goodput = prediction.goodput.unwrap_or_default();
            assert!((goodput - 100.0).abs() < 1e-6, "{goodput}");
        }
    }
}
