//! Runs that go well, and rows that are not applied while the rest of the list is.

#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

mod support;

use support::{Folder, ended, header};

const ROWS: i64 = 20;

/// A price list for the products 1 to 20: each to 2.00, and five more of it.
fn list() -> String {
    header()
        + &(1..=ROWS)
            .map(|id| format!("{id},2.00,5\n"))
            .collect::<String>()
}

fn applied(folder: &Folder) -> i64 {
    folder.number("(SELECT count(*) FROM products WHERE price_cents = 200 AND stock = 15)")
}

#[test]
fn without_arguments_the_sample_is_applied() {
    let folder = Folder::new();
    let first = folder.run(&[]);
    assert_eq!(first.status, 0, "{first:?}");
    assert!(
        first.stderr.contains("has the sample's 1,000 products now"),
        "{first:?}"
    );
    assert!(
        first.stdout.ends_with("Everything is applied.\n"),
        "{first:?}"
    );
    assert_eq!(first.count("updated"), Some(900));
    assert_eq!(folder.number("(SELECT count(*) FROM products)"), 1000);
    assert_eq!(
        folder.number("(SELECT count(*) FROM products WHERE version = 2)"),
        900
    );

    let stock = folder.number("(SELECT sum(stock) FROM products)");
    let second = folder.run(&[]);
    assert_eq!(second.status, 0, "{second:?}");
    assert_eq!(second.count("updated"), Some(0));
    assert!(
        second.stdout.contains("1,000  applied by an earlier run"),
        "{second:?}"
    );
    assert_eq!(folder.number("(SELECT sum(stock) FROM products)"), stock);
}

#[test]
fn again_applies_a_list_anew() {
    let folder = Folder::with_products(20);
    assert_eq!(folder.import(list(), &[]).count("updated"), Some(20));
    assert_eq!(
        folder.import(list(), &["--again"]).count("updated"),
        Some(20)
    );
    assert_eq!(
        folder.number("(SELECT sum(stock) FROM products)"),
        20 * ROWS
    );
    assert_eq!(folder.number("(SELECT max(version) FROM products)"), 3);
}

#[test]
fn rows_in_conflict_are_reported_and_the_rest_is_written() {
    let folder = Folder::with_products(20);
    let args = ["--unit", "8", "--simulate-conflicts", "2"];
    let run = folder.import(list(), &args);
    assert_eq!(
        run.stderr,
        "row 11: id 10 not applied: someone else changed it (expected version 1, found 2); \
         price 2.00 wanted, 1.01 stands there; stock 15 wanted, 10 stands there\n\
         row 21: id 20 not applied: someone else changed it (expected version 1, found 2); \
         price 2.00 wanted, 1.01 stands there; stock 15 wanted, 10 stands there\n"
    );
    assert_eq!((run.status, run.count("updated")), (1, Some(18)), "{run:?}");
    assert_eq!(run.count("in conflict, not applied"), Some(2));
    assert_eq!(applied(&folder), 18);
    assert_eq!(
        folder.number("(SELECT price_cents FROM products WHERE id = 10)"),
        101
    );

    let retry = folder.import(list(), &[]);
    assert_eq!(
        (retry.status, retry.count("updated")),
        (0, Some(2)),
        "{retry:?}"
    );
    assert_eq!(applied(&folder), 20);
}

#[test]
fn stop_writes_nothing_of_the_unit_in_conflict() {
    let folder = Folder::with_products(20);
    let args = [
        "--unit",
        "5",
        "--simulate-conflicts",
        "2",
        "--on-conflict",
        "stop",
    ];
    let run = folder.import(list(), &args);
    assert_eq!(run.status, 1);
    assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
    assert_eq!(run.count("updated"), Some(5));
    assert_eq!(run.count("in conflict, not applied"), Some(1));
    assert_eq!(
        run.count("left when the job stopped, not applied"),
        Some(14)
    );
    assert_eq!(
        (
            applied(&folder),
            folder.number("(SELECT count(*) FROM import_journal)")
        ),
        (5, 25)
    );
}

#[test]
fn a_row_that_changes_nothing_is_guarded_too() {
    let folder = Folder::with_products(2);
    let content = header() + "1,1.00,0\n2,1.00,0\n";
    let run = folder.import(&content, &["--simulate-conflicts", "1"]);
    assert_eq!(
        run.stderr,
        "row 3: id 2 not applied: someone else changed it (expected version 1, found 2); \
         price 1.00 wanted, 1.01 stands there\n"
    );
    assert_eq!(
        (run.status, run.count("as the list says already")),
        (1, Some(1))
    );
    assert_eq!(
        folder.number("(SELECT version FROM products WHERE id = 1)"),
        1,
        "no bump"
    );
}

#[test]
fn a_quantity_that_the_stock_does_not_allow_is_refused() {
    let folder = Folder::with_products(3);
    let content = header() + "1,2.00,-11\n2,2.00,-10\n3,2.00,9223372036854775807\n";
    let run = folder.import(&content, &[]);
    assert_eq!(
        run.stderr,
        "row 2: id 1 not applied: the stock is 10, a quantity of -11 would make it negative\n\
         row 4: id 3 not applied: the stock is 10, a quantity of 9223372036854775807 is more \
         than it can hold\n"
    );
    assert_eq!(
        (run.status, run.count("refused by the stock, not applied")),
        (1, Some(2))
    );
    assert_eq!(
        folder.number("(SELECT stock FROM products WHERE id = 2)"),
        0
    );

    folder.execute("UPDATE products SET stock = 20, version = version + 1 WHERE id = 1");
    let stopped = folder.import(&content, &["--on-conflict", "stop"]);
    assert_eq!(
        (stopped.status, stopped.count("updated")),
        (1, Some(0)),
        "{stopped:?}"
    );
}

#[test]
fn a_trigger_that_holds_rows_back_is_named() {
    let folder = Folder::with_products(20);
    folder.execute(
        "CREATE TRIGGER hold BEFORE UPDATE ON products WHEN OLD.id = 7
         BEGIN SELECT RAISE(IGNORE); END",
    );
    let run = folder.import(list(), &[]);
    assert_eq!(
        run.stderr,
        "row 8: id 7 not applied: the database did not write it, though it is at version 1 as \
         expected; a trigger or a policy holds it back\n"
    );
    assert_eq!((run.status, applied(&folder)), (1, 19));
}

#[test]
fn a_product_that_is_deleted_meanwhile_is_a_conflict() {
    let folder = Folder::with_products(20);
    // The first product that is written takes the last one with it.
    folder.execute(
        "CREATE TRIGGER gone AFTER UPDATE ON products WHEN OLD.id = 1
         BEGIN DELETE FROM products WHERE id = 20; END",
    );
    let run = folder.import(list(), &["--unit", "5"]);
    assert_eq!(
        run.stderr,
        "row 21: id 20 not applied: the product was deleted meanwhile\n"
    );
    assert_eq!((run.status, applied(&folder)), (1, 19));
}

#[test]
fn a_database_that_fails_ends_the_job_and_the_units_before_stand() {
    let folder = Folder::with_products(20);
    folder.execute(
        "CREATE TRIGGER fail BEFORE UPDATE ON products WHEN OLD.id = 12
         BEGIN SELECT RAISE(ABORT, 'disk on fire'); END",
    );
    let run = folder.import(list(), &["--unit", "5"]);
    assert_eq!(run.status, 2);
    assert!(
        run.stderr
            .starts_with("price-import: stopped at rows 12 to 16: ")
            && run.stderr.ends_with(": disk on fire\n"),
        "{run:?}"
    );
    assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
    assert_eq!(
        run.count("left when the job stopped, not applied"),
        Some(10)
    );
    assert_eq!(applied(&folder), 10);
}

#[test]
fn runs_at_the_same_time_apply_each_row_once() {
    let folder = Folder::with_products(200);
    // Every other row changes nothing and is only checked.
    let rows = (1..=200).map(|id| format!("{id},1.00,{}\n", id % 2));
    folder.write("prices.csv", header() + &rows.collect::<String>());
    let args = ["--file", "prices.csv", "--unit", "7"];
    let runs: Vec<_> = (0..4).map(|_| folder.spawn(&args)).collect();
    for run in runs.into_iter().map(ended) {
        assert!(run.status < 2, "{run:?}");
    }
    let last = folder.run(&args);
    assert_eq!(
        last.status, 0,
        "what was in conflict is applied now: {last:?}"
    );
    assert_eq!(
        folder.number("(SELECT count(*) FROM products WHERE stock = 10 + id % 2)"),
        200
    );
    assert_eq!(
        folder
            .number("(SELECT count(DISTINCT source_row) FROM import_journal WHERE import_id > 1)"),
        200
    );
}

#[test]
fn quiet_says_only_what_went_wrong() {
    let folder = Folder::with_products(20);
    let run = folder.import(list(), &["--quiet", "--simulate-conflicts", "1"]);
    assert_eq!((run.status, run.stdout.as_str()), (1, ""));
    assert!(
        run.stderr.starts_with("row 21: id 20 not applied"),
        "{run:?}"
    );
    let retry = folder.import(list(), &["-q"]);
    assert_eq!(
        (retry.status, retry.stdout.as_str(), retry.stderr.as_str()),
        (0, "", "")
    );
}

#[test]
fn a_foreign_file_is_taken_through_a_mapping() {
    let folder = Folder::new();
    let tracks = "TrackId,Name,Composer,UnitPrice\r\n\
                  1,\"For Those About To Rock\",\"Young, Young, Johnson\",0.99\r\n\
                  2,Original Frankfurter grüne Soße,,1.99\r\n";
    let columns = ["--columns", "id=TrackId,name=Name,price=UnitPrice"];
    let created = folder.import(tracks, &[&columns[..], &["--create-missing"]].concat());
    assert_eq!(
        (created.status, created.count("created")),
        (0, Some(2)),
        "{created:?}"
    );
    assert_eq!(
        folder.number(
            "(SELECT price_cents FROM products
              WHERE name = 'Original Frankfurter grüne Soße' AND sku IS NULL AND stock = 0)"
        ),
        199
    );
    let dearer = tracks.replace("0.99", "1.09");
    let updated = folder.import(dearer, &columns);
    assert_eq!(
        (updated.status, updated.count("updated")),
        (0, Some(1)),
        "{updated:?}"
    );
}

#[test]
fn products_known_by_their_sku_get_an_id() {
    let folder = Folder::with_products(3);
    let run = folder.import(
        "sku,price,quantity\nA-1,2.00,1\nB-2,3.00,1\n",
        &["--create-missing"],
    );
    assert_eq!((run.status, run.count("created")), (0, Some(2)), "{run:?}");
    assert_eq!(
        folder.number("(SELECT id FROM products WHERE sku = 'B-2' AND name = 'B-2')"),
        5
    );
    let run = folder.import("sku,price,quantity\nB-2,4.00,-1\n", &[]);
    assert_eq!((run.status, run.count("updated")), (0, Some(1)), "{run:?}");
    assert_eq!(
        folder.number("(SELECT price_cents + stock FROM products WHERE id = 5)"),
        400
    );
}

#[test]
fn bom_crlf_blank_lines_and_other_delimiters_are_taken() {
    let folder = Folder::with_products(3);
    let content = "\u{feff}id ; price ; quantity\r\n\r\n1;2.00;5\r\n2; 2.00 ;+5\r\n\r\n3;2;5";
    let run = folder.import(content, &["--delimiter", ";"]);
    assert_eq!((run.status, run.count("updated")), (0, Some(3)), "{run:?}");
    assert_eq!(applied(&folder), 3);
}

#[test]
fn a_unit_may_be_larger_than_the_list() {
    let folder = Folder::with_products(20);
    let run = folder.import(list(), &["--unit", "1000000"]);
    assert_eq!((run.status, applied(&folder)), (0, 20), "{run:?}");
}
