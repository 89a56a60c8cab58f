//! The time per entity in units of growing size, on SQLite, beside rivals on the same rows.
//!
//! `ROUNDS` is how often each is run.

use diesel::SqliteConnection;
use diesel_versioned_benches::handwritten::Form;
use diesel_versioned_benches::rounds::{Contender, race, report, rounds};
use diesel_versioned_benches::stage::{Stage, by_hand, commit, set_based, unit};

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

fn main() {
    let contenders: [fn() -> Contender<Stage<SqliteConnection>>; 4] =
        [commit, unit, || set_based(Form::Values, 256), by_hand];
    let each: Vec<Vec<(String, f64)>> = SIZES
        .into_iter()
        .map(|size| {
            let mut stage = Stage::new(size);
            // The small ones more often: they are over before a disturbance is.
            let rounds = rounds(5) * if size < 100_000 { 10 } else { 1 };
            let contenders = contenders.iter().map(|contender| contender()).collect();
            race(&mut stage, rounds, contenders)
                .into_iter()
                .map(|times| (times.name.clone(), times.median() / size as f64 * 1e6))
                .collect()
        })
        .collect();
    for contender in 0..contenders.len() {
        let [small, middle, large] = [0, 1, 2].map(|size| each[size][contender].1);
        let name = &each[0][contender].0;
        println!(
            "{name:<20} {small:>6.2} µs {middle:>6.2} µs {large:>6.2} µs for each of {SIZES:?}"
        );
        report(
            &format!("{name}: at 1,000,000 / at 10,000"),
            large / small,
            1.3,
            large <= 1.3 * small,
        );
    }
}
