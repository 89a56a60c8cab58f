//! Applies a CSV price list to a product catalogue. Here: from the command line to the exit status.

mod catalogue;
mod cli;
mod columns;
mod database;
mod import;
mod input;
mod journal;
mod money;
mod parse;
mod report;
mod rival;
mod unit;

use std::error::Error;
use std::io;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use crate::cli::{Cli, OnConflict};
use crate::database::{Database, DatabaseError};
use crate::import::Job;
use crate::input::{InputError, PriceList, Source};
use crate::report::{Heading, Progress, Tally};
use crate::rival::Rival;

const SAMPLE_PRICES: Source = Source::Bundled {
    name: "the sample price list",
    text: include_str!("../sample/prices.csv"),
};
const SAMPLE_CATALOGUE: Source = Source::Bundled {
    name: "the sample catalogue",
    text: include_str!("../sample/catalogue.csv"),
};

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(tally) if tally.not_applied() == 0 => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(error) => {
            eprintln!("price-import: {}", with_sources(&*error));
            ExitCode::from(2)
        }
    }
}

fn run(cli: &Cli) -> Result<Tally, Box<dyn Error>> {
    let started = Instant::now();
    // The whole file is checked before the database is touched, and the rest before it is written.
    let list = match &cli.file {
        Some(path) => Source::File(path.clone()),
        None => SAMPLE_PRICES,
    }
    .read(cli.columns.as_ref(), cli.delimiter)?;
    let mut db = Database::open(&cli.database_url)?;
    if cli.file.is_none() && catalogue::is_empty(&mut db).map_err(DatabaseError::from)? {
        fill(&mut db, cli)?;
    }
    check(&mut db, &list, cli.create_missing)?;

    let job = Job {
        unit: cli.unit.get(),
        on_conflict: cli.on_conflict,
        create_missing: cli.create_missing,
        import: journal::import(&mut db, &list.fingerprint, cli.again)
            .map_err(DatabaseError::from)?,
    };
    let rival = match cli.simulate_conflicts {
        0 => None,
        victims => {
            let db = Database::connect_again(&cli.database_url)?;
            Some(Rival::new(db, victims, list.rows.len()))
        }
    };
    let progress = Progress::new(list.rows.len(), cli.quiet);
    let mut tally = Tally::default();
    let done = import::run(&mut db, &list, job, rival, &progress, &mut tally);
    progress.clear();
    if !cli.quiet {
        let heading = Heading {
            list: &list.name,
            database: &database::shown(&cli.database_url),
            again: cli.again,
            started,
        };
        // A reader that has gone, as in `price-import | head -1`, is no failure of the job.
        drop(report::summary(&mut io::stdout(), &heading, &tally));
    }
    done?;
    Ok(tally)
}

/// Gives an empty catalogue the sample's products, in one unit: all of them or none.
fn fill(db: &mut Database, cli: &Cli) -> Result<(), Box<dyn Error>> {
    let products = SAMPLE_CATALOGUE.read(None, b',')?;
    let job = Job {
        unit: products.rows.len(),
        on_conflict: OnConflict::Stop,
        create_missing: true,
        import: journal::import(db, &products.fingerprint, true).map_err(DatabaseError::from)?,
    };
    import::run(
        db,
        &products,
        job,
        None,
        &Progress::new(0, true),
        &mut Tally::default(),
    )?;
    if !cli.quiet {
        let database = database::shown(&cli.database_url);
        let count = report::thousands(products.rows.len());
        eprintln!("{database} was empty and has the sample's {count} products now");
    }
    Ok(())
}

/// Checks a list against the catalogue: no row is written if one of them cannot be.
fn check(db: &mut Database, list: &PriceList, create_missing: bool) -> Result<(), Box<dyn Error>> {
    let wrong = if create_missing {
        catalogue::sku_taken(db, &list.rows)
    } else {
        catalogue::unknown(db, &list.rows)
    };
    match wrong.map_err(DatabaseError::from)? {
        None => Ok(()),
        Some((row, error)) => Err(InputError::Row {
            name: list.name.clone(),
            row,
            error,
        }
        .into()),
    }
}

/// An error and what caused it, in one line.
fn with_sources(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        line.push_str(": ");
        line.push_str(source.to_string().trim_end());
        next = source.source();
    }
    line.replace('\n', "; ")
}
