//! How SQLite is asked about a table: by the functions that its pragmas are.

use crate::backend::catalog::{
    Catalog, CellType, Cells, FoundColumn, KeyPart, Lookup, Stored, TableKind, Unlisted,
};

pub(super) static CATALOG: Catalog = Catalog {
    literal: ("'", "'"),
    // In the order in which a name is looked up: temporary tables, the main database, attached ones.
    locate: Some(
        "SELECT d.name FROM pragma_database_list AS d \
         WHERE ({schema} IS NULL OR d.name = {schema} COLLATE NOCASE) \
         AND EXISTS (SELECT 1 FROM pragma_table_xinfo({table}, d.name)) \
         ORDER BY d.name <> 'temp', d.seq",
    ),
    kind: Lookup {
        // `pragma_table_list` is there from 3.37 on only.
        sql: "SELECT CASE WHEN type = 'view' OR sql LIKE 'CREATE VIRTUAL%' \
              THEN 'other' ELSE 'table' END \
              FROM {in_schema}sqlite_master \
              WHERE type IN ('table', 'view') AND name = {table} COLLATE NOCASE",
        cells: &[CellType::Text],
        read: TableKind::read,
    },
    unlisted: Unlisted::Other,
    columns: Lookup {
        sql: "SELECT name, type, \"notnull\" = 0, \
              hidden IN (2, 3) OR ifnull(upper(dflt_value), 'NULL') <> 'NULL' \
              FROM pragma_table_xinfo({table}, {schema}) ORDER BY cid",
        cells: &[
            CellType::Text,
            CellType::Text,
            CellType::Number,
            CellType::Number,
        ],
        read: column,
    },
    keys: Lookup {
        // An INTEGER PRIMARY KEY is the rowid and has no index.
        sql: "SELECT 'the primary key', name FROM pragma_table_xinfo({table}, {schema}) \
              WHERE pk > 0 \
              UNION ALL \
              SELECT i.name, c.name FROM pragma_index_list({table}, {schema}) AS i, \
              pragma_index_info(i.name, {schema}) AS c \
              WHERE i.\"unique\" = 1 AND i.partial = 0 \
              ORDER BY 1",
        cells: &[CellType::Text, CellType::Text],
        read: KeyPart::read,
    },
    folds_case: true,
    exact_integers: false,
    found_rows: None,
};

fn column(cells: &Cells) -> Option<FoundColumn> {
    let type_name = cells.text(1).unwrap_or_default();
    Some(FoundColumn {
        name: cells.text(0)?.to_owned(),
        type_name: type_name.to_owned(),
        stored: stored(type_name),
        nullable: cells.is_true(2),
        has_default: cells.is_true(3),
    })
}

/// By the rules of affinity (<https://www.sqlite.org/datatype3.html>): most columns hold whatever is
/// written.
fn stored(type_name: &str) -> Stored {
    let type_name = type_name.to_ascii_uppercase();
    let says = |words: &[&str]| words.iter().any(|word| type_name.contains(word));
    if says(&["INT"]) {
        Stored::integer(64)
    } else if says(&["CHAR", "CLOB", "TEXT"]) {
        Stored::Text
    } else if says(&["BLOB"]) {
        Stored::Bytes {
            most: None,
            padded: false,
        }
    } else if says(&["REAL", "FLOA", "DOUB"]) {
        Stored::Other
    } else {
        Stored::Anything
    }
}

#[cfg(test)]
mod tests {
    use super::stored;
    use crate::backend::catalog::Stored;

    #[test]
    fn types_are_what_their_affinity_is() {
        for (type_name, expected) in [
            ("INTEGER", Stored::integer(64)),
            ("smallint unsigned", Stored::integer(64)),
            ("VARCHAR(36)", Stored::Text),
            ("double precision", Stored::Other),
            ("TIMESTAMP", Stored::Anything),
            ("", Stored::Anything),
        ] {
            assert_eq!(stored(type_name), expected, "{type_name}");
        }
    }
}
