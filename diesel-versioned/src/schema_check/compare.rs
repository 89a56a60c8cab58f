//! What an entity expects of its table beside what was found: plain data in, findings out.

use super::{Problem, SchemaFinding, SchemaReport, Shape};
use crate::backend::Catalog;
use crate::backend::catalog::{FoundColumn, Stored, TableKind};
use crate::entity::Versioned;

/// What an entity expects of its table.
pub(super) struct Expected {
    table: &'static str,
    columns: Vec<&'static str>,
    key: Vec<&'static str>,
    /// The version columns, with what they must be able to hold.
    versions: Vec<(&'static str, Shape)>,
    mark: Option<Mark>,
}

/// What an entity expects of the column that marks rows as deleted.
struct Mark {
    column: &'static str,
    null: bool,
    shape: Shape,
}

impl Expected {
    pub(super) fn of<T: Versioned>() -> Self {
        let name = |index| T::column(index).name;
        Self {
            table: T::TABLE,
            columns: (0..T::COLUMN_COUNT).map(name).collect(),
            key: (0..T::KEY_COUNT)
                .map(|part| name(T::key_column(part)))
                .collect(),
            versions: T::VERSION_COLUMNS
                .iter()
                .map(|column| (name(column), T::version_shape(column)))
                .collect(),
            mark: T::MARK.map(|mark| Mark {
                column: name(mark.index),
                null: mark.null,
                shape: T::mark_shape(),
            }),
        }
    }
}

/// A table as the database has it.
pub(super) struct FoundTable {
    pub(super) kind: TableKind,
    pub(super) columns: Vec<FoundColumn>,
    /// The columns of each unique key; `None` for an expression.
    pub(super) keys: Vec<Vec<Option<String>>>,
}

/// Compares; `counted` is how many rows an update counted that matched one and changed none.
pub(super) fn compare(
    expected: &Expected,
    catalog: &Catalog,
    found: Option<&FoundTable>,
    counted: Option<&Result<usize, String>>,
) -> SchemaReport {
    let mut findings = Vec::new();
    match found {
        None => findings.push(SchemaFinding::new(expected.table, Problem::TableMissing)),
        Some(found) => table(expected, catalog, found, &mut findings),
    }
    let problem = match counted {
        Some(Ok(0)) => Some(Problem::FoundRows),
        Some(Err(error)) => Some(Problem::NotChecked {
            why: format!(
                "whether this connection counts matched rows could not be tried in a temporary \
                 table ({})",
                error.trim_end()
            ),
        }),
        _ => None,
    };
    findings.extend(problem.map(|problem| SchemaFinding::new(expected.table, problem)));
    findings.into_iter().collect()
}

fn table(
    expected: &Expected,
    catalog: &Catalog,
    found: &FoundTable,
    findings: &mut Vec<SchemaFinding>,
) {
    let same = |one: &str, other: &str| {
        one == other || catalog.folds_case && one.to_lowercase() == other.to_lowercase()
    };
    let find = |name: &str| found.columns.iter().find(|column| same(&column.name, name));
    let constrained = found.kind == TableKind::Table;

    for &column in &expected.columns {
        if find(column).is_none() {
            let missing = Problem::ColumnMissing;
            findings.push(SchemaFinding::of_column(expected.table, column, missing));
        }
    }

    for &(name, shape) in &expected.versions {
        let Some(version) = find(name) else { continue };
        let mut of_version = |problem| {
            findings.push(SchemaFinding::of_column(expected.table, name, problem));
        };
        if constrained && version.nullable {
            of_version(Problem::VersionNullable);
        }
        let type_name = version.type_name.clone();
        match fit(shape, version.stored, catalog.exact_integers) {
            Fit::Fits => {}
            Fit::OtherType => of_version(Problem::VersionType {
                version: shape,
                found: type_name,
            }),
            Fit::Narrow => of_version(Problem::VersionNarrow {
                version: shape,
                found: type_name,
            }),
            Fit::Coarse => of_version(Problem::VersionPrecision {
                version: shape,
                found: type_name,
            }),
        }
    }

    if let Some(mark) = &expected.mark
        && let Some(column) = find(mark.column)
    {
        let (shape, found) = (mark.shape, column.type_name.clone());
        let fits = fit(shape, column.stored, catalog.exact_integers);
        let problems = [
            (constrained && column.nullable != mark.null).then_some(if mark.null {
                Problem::MarkNotNull
            } else {
                Problem::MarkNullable
            }),
            match fits {
                Fit::Fits => None,
                Fit::Coarse => Some(Problem::MarkPrecision { mark: shape, found }),
                Fit::OtherType | Fit::Narrow => Some(Problem::MarkType { mark: shape, found }),
            },
        ];
        findings.extend(
            problems
                .into_iter()
                .flatten()
                .map(|problem| SchemaFinding::of_column(expected.table, mark.column, problem)),
        );
    }

    // A guard compares with `=`, which no NULL is equal to: a unique key with nullable columns keeps
    // those rows apart that a guard can find.
    let covered = |column: &Option<String>| {
        let column = column.as_deref();
        column.is_some_and(|column| expected.key.iter().any(|key| same(key, column)))
    };
    if !constrained {
        findings.push(SchemaFinding::new(
            expected.table,
            Problem::NotChecked {
                why: "this is a view or a foreign table, so whether its key is unique and its \
                      version NOT NULL cannot be known; check the table behind it"
                    .to_owned(),
            },
        ));
    } else if !found
        .keys
        .iter()
        .any(|key| !key.is_empty() && key.iter().all(covered))
    {
        findings.push(SchemaFinding::new(
            expected.table,
            Problem::KeyNotUnique {
                key: expected.key.clone(),
            },
        ));
    }

    for &(name, _) in &expected.versions {
        if constrained && find(name).is_some_and(|version| !version.has_default) {
            let missing = Problem::DefaultMissing;
            findings.push(SchemaFinding::of_column(expected.table, name, missing));
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    Fits,
    OtherType,
    Narrow,
    Coarse,
}

fn fit(version: Shape, stored: Stored, exact_integers: bool) -> Fit {
    // How many bits a number that is not negative may have.
    let magnitude = |bits: u32, signed: bool| bits.saturating_sub(u32::from(signed));
    match (version, stored) {
        (Shape::Other, _)
        | (_, Stored::Anything)
        | (Shape::Uuid, Stored::Uuid)
        | (Shape::Boolean, Stored::Boolean) => Fit::Fits,
        // As databases without such a type keep it.
        (Shape::Boolean, Stored::Integer { .. }) if !exact_integers => Fit::Fits,
        (
            Shape::Integer { bits, signed },
            Stored::Integer {
                bits: has,
                signed: has_sign,
            },
        ) => {
            let (needs, has) = (magnitude(bits, signed), magnitude(has.into(), has_sign));
            if has < needs {
                Fit::Narrow
            } else if has > needs && exact_integers {
                Fit::OtherType
            } else {
                Fit::Fits
            }
        }
        (Shape::Timestamp { digits }, Stored::Timestamp { digits: has }) if has < digits => {
            Fit::Coarse
        }
        // As SQLite keeps times, and types of one's own may keep them and UUIDs.
        (Shape::Timestamp { .. }, Stored::Timestamp { .. } | Stored::Text)
        | (Shape::Uuid, Stored::Text) => Fit::Fits,
        (Shape::Uuid, Stored::Bytes { most, padded }) => bytes(Some(16), most, padded),
        (Shape::Bytes { len }, Stored::Bytes { most, padded }) => bytes(len, most, padded),
        _ => Fit::OtherType,
    }
}

/// What is shorter than a column that pads comes back longer, and is another version.
fn bytes(len: Option<u64>, most: Option<u64>, padded: bool) -> Fit {
    match (len, most) {
        (Some(len), Some(most)) if len > most => Fit::Narrow,
        (Some(len), Some(most)) if padded && len < most => Fit::OtherType,
        _ => Fit::Fits,
    }
}

#[cfg(test)]
mod tests {
    use super::{Fit, fit};
    use crate::backend::catalog::Stored;
    use crate::schema_check::Shape;

    #[test]
    fn an_integer_fits_what_holds_all_of_it() {
        let integer = |bits, signed| Shape::Integer { bits, signed };
        let stored = |bits, signed| Stored::Integer { bits, signed };
        for (version, column, expected, exact) in [
            (integer(32, true), stored(32, true), Fit::Fits, Fit::Fits),
            (
                integer(32, true),
                stored(16, true),
                Fit::Narrow,
                Fit::Narrow,
            ),
            (
                integer(32, true),
                stored(64, true),
                Fit::Fits,
                Fit::OtherType,
            ),
            // Versions are not negative.
            (
                integer(32, true),
                stored(32, false),
                Fit::Fits,
                Fit::OtherType,
            ),
            (
                integer(32, false),
                stored(32, true),
                Fit::Narrow,
                Fit::Narrow,
            ),
            (integer(64, false), stored(64, false), Fit::Fits, Fit::Fits),
            (
                integer(32, true),
                stored(24, false),
                Fit::Narrow,
                Fit::Narrow,
            ),
        ] {
            assert_eq!(
                fit(version, column, false),
                expected,
                "{version:?} {column:?}"
            );
            assert_eq!(fit(version, column, true), exact, "{version:?} {column:?}");
        }
    }

    #[test]
    fn what_is_not_known_fits() {
        for version in [
            Shape::Integer {
                bits: 32,
                signed: true,
            },
            Shape::Timestamp { digits: 6 },
            Shape::Uuid,
            Shape::Bytes { len: None },
            Shape::Other,
        ] {
            assert_eq!(fit(version, Stored::Anything, true), Fit::Fits);
            assert_eq!(fit(Shape::Other, Stored::Other, true), Fit::Fits);
            let other = fit(version, Stored::Other, true);
            assert_eq!(other == Fit::OtherType, version != Shape::Other);
        }
    }

    #[test]
    fn times_uuids_and_bytes_come_back_as_they_were() {
        let digits = |digits| Stored::Timestamp { digits };
        let bytes = |most, padded| Stored::Bytes { most, padded };
        let token = |len| Shape::Bytes { len };
        for (version, column, expected) in [
            (Shape::Timestamp { digits: 3 }, digits(0), Fit::Coarse),
            (Shape::Timestamp { digits: 3 }, digits(3), Fit::Fits),
            (Shape::Timestamp { digits: 3 }, digits(6), Fit::Fits),
            (Shape::Timestamp { digits: 3 }, Stored::Text, Fit::Fits),
            (Shape::Timestamp { digits: 3 }, Stored::Uuid, Fit::OtherType),
            (Shape::Uuid, Stored::Uuid, Fit::Fits),
            (Shape::Uuid, bytes(Some(16), true), Fit::Fits),
            (Shape::Uuid, bytes(Some(17), true), Fit::OtherType),
            (Shape::Uuid, bytes(Some(8), false), Fit::Narrow),
            (token(Some(8)), bytes(None, false), Fit::Fits),
            (token(Some(8)), bytes(Some(16), false), Fit::Fits),
            (token(Some(8)), bytes(Some(16), true), Fit::OtherType),
            (token(None), bytes(Some(16), true), Fit::Fits),
            (token(None), Stored::Text, Fit::OtherType),
        ] {
            assert_eq!(
                fit(version, column, true),
                expected,
                "{version:?} {column:?}"
            );
        }
    }
}
