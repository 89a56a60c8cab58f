//! The time per entity in units of growing size, on SQLite, and of the loop by hand beside it.

use diesel::SqliteConnection;
use diesel_versioned_benches::rounds::{median, report};
use diesel_versioned_benches::stage::{Stage, update_loop};
use diesel_versioned_benches::server::Server;

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

fn main() {
    // Each round goes through all sizes, the small ones as often as they fit into a large one.
    const ROUNDS: usize = 7;
    let mut stages = SIZES.map(Stage::<SqliteConnection>::new);
    let mut unit = SIZES.map(|_| Vec::new());
    let mut by_hand = SIZES.map(|_| Vec::new());
    for round in 0..=ROUNDS {
        for (index, stage) in stages.iter_mut().enumerate() {
            let size = SIZES[index] as f64;
            let repeats = if index == 0 { 10 } else { 1 };
            for _ in 0..repeats {
                let time = stage.time(|conn, rows| conn.commit_unit(rows)).wall.as_secs_f64();
                if round > 0 {
                    unit[index].push(time / size * 1e6);
                }
            }
            if round % 3 == 1 {
                let time = stage.time(update_loop).wall.as_secs_f64();
                by_hand[index].push(time / size * 1e6);
            }
        }
    }
    let unit = unit.map(median);
    let by_hand = by_hand.map(median);
    for (index, size) in SIZES.into_iter().enumerate() {
        println!(
            "{size:>10} entities: {:.2} µs each in a unit, {:.2} µs in a loop by hand",
            unit[index], by_hand[index]
        );
    }
    let growth = unit[2] / unit[0];
    report("time per entity at 1,000,000 / at 10,000", growth, 1.3, growth <= 1.3);
    println!("{:<64} {:>8.2}", "the same of the loop by hand", by_hand[2] / by_hand[0]);
}
