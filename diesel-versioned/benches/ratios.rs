//! The ratios that are promised, each against its bound. Times are taken in interleaved rounds.
//!
//! Arguments name databases, all if there are none. `ROUNDS` is how often each is run.

use diesel::SqliteConnection;
use diesel_versioned_benches::handwritten::Form;
use diesel_versioned_benches::product::Product;
use diesel_versioned_benches::raw::Raw;
use diesel_versioned_benches::rounds::{
    Contender, Cost, Times, clock, race, report, rounds, wanted,
};
use diesel_versioned_benches::server::Server;
use diesel_versioned_benches::stage::{Stage, by_hand, commit, insert_sets, set_based, unit};

const ROWS: usize = 10_000;
const SAVES: usize = 200;

fn main() {
    let rounds = rounds(31);
    println!("{:<64} {:>8} {:>8}", "", "measured", "bound");
    if wanted(SqliteConnection::NAME) {
        raw_save(rounds);
    }
    server::<SqliteConnection>(
        rounds,
        6.0,
        &[
            (Form::Values, 64),
            (Form::Values, 256),
            (Form::Values, 1_024),
        ],
    );
    #[cfg(feature = "postgres")]
    server::<diesel::PgConnection>(
        rounds,
        6.0,
        &[
            (Form::Unnest, ROWS),
            (Form::LockedValues, 1_000),
            (Form::LockedUnnest, ROWS),
        ],
    );
    #[cfg(feature = "mysql")]
    server::<diesel::MysqlConnection>(
        rounds,
        8.0,
        &[
            (Form::Case, 50),
            (Form::Join, 128),
            (Form::JoinValues, 128),
            (Form::JsonTable, 256),
        ],
    );
}

fn server<C: Server>(rounds: usize, faster: f64, forms: &[(Form, usize)]) {
    if !wanted(C::NAME) {
        return;
    }
    let mut stage = Stage::<C>::new(ROWS);
    let mut contenders = vec![commit(), by_hand(), unit()];
    contenders.extend(forms.iter().map(|&(form, chunk)| set_based(form, chunk)));
    let times = race(&mut stage, rounds.div_ceil(3), contenders);
    show(&times);
    let name = C::NAME;
    let ratio = times[1].ratio_to(&times[0]);
    report(
        &format!("{name}: loop by hand / commit of {ROWS}"),
        ratio,
        faster,
        ratio >= faster,
    );
    let ratio = times[1].ratio_to(&times[2]);
    println!(
        "{:<64} {ratio:>8.2}",
        "    the same with attaching and changing the entities"
    );
    let best = times[3..]
        .iter()
        .min_by(|a, b| a.median().total_cmp(&b.median()))
        .expect("each has one");
    let ratio = times[0].ratio_to(best);
    report(
        &format!("{name}: commit of {ROWS} / best set-based ({})", best.name),
        ratio,
        1.25,
        ratio <= 1.25,
    );
    inserts::<C>(rounds.div_ceil(3));
    single::<C>(rounds);
}

fn inserts<C: Server>(rounds: usize) {
    let contender = |name: &str, write: fn(&mut C, Vec<Product>)| {
        Contender::new(name, move |conn: &mut C| {
            conn.clear();
            let rows: Vec<Product> = (1..).take(ROWS).map(Product::new).collect();
            clock(None, || write(conn, rows))
        })
    };
    let times = race(
        &mut C::connect(),
        rounds,
        vec![
            contender("unit of inserts", C::insert_unit),
            contender("Diesel's insert, 512 rows", |conn, rows| {
                insert_sets(conn, rows, 512);
            }),
            contender("Diesel's insert, 1000 rows", |conn, rows| {
                insert_sets(conn, rows, 1_000);
            }),
        ],
    );
    show(&times);
    let name = C::NAME;
    let best = times[1..]
        .iter()
        .min_by(|a, b| a.median().total_cmp(&b.median()))
        .expect("there are two");
    let ratio = times[0].ratio_to(best);
    println!(
        "{:<64} {ratio:>8.2}",
        format!("{name}: unit of {ROWS} inserts / Diesel's batch insert")
    );
}

fn single<C: Server>(rounds: usize) {
    let mut product = Product::new(1);
    let mut conn = Stage::<C>::new(1).conn;
    let contender = |name: &str, save: fn(&mut C, &mut Product)| {
        Contender::new(name, move |(conn, product): &mut (C, Product)| {
            save_many(|| {
                product.change();
                save(conn, product);
            })
        })
    };
    conn.save(&mut product);
    let times = race(
        &mut (conn, product),
        rounds,
        vec![
            contender("save", C::save),
            contender("by hand", |conn, product| {
                assert_eq!(conn.update_by_hand(product), Ok(1));
                product.version += 1;
            }),
        ],
    );
    show(&times);
    let ratio = times[0].ratio_to(&times[1]);
    println!(
        "{:<64} {ratio:>8.2}",
        format!("{}: save / by hand, time", C::NAME)
    );
}

fn raw_save(rounds: usize) {
    let mut stage = (
        Stage::<SqliteConnection>::new(1).conn,
        Product::new(1),
        Raw::connect(),
        Product::new(1),
    );
    let times = race(
        &mut stage,
        rounds,
        vec![
            Contender::new(
                "save",
                |(conn, product, _, _): &mut (SqliteConnection, Product, Raw, Product)| {
                    save_many(|| {
                        product.change();
                        conn.save(product);
                    })
                },
            ),
            Contender::new(
                "raw",
                |(_, _, conn, product): &mut (SqliteConnection, Product, Raw, Product)| {
                    save_many(|| {
                        product.change();
                        conn.save(product);
                    })
                },
            ),
        ],
    );
    show(&times);
    println!(
        "{:<64} {:>8.2}",
        "SQLite: save / raw C calls, time",
        times[0].ratio_to(&times[1])
    );
}

fn save_many(mut save: impl FnMut()) -> Cost {
    clock(None, || (0..SAVES).for_each(|_| save()))
}

fn show(times: &[Times]) {
    for time in times {
        println!("    {time}");
    }
}
