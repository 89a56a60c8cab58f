//! Whatever is wrong with a file, an option or a database: one clear line, exit status 2, and
//! nothing written.

#![allow(clippy::unwrap_used, reason = "that is how a test fails")]

mod support;

use support::{Folder, header};

/// Runs a file against a catalogue of the products 1 to 3 and expects to be refused.
#[track_caller]
fn refused(content: impl AsRef<[u8]>, args: &[&str], message: &str) {
    let folder = Folder::with_products(3);
    let state = "(SELECT sum(price_cents + stock + version) FROM products) \
                 + (SELECT count(*) FROM import_journal)";
    let before = folder.number(state);
    let ended = folder.import(content, args);
    assert_eq!(ended.stderr, format!("price-import: {message}\n"));
    assert_eq!((ended.status, ended.stdout.as_str()), (2, ""));
    assert_eq!(folder.number(state), before, "nothing is written");
}

#[test]
fn an_empty_file() {
    refused("", &[], "prices.csv: is empty");
    refused("\u{feff}\r\n\r\n", &[], "prices.csv: is empty");
}

#[test]
fn a_header_without_rows() {
    refused(header(), &[], "prices.csv: has a header and no rows");
}

#[test]
fn a_missing_column() {
    refused(
        "id,quantity\n1,1\n",
        &[],
        "prices.csv: row 1: there is no column \"price\" (there are: id, quantity); say which \
         columns to take with --columns id=…,price=…,quantity=…",
    );
    refused(
        "id,price,qty\n1,1,1\n",
        &["--columns", "id=id,price=UnitPrice"],
        "prices.csv: row 1: there is no column \"UnitPrice\" (there are: id, price, qty); it is \
         named in --columns",
    );
}

#[test]
fn a_column_that_stands_there_twice() {
    refused(
        "id,price,quantity,price\n1,1,1,2\n",
        &[],
        "prices.csv: row 1: there are two columns \"price\"",
    );
}

#[test]
fn a_number_that_is_none() {
    for (row, message) in [
        ("x,2.00,1", "id \"x\" is not a whole number"),
        (",2.00,1", "id \"\" is not a whole number"),
        (
            "2,two,1",
            "price \"two\" is not a plain decimal number such as 12.50",
        ),
        ("2,,1", "price \"\" is empty"),
        (
            "2,\"2,00\",1",
            "price \"2,00\" has a comma; write a price as 1234.50",
        ),
        ("2,-2,1", "price \"-2\" is negative"),
        (
            "2,99999999999999999999,1",
            "price \"99999999999999999999\" is too large",
        ),
        ("2,2.00,1.5", "quantity \"1.5\" is not a whole number"),
        ("2,2.00,", "quantity \"\" is not a whole number"),
        (
            "2,2.00,9223372036854775808",
            "quantity \"9223372036854775808\" is not a whole number",
        ),
        (
            "2,2.005,1",
            "price \"2.005\" has more than two decimals; it is not rounded, as the result could \
             be wrong by a cent",
        ),
    ] {
        // The row before it is good, and is not written either.
        let content = header() + "1,2.00,1\n" + row + "\n3,2.00,1\n";
        refused(content, &[], &format!("prices.csv: row 3: {message}"));
    }
}

#[test]
fn a_product_twice() {
    let content = header() + "2,2.00,1\n1,2.00,1\n2,3.00,1\n";
    refused(content, &[], "prices.csv: row 4: id 2 is in row 2 already");
}

#[test]
fn a_product_that_the_catalogue_does_not_have() {
    refused(
        header() + "1,2.00,1\n4,2.00,1\n",
        &[],
        "prices.csv: row 3: there is no product with id 4 in the catalogue (--create-missing \
         creates it)",
    );
    refused(
        "sku,price,quantity\nA-1,2.00,1\n",
        &[],
        "prices.csv: row 2: there is no product with sku A-1 in the catalogue (--create-missing \
         creates it)",
    );
}

#[test]
fn an_empty_catalogue() {
    let folder = Folder::new();
    let ended = folder.import(header() + "1,2.00,1\n", &[]);
    assert_eq!(ended.status, 2);
    assert_eq!(
        ended.stderr,
        "price-import: prices.csv: row 2: there is no product with id 1 in the catalogue, which \
         is empty: load it from the file with --create-missing\n"
    );
}

#[test]
fn a_sku_that_another_product_has() {
    let folder = Folder::with_products(3);
    folder.execute("UPDATE products SET sku = 'A-1' WHERE id = 1");
    let content = "id,sku,price,quantity\n3,C-3,2.00,1\n4,A-1,2.00,1\n";
    let ended = folder.import(content, &["--create-missing"]);
    assert_eq!(
        ended.stderr,
        "price-import: prices.csv: row 3: sku A-1 is the product with id 1 already\n"
    );
    assert_eq!(
        (
            ended.status,
            folder.number("(SELECT max(version) FROM products)")
        ),
        (2, 1)
    );
}

#[test]
fn a_row_with_too_few_or_too_many_columns() {
    let few = header() + "1,2.00,1\n2,2.00\n";
    refused(
        few,
        &[],
        "prices.csv: row 3: has 2 columns, the header has 3",
    );
    let many = header() + "1,2,00,1\n";
    refused(
        many,
        &[],
        "prices.csv: row 2: has 4 columns, the header has 3",
    );
}

#[test]
fn a_quotation_mark_that_is_never_closed() {
    let open = "a quotation mark is opened here and never closed";
    for (content, row) in [
        // Rows would be lost in its field.
        (
            "id,price,quantity,note\n1,2.00,1,\"5 inch\n2,2.00,1,\n3,2.00,1,\n",
            2,
        ),
        // In the last row nothing would be lost, and it would still be a guess.
        ("id,price,quantity,note\n1,2.00,1,\n2,2.00,1,\"5 inch\n", 3),
        ("id,price,quantity\n1,2.00,1\n2,\"2.00,1", 3),
        ("id,price,\"quantity\n1,2.00,1\n", 1),
    ] {
        refused(content, &[], &format!("prices.csv: row {row}: {open}"));
    }
}

#[test]
fn an_encoding_that_is_not_utf_8() {
    let latin1 = b"id,price,quantity,note\n1,2.00,1,\n2,2.00,1,caf\xe9\n";
    refused(
        latin1,
        &[],
        "prices.csv: row 3: is not UTF-8; save the file as UTF-8",
    );
    refused(
        b"\xff\xfei\0d\0,\0",
        &[],
        "prices.csv: is not UTF-8 but looks like UTF-16; save it as UTF-8",
    );
}

#[test]
fn another_delimiter() {
    refused(
        "id;price;quantity\n1;2.00;1\n",
        &[],
        "prices.csv: row 1: the columns are separated by ';', not by ','; add --delimiter ';'",
    );
    refused(
        "id,price,quantity\n1,2.00,1\n",
        &["--delimiter", ";"],
        "prices.csv: row 1: the columns are separated by ',', not by ';'; add --delimiter ','",
    );
}

#[test]
fn a_file_that_cannot_be_read() {
    let folder = Folder::new();
    for (path, reason) in [
        (
            "nowhere.csv",
            "cannot be read: No such file or directory (os error 2)",
        ),
        (".", "cannot be read: Is a directory (os error 21)"),
    ] {
        let ended = folder.run(&["--file", path]);
        assert_eq!(ended.stderr, format!("price-import: {path}: {reason}\n"));
        assert_eq!(ended.status, 2);
    }
    assert!(
        !folder.path("price-import.sqlite").exists(),
        "the database is not touched"
    );
}

#[test]
fn a_database_that_cannot_be_reached() {
    let folder = Folder::new();
    folder.write(
        "text.sqlite",
        "no database, and long enough to be none: ".repeat(50),
    );
    for (url, message) in [
        ("nowhere/p.sqlite", "nowhere/p.sqlite: cannot be reached: "),
        (".", ".: cannot be reached: "),
        (
            "text.sqlite",
            "text.sqlite: the tables cannot be created or updated: ",
        ),
        ("http://host/db", "http://host/db: http:// is no database; "),
    ] {
        let ended = folder.run(&["--database-url", url]);
        let expected = format!("price-import: {message}");
        assert!(ended.stderr.starts_with(&expected), "{ended:?}");
        assert_eq!(
            (ended.status, ended.stderr.lines().count()),
            (2, 1),
            "{ended:?}"
        );
    }
}

#[test]
fn a_table_that_someone_has_changed() {
    let missing = "there is no such column, or this user may not see it; run the migrations, or take \
                   it out of the entity";
    let folder = Folder::with_products(3);
    let prices = "(SELECT sum(price_cents) FROM products)";
    let before = folder.number(prices);
    folder.execute(
        "ALTER TABLE products RENAME COLUMN stock TO quantity;
         ALTER TABLE products RENAME COLUMN version TO revision",
    );
    let ended = folder.import(header() + "1,2.00,1\n", &[]);
    assert_eq!(
        ended.stderr,
        format!(
            "price-import: price-import.sqlite: the tables are not those of this program: \
             `products`.`stock`: {missing}; `products`.`version`: {missing}\n"
        )
    );
    assert_eq!((ended.status, ended.stdout.as_str()), (2, ""));
    assert_eq!(folder.number(prices), before, "nothing is written");
}

#[test]
fn a_database_without_a_name() {
    for url in ["", " ", "sqlite://"] {
        let ended = Folder::new().run(&["--database-url", url]);
        assert_eq!(
            ended.stderr,
            "price-import: --database-url is empty; give an SQLite file, postgres://… or \
             mysql://…\n"
        );
        assert_eq!((ended.status, ended.stdout.as_str()), (2, ""));
    }
}

#[cfg(not(feature = "postgres"))]
#[test]
fn a_database_that_is_not_built_in() {
    let ended = Folder::new().run(&["--database-url", "postgres://me:secret@localhost/shop"]);
    assert_eq!(
        ended.stderr,
        "price-import: postgres://localhost/shop: this build has no postgres; build it with \
         --features postgres\n"
    );
    assert_eq!(ended.status, 2);
}

#[test]
fn an_option_that_makes_no_sense() {
    let folder = Folder::new();
    for args in [
        ["--unit", "0"],
        ["--unit", "many"],
        ["--columns", "id=a,cost=b"],
        ["--on-conflict", "guess"],
        ["--delimiter", "ab"],
    ] {
        let ended = folder.run(&args);
        assert_eq!(ended.status, 2);
        assert!(
            ended.stderr.starts_with("error: invalid value"),
            "{ended:?}"
        );
    }
}
