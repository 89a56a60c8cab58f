//! The assignment that moves a version on in SQL: `version = version + 1`, or as its kind wants it.

use diesel::QueryResult;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::result::Error;

use super::assigned::Assigned;
use super::target::{column, qualified};
use crate::backend::{Dialect, LaterSyntax};
use crate::columns::ColumnSet;
use crate::entity::{Bind, Versioned};
use crate::guard;
use crate::version::{By, How, Moment, NoVersion, Precision, Step, SteppingVersion, TimeText};

/// How each version column of a row moves on that was not read; none where the database moves the
/// version by itself, and where there is no version.
pub(crate) type Stepped<T> = Vec<(usize, Step<<T as Versioned>::Version>)>;

/// How the versions of an entity move on, in a write that begins now.
pub(crate) fn step_of<T: Versioned<Version: SteppingVersion>>() -> Result<Stepped<T>, NoVersion> {
    if T::VERSION_BY_DATABASE {
        return Ok(Vec::new());
    }
    let moment = Moment::new();
    let columns = || T::VERSION_COLUMNS.iter();
    let moments: Vec<Moment> = columns()
        .map(|column| T::version_moment(&moment, column))
        .collect();
    let steps = columns().zip(T::Version::steps(&moments)?);
    steps
        .map(|(column, step)| {
            if T::VERSION_WRAPS.contains(column) {
                let initial = T::initial_version(&moment)?;
                return Ok((column, step.wrapping(initial)));
            }
            Ok((column, step))
        })
        .collect()
}

/// The versions that these assignments move: none where all of it is bookkeeping, and all where
/// something is in no group.
pub(crate) fn touched<T: Versioned>(assigned: Assigned) -> ColumnSet {
    let guarded = assigned.columns.without(T::UNGUARDED);
    if guarded.is_empty() && !assigned.others {
        ColumnSet::EMPTY
    } else if assigned.others || !guarded.without(T::UPDATABLE).is_empty() {
        T::VERSION_COLUMNS
    } else {
        guard::of_update::<T>(guarded).and(T::VERSION_COLUMNS)
    }
}

/// Writes the assignments of those versions that are `moving`; `separator` before the first one.
pub(super) fn walk_steps<'b, T, DB>(
    steps: &'b Stepped<T>,
    moving: ColumnSet,
    separator: &str,
    from: &'b impl QueryFragment<DB>,
    below_last: bool,
    out: &mut AstPass<'_, 'b, DB>,
) -> QueryResult<()>
where
    T: Bind<DB>,
    DB: Dialect,
{
    let mut separator = separator;
    for (index, step) in steps.iter().filter(|(index, _)| moving.contains(*index)) {
        out.push_sql(separator);
        separator = ", ";
        walk_step::<T, DB>(*index, step, from, below_last, out)?;
    }
    Ok(())
}

/// Writes `version = …`. `below_last` says that no row stands at the last version.
fn walk_step<'b, T, DB>(
    index: usize,
    step: &'b Step<T::Version>,
    from: &'b impl QueryFragment<DB>,
    below_last: bool,
    out: &mut AstPass<'_, 'b, DB>,
) -> QueryResult<()>
where
    T: Bind<DB>,
    DB: Dialect,
{
    let version = |out: &mut AstPass<'_, 'b, DB>| qualified::<T, DB>(from, index, out);
    column::<T, DB>(index, out)?;
    out.push_sql(" = ");
    match &step.0 {
        How::To(value) => T::bind_version(value, index, out),
        How::Count { wraps_to: None, .. } if below_last => {
            version(out)?;
            out.push_sql(" + 1");
            Ok(())
        }
        How::Count { greatest, wraps_to } => {
            out.push_sql("CASE WHEN ");
            version(out)?;
            out.push_sql(" < ");
            T::bind_version(greatest, index, out)?;
            out.push_sql(" THEN ");
            version(out)?;
            out.push_sql(" + 1");
            let out_of_range = out.backend().syntax().out_of_range;
            if let Some(initial) = wraps_to {
                out.push_sql(" ELSE ");
                T::bind_version(initial, index, out)?;
            } else if let Some(number) = out_of_range {
                out.push_sql(" ELSE ");
                out.push_sql(number);
                out.push_sql(" + ");
                version(out)?;
            }
            out.push_sql(" END");
            Ok(())
        }
        How::Later { now, by } => {
            out.push_sql("CASE WHEN ");
            version(out)?;
            out.push_sql(" < ");
            T::bind_version(now, index, out)?;
            out.push_sql(" THEN ");
            T::bind_version(now, index, out)?;
            out.push_sql(" ELSE ");
            walk_later(*by, out, version)?;
            out.push_sql(" END");
            Ok(())
        }
    }
}

/// Writes the time that is a little later than the version.
fn walk_later<'b, DB: Dialect>(
    by: By,
    out: &mut AstPass<'_, 'b, DB>,
    version: impl Fn(&mut AstPass<'_, 'b, DB>) -> QueryResult<()>,
) -> QueryResult<()> {
    let (tick, text) = match by {
        By::Amount(amount) => {
            version(out)?;
            out.push_sql(" + ");
            out.push_sql(&amount.to_string());
            return Ok(());
        }
        By::Tick { tick, text } => (tick, text),
    };
    let (before, after) = match out.backend().syntax().later {
        LaterSyntax::Unknown => return Err(unknown()),
        LaterSyntax::Interval => match tick {
            Precision::Seconds => ("date_trunc('second', ", ") + INTERVAL '1 second'"),
            Precision::Millis => (
                "date_trunc('milliseconds', ",
                ") + INTERVAL '1 millisecond'",
            ),
            Precision::Micros => ("", " + INTERVAL '1 microsecond'"),
        },
        LaterSyntax::IntervalUnit => match tick {
            Precision::Seconds => ("", " + INTERVAL 1 SECOND"),
            Precision::Millis => ("", " + INTERVAL 1000 MICROSECOND"),
            Precision::Micros => ("", " + INTERVAL 1 MICROSECOND"),
        },
        LaterSyntax::Text => return walk_later_text(tick, text, out, version),
    };
    out.push_sql(before);
    version(out)?;
    out.push_sql(after);
    Ok(())
}

/// The same for SQLite, which has times as text: as Diesel writes them, to the letter, because the
/// guard compares texts. `micros` are those since 1970; a second has its own part of the text, for
/// SQLite's functions round to milliseconds.
fn walk_later_text<'b, DB: Dialect>(
    tick: Precision,
    text: TimeText,
    out: &mut AstPass<'_, 'b, DB>,
    version: impl Fn(&mut AstPass<'_, 'b, DB>) -> QueryResult<()>,
) -> QueryResult<()> {
    let (fraction, utc) = match text {
        TimeText::None => return Err(unknown()),
        TimeText::Chrono { utc } => (
            "WHEN micros % 1000 = 0 THEN printf('.%03d', micros % 1000000 / 1000) \
             ELSE printf('.%06d', micros % 1000000) END",
            utc,
        ),
        TimeText::Time { utc } => (
            "ELSE rtrim(printf('.%06d', micros % 1000000), '0') END",
            utc,
        ),
    };
    let tick = tick.tick().as_micros().to_string();
    out.push_sql(
        "(SELECT strftime('%Y-%m-%d %H:%M:%S', micros / 1000000, 'unixepoch') \
         || CASE WHEN micros % 1000000 = 0 THEN '' ",
    );
    out.push_sql(fraction);
    if utc {
        out.push_sql(" || '+00:00'");
    }
    out.push_sql(" FROM (SELECT ((CAST(strftime('%s', substr(");
    version(out)?;
    out.push_sql(", 1, 19)) AS INTEGER) * 1000000 + CAST(round(CAST('0' || substr(");
    version(out)?;
    out.push_sql(", 20) AS REAL) * 1000000) AS INTEGER)) / ");
    out.push_sql(&tick);
    out.push_sql(" + 1) * ");
    out.push_sql(&tick);
    out.push_sql(" AS micros))");
    Ok(())
}

#[cold]
fn unknown() -> Error {
    let problem = "it is not known how this database makes a time that is later than a column's; hand \
                   `Dialect::syntax` on to the backend that is inside";
    Error::QueryBuilderError(problem.into())
}
