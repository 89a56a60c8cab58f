//! The time per entity in units of growing size, on SQLite, beside rivals on the same rows.
//!
//! `ROUNDS` is how often each is run. A round holds every size, so that what else the machine does
//! hits all of them.

use std::time::Duration;

use diesel::SqliteConnection;
use diesel_versioned_benches::handwritten::Form;
use diesel_versioned_benches::rounds::{Contender, Cost, race, report, rounds};
use diesel_versioned_benches::stage::{Stage, by_hand, commit, set_based, unit};

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

type Stages = [Stage<SqliteConnection>; 3];
type Make = fn() -> Contender<Stage<SqliteConnection>>;

fn main() {
    const MAKE: [Make; 4] = [commit, unit, || set_based(Form::Values, 256), by_hand];
    let contenders = MAKE
        .iter()
        .flat_map(|make| (0..SIZES.len()).map(move |size| at_size(make(), size)))
        .collect();
    let times = race(&mut SIZES.map(Stage::new), rounds(7), contenders);
    for sizes in times.chunks(SIZES.len()) {
        for (time, size) in sizes.iter().zip(SIZES) {
            println!(
                "    {:<20} {:>6.2} µs for each of {size}",
                time.name,
                time.median() * 1e3
            );
        }
        let growth = sizes[2].ratio_to(&sizes[0]);
        let work = format!("{}: at 1,000,000 / at 10,000", sizes[0].name);
        report(&work, growth, 1.3, growth <= 1.3);
    }
}

/// The mean cost of a thousand entities; small units are run more often.
fn at_size(contender: Contender<Stage<SqliteConnection>>, size: usize) -> Contender<Stages> {
    let Contender { name, mut run } = contender;
    let repeats = if SIZES[size] < 100_000 { 20 } else { 1 };
    Contender::new(name, move |stages: &mut Stages| {
        let costs: Vec<Cost> = (0..repeats).map(|_| run(&mut stages[size])).collect();
        let thousands = u32::try_from(repeats * SIZES[size] / 1_000).expect("it is small");
        Cost {
            wall: costs.iter().map(|cost| cost.wall).sum::<Duration>() / thousands,
            cpu: costs.iter().map(|cost| cost.cpu).sum::<Duration>() / thousands,
        }
    })
}
