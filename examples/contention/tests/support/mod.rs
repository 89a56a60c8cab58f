//! Runs the built binary in a folder of its own.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::process::{Command, Stdio};

use tempfile::TempDir;

/// Four points by all ways, a few operations each.
pub(crate) const SMALL: [&str; 18] = [
    "--writers",
    "1,3",
    "--rows",
    "1,2",
    "--think-ms",
    "0,1",
    "--at-writers",
    "3",
    "--at-rows",
    "1",
    "--at-think-ms",
    "0",
    "--pause-ms",
    "0",
    "--operations",
    "4",
    "--repetitions",
    "2",
];

/// Two points with less stock than is asked for.
pub(crate) const SOLD_OUT: [&str; 16] = [
    "--writers",
    "1,3",
    "--rows",
    "1",
    "--think-ms",
    "0",
    "--at-think-ms",
    "0",
    "--at-writers",
    "3",
    "--pause-ms",
    "0",
    "--operations",
    "4",
    "--stock",
    "3",
];

pub(crate) struct Folder(TempDir);

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        let output = Command::new(env!("CARGO_BIN_EXE_contention"))
            .args(args)
            .current_dir(self.0.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        Ended {
            status: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.path().join(name).exists()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, content: &str) {
        std::fs::write(self.0.path().join(name), content).unwrap();
    }
}
