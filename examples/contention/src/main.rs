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
    let (csv, name) = match &cli.redraw {
        Some(file) => {
            let name = file.display().to_string();
            let csv = fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
            (csv, name)
        }
        None => {
            let csv = measured(cli)?.to_csv();
            write(&cli.out, "csv", &csv)?;
            (csv, "the numbers".to_owned())
        }
    };
    // From what is in the file, so that it is the same picture when it is drawn again.
    let numbers = Numbers::from_csv(&csv).map_err(|error| format!("{name}: {error}"))?;
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
