//! Small runs on SQLite: what each way must come to, and a collision that is forced.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU32, Ordering};

use diesel::SqliteConnection;
use diesel::connection::SimpleConnection;
use diesel_versioned::prelude::*;

use super::*;
use crate::database::connect;

fn connections(folder: &tempfile::TempDir, count: u32, rows: u32) -> Vec<SqliteConnection> {
    let file = folder.path().join("test.sqlite");
    connect(file.to_str().unwrap(), count, rows).unwrap()
}

fn point(writers: u32, rows: u32) -> Point {
    Point {
        writers,
        rows,
        think: Duration::ZERO,
    }
}

fn load(until: Until, stock: u32) -> Load {
    Load {
        pause: Duration::ZERO,
        until,
        stock,
    }
}

#[test]
fn no_way_loses_an_update() {
    let folder = tempfile::tempdir().unwrap();
    let mut connections = connections(&folder, 4, 3);
    for way in Way::ALL {
        for rows in [1, 3] {
            let load = load(Until::Operations(8), 1_000);
            let run = run(&mut connections, way, point(4, rows), load).unwrap();
            assert_eq!((run.latencies.len(), run.in_window), (32, 32), "{way:?}");
            assert!(run.attempts >= 32, "{way:?}");
            assert_eq!(run.taken.iter().sum::<u32>(), 32);
        }
    }
}

#[test]
fn no_way_sells_what_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut connections = connections(&folder, 4, 1);
    for way in Way::ALL {
        let run = run(
            &mut connections,
            way,
            point(4, 1),
            load(Until::Operations(5), 7),
        )
        .unwrap();
        assert_eq!((run.latencies.len(), run.sold_out), (7, 13), "{way:?}");
    }
}

#[test]
fn a_run_by_time_ends() {
    let folder = tempfile::tempdir().unwrap();
    let mut connections = connections(&folder, 1, 1);
    let time = Until::Time(Duration::from_millis(1));
    let run = run(
        &mut connections,
        Way::Relative,
        point(1, 1),
        load(time, 1_000_000),
    )
    .unwrap();
    assert!(!run.latencies.is_empty());
}

#[test]
fn two_who_have_read_the_same_collide_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut connections = connections(&folder, 2, 1);
    connections[0].fill(1, 10).unwrap();
    let both_have_read = Barrier::new(2);
    let attempts: u32 = thread::scope(|scope| {
        let writers: Vec<_> = connections
            .iter_mut()
            .zip(1..)
            .map(|(conn, seed)| {
                let both_have_read = &both_have_read;
                scope.spawn(move || {
                    let thought = AtomicU32::new(0);
                    let mut task = Task {
                        id: 1,
                        holder: "one of two",
                        think: &|| {
                            if thought.fetch_add(1, Ordering::Relaxed) == 0 {
                                both_have_read.wait();
                            }
                        },
                        dice: &mut Dice::new(seed),
                        attempts: 0,
                    };
                    conn.perform(Way::Save, &mut task).unwrap();
                    task.attempts
                })
            })
            .collect();
        writers
            .into_iter()
            .map(|writer| writer.join().unwrap())
            .sum()
    });
    assert_eq!(attempts, 3);
    nothing_lost(&connections[0].products().unwrap(), 10, &[2]).unwrap();
}

/// While one writer thinks: whether another one can write the row, and who has its lease.
#[test]
fn what_is_held_while_somebody_thinks() {
    for (way, free, holder, attempts) in [
        (Way::Optimistic, false, None, 1),
        (Way::Save, true, None, 2),
        (Way::Lock, false, None, 1),
        (Way::Lease, true, Some("first"), 1),
        (Way::Relative, true, None, 1),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut connections = connections(&folder, 2, 1);
        let [first, second] = connections.as_mut_slice() else {
            panic!("two connections");
        };
        first.fill(1, 10).unwrap();
        second.batch_execute("PRAGMA busy_timeout = 0").unwrap();
        let second = RefCell::new(second);
        let thought = Cell::new(false);
        let think = || {
            if thought.replace(true) {
                return;
            }
            let second = &mut **second.borrow_mut();
            let mut product = Product::find(second, 1).unwrap();
            let held = Lease::holder_of(second, &product).unwrap();
            assert_eq!(held.as_ref().map(LeaseHolder::name), holder, "{way:?}");
            // A writer that does not ask for a lease would be a conflict of who holds it.
            if way != Way::Lease {
                assert_eq!(product.touch(second).is_ok(), free, "{way:?}");
            }
        };
        let mut task = Task {
            id: 1,
            holder: "first",
            think: &think,
            dice: &mut Dice::new(1),
            attempts: 0,
        };
        first.perform(way, &mut task).unwrap();
        assert_eq!((thought.get(), task.attempts), (true, attempts), "{way:?}");
        let left = first.products().unwrap();
        assert_eq!(left[0].stock, 9, "{way:?}");
        assert_eq!(Lease::holder_of(first, &left[0]).unwrap(), None);
    }
}

#[test]
fn a_lost_update_is_noticed() {
    let product = |id, stock, version| Product { id, stock, version };
    let check = |products: &[Product]| nothing_lost(products, 10, &[2, 0]);
    assert!(check(&[product(1, 8, 3), product(2, 10, 1)]).is_ok());
    for wrong in [
        [product(1, 9, 3), product(2, 10, 1)],
        [product(1, 9, 2), product(2, 10, 1)],
        [product(1, 8, 2), product(2, 10, 1)],
        [product(1, 9, 3), product(2, 9, 2)],
    ] {
        assert!(
            matches!(check(&wrong), Err(RunError::Lost { .. })),
            "{wrong:?}"
        );
    }
    let other = check(&[product(1, 8, 3)]);
    assert!(matches!(other, Err(RunError::OtherProducts)));
}

#[test]
fn a_lease_that_was_left_behind_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = connections(&folder, 1, 1);
    let left = Product {
        id: 1,
        stock: 0,
        version: 0,
    };
    Lease::acquire(&mut first[0], &left, "gone", Duration::from_secs(900)).unwrap();
    let mut second = connections(&folder, 1, 1);
    assert_eq!(Lease::holder_of(&mut second[0], &left).unwrap(), None);
}
