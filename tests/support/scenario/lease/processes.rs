//! Two processes: one takes the lease and is killed, the other takes over.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

use diesel::connection::Connection;
use diesel_versioned::lease::{Lease, LostLease};

use super::{HOUR, how, let_expire, lost, product, shop, stands};
use crate::Conn;
use crate::flavor::prelude::*;
use crate::support::db::configure;
use crate::support::entities::Product;

const URL: &str = "LEASE_TEST_DATABASE_URL";
const HELD: &str = "held under ";

/// The other process: holds the lease and stays until it is killed, or whoever started it is gone.
#[test]
#[ignore = "run in a process of its own by the tests beside it"]
fn the_other_process() {
    let Ok(url) = std::env::var(URL) else {
        return;
    };
    let mut conn = Conn::establish(&url).unwrap();
    configure(&mut conn).unwrap();
    let lease = Lease::acquire(&mut conn, &product(1), "the other process", HOUR).unwrap();
    lease.save(&mut conn, &mut product(1)).unwrap();
    // Killed in the middle of a transaction.
    conn.begin_test_transaction().unwrap();
    let mut second = product(1);
    second.version = 2;
    second.stock = 0;
    lease.save(&mut conn, &mut second).unwrap();
    println!("{HELD}{}", lease.token());
    std::io::stdout().flush().unwrap();
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

/// Lets another process hold the lease of product 1, kills it, and returns the lease's number.
fn a_holder_dies(url: &str) -> i64 {
    let this = std::env::current_exe().unwrap();
    let name = module_path!().split_once("::").unwrap().1;
    let mut child = Command::new(this)
        .args(["--exact", "--ignored", "--nocapture"])
        .arg(format!("{name}::the_other_process"))
        .env(URL, url)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let token = lines.find_map(|line| {
        let line = line.unwrap();
        let (_, token) = line.split_once(HELD)?;
        Some(token.trim().parse().unwrap())
    });
    child.kill().unwrap();
    child.wait().unwrap();
    token.expect("it holds the lease")
}

#[test]
fn when_a_holder_dies_another_one_takes_over_and_nothing_is_lost() {
    for steals in [false, true] {
        let db = shop(1);
        let token = a_holder_dies(db.url());
        let conn = &mut db.connect();
        // What it had committed is there, and nothing else.
        assert_eq!(stands(&db, 1), (10, 2));
        let error = Lease::acquire(conn, &product(1), "paul", HOUR).unwrap_err();
        let by = error.holder().unwrap().clone();
        assert_eq!((by.name(), by.token()), ("the other process", token));

        let pauls = if steals {
            let (pauls, previous) = Lease::steal(conn, &product(1), "paul", HOUR).unwrap();
            assert_eq!(previous, Some(by));
            pauls
        } else {
            let_expire(&db);
            Lease::acquire(conn, &product(1), "paul", HOUR).unwrap()
        };
        assert!(pauls.token() > token);
        let mut mine = Product::find(conn, 1).unwrap();
        mine.stock = 4;
        pauls.save(conn, &mut mine).unwrap();

        // It was not dead, it had only slept, and goes on with what it knew.
        let resumed = Lease::resume(conn, &product(1), "the other process", token);
        let taken = how(resumed.unwrap_err());
        assert!(matches!(taken, LostLease::Taken { by } if by.name() == "paul"));
        assert_eq!(stands(&db, 1), (4, 3));
    }
}

#[test]
fn a_process_that_is_started_again_goes_on_at_once() {
    let db = shop(1);
    let token = a_holder_dies(db.url());
    let conn = &mut db.connect();
    let old = Lease::resume(conn, &product(1), "the other process", token).unwrap();
    let new = Lease::acquire(conn, &product(1), "the other process", HOUR).unwrap();
    assert!(new.token() > token);
    let mut mine = Product::find(conn, 1).unwrap();
    assert!(matches!(
        lost(old.save(conn, &mut mine)),
        LostLease::Taken { .. }
    ));
    new.save(conn, &mut mine).unwrap();
}
