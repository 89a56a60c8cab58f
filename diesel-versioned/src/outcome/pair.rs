//! Rows and the keys that they were asked for by.

use std::collections::{HashMap, HashSet};

use diesel::QueryResult;
use diesel::result::Error;

use crate::entity::Versioned;

/// Rows with the keys that they were asked for by, and keys to be asked for alone.
pub(crate) type Paired<T> = (Vec<Asked<T>>, Vec<<T as Versioned>::Key>);

/// A row with the key that it was asked for by.
pub(crate) type Asked<T> = (<T as Versioned>::Key, T);

/// Gives each row to the key that it was asked for by. Where rows come back under keys that nobody
/// asked for (a database that does not tell `a` from `A`), the keys that got none are handed back,
/// to be asked for one by one.
pub(crate) fn pair<T: Versioned>(keys: &[T::Key], rows: Vec<T>) -> Paired<T> {
    let mut open: HashSet<&T::Key> = keys.iter().collect();
    let mut pairs = Vec::with_capacity(rows.len());
    let mut strays = false;
    for row in rows {
        let key = row.key();
        // A key that is not unique has several rows.
        if open.remove(&key) || pairs.iter().any(|(known, _)| *known == key) {
            pairs.push((key, row));
        } else {
            strays = true;
        }
    }
    let alone = if strays {
        open.into_iter().cloned().collect()
    } else {
        Vec::new()
    };
    (pairs, alone)
}

/// The same of rows that were inserted under some keys; where the database made them, each row has its
/// own.
pub(crate) fn pair_inserted<T: Versioned>(keys: &[T::Key], rows: Vec<T>) -> Paired<T> {
    if T::key_is_generated() {
        let pairs = rows.into_iter().map(|row| (row.key(), row));
        (pairs.collect(), Vec::new())
    } else {
        pair(keys, rows)
    }
}

/// The rows in the order of the keys that they were asked for by.
pub(crate) fn in_order<T: Versioned>(keys: &[T::Key], found: Vec<Asked<T>>) -> Vec<Asked<T>> {
    let mut found: HashMap<T::Key, T> = found.into_iter().collect();
    let rows = keys.iter();
    rows.filter_map(|key| Some((key.clone(), found.remove(key)?)))
        .collect()
}

/// The row that was inserted last, which must be there, be the only one, and not the one that was
/// inserted before it.
pub(crate) fn last_inserted<T: Versioned>(rows: Vec<T>, before: Option<&T>) -> QueryResult<T> {
    let mut rows = rows.into_iter();
    match (rows.next(), rows.next()) {
        // The connection still tells the key of the row before if this one was given another.
        (Some(row), None) if before.is_none_or(|before| before.key() != row.key()) => Ok(row),
        _ => {
            let problem = format!(
                "the row that was inserted into `{}` cannot be found by the key that the database \
                 made; the key column must be AUTO_INCREMENT, or the program must bring the key",
                T::TABLE
            );
            Err(Error::QueryBuilderError(problem.into()))
        }
    }
}
