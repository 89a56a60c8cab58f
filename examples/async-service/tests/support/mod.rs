//! Runs the built binary on a database of its own, and talks HTTP to it.
#![allow(dead_code, reason = "each test binary uses a part")]

mod client;
pub(crate) mod database;
pub(crate) mod scenarios;

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

pub(crate) use client::{Answer, send};
pub(crate) use database::Database;

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: Option<i32>,
    pub(crate) stderr: String,
}

/// The running service.
pub(crate) struct Service {
    child: Child,
    says: Lines<BufReader<ChildStdout>>,
    /// Host and port.
    pub(crate) address: String,
}

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_async-service"));
    command
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// A run that ends by itself.
pub(crate) async fn run(args: &[&str]) -> Ended {
    let output = command(args).output().await.unwrap();
    Ended {
        status: output.status.code(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

impl Service {
    pub(crate) async fn start(database: &impl Database) -> Self {
        Self::start_with(database, &[]).await
    }

    pub(crate) async fn start_with(database: &impl Database, args: &[&str]) -> Self {
        let url = database.url();
        let always = ["--database-url", &url, "--listen", "127.0.0.1:0"];
        let mut child = command(&[&always[..], args].concat()).spawn().unwrap();
        let mut says = BufReader::new(child.stdout.take().unwrap()).lines();
        let Some(first) = says.next_line().await.unwrap() else {
            panic!("it did not start: {:?}", ended(child).await);
        };
        let (_, address) = first.split_once(" is served at http://").unwrap();
        Self {
            address: address.to_owned(),
            child,
            says,
        }
    }

    /// What it says next on standard output.
    pub(crate) async fn says(&mut self) -> Option<String> {
        self.says.next_line().await.unwrap()
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().unwrap().to_string();
        let sent = std::process::Command::new("sh")
            .args(["-c", "kill -s \"$0\" \"$1\"", name, &id])
            .status()
            .unwrap();
        assert!(sent.success());
    }

    pub(crate) async fn ended(self) -> Ended {
        ended(self.child).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        send(&self.address, "GET", path, &[], "").await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        send(&self.address, "POST", path, &JSON, &body.to_string()).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answer {
        send(&self.address, "PUT", path, &JSON, &body.to_string()).await
    }

    pub(crate) async fn put_if_match(&self, path: &str, version: &str, body: &Value) -> Answer {
        let headers = [JSON[0], ("if-match", version)];
        send(&self.address, "PUT", path, &headers, &body.to_string()).await
    }

    pub(crate) async fn delete_if_match(&self, path: &str, version: &str) -> Answer {
        send(&self.address, "DELETE", path, &[("if-match", version)], "").await
    }

    /// A new product with a price of 10.00; its path.
    pub(crate) async fn product(&self, name: &str, stock: i64) -> String {
        let new = json!({ "name": name, "price_cents": 1000, "stock": stock });
        let created = self.post("/products", &new).await;
        assert_eq!(created.status, 201, "{created:?}");
        created.headers["location"].to_str().unwrap().to_owned()
    }
}

const JSON: [(&str, &str); 1] = [("content-type", "application/json")];

/// The id at the end of a path.
pub(crate) fn id(path: &str) -> i64 {
    path.rsplit_once('/').unwrap().1.parse().unwrap()
}

async fn ended(mut child: Child) -> Ended {
    let mut stderr = String::new();
    let mut pipe = child.stderr.take().unwrap();
    pipe.read_to_string(&mut stderr).await.unwrap();
    Ended {
        status: child.wait().await.unwrap().code(),
        stderr,
    }
}
