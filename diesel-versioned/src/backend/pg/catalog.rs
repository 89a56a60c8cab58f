//! How PostgreSQL is asked about a table: by its catalogs, which everyone may read.

use crate::backend::catalog::{
    Catalog, CellType, Cells, FoundColumn, KeyPart, Lookup, Stored, TableKind, Takes, Unlisted,
    timestamp, type_parts,
};
use crate::schema_check::Declared;

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
        // System columns, such as xmin, are there too. A domain is what it is made of, which may be a
        // domain. Of types that came from elsewhere nobody knows what they hold.
        sql: "SELECT a.attname::text, pg_catalog.format_type(b.type, b.modifier), \
              CASE WHEN a.attnotnull OR b.not_null THEN 0::bigint ELSE 1::bigint END, \
              CASE WHEN a.atthasdef OR a.attidentity <> '' OR a.attnum < 0 OR b.has_default \
              THEN 1::bigint ELSE 0::bigint END, \
              CASE WHEN t.typtype = 'b' AND t.typnamespace <> 'pg_catalog'::regnamespace \
              THEN 0::bigint ELSE 1::bigint END \
              FROM pg_catalog.pg_attribute a \
              CROSS JOIN LATERAL (WITH RECURSIVE made (type, modifier, not_null, has_default) AS \
              (SELECT a.atttypid, a.atttypmod, false, false \
              UNION ALL SELECT d.typbasetype, d.typtypmod, m.not_null OR d.typnotnull, \
              m.has_default OR d.typdefault IS NOT NULL \
              FROM made m JOIN pg_catalog.pg_type d ON d.oid = m.type AND d.typtype = 'd') \
              SELECT m.* FROM made m JOIN pg_catalog.pg_type p ON p.oid = m.type \
              WHERE p.typtype <> 'd') b \
              JOIN pg_catalog.pg_type t ON t.oid = b.type \
              WHERE a.attrelid = pg_catalog.to_regclass({name}) AND NOT a.attisdropped \
              ORDER BY a.attnum",
        cells: &[
            CellType::Text,
            CellType::Text,
            CellType::Number,
            CellType::Number,
            CellType::Number,
        ],
        read: column,
    },
    keys: Lookup {
        // A key that is checked at the end of the transaction may be there twice before. An index
        // covers the rows of its own table, and those that inherit from it are found as well. What
        // deterministic collations take for the same is the same to all others. (Which they are is told
        // from PostgreSQL 12 on.)
        sql: "SELECT i.indexrelid::regclass::text, a.attname::text, \
              CASE WHEN a.attcollation <> x.oid \
              AND pg_catalog.to_jsonb(n) ->> 'collisdeterministic' = 'false' \
              THEN x.collname::text END \
              FROM pg_catalog.pg_index i \
              JOIN pg_catalog.pg_class c ON c.oid = i.indrelid \
              CROSS JOIN LATERAL pg_catalog.unnest(i.indkey::int2[]) \
              WITH ORDINALITY k (attnum, place) \
              LEFT JOIN pg_catalog.pg_attribute a \
              ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND k.attnum <> 0 \
              LEFT JOIN pg_catalog.pg_collation n ON n.oid = a.attcollation \
              LEFT JOIN pg_catalog.pg_collation x ON x.oid = i.indcollation[(k.place - 1)::int] \
              WHERE i.indrelid = pg_catalog.to_regclass({name}) \
              AND k.place <= i.indnkeyatts \
              AND i.indisunique AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL \
              AND NOT (c.relkind = 'r' AND EXISTS \
              (SELECT 1 FROM pg_catalog.pg_inherits h WHERE h.inhparent = c.oid)) \
              ORDER BY i.indexrelid, k.place",
        cells: &[CellType::Text; 3],
        read: KeyPart::read,
    },
    collations: None,
    folds_case: false,
    takes,
    // Four bytes are not read as eight, nor eight as four.
    exact_integers: true,
    found_rows: None,
};

fn column(cells: &Cells) -> Option<FoundColumn> {
    let type_name = cells.text(1)?;
    Some(FoundColumn {
        name: cells.text(0)?.to_owned(),
        type_name: type_name.to_owned(),
        stored: stored(type_name, cells.is_true(4)),
        nullable: cells.is_true(2),
        has_default: cells.is_true(3),
    })
}

/// A value is sent as what `table!` says, and compared by an operator for that and the column's type.
fn takes(declared: Declared, stored: Stored) -> Takes {
    match (declared, stored) {
        (Declared::Timestamp, Stored::Timestamp { zoned: true, .. }) => {
            Takes::IfDeclared("Timestamptz")
        }
        (Declared::Timestamptz, Stored::Timestamp { zoned: false, .. }) => {
            Takes::IfDeclared("Timestamp")
        }
        (Declared::Timestamp | Declared::Timestamptz, Stored::Timestamp { .. })
        | (Declared::Integer { .. }, Stored::Integer { .. })
        | (Declared::Boolean, Stored::Boolean)
        | (Declared::Text, Stored::Text)
        | (Declared::Bytes, Stored::Bytes { .. })
        | (Declared::Uuid, Stored::Uuid) => Takes::Yes,
        _ => Takes::No,
    }
}

/// `is_known` if the type is one of PostgreSQL's own, or made of other types.
fn stored(type_name: &str, is_known: bool) -> Stored {
    let (word, argument, rest) = type_parts(type_name);
    // An array.
    if type_name.ends_with(']') {
        return Stored::Other;
    }
    match word {
        // A type from elsewhere, such as citext.
        _ if !is_known => Stored::Anything,
        "smallint" => Stored::integer(16),
        "integer" => Stored::integer(32),
        "bigint" => Stored::integer(64),
        "timestamp" => timestamp(argument, 6, rest.contains("with time zone")),
        "uuid" => Stored::Uuid,
        "bytea" => Stored::Bytes {
            most: None,
            padded: false,
        },
        "text" | "character" | "bpchar" => Stored::Text,
        "boolean" => Stored::Boolean,
        "date" | "time" | "interval" | "real" | "double" | "numeric" | "json" | "jsonb" => {
            Stored::Other
        }
        _ => Stored::Foreign,
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
                Stored::Timestamp {
                    digits: 6,
                    zoned: false,
                },
            ),
            (
                "timestamp(3) with time zone",
                Stored::Timestamp {
                    digits: 3,
                    zoned: true,
                },
            ),
            ("uuid", Stored::Uuid),
            ("character varying(36)", Stored::Text),
            ("integer[]", Stored::Other),
            ("numeric(10,2)", Stored::Other),
            ("money", Stored::Foreign),
        ] {
            assert_eq!(stored(type_name, true), expected, "{type_name}");
            let elsewhere = stored(type_name, false);
            assert!(
                matches!(elsewhere, Stored::Anything | Stored::Other),
                "{type_name}"
            );
        }
    }
}
