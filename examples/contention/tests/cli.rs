//! The whole program on SQLite: a small sweep, its files, and what is refused. Nothing is asserted of time.

#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

mod support;

use support::{Folder, SMALL, SOLD_OUT};

#[test]
fn a_sweep_loses_nothing_and_is_drawn() {
    let folder = Folder::new();
    let ended = folder.run(&SMALL);
    assert_eq!((ended.status, ended.stderr.as_str()), (0, ""), "{ended:?}");
    let last = ended.stdout.lines().last().unwrap();
    // By five ways: one writer, three of them, three on two rows, three who think; each 4 times, twice.
    let operations = 5 * (1 + 3 + 3 + 3) * 4 * 2;
    let expected = format!("no update was lost: {operations} operations, ");
    assert!(last.starts_with(&expected), "{ended:?}");

    let csv = folder.read("contention.csv");
    let lines: Vec<_> = csv.lines().collect();
    assert!(lines[1].starts_with("# SQLite 3."), "{csv}");
    assert_eq!(lines.len(), 4 + 5 * 4, "{csv}");
    for way in ["optimistic", "save", "lock", "lease", "relative"] {
        let of_way = lines.iter().filter(|line| line.contains(way)).count();
        assert_eq!(of_way, 4, "{way}: {csv}");
    }
    let svg = folder.read("contention.svg");
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    // Nine panels of five ways; p99 of all, and the model of four goodputs and of two shares in vain.
    let (lines, dashed) = ("stroke-width=\"2\"", "stroke-dasharray");
    assert_eq!(
        (svg.matches(lines).count(), svg.matches(dashed).count()),
        (45, 33)
    );
}

#[test]
fn a_picture_is_drawn_again_from_its_numbers() {
    let folder = Folder::new();
    assert_eq!(folder.run(&SMALL).status, 0);
    let ended = folder.run(&["--redraw", "contention.csv", "--out", "again"]);
    assert_eq!((ended.status, ended.stdout.as_str()), (0, ""), "{ended:?}");
    let same = folder.read("again.svg") == folder.read("contention.svg");
    assert!(same);
    assert!(!folder.has("again.csv"));
}

#[test]
fn one_way_and_what_is_sold_out() {
    let folder = Folder::new();
    let ended = folder.run(&[&SOLD_OUT[..], &["--ways", "save,relative"]].concat());
    assert_eq!(ended.status, 0, "{ended:?}");
    // By one writer and by three, each run sells the three that are there.
    let expected = format!("no update was lost: {} operations, ", 2 * 2 * 3 * 3);
    assert!(ended.stdout.contains(&expected), "{ended:?}");
}

/// One line on standard error, and nothing is written.
#[track_caller]
fn refused(args: &[&str], message: &str) {
    let folder = Folder::new();
    folder.write("other.csv", "id,price\n1,2\n");
    let ended = folder.run(args);
    assert_eq!(ended.status, 2, "{ended:?}");
    assert!(ended.stderr.contains(message), "{ended:?}");
    assert!(!ended.stderr.contains("secret"), "{ended:?}");
    assert_eq!(ended.stdout, "");
    assert!(!folder.has("contention.csv") && !folder.has("contention.svg"));
}

#[test]
fn bad_input() {
    refused(&["--writers", "0"], "0 is not in 1..=200");
    refused(&["--rows", "1,x"], "invalid value 'x'");
    refused(
        &["--ways", "hope"],
        "possible values: optimistic, save, lock, lease, relative",
    );
    refused(&["--operations", "0"], "invalid value '0'");
    refused(
        &["--operations", "3", "--run-ms", "5"],
        "cannot be used with",
    );
    refused(
        &["--redraw", "other.csv"],
        "contention: other.csv: the first line is not that of this program",
    );
    refused(&["--redraw", "none.csv"], "contention: none.csv: ");
}

#[test]
fn bad_databases() {
    let at = |url, message: &str| refused(&["--database-url", url], message);
    at("", "contention: --database-url is empty");
    at(":memory:", "has no second connection; give a file");
    at(
        "http://me:secret@host/db",
        "contention: http://host/db: http:// is no database",
    );
    at(
        "no/such/folder/x.sqlite",
        "contention: no/such/folder/x.sqlite: cannot be reached: ",
    );
    if cfg!(not(feature = "postgres")) {
        at(
            "postgres://me:secret@host/db",
            "contention: postgres://host/db: this build has no postgres; build it with --features postgres",
        );
    }
    if cfg!(not(feature = "mysql")) {
        at(
            "mysql://host/db",
            "contention: mysql://host/db: this build has no mysql;",
        );
    }
}
