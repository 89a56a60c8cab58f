//! What an entity expects of its table beside what was found: plain data in, findings out.

use super::fit::{Fit, fit};
use super::found::FoundTable;
use super::{Declared, Problem, SchemaFinding, SchemaReport, Shape};
use crate::backend::Catalog;
use crate::backend::catalog::{KeyPart, TableKind};
use crate::entity::Versioned;

/// What an entity expects of its table.
pub(super) struct Expected {
    table: &'static str,
    columns: Vec<&'static str>,
    key: Vec<&'static str>,
    versions: Vec<Version>,
    mark: Option<Mark>,
}

/// What an entity expects of a version column.
struct Version {
    column: &'static str,
    shape: Shape,
    declared: Declared,
}

/// What an entity expects of the column that marks rows as deleted.
struct Mark {
    column: &'static str,
    null: bool,
    shape: Shape,
    declared: Declared,
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
                .map(|column| Version {
                    column: name(column),
                    shape: T::version_shape(column),
                    declared: T::declared(column),
                })
                .collect(),
            mark: T::MARK.map(|mark| Mark {
                column: name(mark.index),
                null: mark.null,
                shape: T::mark_shape(),
                declared: T::declared(mark.index),
            }),
        }
    }
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
    let same = |one: &str, other: &str| catalog.same_name(one, other);
    let find = |name: &str| found.columns.iter().find(|column| same(&column.name, name));
    let constrained = found.kind == TableKind::Table;

    for &column in &expected.columns {
        if find(column).is_none() {
            let missing = Problem::ColumnMissing;
            findings.push(SchemaFinding::of_column(expected.table, column, missing));
        }
    }

    for expected_version in &expected.versions {
        let &Version {
            column: name,
            shape: version,
            declared,
        } = expected_version;
        let Some(column) = find(name) else { continue };
        let found = column.type_name.clone();
        let nullable = (constrained && column.nullable).then_some(Problem::VersionNullable);
        let other_type = |declare, found| Problem::VersionType {
            version,
            found,
            declare,
        };
        let unfit = match fit(version, declared, column.stored, catalog) {
            Fit::Fits => None,
            Fit::OtherType => Some(other_type(None, found)),
            Fit::Declare(name) => Some(other_type(Some(name), found)),
            Fit::Narrow => Some(Problem::VersionNarrow { version, found }),
            Fit::Coarse => Some(Problem::VersionPrecision { version, found }),
        };
        let problems = nullable.into_iter().chain(unfit);
        let of_version = |problem| SchemaFinding::of_column(expected.table, name, problem);
        findings.extend(problems.map(of_version));
    }

    if let Some(mark) = &expected.mark
        && let Some(column) = find(mark.column)
    {
        let (shape, found) = (mark.shape, column.type_name.clone());
        let null = (constrained && column.nullable != mark.null).then_some(if mark.null {
            Problem::MarkNotNull
        } else {
            Problem::MarkNullable
        });
        let other_type = |declare, found| Problem::MarkType {
            mark: shape,
            found,
            declare,
        };
        let unfit = match fit(shape, mark.declared, column.stored, catalog) {
            Fit::Fits => None,
            Fit::Coarse => Some(Problem::MarkPrecision { mark: shape, found }),
            Fit::OtherType | Fit::Narrow => Some(other_type(None, found)),
            Fit::Declare(name) => Some(other_type(Some(name), found)),
        };
        let problems = null.into_iter().chain(unfit);
        let of_mark = |problem| SchemaFinding::of_column(expected.table, mark.column, problem);
        findings.extend(problems.map(of_mark));
    }

    if constrained {
        let unique = key_unique(expected, catalog, found).err();
        findings.extend(unique.map(|problem| SchemaFinding::new(expected.table, problem)));
    } else {
        findings.push(SchemaFinding::new(
            expected.table,
            Problem::NotChecked {
                why: "this is a view or a foreign table, so whether its key is unique and its \
                      version NOT NULL cannot be known; check the table behind it"
                    .to_owned(),
            },
        ));
    }

    for version in &expected.versions {
        let name = version.column;
        if constrained && find(name).is_some_and(|version| !version.has_default) {
            let missing = Problem::DefaultMissing;
            findings.push(SchemaFinding::of_column(expected.table, name, missing));
        }
    }
}

/// Whether the database keeps the key unique. A guard compares with `=`, which no NULL is equal to: a
/// unique key with nullable columns keeps those rows apart that a guard can find.
fn key_unique(expected: &Expected, catalog: &Catalog, found: &FoundTable) -> Result<(), Problem> {
    let in_key = |part: &KeyPart| {
        part.column.as_deref().is_some_and(|column| {
            let mut key = expected.key.iter();
            key.any(|key| catalog.same_name(key, column))
        })
    };
    let keys = found
        .keys
        .iter()
        .filter(|key| !key.is_empty() && key.iter().all(in_key));
    // The collations of those that compare otherwise; `None` if one compares as the columns do.
    let others: Option<Vec<&String>> = keys
        .map(|key| key.iter().find_map(|part| part.collation.as_ref()))
        .collect();
    match others {
        None => Ok(()),
        Some(others) => Err(Problem::KeyNotUnique {
            key: expected.key.clone(),
            collation: others.first().map(ToString::to_string),
        }),
    }
}
