//! What a commit did, as text that is kept under its key: a line per row.

use std::str::Split;

use crate::unit_of_work::Operation;

/// One row that a commit wrote, as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RecordedChange {
    pub(crate) table: String,
    pub(crate) operation: Operation,
    pub(crate) key: String,
    pub(crate) old_version: Option<String>,
    pub(crate) new_version: Option<String>,
    /// By what an inserted row is known again.
    pub(crate) made_of: Option<String>,
}

/// The text of some rows.
pub(crate) fn write(changes: impl IntoIterator<Item = RecordedChange>) -> String {
    let mut text = String::new();
    for change in changes {
        let name = name(change.operation);
        let fields = [Some(&*change.table), Some(name), Some(&*change.key)];
        let rest = [&change.old_version, &change.new_version, &change.made_of];
        let rest = rest.map(Option::as_deref);
        for (position, field) in fields.into_iter().chain(rest).enumerate() {
            if position > 0 {
                text.push('\t');
            }
            escape(field, &mut text);
        }
        text.push('\n');
    }
    text
}

/// The rows of a text; `None` if this is not such a text.
pub(crate) fn read(text: &str) -> Option<Vec<RecordedChange>> {
    text.split_terminator('\n')
        .map(|line| {
            let mut fields = line.split('\t');
            let change = RecordedChange {
                table: field(&mut fields)??,
                operation: operation(&field(&mut fields)??)?,
                key: field(&mut fields)??,
                old_version: field(&mut fields)?,
                new_version: field(&mut fields)?,
                made_of: field(&mut fields)?,
            };
            fields.next().is_none().then_some(change)
        })
        .collect()
}

const NAMES: [(Operation, &str); 6] = [
    (Operation::Insert, "insert"),
    (Operation::Update, "update"),
    (Operation::Touch, "touch"),
    (Operation::Delete, "delete"),
    (Operation::Restore, "restore"),
    (Operation::Purge, "purge"),
];

fn name(operation: Operation) -> &'static str {
    NAMES
        .iter()
        .find(|(known, _)| *known == operation)
        .map_or("", |(_, name)| name)
}

fn operation(name: &str) -> Option<Operation> {
    let (operation, _) = NAMES.iter().find(|(_, known)| *known == name)?;
    Some(*operation)
}

/// Writes a field without tabs and ends of lines; `\-` where there is nothing.
fn escape(field: Option<&str>, text: &mut String) {
    let Some(field) = field else {
        text.push_str("\\-");
        return;
    };
    for character in field.chars() {
        match character {
            '\\' => text.push_str("\\\\"),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            // Not every database keeps it in a text.
            '\0' => text.push_str("\\0"),
            other => text.push(other),
        }
    }
}

fn field(fields: &mut Split<'_, char>) -> Option<Option<String>> {
    let field = fields.next()?;
    if field == "\\-" {
        return Some(None);
    }
    let mut text = String::with_capacity(field.len());
    let mut characters = field.chars();
    while let Some(character) = characters.next() {
        text.push(match character {
            '\\' => match characters.next()? {
                '\\' => '\\',
                't' => '\t',
                'n' => '\n',
                '0' => '\0',
                _ => return None,
            },
            other => other,
        });
    }
    Some(Some(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_back() {
        let change = |operation, key: &str, old: Option<&str>, new: Option<&str>| RecordedChange {
            table: "odd\ttable".to_owned(),
            operation,
            key: key.to_owned(),
            old_version: old.map(str::to_owned),
            new_version: new.map(str::to_owned),
            made_of: old.is_none().then(|| "ab12".to_owned()),
        };
        let changes = vec![
            change(Operation::Insert, "7", None, Some("1")),
            change(Operation::Update, "(1, \"a\tb\")", Some("1"), Some("2")),
            change(Operation::Touch, "\\-", Some(""), Some("\\t\n\0")),
            change(Operation::Delete, "", Some("9"), None),
        ];
        assert_eq!(read(&write(changes.clone())), Some(changes));
        assert_eq!(read(""), Some(Vec::new()));
        let line = "t\tupdate\t7\t1\t2\t\\-\n";
        assert!(read(line).is_some());
        for wrong in [
            "t",
            "t\tmove\t7\t1\t2\t3",
            "t\tupdate\t7\t1\t2",
            "t\tupdate\t\\x\t1\t2\t3",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        assert_eq!(read("t\tupdate\t7\t1\t2\t3\t4"), None);
    }
}
