//! How PostgreSQL is asked about a table: by its catalogs, which everyone may read.

use crate::backend::catalog::{
    Catalog, CellType, Cells, FoundColumn, KeyPart, Lookup, Stored, TableKind, Unlisted, digits,
    type_parts,
};

pub(super) static CATALOG: Catalog = Catalog {
    literal: ("$name$", "$name$"),
    locate: None,
    kind: Lookup {
        sql: "SELECT CASE WHEN relkind IN ('r', 'p') THEN 'table' ELSE 'other' END \
              FROM pg_catalog.pg_class WHERE oid = pg_catalog.to_regclass({name})",
        cells: &[CellType::Text],
        read: TableKind::read,
    },
    unlisted: Unlisted::Missing,
    columns: Lookup {
        // System columns, such as xmin, are there too. A domain is what it is made of.
        sql: "SELECT a.attname::text, \
              CASE t.typtype WHEN 'd' THEN pg_catalog.format_type(t.typbasetype, t.typtypmod) \
              ELSE pg_catalog.format_type(a.atttypid, a.atttypmod) END, \
              CASE WHEN a.attnotnull OR t.typnotnull THEN 0::bigint ELSE 1::bigint END, \
              CASE WHEN a.atthasdef OR a.attidentity <> '' OR a.attnum < 0 \
              OR t.typdefault IS NOT NULL THEN 1::bigint ELSE 0::bigint END \
              FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid \
              WHERE a.attrelid = pg_catalog.to_regclass({name}) AND NOT a.attisdropped \
              ORDER BY a.attnum",
        cells: &[
            CellType::Text,
            CellType::Text,
            CellType::Number,
            CellType::Number,
        ],
        read: column,
    },
    keys: Lookup {
        // A key that is checked at the end of the transaction may be there twice before. An index
        // covers the rows of its own table, and those that inherit from it are found as well.
        sql: "SELECT i.indexrelid::regclass::text, a.attname::text \
              FROM pg_catalog.pg_index i \
              JOIN pg_catalog.pg_class c ON c.oid = i.indrelid \
              CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::int2[]) \
              WITH ORDINALITY k (attnum, place) \
              LEFT JOIN pg_catalog.pg_attribute a \
              ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND k.attnum <> 0 \
              WHERE i.indrelid = pg_catalog.to_regclass({name}) \
              AND k.place <= i.indnkeyatts \
              AND i.indisunique AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL \
              AND NOT (c.relkind = 'r' AND EXISTS \
              (SELECT 1 FROM pg_catalog.pg_inherits h WHERE h.inhparent = c.oid)) \
              ORDER BY i.indexrelid, k.place",
        cells: &[CellType::Text, CellType::Text],
        read: KeyPart::read,
    },
    folds_case: false,
    // Four bytes are not read as eight, nor eight as four.
    exact_integers: true,
    found_rows: None,
};

fn column(cells: &Cells) -> Option<FoundColumn> {
    let type_name = cells.text(1)?;
    Some(FoundColumn {
        name: cells.text(0)?.to_owned(),
        type_name: type_name.to_owned(),
        stored: stored(type_name),
        nullable: cells.is_true(2),
        has_default: cells.is_true(3),
    })
}

fn stored(type_name: &str) -> Stored {
    let (word, argument, _) = type_parts(type_name);
    // An array, or a type of this name from elsewhere.
    if type_name.ends_with(']') {
        return Stored::Other;
    }
    match word {
        "smallint" => Stored::integer(16),
        "integer" => Stored::integer(32),
        "bigint" => Stored::integer(64),
        "timestamp" => digits(argument, 6),
        "uuid" => Stored::Uuid,
        "bytea" => Stored::Bytes {
            most: None,
            padded: false,
        },
        "text" | "character" => Stored::Text,
        "boolean" => Stored::Boolean,
        "date" | "time" | "interval" | "real" | "double" | "numeric" | "json" | "jsonb" => {
            Stored::Other
        }
        // A type of the user's, a domain over a domain: nobody knows what it holds.
        _ => Stored::Anything,
    }
}

#[cfg(test)]
mod tests {
    use super::stored;
    use crate::backend::catalog::Stored;

    #[test]
    fn types_are_known_by_how_they_are_shown() {
        for (type_name, expected) in [
            ("smallint", Stored::integer(16)),
            ("integer", Stored::integer(32)),
            ("bigint", Stored::integer(64)),
            (
                "timestamp without time zone",
                Stored::Timestamp { digits: 6 },
            ),
            (
                "timestamp(3) with time zone",
                Stored::Timestamp { digits: 3 },
            ),
            ("uuid", Stored::Uuid),
            ("character varying(36)", Stored::Text),
            ("integer[]", Stored::Other),
            ("numeric(10,2)", Stored::Other),
            ("citext", Stored::Anything),
        ] {
            assert_eq!(stored(type_name), expected, "{type_name}");
        }
    }
}
