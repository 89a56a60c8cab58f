//! Runs the built binary in a folder of its own.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use tempfile::TempDir;

/// A folder with a price list, in which the binary runs.
pub(crate) struct Folder(TempDir);

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    value: i64,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With a catalogue of the products 1 to `count` in `price-import.sqlite`, each at 1.00 and
    /// with a stock of 10.
    pub(crate) fn with_products(count: usize) -> Self {
        let folder = Self::new();
        let rows = (1..=count).map(|id| format!("{id},1.00,10\n"));
        folder.write("catalogue.csv", header() + &rows.collect::<String>());
        let ended = folder.run(&["--file", "catalogue.csv", "--create-missing"]);
        assert_eq!(ended.status, 0, "{ended:?}");
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn spawn(&self, args: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_price-import"))
            .args(args)
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        ended(self.spawn(args))
    }

    /// A run on a file with this content.
    pub(crate) fn import(&self, content: impl AsRef<[u8]>, args: &[&str]) -> Ended {
        self.write("prices.csv", content);
        self.run(&[&["--file", "prices.csv"], args].concat())
    }

    /// Runs SQL in `price-import.sqlite`.
    pub(crate) fn execute(&self, sql: &str) {
        use diesel::connection::SimpleConnection;
        self.connect().batch_execute(sql).unwrap();
    }

    /// One number from `price-import.sqlite`.
    pub(crate) fn number(&self, expression: &str) -> i64 {
        diesel::sql_query(format!("SELECT {expression} AS value"))
            .get_result::<Number>(&mut self.connect())
            .unwrap()
            .value
    }

    fn connect(&self) -> SqliteConnection {
        let path = self.path("price-import.sqlite");
        SqliteConnection::establish(path.to_str().unwrap()).unwrap()
    }
}

/// The names of the columns that need no option.
pub(crate) fn header() -> String {
    "id,price,quantity\n".to_owned()
}

pub(crate) fn ended(child: Child) -> Ended {
    let output = child.wait_with_output().unwrap();
    Ended {
        status: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Ended {
    /// The count that stands before these words in the summary.
    pub(crate) fn count(&self, words: &str) -> Option<usize> {
        let line = self.stdout.lines().find(|line| line.ends_with(words))?;
        line.split_whitespace()
            .next()?
            .replace(',', "")
            .parse()
            .ok()
    }
}
