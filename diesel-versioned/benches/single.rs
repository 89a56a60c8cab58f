//! `save()` of one entity, the same update by hand in Diesel, and on SQLite the C calls.

use diesel::SqliteConnection;
use diesel_versioned_benches::product::Product;
use diesel_versioned_benches::raw::Raw;
use diesel_versioned_benches::server::Server;
use diesel_versioned_benches::stage::Stage;
use divan::Bencher;

fn main() {
    divan::main();
}

#[divan::bench]
fn sqlite_raw(bencher: Bencher<'_, '_>) {
    let mut conn = Raw::connect();
    let mut product = Product::new(1);
    bencher.bench_local(|| {
        product.change();
        conn.save(&mut product);
    });
}

fn save<C: Server>(bencher: Bencher<'_, '_>) {
    let mut conn = Stage::<C>::new(1).conn;
    let mut product = Product::new(1);
    bencher.bench_local(|| {
        product.change();
        conn.save(&mut product);
    });
}

fn by_hand<C: Server>(bencher: Bencher<'_, '_>) {
    let mut conn = Stage::<C>::new(1).conn;
    let mut product = Product::new(1);
    bencher.bench_local(|| {
        product.change();
        assert_eq!(conn.update_by_hand(&product), Ok(1));
        product.version += 1;
    });
}

#[divan::bench]
fn sqlite_save(bencher: Bencher<'_, '_>) {
    save::<SqliteConnection>(bencher);
}

#[divan::bench]
fn sqlite_by_hand(bencher: Bencher<'_, '_>) {
    by_hand::<SqliteConnection>(bencher);
}

#[cfg(feature = "postgres")]
#[divan::bench]
fn postgres_save(bencher: Bencher<'_, '_>) {
    save::<diesel::PgConnection>(bencher);
}

#[cfg(feature = "postgres")]
#[divan::bench]
fn postgres_by_hand(bencher: Bencher<'_, '_>) {
    by_hand::<diesel::PgConnection>(bencher);
}

#[cfg(feature = "mysql")]
#[divan::bench]
fn mariadb_save(bencher: Bencher<'_, '_>) {
    save::<diesel::MysqlConnection>(bencher);
}

#[cfg(feature = "mysql")]
#[divan::bench]
fn mariadb_by_hand(bencher: Bencher<'_, '_>) {
    by_hand::<diesel::MysqlConnection>(bencher);
}
