//! Timing in rounds: in each round every contender runs once, in turning order, so that what else
//! the machine does hits all of them. What counts is the median of the ratios within a round.

use std::time::{Duration, Instant};

/// Something to be timed on a stage `S`.
pub struct Contender<S> {
    name: String,
    run: Box<Run<S>>,
}

type Run<S> = dyn FnMut(&mut S) -> Duration;

impl<S> Contender<S> {
    /// `run` prepares, and returns how long the rest took; see [`clock`].
    pub fn new(name: impl Into<String>, run: impl FnMut(&mut S) -> Duration + 'static) -> Self {
        Self {
            name: name.into(),
            run: Box::new(run),
        }
    }
}

/// How long something takes.
pub fn clock<R>(run: impl FnOnce() -> R) -> Duration {
    let start = Instant::now();
    std::hint::black_box(run());
    start.elapsed()
}

/// The times of one contender, round by round.
#[derive(Debug, Clone)]
pub struct Times {
    /// The contender's name.
    pub name: String,
    rounds: Vec<f64>,
}

impl Times {
    /// The median, in seconds.
    pub fn median(&self) -> f64 {
        median(self.rounds.clone())
    }

    /// The shortest, in seconds: the round that the rest of the machine disturbed least.
    pub fn best(&self) -> f64 {
        self.rounds.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The median of the ratios between this time and another's in the same round.
    pub fn ratio_to(&self, other: &Self) -> f64 {
        median(
            self.rounds
                .iter()
                .zip(&other.rounds)
                .map(|(mine, theirs)| mine / theirs)
                .collect(),
        )
    }
}

/// Times each contender once a round, after one round that does not count.
pub fn race<S>(stage: &mut S, rounds: usize, mut contenders: Vec<Contender<S>>) -> Vec<Times> {
    let mut times: Vec<Times> = contenders
        .iter()
        .map(|contender| Times {
            name: contender.name.clone(),
            rounds: Vec::with_capacity(rounds),
        })
        .collect();
    let count = contenders.len();
    for round in 0..=rounds {
        for turn in 0..count {
            let index = (round + turn) % count;
            let time = (contenders[index].run)(stage);
            if round > 0 {
                times[index].rounds.push(time.as_secs_f64());
            }
        }
    }
    times
}

/// The value in the middle.
pub fn median(mut values: Vec<f64>) -> f64 {
    assert!(!values.is_empty(), "nothing was measured");
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 0 {
        f64::midpoint(values[middle - 1], values[middle])
    } else {
        values[middle]
    }
}

/// How many rounds the user wants.
pub fn rounds(default: usize) -> usize {
    std::env::var("ROUNDS").map_or(default, |rounds| rounds.parse().expect("ROUNDS is a number"))
}

/// Whether a database is among those that the user names, if any is named.
pub fn wanted(database: &str) -> bool {
    // `cargo bench` adds a flag of its own.
    let mut names = std::env::args()
        .skip(1)
        .filter(|name| !name.starts_with('-'))
        .peekable();
    names.peek().is_none() || names.any(|name| name.eq_ignore_ascii_case(database))
}

/// Shows how a measured ratio stands to its bound.
pub fn report(work: &str, measured: f64, bound: f64, holds: bool) {
    let verdict = if holds { "holds" } else { "MISSED" };
    println!("{work:<64} {measured:>8.2} {bound:>8.2}  {verdict}");
}
