//! The bytes of a CSV file to a checked [`PriceList`]: the first thing that is wrong ends it.

use std::collections::HashMap;

use csv::StringRecord;

use crate::columns::{Columns, Positions};
use crate::input::{InputError, Key, PriceList, Row, RowError};
use crate::money;

/// As long as the narrowest of the databases allows.
const SKU_LIMIT: usize = 64;
const NAME_LIMIT: usize = 255;

pub(crate) fn price_list(
    name: &str,
    bytes: &[u8],
    columns: Option<&Columns>,
    delimiter: u8,
) -> Result<PriceList, InputError> {
    let at = |row, error| InputError::Row {
        name: name.to_owned(),
        row,
        error,
    };
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") || bytes.contains(&0) {
        return Err(InputError::Utf16 {
            name: name.to_owned(),
        });
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        at(
            1 + line_breaks(&bytes[..error.valid_up_to()]),
            RowError::NotUtf8,
        )
    })?;
    if text.trim().is_empty() {
        return Err(InputError::Empty {
            name: name.to_owned(),
        });
    }

    if let Some(line) = open_quote(text, delimiter) {
        return Err(at(line, RowError::OpenQuote));
    }

    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .trim(csv::Trim::All)
        // The number of columns is checked here, where the row is known.
        .flexible(true)
        .from_reader(text.as_bytes());
    let unreadable = |error: csv::Error| InputError::Unreadable {
        name: name.to_owned(),
        source: error.into(),
    };
    let header = reader.headers().map_err(unreadable)?.clone();
    let positions = Positions::find(columns, &header).map_err(|error| {
        at(
            1,
            other_delimiter(&header, delimiter).unwrap_or(error.into()),
        )
    })?;

    let mut rows = Vec::new();
    let mut first_seen = HashMap::new();
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(unreadable)? {
        let number = first_line(text, &record);
        let row = shape(&record, header.len())
            .and_then(|()| row(&record, &positions, number))
            .and_then(|row| once(&mut first_seen, &row).map(|()| row));
        rows.push(row.map_err(|error| at(number, error))?);
    }
    if rows.is_empty() {
        return Err(InputError::NoRows {
            name: name.to_owned(),
        });
    }
    let fingerprint = fingerprint(text, &positions);
    Ok(PriceList {
        name: name.to_owned(),
        fingerprint,
        rows,
    })
}

/// The line that a record begins on.
fn first_line(text: &str, record: &StringRecord) -> u64 {
    let (byte, line) = record.position().map_or((0, 1), |position| {
        (
            usize::try_from(position.byte()).unwrap_or(usize::MAX),
            position.line(),
        )
    });
    // The reader reports where the record before it ended: empty lines lie between.
    let before = text.get(byte..).unwrap_or_default();
    let source = before.trim_start_matches(['\r', '\n']);
    let empty = &before[..before.len() - source.len()];
    line + line_breaks(empty.as_bytes())
}

/// The line of a quotation mark that is never closed. The reader would close it at the end, and the
/// rows behind it were a part of its field.
fn open_quote(text: &str, delimiter: u8) -> Option<u64> {
    let (mut line, mut opened, mut field_begins) = (1, None, true);
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if byte == b'"' {
            if opened.is_none() {
                opened = field_begins.then_some(line);
            } else if bytes.next_if_eq(&b'"').is_none() {
                // Not one that is doubled, which stands for itself.
                opened = None;
            }
        }
        line += u64::from(byte == b'\n');
        field_begins = opened.is_none() && (byte == delimiter || b"\r\n".contains(&byte));
    }
    opened
}

fn line_breaks(bytes: &[u8]) -> u64 {
    bytes.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}

/// A header that makes sense only with another delimiter.
fn other_delimiter(header: &StringRecord, delimiter: u8) -> Option<RowError> {
    let [only] = header.iter().collect::<Vec<_>>()[..] else {
        return None;
    };
    let found = [',', ';', '\t', '|']
        .into_iter()
        .find(|other| only.contains(*other))?;
    Some(RowError::Delimiter {
        found,
        expected: char::from(delimiter),
    })
}

/// Whether a record has the columns that it must have.
fn shape(record: &StringRecord, expected: usize) -> Result<(), RowError> {
    if record.len() == expected {
        Ok(())
    } else {
        Err(RowError::Ragged {
            found: record.len(),
            expected,
        })
    }
}

fn row(record: &StringRecord, positions: &Positions, number: u64) -> Result<Row, RowError> {
    let field = |position: usize| record.get(position).unwrap_or_default();
    let limited = |position: Option<usize>, what, limit| match position.map(field) {
        None | Some("") => Ok(None),
        Some(text) if text.chars().count() > limit => Err(RowError::TooLong { what, limit }),
        Some(text) => Ok(Some(Box::from(text))),
    };
    let sku = limited(positions.sku, "the sku", SKU_LIMIT)?;
    let (key, new_sku) = match positions.id {
        Some(id) => {
            let id = field(id);
            (
                Key::Id(id.parse().map_err(|_| RowError::Id { text: excerpt(id) })?),
                sku,
            )
        }
        None => (Key::Sku(sku.ok_or(RowError::EmptySku)?), None),
    };
    let price = field(positions.price);
    let quantity = positions.quantity.map_or("0", field);
    Ok(Row {
        number,
        key,
        price: money::parse(price).map_err(|error| RowError::Price {
            text: excerpt(price),
            error,
        })?,
        quantity: quantity.parse().map_err(|_| RowError::Quantity {
            text: excerpt(quantity),
        })?,
        new_sku,
        new_name: limited(positions.name, "the name", NAME_LIMIT)?,
    })
}

/// So much of a wrong value as fits into a message.
fn excerpt(text: &str) -> String {
    const LIMIT: usize = 40;
    let mut short: String = text.chars().take(LIMIT).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// Whether no row before this one is about the same product.
fn once(first_seen: &mut HashMap<Key, u64>, row: &Row) -> Result<(), RowError> {
    let new_sku = row.new_sku.clone().map(Key::Sku);
    for key in [Some(row.key.clone()), new_sku].into_iter().flatten() {
        if let Some(first) = first_seen.insert(key.clone(), row.number) {
            return Err(RowError::Duplicate { key, first });
        }
    }
    Ok(())
}

/// FNV-1a: the same in every build of this program, which `std`'s hasher does not promise.
fn fingerprint(text: &str, positions: &Positions) -> String {
    let positions = format!("{positions:?}");
    let hash = text
        .bytes()
        .chain(positions.bytes())
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    format!("{hash:016x}-{:x}", text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<Row>, String> {
        price_list("p.csv", bytes, None, b',')
            .map(|list| list.rows)
            .map_err(|error| error.to_string())
    }

    fn numbers(text: &str) -> Vec<u64> {
        read(text.as_bytes())
            .unwrap()
            .iter()
            .map(|row| row.number)
            .collect()
    }

    #[test]
    fn rows_are_read() {
        let rows = read(b"quantity,id,price,note\n-3,7,12.5,x\n +4 , 8 ,0.99,\n").unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].key, Key::Id(7));
        assert_eq!((rows[0].price, rows[0].quantity), (money::Cents(1250), -3));
        assert_eq!((rows[1].price, rows[1].quantity), (money::Cents(99), 4));
    }

    #[test]
    fn an_id_goes_before_a_sku() {
        let rows = read(b"id,sku,name,price,quantity\n7,A-1,Tea,1,0\n8,,,1,0").unwrap();
        assert_eq!(
            (rows[0].key.clone(), rows[0].new_sku.as_deref()),
            (Key::Id(7), Some("A-1"))
        );
        assert_eq!(rows[0].new_name.as_deref(), Some("Tea"));
        assert_eq!((&rows[1].new_sku, &rows[1].new_name), (&None, &None));
    }

    #[test]
    fn rows_are_counted_as_an_editor_counts_lines() {
        assert_eq!(numbers("id,price,quantity\n1,1,0\n2,1,0"), [2, 3]);
        assert_eq!(numbers("id,price,quantity\r\n1,1,0\r\n2,1,0\r\n"), [2, 3]);
        assert_eq!(
            numbers("\u{feff}id,price,quantity\n\n1,1,0\n\n\n2,1,0\n\n"),
            [3, 6]
        );
        assert_eq!(
            numbers("id,price,quantity,note\r\n\r\n1,1,0,\"a\r\nb\"\r\n2,1,0,"),
            [3, 5]
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_row() {
        for (text, message) in [
            ("", "p.csv: is empty"),
            ("\u{feff}\r\n", "p.csv: is empty"),
            ("id,price,quantity\n", "p.csv: has a header and no rows"),
            (
                "id,price,quantity\n\n1,1\n",
                "p.csv: row 3: has 2 columns, the header has 3",
            ),
            (
                "id,price,quantity\n1,1,0\n1x,1,0\n",
                "p.csv: row 3: id \"1x\" is not a whole number",
            ),
            (
                "id,price,quantity\n1,1,0.5\n",
                "p.csv: row 2: quantity \"0.5\" is not a whole number",
            ),
            (
                "id,price,quantity\n1,1,9223372036854775808\n",
                "p.csv: row 2: quantity \"9223372036854775808\" is not a whole number",
            ),
            (
                "id,price,quantity\n1,-1,0\n",
                "p.csv: row 2: price \"-1\" is negative",
            ),
            (
                "sku,price,quantity\nA,1,0\n ,1,0\n",
                "p.csv: row 3: the sku is empty",
            ),
            (
                "id,price,quantity\n5,1,0\n6,1,0\n5,1,0\n",
                "p.csv: row 4: id 5 is in row 2 already",
            ),
            (
                "id,sku,price,quantity\n5,A,1,0\n6,A,1,0\n",
                "p.csv: row 3: sku A is in row 2 already",
            ),
            (
                "id;price;quantity\n1;1;0\n",
                "p.csv: row 1: the columns are separated by ';', not by ','; add --delimiter ';'",
            ),
            (
                "id\tprice\tquantity\n1\t1\t0\n",
                "p.csv: row 1: the columns are separated by '\\t', not by ','; add --delimiter '\\t'",
            ),
            (
                "id,price,quantity,note\n1,1,0,\"5 inch\n2,1,0,\n3,1,0,\"\"\n",
                "p.csv: row 2: a quotation mark is opened here and never closed",
            ),
        ] {
            assert_eq!(read(text.as_bytes()), Err(message.to_owned()), "{text:?}");
        }
        assert_eq!(
            read(b"id,price,quantity\n1,1,0\n2,\xe9,0\n"),
            Err("p.csv: row 3: is not UTF-8; save the file as UTF-8".to_owned())
        );
        assert_eq!(
            read(b"\xff\xfei\0d\0"),
            Err("p.csv: is not UTF-8 but looks like UTF-16; save it as UTF-8".to_owned())
        );
    }

    #[test]
    fn a_quotation_mark_is_open_until_it_is_closed() {
        for (text, line) in [
            ("1,\"a\"", None),
            ("1,\"a\nb\"\n2,5\" inch\n", None),
            ("1,\"a \"\"b\"\" c\"\n", None),
            ("1,\"\"\n", None),
            ("1,\"a\"\"\n", Some(1)),
            ("1,a\r\n2,\"b", Some(2)),
            ("1,\"a\nb\",\"c\n", Some(2)),
            ("\"1,a\n2,b\n", Some(1)),
        ] {
            assert_eq!(open_quote(text, b','), line, "{text:?}");
        }
    }

    #[test]
    fn a_wrong_value_is_shown_in_part() {
        let text = format!("id,price,quantity\n{},1,0\n", "9".repeat(200));
        let message = read(text.as_bytes()).unwrap_err();
        assert!(message.len() < 100 && message.contains('…'), "{message}");
    }

    #[test]
    fn a_fingerprint_follows_content_and_reading() {
        let print = |text: &str, columns: Option<&str>| {
            let columns = columns.map(|columns| columns.parse().unwrap());
            price_list("p.csv", text.as_bytes(), columns.as_ref(), b',')
                .unwrap()
                .fingerprint
        };
        let text = "id,price,quantity,list\n1,1,0,2\n";
        assert_eq!(
            print(text, None),
            print(text, Some("id=id,price=price,quantity=quantity"))
        );
        assert_ne!(
            print(text, None),
            print(text, Some("id=id,price=list,quantity=quantity"))
        );
        assert_ne!(
            print(text, None),
            print("id,price,quantity,list\n1,1,0,3\n", None)
        );
    }
}
