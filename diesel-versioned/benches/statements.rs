//! Forms of the set-based update and chunk sizes, on 10,000 rows, beside the unit of work.
//!
//! Arguments name databases, all if there are none. `ROUNDS` is how often each is run.

use diesel::SqliteConnection;
use diesel_versioned_benches::handwritten::Form;
use diesel_versioned_benches::rounds::{race, rounds, wanted};
use diesel_versioned_benches::server::Server;
use diesel_versioned_benches::stage::{Stage, set_based, unit};

const ROWS: usize = 10_000;
const CHUNKS: [usize; 7] = [16, 32, 64, 128, 256, 512, 1_024];

fn main() {
    server::<SqliteConnection>();
    #[cfg(feature = "postgres")]
    server::<diesel::PgConnection>();
    #[cfg(feature = "mysql")]
    server::<diesel::MysqlConnection>();
}

fn server<C: Server>() {
    if !wanted(C::NAME) {
        return;
    }
    println!("{}, {ROWS} rows", C::NAME);
    let mut contenders = vec![unit::<C>()];
    for &form in C::FORMS {
        let chunks = CHUNKS.iter().filter(|&&chunk| match form {
            // A statement that is parsed in more than linear time.
            Form::Case => chunk <= 128,
            Form::Join => chunk <= 256,
            _ => true,
        });
        contenders.extend(chunks.map(|&chunk| set_based(form, chunk)));
        if matches!(form, Form::Unnest | Form::LockedUnnest | Form::JsonTable) {
            contenders.push(set_based(form, ROWS));
        }
    }
    for time in race(&mut Stage::<C>::new(ROWS), rounds(9), contenders) {
        println!("    {time}");
    }
}
