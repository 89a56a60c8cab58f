//! A stock of products over HTTP, without lost updates. Here: from the command line to the exit
//! status.

mod catalogue;
mod cli;
mod database;
mod expected;
mod failure;
mod journal;
mod routes;
mod serve;
mod transfer;

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use crate::cli::Cli;
use crate::database::Database;

// Several threads, because some work blocks one: the migrations, and a request that is dropped while
// SQLite is at work for it.
#[tokio::main(flavor = "multi_thread")]
async fn main() -> ExitCode {
    match run(&Cli::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("async-service: {}", failure::with_sources(&*error));
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: &Cli) -> Result<(), Box<dyn Error>> {
    let url = cli.database_url.as_str();
    let router = match Database::open(url, cli.lock_timeout).await? {
        Database::Sqlite(pool) => routes::router(pool),
        #[cfg(feature = "postgres")]
        Database::Postgres(pool) => routes::router(pool),
    };
    let grace = Duration::from_secs(cli.grace.into());
    serve::serve(router, &cli.listen, &database::shown(url), grace).await?;
    Ok(())
}
