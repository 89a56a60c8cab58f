//! How SQLite is asked about a table: by the functions that its pragmas are.

use crate::backend::catalog::{
    Catalog, CellType, Cells, FoundColumn, KeyPart, Lookup, Stored, TableKind, Takes, Unlisted,
};
use crate::schema_check::Declared;

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
        // An INTEGER PRIMARY KEY is the rowid and has no index. An index may have another collation
        // than its column, also that of a primary key.
        sql: "SELECT 'the primary key', name, NULL FROM pragma_table_xinfo({table}, {schema}) \
              WHERE pk > 0 AND NOT EXISTS \
              (SELECT 1 FROM pragma_index_list({table}, {schema}) WHERE origin = 'pk') \
              UNION ALL \
              SELECT i.name, c.name, c.coll FROM pragma_index_list({table}, {schema}) AS i, \
              pragma_index_xinfo(i.name, {schema}) AS c \
              WHERE i.\"unique\" = 1 AND i.partial = 0 AND c.\"key\" = 1 \
              ORDER BY 1",
        cells: &[CellType::Text; 3],
        read: KeyPart::read,
    },
    // No pragma tells the collation of a column. That of the first SELECT is the collation of the whole,
    // so texts are compared here as `=` compares them in the column, and no row is read; LIMIT keeps
    // SQLite from taking the whole apart. A collation of one's own is known by what it does to these
    // texts, and one of an index is believed.
    collations: Some(Lookup {
        sql: "SELECT c.name FROM \
              (SELECT {column} AS one, '' AS other FROM {from} WHERE 0 \
              UNION ALL SELECT 'a', 'A' UNION ALL SELECT 'a', 'a ' \
              UNION ALL SELECT 'é', 'É' UNION ALL SELECT 'e', 'é' LIMIT 9) AS t, \
              (SELECT 'BINARY' AS name UNION ALL SELECT 'NOCASE' UNION ALL SELECT 'RTRIM') AS c \
              WHERE t.one = t.other AND CASE c.name \
              WHEN 'BINARY' THEN t.one <> t.other COLLATE BINARY \
              WHEN 'NOCASE' THEN t.one <> t.other COLLATE NOCASE \
              ELSE t.one <> t.other COLLATE RTRIM END",
        cells: &[CellType::Text],
        read: |cells| cells.text(0).map(str::to_owned),
    }),
    folds_case: true,
    takes,
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

/// What is written stays what it is, unless its column makes a number or a text of it.
fn takes(declared: Declared, stored: Stored) -> Takes {
    match (declared, stored) {
        (Declared::Integer { .. } | Declared::Boolean, Stored::Integer { .. })
        | (Declared::Timestamp | Declared::Timestamptz, Stored::Text)
        | (Declared::Text | Declared::Bytes, Stored::Text | Stored::Bytes { .. }) => Takes::Yes,
        _ => Takes::No,
    }
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
