//! Timing in rounds: in each round every contender runs once, in turning order, so that what else
//! the machine does hits all of them. What counts is the median of the ratios within a round.

use std::fmt;
use std::time::{Duration, Instant};

/// Something to be timed on a stage `S`.
pub struct Contender<S> {
    /// The name in tables.
    pub name: String,
    /// Runs it once.
    pub run: Box<Run<S>>,
}

/// Prepares, and returns what the rest cost.
pub type Run<S> = dyn FnMut(&mut S) -> Cost;

/// What something cost.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// By the clock on the wall.
    pub wall: Duration,
    /// By the clocks of the processors: this thread's and, where it is known, the server's.
    pub cpu: Duration,
}

impl<S> Contender<S> {
    /// `run` prepares, and returns what the rest cost; see [`clock`].
    pub fn new(name: impl Into<String>, run: impl FnMut(&mut S) -> Cost + 'static) -> Self {
        Self {
            name: name.into(),
            run: Box::new(run),
        }
    }
}

/// What something costs; `server` is the thread that works for it elsewhere.
pub fn clock<R>(server: Option<i32>, run: impl FnOnce() -> R) -> Cost {
    let cpu = || {
        let own = on_cpu("/proc/thread-self/schedstat");
        own + server.map_or(Duration::ZERO, |thread| {
            on_cpu(&format!("/proc/{thread}/task/{thread}/schedstat"))
        })
    };
    let before = cpu();
    let start = Instant::now();
    std::hint::black_box(run());
    let wall = start.elapsed();
    Cost {
        wall,
        cpu: cpu() - before,
    }
}

/// How long a thread has been on a processor; nothing where the system does not say.
fn on_cpu(file: &str) -> Duration {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let nanoseconds = text.split_ascii_whitespace().next();
    Duration::from_nanos(nanoseconds.and_then(|text| text.parse().ok()).unwrap_or(0))
}

/// The times of one contender, round by round.
#[derive(Debug, Clone)]
pub struct Times {
    /// The contender's name.
    pub name: String,
    rounds: Vec<f64>,
    cpu: Duration,
}

impl Times {
    /// The mean time on processors, in seconds: what a busy machine disturbs least.
    pub fn cpu(&self) -> f64 {
        self.cpu.as_secs_f64() / self.rounds.len() as f64
    }

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

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [median, best, cpu] = [self.median(), self.best(), self.cpu()].map(|time| time * 1e3);
        let name = &self.name;
        write!(
            f,
            "{name:<28} {median:>9.3} ms, at best {best:>9.3} ms, on processors {cpu:>9.3} ms"
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
            cpu: Duration::ZERO,
        })
        .collect();
    let count = contenders.len();
    for round in 0..=rounds {
        for turn in 0..count {
            let index = (round + turn) % count;
            let cost = (contenders[index].run)(stage);
            if round > 0 {
                times[index].rounds.push(cost.wall.as_secs_f64());
                times[index].cpu += cost.cpu;
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
    std::env::var("ROUNDS").map_or(default, |rounds| {
        rounds.parse().expect("ROUNDS is a number")
    })
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
