//! How MySQL and MariaDB are asked about a table: by SHOW, which finds temporary tables as well.

use crate::backend::catalog::{
    Catalog, CellType, Cells, FoundColumn, FoundRows, KeyPart, Lookup, Stored, TableKind, Takes,
    Unlisted, timestamp, type_parts,
};
use crate::schema_check::Declared;

pub(super) static CATALOG: Catalog = Catalog {
    literal: ("'", "'"),
    locate: None,
    kind: Lookup {
        // The schema's names are compared without case, also where tables differ by it.
        sql: "SELECT CASE WHEN TABLE_TYPE LIKE '%VIEW' THEN 'other' ELSE 'table' END \
              FROM information_schema.TABLES \
              WHERE TABLE_SCHEMA = COALESCE({schema}, DATABASE()) AND TABLE_NAME = {table} \
              AND (@@lower_case_table_names <> 0 \
              OR CONVERT(TABLE_NAME USING utf8mb4) COLLATE utf8mb4_bin \
              = CONVERT({table} USING utf8mb4))",
        cells: &[CellType::Text],
        read: TableKind::read,
    },
    // MariaDB lists them from 11.2 on.
    unlisted: Unlisted::Temporary,
    columns: Lookup {
        sql: "SHOW COLUMNS FROM {from}",
        // Field, Type, Null, Key, Default, Extra.
        cells: &[CellType::Text; 6],
        read: column,
    },
    keys: Lookup {
        sql: "SHOW INDEX FROM {from}",
        // Table, Non_unique, Key_name, Seq_in_index, Column_name.
        cells: &[
            CellType::Text,
            CellType::Number,
            CellType::Text,
            CellType::Number,
            CellType::Text,
        ],
        read: key_part,
    },
    // A key compares as its columns do.
    collations: None,
    folds_case: true,
    takes,
    exact_integers: false,
    // Neither CREATE nor DROP of a temporary table commits.
    found_rows: Some(FoundRows {
        before: &[
            "DROP TEMPORARY TABLE IF EXISTS {in_schema}diesel_versioned_found_rows",
            "CREATE TEMPORARY TABLE {in_schema}diesel_versioned_found_rows \
             (n INTEGER NOT NULL PRIMARY KEY) ENGINE = InnoDB",
            "INSERT INTO {in_schema}diesel_versioned_found_rows (n) VALUES (1)",
        ],
        update: "UPDATE {in_schema}diesel_versioned_found_rows SET n = 1 WHERE n = 1",
        after: "DROP TEMPORARY TABLE IF EXISTS {in_schema}diesel_versioned_found_rows",
    }),
};

fn column(cells: &Cells) -> Option<FoundColumn> {
    let type_name = cells.text(1)?;
    let extra = cells.text(5).unwrap_or_default().to_ascii_lowercase();
    // MariaDB shows an explicit `DEFAULT NULL` as a text.
    let default = cells.text(4).filter(|default| *default != "NULL");
    Some(FoundColumn {
        name: cells.text(0)?.to_owned(),
        type_name: type_name.to_owned(),
        stored: stored(type_name),
        nullable: cells.text(2)? == "YES",
        has_default: default.is_some()
            || extra.contains("auto_increment")
            || extra.contains("generated"),
    })
}

/// A key on the first characters of a column is a key on the column all the more.
fn key_part(cells: &Cells) -> Option<KeyPart> {
    if cells.is_true(1) {
        return None;
    }
    Some(KeyPart {
        key: cells.text(2)?.to_owned(),
        column: cells.text(4).map(str::to_owned),
        collation: None,
    })
}

/// A value is converted into the type of its column. What is sent as a TIMESTAMP is cut to what a
/// TIMESTAMP holds before that: nothing before 1970 and nothing after 2038, or 2106.
fn takes(declared: Declared, stored: Stored) -> Takes {
    match (declared, stored) {
        (Declared::Timestamp, Stored::Timestamp { zoned: false, .. }) => {
            Takes::IfDeclared("Datetime")
        }
        (Declared::Timestamp | Declared::Datetime, Stored::Timestamp { .. })
        | (Declared::Integer { .. } | Declared::Boolean, Stored::Integer { .. })
        | (Declared::Bytes, Stored::Bytes { .. })
        | (
            Declared::Text,
            Stored::Text | Stored::Bytes { .. } | Stored::Timestamp { .. } | Stored::Uuid,
        ) => Takes::Yes,
        _ => Takes::No,
    }
}

fn stored(type_name: &str) -> Stored {
    let type_name = type_name.to_ascii_lowercase();
    let (word, argument, rest) = type_parts(&type_name);
    let integer = |bits| Stored::Integer {
        bits,
        signed: !rest.contains("unsigned"),
    };
    let bytes = |most| Stored::Bytes {
        most: Some(most),
        padded: false,
    };
    match word {
        "tinyint" => integer(8),
        "smallint" => integer(16),
        "mediumint" => integer(24),
        "int" | "integer" => integer(32),
        "bigint" => integer(64),
        "datetime" => timestamp(argument, 0, false),
        "timestamp" => timestamp(argument, 0, true),
        "uuid" => Stored::Uuid,
        "binary" => Stored::Bytes {
            most: Some(argument.unwrap_or(1)),
            padded: true,
        },
        "varbinary" => bytes(argument.unwrap_or(0)),
        "tinyblob" => bytes((1 << 8) - 1),
        "blob" => bytes((1 << 16) - 1),
        "mediumblob" => bytes((1 << 24) - 1),
        "longblob" => bytes((1 << 32) - 1),
        "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" => Stored::Text,
        _ => Stored::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::{column, stored};
    use crate::backend::catalog::{Cell, Cells, Stored};

    #[test]
    fn types_are_known_by_how_they_are_shown() {
        for (type_name, expected) in [
            ("smallint(6)", Stored::integer(16)),
            ("int", Stored::integer(32)),
            (
                "bigint(20) unsigned",
                Stored::Integer {
                    bits: 64,
                    signed: false,
                },
            ),
            (
                "datetime",
                Stored::Timestamp {
                    digits: 0,
                    zoned: false,
                },
            ),
            (
                "timestamp(6)",
                Stored::Timestamp {
                    digits: 6,
                    zoned: true,
                },
            ),
            (
                "binary(16)",
                Stored::Bytes {
                    most: Some(16),
                    padded: true,
                },
            ),
            (
                "varbinary(8)",
                Stored::Bytes {
                    most: Some(8),
                    padded: false,
                },
            ),
            ("decimal(10,0)", Stored::Other),
            ("bit(1)", Stored::Other),
        ] {
            assert_eq!(stored(type_name), expected, "{type_name}");
        }
    }

    #[test]
    fn a_default_is_a_value_that_the_database_gives() {
        let has_default = |default: Option<&str>, extra: &str| {
            let texts = [Some("v"), Some("int"), Some("YES"), Some(""), default];
            let texts = texts.into_iter().chain([Some(extra)]);
            let cells = Cells(
                texts
                    .map(|text| Cell::Text(text.map(str::to_owned)))
                    .collect(),
            );
            column(&cells).unwrap().has_default
        };
        assert!(has_default(Some("1"), ""));
        assert!(has_default(None, "auto_increment"));
        assert!(has_default(None, "STORED GENERATED"));
        assert!(has_default(
            Some("current_timestamp()"),
            "on update current_timestamp()"
        ));
        assert!(!has_default(None, ""));
        assert!(!has_default(Some("NULL"), ""));
    }
}
