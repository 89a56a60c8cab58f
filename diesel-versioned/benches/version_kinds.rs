//! What each kind of version costs, in time: one save, and a commit of 10,000 rows, against an
//! integer; and what the other guards cost against one version.
//!
//! Arguments name databases, all if there are none. `ROUNDS` is how often each is run.

use diesel::SqliteConnection;
use diesel_versioned_benches::kinds::{self, Kind, MakeRows};
use diesel_versioned_benches::rounds::{Contender, clock, race, rounds, wanted};
use diesel_versioned_benches::server::Server;

const ROWS: i32 = 10_000;
const SAVES: usize = 200;

fn main() {
    on::<SqliteConnection>(&[kinds::ON_SQLITE, kinds::GUARDS_ON_SQLITE]);
    #[cfg(feature = "postgres")]
    on::<diesel::PgConnection>(&[kinds::ON_POSTGRES, kinds::GUARDS_ON_POSTGRES]);
    #[cfg(feature = "mysql")]
    on::<diesel::MysqlConnection>(&[kinds::ON_MYSQL, kinds::GUARDS_ON_MYSQL]);
}

fn on<C: Server>(lists: &[&[(&str, MakeRows<C>)]]) {
    if !wanted(C::NAME) {
        return;
    }
    let rounds = rounds(11);
    let mut conn = C::connect();
    for kinds in lists {
        table(&mut conn, kinds, rounds);
    }
}

fn table<C: Server>(conn: &mut C, kinds: &[(&str, MakeRows<C>)], rounds: usize) {
    let saves = ratios(conn, kinds, 1, rounds * 3, |kind, conn| {
        kind.save(conn, SAVES);
    });
    let commits = ratios(conn, kinds, ROWS, rounds, |kind, conn| {
        kind.commit(conn);
    });
    println!("{:<24} {:>16} {:>16}", C::NAME, "save", "commit of 10,000");
    for (((name, _), save), commit) in kinds.iter().zip(saves).zip(commits) {
        println!("{name:<24} {save:>16.2} {commit:>16.2}");
    }
}

/// The time of each kind against that of the first.
fn ratios<C: Server>(
    conn: &mut C,
    kinds: &[(&str, MakeRows<C>)],
    count: i32,
    rounds: usize,
    run: fn(&mut dyn Kind<C>, &mut C),
) -> Vec<f64> {
    let contenders = kinds.iter().map(|(name, rows)| {
        let mut rows = rows(conn, count);
        Contender::new(*name, move |conn: &mut C| {
            clock(None, || run(&mut *rows, conn))
        })
    });
    let contenders = contenders.collect();
    let times = race(conn, rounds, contenders);
    times.iter().map(|time| time.ratio_to(&times[0])).collect()
}
