//! One run: writers at work at the same time, what it took, and the proof that no update was lost.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use crate::again::Dice;
use crate::database::Server;
use crate::product::{Failure, Product};
use crate::ways::{Task, Way, Ways};
use crate::workload::{Load, Point, Until};

/// What a `RetryPolicy` allows unless it is told otherwise.
const USUAL_ATTEMPTS: u32 = 5;

/// What came of a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Run {
    /// How long operations were begun.
    pub(crate) window: Duration,
    /// Operations that ended in that time.
    pub(crate) in_window: u32,
    /// Each operation that has taken one away.
    pub(crate) latencies: Vec<Duration>,
    /// Operations that found nothing left.
    pub(crate) sold_out: u32,
    /// How often operations were tried, but for the attempts that found nothing left.
    pub(crate) attempts: u64,
    /// Operations that took more attempts than a policy usually allows.
    pub(crate) beyond_usual: u32,
    /// How many each product has lost.
    pub(crate) taken: Vec<u32>,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    #[error("a writer has failed")]
    Writer(#[source] Failure),
    #[error("a writer has panicked")]
    Panicked,
    #[error("the products cannot be written or read")]
    Products(#[source] diesel::result::Error),
    #[error(
        "UPDATES WERE LOST: product {id} had {before} and lost {taken}, but {after} are there, and \
         its version is {version}"
    )]
    Lost {
        id: i64,
        before: u32,
        taken: u32,
        after: i64,
        version: i32,
    },
    #[error("the products are not those that were put there")]
    OtherProducts,
}

/// Lets writers take things away, a connection each, and checks what is left.
pub(crate) fn run<C: Server>(
    connections: &mut [C],
    way: Way,
    point: Point,
    load: Load,
) -> Result<Run, RunError> {
    let (first, _) = connections
        .split_first_mut()
        .ok_or(RunError::OtherProducts)?;
    first
        .fill(point.rows, load.stock)
        .map_err(RunError::Products)?;

    let barrier = Barrier::new(point.writers as usize);
    let runs = thread::scope(|scope| {
        let writers: Vec<_> = (0..point.writers)
            .zip(&mut *connections)
            .map(|(number, conn)| {
                let barrier = &barrier;
                scope.spawn(move || {
                    barrier.wait();
                    writer(conn, number, way, point, load)
                })
            })
            .collect();
        // All of them are waited for, also when one has failed.
        let ended: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        ended
            .into_iter()
            .map(|ended| {
                ended
                    .map_err(|_| RunError::Panicked)?
                    .map_err(RunError::Writer)
            })
            .collect::<Result<Vec<Run>, RunError>>()
    })?;
    let run = together(runs, point.rows);

    let (first, _) = connections
        .split_first_mut()
        .ok_or(RunError::OtherProducts)?;
    let products = first.products().map_err(RunError::Products)?;
    nothing_lost(&products, load.stock, &run.taken)?;
    Ok(run)
}

/// One writer, from the start to the end of its last operation.
fn writer<C: Ways>(
    conn: &mut C,
    number: u32,
    way: Way,
    point: Point,
    load: Load,
) -> Result<Run, Failure> {
    let holder = format!("writer {number}");
    // The program that is simulated really takes that long. What is measured is what others do then.
    let think = || take(point.think);
    let mut dice = Dice::new(number.into());
    let mut run = Run {
        taken: vec![0; point.rows as usize],
        ..Run::default()
    };
    let started = Instant::now();
    let mut begun = 0;
    while match load.until {
        Until::Time(time) => started.elapsed() < time,
        Until::Operations(operations) => begun < operations,
    } {
        begun += 1;
        take(load.pause.mul_f64(2.0 * dice.fraction()));
        let row = dice.below(point.rows);
        let mut task = Task {
            id: i64::from(row) + 1,
            holder: &holder,
            think: &think,
            dice: &mut dice,
            attempts: 0,
        };
        let began = Instant::now();
        let done = conn.perform(way, &mut task);
        run.attempts += u64::from(task.attempts);
        match done {
            Ok(()) => {
                run.latencies.push(began.elapsed());
                run.beyond_usual += u32::from(task.attempts > USUAL_ATTEMPTS);
                run.taken[row as usize] += 1;
                run.in_window += match load.until {
                    Until::Time(time) => u32::from(started.elapsed() <= time),
                    Until::Operations(_) => 1,
                };
            }
            Err(Failure::SoldOut) => {
                run.sold_out += 1;
                // The last attempt was not in vain: it has answered.
                run.attempts -= 1;
            }
            Err(failure) => return Err(failure),
        }
    }
    run.window = match load.until {
        Until::Time(time) => time,
        Until::Operations(_) => started.elapsed(),
    };
    Ok(run)
}

/// Takes so long.
fn take(time: Duration) {
    if !time.is_zero() {
        thread::sleep(time);
    }
}

/// What several writers have done at the same time.
fn together(runs: Vec<Run>, rows: u32) -> Run {
    let mut all = Run {
        taken: vec![0; rows as usize],
        ..Run::default()
    };
    for run in runs {
        all.window = all.window.max(run.window);
        all.in_window += run.in_window;
        all.latencies.extend(run.latencies);
        all.sold_out += run.sold_out;
        all.attempts += run.attempts;
        all.beyond_usual += run.beyond_usual;
        for (all, one) in all.taken.iter_mut().zip(run.taken) {
            *all += one;
        }
    }
    all
}

/// The stock that is left is what there was less what was taken, and each that was taken has moved the
/// version on by one.
fn nothing_lost(products: &[Product], before: u32, taken: &[u32]) -> Result<(), RunError> {
    let ids: Vec<_> = products.iter().map(|product| product.id).collect();
    if ids != (1..).take(taken.len()).collect::<Vec<i64>>() {
        return Err(RunError::OtherProducts);
    }
    for (product, &taken) in products.iter().zip(taken) {
        let stock = i64::from(before) - i64::from(taken);
        let version = i64::from(taken) + 1;
        if product.stock != stock || i64::from(product.version) != version {
            return Err(RunError::Lost {
                id: product.id,
                before,
                taken,
                after: product.stock,
                version: product.version,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
