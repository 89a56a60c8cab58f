//! A unit of 10,000 changed entities, and the same as a loop by hand in one transaction.

use std::cell::RefCell;

use diesel::SqliteConnection;
use diesel_versioned_benches::product::Product;
use diesel_versioned_benches::server::Server;
use diesel_versioned_benches::stage::{Stage, update_loop};
use divan::Bencher;

const ROWS: usize = 10_000;

fn main() {
    divan::main();
}

fn write<C: Server>(bencher: Bencher<'_, '_>, write: fn(&mut C, Vec<Product>)) {
    let stage = RefCell::new(Stage::<C>::new(ROWS));
    bencher
        .counter(divan::counter::ItemsCount::new(ROWS))
        .with_inputs(|| {
            let mut stage = stage.borrow_mut();
            stage.conn.tidy();
            stage.load()
        })
        .bench_local_values(|rows| {
            let mut stage = stage.borrow_mut();
            write(&mut stage.conn, rows);
            stage.written();
        });
}

#[divan::bench(sample_size = 1, sample_count = 30)]
fn sqlite_unit(bencher: Bencher<'_, '_>) {
    write(bencher, SqliteConnection::commit_unit);
}

#[divan::bench(sample_size = 1, sample_count = 30)]
fn sqlite_loop_by_hand(bencher: Bencher<'_, '_>) {
    write(bencher, update_loop::<SqliteConnection>);
}

#[cfg(feature = "postgres")]
#[divan::bench(sample_size = 1, sample_count = 30)]
fn postgres_unit(bencher: Bencher<'_, '_>) {
    write(bencher, diesel::PgConnection::commit_unit);
}

#[cfg(feature = "postgres")]
#[divan::bench(sample_size = 1, sample_count = 30)]
fn postgres_loop_by_hand(bencher: Bencher<'_, '_>) {
    write(bencher, update_loop::<diesel::PgConnection>);
}

#[cfg(feature = "mysql")]
#[divan::bench(sample_size = 1, sample_count = 30)]
fn mariadb_unit(bencher: Bencher<'_, '_>) {
    write(bencher, diesel::MysqlConnection::commit_unit);
}

#[cfg(feature = "mysql")]
#[divan::bench(sample_size = 1, sample_count = 30)]
fn mariadb_loop_by_hand(bencher: Bencher<'_, '_>) {
    write(bencher, update_loop::<diesel::MysqlConnection>);
}
