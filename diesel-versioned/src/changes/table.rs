//! Changes as a small table for people.

use std::fmt;

use super::{Changes, ColumnChange};

/// A cell is cut at this many characters, so that the table stays one.
const WIDEST: usize = 40;

const HEAD: [&str; 5] = ["column", "base", "mine", "theirs", "who"];

/// A line for each column that differs: its values as it was loaded, as I changed it and as it
/// stands there, and who changed it. `-` stands for what is not known or gone; long values are cut.
/// There is no line break at the end.
impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("no column differs");
        }
        let rows: Vec<_> = std::iter::once(HEAD.map(str::to_owned))
            .chain(self.columns.iter().map(cells))
            .collect();
        let widths: [usize; HEAD.len()] = std::array::from_fn(|column| {
            let widths = rows.iter().map(|row| row[column].chars().count());
            widths.max().unwrap_or_default()
        });
        for (index, [column, base, mine, theirs, who]) in rows.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            let [a, b, c, d, _] = widths;
            write!(
                f,
                "{column:a$} | {base:b$} | {mine:c$} | {theirs:d$} | {who}"
            )?;
        }
        Ok(())
    }
}

fn cells(change: &ColumnChange) -> [String; 5] {
    let unknown = || "-".to_owned();
    [
        change.column.to_owned(),
        change.base.as_deref().map_or_else(unknown, cell),
        cell(&change.mine),
        change.theirs.as_deref().map_or_else(unknown, cell),
        change.by.to_string(),
    ]
}

/// One line, not too long.
fn cell(value: &str) -> String {
    let line = value.replace(char::is_control, " ");
    match line.char_indices().nth(WIDEST) {
        None => line,
        Some(_) => line.chars().take(WIDEST - 1).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ChangedBy, Changes, ColumnChange};

    fn change(column: &'static str, by: ChangedBy, values: [Option<&str>; 3]) -> ColumnChange {
        let [base, mine, theirs] = values.map(|value| value.map(str::to_owned));
        ColumnChange {
            column,
            by,
            base,
            mine: mine.unwrap_or_default(),
            theirs,
        }
    }

    #[test]
    fn the_columns_of_the_table_are_aligned_whatever_the_values_are() {
        let long = "x".repeat(41);
        let changes = Changes {
            columns: vec![
                change("é", ChangedBy::Me, [Some("ä"), Some("a\nb"), None]),
                change("b", ChangedBy::Unknown, [None, Some("…"), Some(&long)]),
            ],
        };
        let expected = format!(
            "column | base | mine | theirs{0} | who\n\
             é      | ä    | a b  | -     {0} | me\n\
             b      | -    | …    | {1}… | unknown",
            " ".repeat(34),
            "x".repeat(39),
        );
        assert_eq!(changes.to_string(), expected);
        assert_eq!(Changes::default().to_string(), "no column differs");
    }

    #[test]
    fn debug_shows_no_value() {
        let changes = Changes {
            columns: vec![change("a", ChangedBy::Both, [Some("secret"); 3])],
        };
        let text = format!("{changes:?}");
        assert!(text.contains("Both") && !text.contains("secret"), "{text}");
    }
}
