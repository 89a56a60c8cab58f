//! Measures five ways of changing rows that many want at the same time. Here: from the command line to the
//! exit status.

mod again;
mod cli;
mod database;
mod draw;
mod measure;
mod model;
mod product;
mod record;
mod sweep;
mod ways;
mod workload;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use diesel::SqliteConnection;

use crate::cli::Cli;
use crate::database::Database;
use crate::record::Numbers;

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("contention: {}", with_sources(&*error));
            ExitCode::from(2)
        }
    }
}

fn run(cli: &Cli) -> Result<(), Box<dyn Error>> {
    let numbers = match &cli.redraw {
        Some(file) => {
            let named = |error: &dyn Error| format!("{}: {error}", file.display());
            let csv = fs::read_to_string(file).map_err(|error| named(&error))?;
            Numbers::from_csv(&csv).map_err(|error| named(&error))?
        }
        None => {
            let numbers = measured(cli)?;
            write(&cli.out, "csv", &numbers.to_csv())?;
            numbers
        }
    };
    write(&cli.out, "svg", &draw::picture(&numbers)?)?;
    Ok(())
}

fn measured(cli: &Cli) -> Result<Numbers, Box<dyn Error>> {
    match Database::of(&cli.database_url)? {
        Database::Sqlite => sweep::measure::<SqliteConnection>(cli),
        #[cfg(feature = "postgres")]
        Database::Postgres => sweep::measure::<diesel::PgConnection>(cli),
        #[cfg(feature = "mysql")]
        Database::Mysql => sweep::measure::<diesel::MysqlConnection>(cli),
    }
}

fn write(out: &Path, extension: &str, content: &str) -> Result<(), String> {
    let mut path = out.as_os_str().to_owned();
    path.push(".");
    path.push(extension);
    let path = PathBuf::from(path);
    fs::write(&path, content).map_err(|error| format!("{}: {error}", path.display()))
}

/// An error and what caused it, in one line.
fn with_sources(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        line = format!("{line}: {error}");
        source = error.source();
    }
    line.trim_end().replace('\n', " ")
}
