//! Which column of a file means what: the `--columns` option, matched with the header.

use std::str::FromStr;

use csv::StringRecord;

/// What a column can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Id,
    Sku,
    Price,
    Quantity,
    Name,
}

/// The one list of them: parser and messages read it.
const MEANINGS: [(&str, Meaning); 5] = [
    ("id", Meaning::Id),
    ("sku", Meaning::Sku),
    ("price", Meaning::Price),
    ("quantity", Meaning::Quantity),
    ("name", Meaning::Name),
];

/// The `--columns` option: meaning and name in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns(Vec<(Meaning, String)>);

impl FromStr for Columns {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut columns: Vec<(Meaning, String)> = Vec::new();
        for part in text.split(',') {
            let Some((key, column)) = part.split_once('=') else {
                return Err(format!("{part:?} is not KEY=COLUMN"));
            };
            let (key, column) = (key.trim(), column.trim());
            let Some((_, meaning)) = MEANINGS.iter().find(|(known, _)| *known == key) else {
                let known = MEANINGS.map(|(known, _)| known).join(", ");
                return Err(format!("unknown key {key:?}, the keys are {known}"));
            };
            if columns.iter().any(|(other, _)| other == meaning) {
                return Err(format!("{key} is given twice"));
            }
            columns.push((*meaning, column.to_owned()));
        }
        let has = |meaning| columns.iter().any(|(other, _)| *other == meaning);
        if !has(Meaning::Id) && !has(Meaning::Sku) {
            return Err(
                "the products are found by id or sku: add id=COLUMN or sku=COLUMN".to_owned(),
            );
        }
        if !has(Meaning::Price) {
            return Err("the new price is missing: add price=COLUMN".to_owned());
        }
        Ok(Self(columns))
    }
}

/// The positions of the columns in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Positions {
    pub(crate) id: Option<usize>,
    pub(crate) sku: Option<usize>,
    pub(crate) price: usize,
    pub(crate) quantity: Option<usize>,
    pub(crate) name: Option<usize>,
}

/// Why a header does not fit.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HeaderError {
    #[error("there is no column {column:?} (there are: {header}); {hint}")]
    Missing {
        column: String,
        header: String,
        hint: &'static str,
    },
    #[error("there are two columns {column:?}")]
    Twice { column: String },
}

impl Positions {
    /// Finds the columns of `--columns` in a header, or those with the names that need no option.
    ///
    /// # Errors
    ///
    /// If a column is missing, or its name stands there twice.
    pub(crate) fn find(
        columns: Option<&Columns>,
        header: &StringRecord,
    ) -> Result<Self, HeaderError> {
        let position = |column: &str| {
            let mut found = (0..header.len()).filter(|index| &header[*index] == column);
            match (found.next(), found.next()) {
                (_, Some(_)) => Err(HeaderError::Twice {
                    column: column.to_owned(),
                }),
                (first, None) => Ok(first),
            }
        };
        let missing = |column: &str, hint| HeaderError::Missing {
            column: column.to_owned(),
            header: header.iter().collect::<Vec<_>>().join(", "),
            hint,
        };
        if let Some(Columns(columns)) = columns {
            let wanted = |meaning| match columns.iter().find(|(other, _)| *other == meaning) {
                None => Ok(None),
                Some((_, column)) => match position(column)? {
                    None => Err(missing(column, "it is named in --columns")),
                    found => Ok(found),
                },
            };
            return Ok(Self {
                id: wanted(Meaning::Id)?,
                sku: wanted(Meaning::Sku)?,
                // `Columns` has a price always.
                price: wanted(Meaning::Price)?.unwrap_or_default(),
                quantity: wanted(Meaning::Quantity)?,
                name: wanted(Meaning::Name)?,
            });
        }
        let hint = "say which columns to take with --columns id=…,price=…,quantity=…";
        let (id, sku) = (position("id")?, position("sku")?);
        if id.or(sku).is_none() {
            return Err(missing("id or sku", hint));
        }
        let required = |column| position(column)?.ok_or_else(|| missing(column, hint));
        Ok(Self {
            id,
            sku,
            price: required("price")?,
            // A misspelt header must not mean that a delivery is ignored.
            quantity: Some(required("quantity")?),
            name: position("name")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(names: &[&str]) -> StringRecord {
        StringRecord::from(names.to_vec())
    }

    #[test]
    fn a_mapping_is_read() {
        let columns: Columns = "id=ProductID, price=Unit Price".parse().unwrap();
        let positions = Positions::find(
            Some(&columns),
            &header(&["Unit Price", "quantity", "ProductID"]),
        );
        let expected = Positions {
            id: Some(2),
            sku: None,
            price: 0,
            quantity: None,
            name: None,
        };
        assert_eq!(positions, Ok(expected), "what is not listed is not taken");
    }

    #[test]
    fn a_wrong_mapping_says_what_is_wrong() {
        for (text, message) in [
            ("", "\"\" is not KEY=COLUMN"),
            ("id", "\"id\" is not KEY=COLUMN"),
            (
                "id=a,cost=b",
                "unknown key \"cost\", the keys are id, sku, price, quantity, name",
            ),
            ("id=a,id=b,price=c", "id is given twice"),
            (
                "price=c",
                "the products are found by id or sku: add id=COLUMN or sku=COLUMN",
            ),
            ("sku=c", "the new price is missing: add price=COLUMN"),
        ] {
            assert_eq!(text.parse::<Columns>(), Err(message.to_owned()), "{text}");
        }
    }

    #[test]
    fn a_header_must_have_the_columns_once() {
        let find = |names: &[&str]| Positions::find(None, &header(names));
        assert!(find(&["sku", "price", "quantity"]).is_ok());
        assert_eq!(find(&["quantity", "price", "id"]).unwrap().price, 1);
        assert!(matches!(
            find(&["price", "quantity"]),
            Err(HeaderError::Missing { .. })
        ));
        assert!(matches!(
            find(&["id", "price"]),
            Err(HeaderError::Missing { .. })
        ));
        assert!(matches!(
            find(&["id", "quantity"]),
            Err(HeaderError::Missing { .. })
        ));
        assert_eq!(
            find(&["id", "price", "price", "quantity"]),
            Err(HeaderError::Twice {
                column: "price".to_owned()
            })
        );
        let columns = "id=Id,price=Price".parse().unwrap();
        assert_eq!(
            Positions::find(Some(&columns), &header(&["Id", "price"]))
                .unwrap_err()
                .to_string(),
            "there is no column \"Price\" (there are: Id, price); it is named in --columns"
        );
    }
}
