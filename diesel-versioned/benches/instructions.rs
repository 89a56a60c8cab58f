//! Does one thing on SQLite COUNT times; `instructions.sh` counts the instructions of each.

use diesel::{Connection, SqliteConnection};
use diesel_versioned_benches::handwritten::Form;
use diesel_versioned_benches::kinds;
use diesel_versioned_benches::product::Product;
use diesel_versioned_benches::raw::Raw;
use diesel_versioned_benches::server::Server;
use diesel_versioned_benches::stage::{Stage, update_loop, update_sets};

const ROWS: usize = 10_000;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (Some(what), Some(count)) = (arguments.next(), arguments.next()) else {
        panic!(
            "usage: instructions save|by-hand|raw|unit|loop|saves|SET_ROWS|save:KIND|unit:KIND COUNT"
        );
    };
    let count: usize = count.parse().expect("COUNT is a number");
    match what.as_str() {
        "save" => save(count, |conn, product| conn.save(product)),
        "by-hand" => save(count, |conn, product| {
            assert_eq!(conn.update_by_hand(product), Ok(1));
            product.version += 1;
        }),
        "raw" => {
            let (mut conn, mut product) = (Raw::connect(), Product::new(1));
            for _ in 0..count {
                product.change();
                conn.save(&mut product);
            }
        }
        "unit" => write(count, |conn, rows| conn.commit_unit(rows)),
        "loop" => write(count, update_loop),
        "saves" => write(count, |conn, mut rows| {
            conn.transaction::<_, diesel::result::Error, _>(|conn| {
                for row in &mut rows {
                    row.change();
                    conn.save(row);
                }
                Ok(())
            })
            .expect("nobody else writes");
        }),
        kind if kind.contains(':') => of_kind(kind, count),
        rows => {
            let rows = rows.parse().expect("how many rows a statement has");
            write(count, |conn, all| {
                update_sets(conn, all, Form::Values, rows)
            });
        }
    }
}

/// `save:KIND` or `unit:KIND`
fn of_kind(what: &str, count: usize) {
    let (what, kind) = what.split_once(':').expect("it has one");
    let mut conn = <SqliteConnection as Server>::connect();
    let (_, rows) = kinds::ON_SQLITE
        .iter()
        .chain(kinds::GUARDS_ON_SQLITE)
        .find(|(name, _)| *name == kind)
        .expect("a kind of version");
    match what {
        "save" => rows(&mut conn, 1).save(&mut conn, count),
        _ => {
            let mut rows = rows(&mut conn, 10_000);
            (0..count).for_each(|_| rows.commit(&mut conn));
        }
    }
}

fn save(count: usize, save: fn(&mut SqliteConnection, &mut Product)) {
    let (mut conn, mut product) = (Stage::new(1).conn, Product::new(1));
    for _ in 0..count {
        product.change();
        save(&mut conn, &mut product);
    }
}

fn write(count: usize, write: impl Fn(&mut SqliteConnection, Vec<Product>)) {
    let mut stage = Stage::new(ROWS);
    for _ in 0..count {
        stage.time(&write);
    }
}
